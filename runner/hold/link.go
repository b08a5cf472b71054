package hold

import (
	"bufio"
	"context"
	"io"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// linkBacklog is how many responses may wait for a client that does not read. A client asks one thing of each
// kind at a time. If more responses than this wait, the client is broken, and the holder cuts it off.
const linkBacklog = 256

// A link is the holder's end of the connection to one client. The loop owns everything in it but its two
// goroutines.
type link struct {
	conn    io.ReadWriteCloser
	dir     ledger.Dir
	send    chan wire.Response
	written chan struct{} // closed when all of send is written, or cannot be

	gone    bool        // closed, and send as well
	unread  bool        // the client left before it had read everything that was sent to it
	unsent  atomic.Bool // an answer could not be sent
	left    atomic.Bool // the client is gone; for other goroutines
	starter bool        // the client has started the session
	viewing bool        // the client shows the session on a person's terminal
	read    int64       // offset up to which the client has read
	shows   int         // pictures requested and not delivered
	came    time.Time   // time of the last attach, or of the last OpAsked after it: the person knows earlier requests
	person  bool        // a person who may type is attached

	attached bool // a person is attached, who may only watch
	told     time.Time

	capture bool  // the client is a capture
	ending  bool  // the capture ends at until
	until   int64 // offset
}

// A call is a request and the link that it came over. A nil request means that the link is closed; unread is as in link.
type call struct {
	link    *link
	request *wire.Request
	unread  bool
}

// newLink serves conn, whose lines come from r. The client's requests go to calls.
func newLink(conn io.ReadWriteCloser, r *bufio.Reader, calls chan<- call) *link {
	l := &link{conn: conn, send: make(chan wire.Response, linkBacklog), written: make(chan struct{})}
	go func() {
		for {
			var req wire.Request
			if err := wire.ReadLine(r, wire.MaxRequest, &req); err != nil {
				calls <- call{link: l, unread: wire.Reset(err)}
				return
			}
			calls <- call{link: l, request: &req}
		}
	}()
	go func() {
		defer close(l.written)
		for resp := range l.send {
			if wire.WriteResponse(conn, resp) != nil {
				l.unsent.Store(true)
				_ = conn.Close() // ends the reading goroutine, which tells the loop
				for range l.send {
				}
			}
		}
	}()
	return l
}

// interval returns the least time between two notices of new output to the client.
func (l *link) interval() time.Duration {
	if l.capture {
		return captureInterval
	}
	return tellInterval
}

// answer sends resp. It never blocks: a client with too many waiting responses is cut off.
func (l *link) answer(resp wire.Response) {
	if l.gone {
		return
	}
	resp.V = wire.Version
	if resp.Error != nil {
		resp.Error.Message = l.dir.Told(resp.Error.Message)
	}
	select {
	case l.send <- resp:
	default:
		_ = l.conn.Close()
	}
}

// refuse answers a request with the reason why it is not carried out.
func (l *link) refuse(req *wire.Request, err error) {
	l.answer(wire.Response{ID: req.ID, Error: wire.NewFault(err)})
}

// finish closes the connection once the client has every response, or when ctx ends.
func (l *link) finish(ctx context.Context) {
	l.gone = true
	close(l.send)
	select {
	case <-l.written:
	case <-ctx.Done():
	}
	_ = l.conn.Close()
}
