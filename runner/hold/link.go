package hold

import (
	"bufio"
	"context"
	"io"
	"time"

	"devtools/runner/wire"
)

// linkBacklog is how many responses wait for a client that does not read. It asks one thing at a
// time of each kind, so more than this means that it is broken, and it is cut off.
const linkBacklog = 256

// A link is the holder's end of a connection to one client. All but its two goroutines belongs to
// the holder's loop.
type link struct {
	conn    io.ReadWriteCloser
	send    chan wire.Response
	written chan struct{} // closed when all of send is written, or cannot be

	gone    bool      // it is closed, and send as well
	starter bool      // the process that started the session
	viewing bool      // shows the session on a person's terminal
	read    int64     // the offset up to which the client has read
	shows   int       // pictures that it has asked for and not got
	came    time.Time // when it became one
	person  bool      // a person's terminal is attached over it, who may type
	told    time.Time

	capture bool  // a capture's
	ending  bool  // a capture's, which is to come to until and no farther
	until   int64 // an offset
}

// A call is a request with the link that it came over. A nil request means that the link is closed.
type call struct {
	link    *link
	request *wire.Request
}

// newLink serves conn, whose lines come from r: its requests go to calls.
func newLink(conn io.ReadWriteCloser, r *bufio.Reader, calls chan<- call) *link {
	l := &link{conn: conn, send: make(chan wire.Response, linkBacklog), written: make(chan struct{})}
	go func() {
		for {
			var req wire.Request
			if err := wire.ReadLine(r, wire.MaxRequest, &req); err != nil {
				calls <- call{link: l}
				return
			}
			calls <- call{l, &req}
		}
	}()
	go func() {
		defer close(l.written)
		for resp := range l.send {
			if wire.WriteResponse(conn, resp) != nil {
				_ = conn.Close() // ends the reading, which tells the loop
				for range l.send {
				}
			}
		}
	}()
	return l
}

// interval returns the least time between two words to the client that there is more output.
func (l *link) interval() time.Duration {
	if l.capture {
		return captureInterval
	}
	return tellInterval
}

// answer sends resp. It never blocks.
func (l *link) answer(resp wire.Response) {
	if l.gone {
		return
	}
	resp.V = wire.Version
	select {
	case l.send <- resp:
	default:
		_ = l.conn.Close()
	}
}

// finish lets go of the client once it has every response, or when ctx ends.
func (l *link) finish(ctx context.Context) {
	l.gone = true
	close(l.send)
	select {
	case <-l.written:
	case <-ctx.Done():
	}
	_ = l.conn.Close()
}
