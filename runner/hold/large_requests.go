package hold

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"devtools/runner/wire"
)

const (
	// mostLarge is how many clients may send a large request at once. Each takes up to wire.MaxRequest of memory.
	mostLarge = 2

	// pieceSize is how many bytes of a large request count as progress.
	pieceSize = 64 << 10

	// pieceTime is how long the next piece may take while other clients wait to send a large request.
	pieceTime = 500 * time.Millisecond

	// lateTime is how long the first piece may take for a client that has waited for longer than pieceTime itself: the piece had
	// that time to come.
	lateTime = 100 * time.Millisecond
)

// errSlow tells a client why its request is not taken.
func errSlow() error {
	return fmt.Errorf("%w: a large request came too slowly, or had to wait too long", wire.ErrManyClients)
}

// The largeRequests are the places for clients that send a large request. A client that makes no progress gives way while others
// wait for a place.
type largeRequests struct {
	places  chan struct{} // has one for each place that is taken
	waiting atomic.Int32  // clients without a place
}

func newLargeRequests() *largeRequests { return &largeRequests{places: make(chan struct{}, mostLarge)} }

// take waits for a place, until end. It reports whether it has got one, which leave gives back.
func (r *largeRequests) take(end time.Time) bool {
	select {
	case r.places <- struct{}{}:
		return true
	default:
	}
	r.waiting.Add(1)
	defer r.waiting.Add(-1)
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	select {
	case r.places <- struct{}{}:
		return true
	case <-timer.C:
		return false
	}
}

func (r *largeRequests) leave() { <-r.places }

// readLarge reads a request that begins with line, until end at most. Its memory goes back to the system at once.
func (l *link) readLarge(line []byte, end time.Time) (*wire.Request, error) {
	asked := time.Now()
	if !l.large.take(end) {
		return nil, errSlow()
	}
	defer l.large.leave()
	defer l.memory.used(trimAfter)
	buffer, free, err := pages(wire.MaxRequest + lineBuffer)
	if err != nil {
		return nil, err
	}
	defer free()
	whole, err := l.readPieces(append(buffer[:0], line...), asked, end)
	if err != nil {
		return nil, err
	}
	req, err := wire.ReadRequest(whole)
	return &req, err
}

// readPieces reads the rest of a line, whose client has waited for a place since asked.
func (l *link) readPieces(line []byte, asked, end time.Time) ([]byte, error) {
	piece := len(line) + pieceSize
	err := l.limit(soonest(later(asked.Add(pieceTime), time.Now().Add(lateTime)), end))
	for err == nil && !bytes.HasSuffix(line, []byte("\n")) {
		if len(line) > wire.MaxRequest {
			return nil, fmt.Errorf("%w: it has more than %d bytes", wire.ErrLong, wire.MaxRequest)
		}
		var part []byte
		part, err = l.r.ReadSlice('\n')
		line = append(line, part...)
		slow := errors.Is(err, os.ErrDeadlineExceeded)
		switch {
		case slow && (l.large.waiting.Load() > 0 || !time.Now().Before(end)):
			return nil, errSlow()
		case slow, len(line) >= piece && errors.Is(err, bufio.ErrBufferFull): // nobody is hindered, or there is progress
			piece = len(line) + pieceSize
			err = l.limit(soonest(time.Now().Add(pieceTime), end))
		case errors.Is(err, bufio.ErrBufferFull):
			err = nil
		case err == io.EOF:
			err = io.ErrUnexpectedEOF
		}
	}
	return line, err
}
