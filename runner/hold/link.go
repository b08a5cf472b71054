package hold

import (
	"bufio"
	"context"
	"io"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/runner/guard/mask"
	"devtools/runner/wire"
)

// linkBacklog is how many responses may wait for a client that does not read. A client asks one thing of each
// kind at a time. If more responses than this wait, the client is broken, and the holder cuts it off.
const linkBacklog = 256

// A link is the holder's end of the connection to one client. The loop owns everything in it but its two
// goroutines.
type link struct {
	conn    io.ReadWriteCloser
	r       *bufio.Reader // lines of conn
	dir     ledger.Dir
	masks   *mask.Matcher
	memory  *memory
	large   *largeRequests
	send    chan *wire.Response
	queued  atomic.Int64  // bytes in send, about
	room    chan struct{} // has one when something of send was written
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
	acts    bool        // the client may do more than read

	asked    time.Time // time of the last request or answer
	attached bool      // a person is attached, who may only watch
	told     time.Time

	after []call // served when it is known whether the client has read everything

	capture bool  // the client is a capture
	ending  bool  // the capture ends at until
	until   int64 // offset
}

// A call is a request and the link that it came over. A nil request means that the link is closed, because of wrong; unread is as
// in link.
type call struct {
	link    *link
	request *wire.Request
	unread  bool
	wrong   error
}

// newLink returns the link of a connection, whose lines come from r. Nothing is read or written yet.
func (c *clients) newLink(conn io.ReadWriteCloser, r *bufio.Reader) *link {
	l := &link{conn: conn, r: r, dir: c.dir, masks: c.masks, memory: c.memory, large: c.large}
	l.send, l.room, l.written = make(chan *wire.Response, linkBacklog), make(chan struct{}, 1), make(chan struct{})
	return l
}

// isGone reports whether the client is gone. If it has left in this moment, or while the holder was stopped, the loop does not know
// that yet. Any goroutine may call it.
func (l *link) isGone() bool { return l.left.Load() || hungUp(l.conn) }

// write sends the answers to the client.
func (l *link) write() {
	defer close(l.written)
	for resp := range l.send {
		if !l.unsent.Load() && wire.WriteResponse(l.conn, *resp) != nil {
			l.unsent.Store(true)
			_ = l.conn.Close() // ends the reading goroutine, which tells the loop
		}
		l.queued.Add(-weight(resp))
		select {
		case l.room <- struct{}{}:
		default:
		}
	}
}

// weight returns about how many bytes an answer has.
func weight(resp *wire.Response) int64 { return int64(1<<10 + len(resp.Data) + len(resp.Payload)) }

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
	l.asked = time.Now()
	resp.V = wire.Version
	if resp.Error != nil {
		resp.Error.Message = l.masks.String(l.dir.Told(resp.Error.Message))
	}
	select {
	case l.send <- &resp:
		l.queued.Add(weight(&resp))
	default:
		_ = l.conn.Close()
	}
}

// refuse answers a request with the reason why it is not carried out.
func (l *link) refuse(req *wire.Request, err error) {
	l.answer(wire.Response{ID: req.ID, Error: wire.NewFault(err)})
}

// dismiss ends the service of a client that goes on to have the connection open, and tells it why.
func (l *link) dismiss(why error) {
	l.answer(wire.Response{Error: wire.NewFault(why)})
	ctx, cancel := context.WithTimeout(context.Background(), refusePatience)
	l.gone = true
	close(l.send)
	go func() {
		defer cancel()
		l.closeWritten(ctx) // ends the reading goroutine, which tells the loop
	}()
}

// finish closes the connection once the client has every response, or when ctx ends.
func (l *link) finish(ctx context.Context) {
	if !l.gone {
		l.gone = true
		close(l.send)
	}
	l.closeWritten(ctx)
}

// closeWritten closes the connection once all answers are written, or when ctx ends.
func (l *link) closeWritten(ctx context.Context) {
	select {
	case <-l.written:
	case <-ctx.Done():
	}
	_ = l.conn.Close()
}
