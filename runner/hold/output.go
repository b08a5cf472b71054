package hold

import (
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/wire"
)

// A chunk is output on its way from a terminal or pipe to the loop. The loop gives the buffer back when it has
// handled the chunk. Until then the reader waits, and in the end the program waits, too.
type chunk struct {
	data []byte
	kind transcript.Kind
	err  error // why no more output follows data; io.EOF at the end
	free chan<- []byte
}

// pump moves the output of f into chunks until it ends. f is the master of tty, or a pipe if tty is nil. idle is true while
// pump waits for output, and after its end.
func pump(f *os.File, tty *pty.Terminal, kind transcript.Kind, chunks chan<- chunk, idle *atomic.Bool) {
	free := make(chan []byte, 2)
	free <- make([]byte, wire.BufferSize)
	free <- make([]byte, wire.BufferSize)
	for buffer := range free {
		n, err := pty.ReadAvailable(f, tty, buffer, idle)
		chunks <- chunk{data: buffer[:n], kind: kind, err: err, free: free}
		if err != nil {
			idle.Store(true)
			return
		}
	}
}

// flood is how many bytes of output make a holder use more processors from then on. With one, it answers a call in the midst of
// a flood only after 47 ms, with all after 13 ms.
const flood = 1 << 20

// useProcessors makes a holder whose program has printed next bytes use more processors, once these are many.
func (h *holder) useProcessors(next int64) {
	if !h.flooded && next > flood {
		h.flooded = true
		runtime.GOMAXPROCS(min(runtime.NumCPU(), proc.KeptProcessors))
	}
}

// release gives the buffer back to its reader.
func (c chunk) release() {
	if c.err == nil {
		c.free <- c.data[:cap(c.data)]
	}
}

// ended reports whether this was the last chunk. It returns the error if the output did not simply end.
func (c chunk) ended() (bool, error) {
	if c.err == io.EOF {
		return true, nil
	}
	return c.err != nil, c.err
}
