package attach

import (
	"context"
	"errors"
	"io"
	"time"

	"devtools/runner/wire"
)

// errStuck reports a terminal that takes no output any more.
var errStuck = errors.New("the terminal takes no output")

// An outputWriter writes to the person's terminal in a goroutine of its own: a write to a stopped terminal may block for
// ever.
type outputWriter struct {
	pieces chan []byte
	wrote  chan error
	stuck  bool // the terminal has not taken a piece
}

// newOutputWriter returns an outputWriter. The caller closes it.
func newOutputWriter(to io.Writer) *outputWriter {
	w := &outputWriter{pieces: make(chan []byte, 1), wrote: make(chan error, 1)}
	go func() {
		for piece := range w.pieces {
			_, err := to.Write(piece)
			w.wrote <- err
		}
	}()
	return w
}

// write waits until the terminal has taken the piece. After the end of ctx it waits only for a moment. The error is
// errStuck, from then on.
func (w *outputWriter) write(ctx context.Context, piece []byte) error {
	if w.stuck {
		return errStuck
	}
	w.pieces <- piece
	var err error
	select {
	case err = <-w.wrote:
	case <-ctx.Done():
		select {
		case err = <-w.wrote:
		case <-time.After(wire.Farewell):
			err = errStuck
		}
	}
	if err != nil {
		w.stuck = true
		return errStuck
	}
	return nil
}

// close ends the goroutine once the terminal has taken the last piece.
func (w *outputWriter) close() { close(w.pieces) }
