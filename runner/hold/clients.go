package hold

import (
	"bufio"
	"io"
	"net"
	"slices"
	"time"

	"devtools/runner/wire"
)

// tellInterval is the least time between two notices of new output to one client.
const tellInterval = time.Millisecond

// The clients are the connections to the session, and the requests to follow its output.
type clients struct {
	*core
	completion *completion
	over       func() bool // no output will come any more, and the readers have got the output that the disk refused

	listener net.Listener
	renewed  chan net.Listener // takes the place of listener when that is closed
	halfOpen *halfOpen         // connections without a whole request
	large    *largeRequests
	memory   *memory
	joined   chan *link // connections whose first request has come; it follows in calls
	calls    chan call
	links    map[*link]bool
	starter  *link
	follows  []pending
}

// A pending is a request whose answer is not known yet.
type pending struct {
	link *link
	id   int
	from int64
	run  int // command of the shell that a follow is about

	complete bool // the follow ends with the command
}

// answerAll answers every request of the list and empties it.
func answerAll(list *[]pending, answer func(pending) wire.Response) {
	for _, p := range *list {
		p.link.answer(answer(p))
	}
	*list = nil
}

// countOf returns how many requests of the client the list has.
func countOf(list []pending, l *link) (n int) {
	for _, p := range list {
		if p.link == l {
			n++
		}
	}
	return n
}

// dropFrom takes the requests of the client from the list.
func dropFrom(list *[]pending, l *link) {
	*list = slices.DeleteFunc(*list, func(p pending) bool { return p.link == l })
}

// add serves a connection, whose lines come from r.
func (c *clients) add(conn io.ReadWriteCloser, r *bufio.Reader) *link {
	l := c.newLink(conn, r)
	c.links[l] = true
	go l.write()
	go c.receive(l)
	return l
}

// follow tells a client of output from an offset on.
func (c *clients) follow(p pending) {
	p.link.read = max(p.link.read, p.from)
	c.follows = append(c.follows, p)
	c.tick(time.Now())
}

// viewed reports whether a person's terminal shows the session.
func (c *clients) viewed() bool {
	for l := range c.links {
		if l.viewing {
			return true
		}
	}
	return false
}

// tick notifies the clients that follow the output. It tells each client of new output no more often than its
// interval allows, but of the end at once.
func (c *clients) tick(now time.Time) {
	waiting := c.follows[:0]
	for _, p := range c.follows {
		next, closed := c.log.Next(), c.over() || p.complete && c.completion.complete
		if p.link.ending {
			next, closed = min(next, p.link.until), true
		}
		if !closed && (p.from >= c.log.Next() || now.Sub(p.link.told) < p.link.interval()) {
			waiting = append(waiting, p)
			continue
		}
		if c.spec.NoTerminal || !p.complete {
			c.log.Flush() // the client uses the timing to tell the streams apart, or to show events
		}
		p.link.told = now
		p.link.answer(wire.Response{ID: p.id, Next: next, Closed: closed})
	}
	c.follows = waiting
}

// deadline returns when a client must be told of new output, or a zero time.
func (c *clients) deadline() (next time.Time) {
	for _, p := range c.follows {
		if p.from < c.log.Next() {
			next = soonest(next, p.link.told.Add(p.link.interval()))
		}
	}
	return next
}

// waiting returns how many requests of the client wait for output.
func (c *clients) waiting(l *link) int { return countOf(c.follows, l) }

// dropped forgets a client that is gone.
func (c *clients) dropped(l *link) {
	delete(c.links, l)
	if !l.gone {
		l.gone = true
		close(l.send)
		_ = l.conn.Close() // the client is gone
	}
	l.left.Store(true)
	dropFrom(&c.follows, l)
}
