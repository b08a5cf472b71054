package hold

import (
	"bufio"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"devtools/runner/wire"
)

const (
	// mostHalfOpen is how many connections may be open without a whole request at once. A client sends its request as soon as it is
	// connected, so even of hundreds that come at the same moment few are in between.
	mostHalfOpen = 64

	// mostGreeted is how many goroutines may wait for a first request at once, also those whose connection was closed.
	mostGreeted = 2 * mostHalfOpen

	// mostLinks is how many clients are served at once: 200 persons and readers with two connections each, and the calls of others.
	mostLinks = 512

	// lineBuffer is the size of the buffer for a client's requests, in bytes. Nearly all have less.
	lineBuffer = 1 << 10
)

// A halfOpen is the set of the connections that have not sent a whole request. The holder does not wait for them: when there are as
// many as there may be, one is closed for a new one. It is the oldest of the process that has the most, so that a process with
// thousands takes nothing from others.
type halfOpen struct {
	mu     sync.Mutex
	left   *sync.Cond // a connection has left
	silent []arrival  // in the order in which they came
	joins  int        // connections whose first request has come, and waits for the loop
	greets int        // goroutines of connections, also of those that were closed and have not noticed
	memory *memory
}

// An arrival is a connection without a whole request, and the process that has opened it; 0: not known.
type arrival struct {
	conn net.Conn
	pid  int
}

func newHalfOpen(m *memory) *halfOpen {
	h := &halfOpen{memory: m}
	h.left = sync.NewCond(&h.mu)
	return h
}

// add adds a new connection. It waits while all the others have sent a request that the loop has not taken.
func (h *halfOpen) add(conn net.Conn, pid int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for !h.makeRoom() {
		h.left.Wait()
	}
	h.silent = append(h.silent, arrival{conn, pid})
	h.greets++
}

// makeRoom reports whether there is room for a new connection. If need be, it closes another one, without its goroutine, which
// leaves a little later.
func (h *halfOpen) makeRoom() bool {
	if len(h.silent)+h.joins >= mostHalfOpen && !h.closeOne() {
		return false
	}
	return h.greets < mostGreeted
}

// giveUp closes a connection, if there is one.
func (h *halfOpen) giveUp() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closeOne()
}

func (h *halfOpen) closeOne() bool {
	if len(h.silent) == 0 {
		return false
	}
	counts, most := map[int]int{}, h.silent[0].pid
	for _, a := range h.silent {
		if counts[a.pid]++; counts[a.pid] > counts[most] {
			most = a.pid
		}
	}
	i := slices.IndexFunc(h.silent, func(a arrival) bool { return a.pid == most })
	conn := h.silent[i].conn
	h.silent = slices.Delete(h.silent, i, i+1)
	if conn.SetWriteDeadline(time.Now().Add(refusePatience)) == nil { // nothing was sent yet, so there is room for this
		_ = wire.WriteResponse(conn, wire.Response{V: wire.Version, Error: wire.NewFault(wire.ErrManyClients)})
	}
	_ = conn.Close()
	return true
}

// join says that the first request of a connection has come. It reports false if the connection was closed before.
func (h *halfOpen) join(conn net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.silent, func(a arrival) bool { return a.conn == conn })
	if i < 0 {
		return false
	}
	h.silent = slices.Delete(h.silent, i, i+1)
	h.joins++
	return true
}

// done says that the loop has taken a connection that has joined, or that one was closed.
func (h *halfOpen) done(joined bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if joined {
		h.joins--
	}
	h.greets--
	h.left.Signal()
}

// greet waits for the first request of a connection. Only then the connection is a client, and has more than a small buffer.
func (c *clients) greet(conn net.Conn) {
	defer c.memory.used(2)
	l := &link{conn: conn, r: bufio.NewReaderSize(conn, lineBuffer), large: c.large, memory: c.memory}
	end := time.Now().Add(requestTime)
	err := conn.SetReadDeadline(end)
	var req *wire.Request
	if err == nil {
		req, err = l.readRequest(end)
	}
	err = errors.Join(err, conn.SetReadDeadline(time.Time{}))
	if !c.halfOpen.join(conn) {
		c.halfOpen.done(false)
		return
	}
	if err != nil {
		if tellable(err) && conn.SetWriteDeadline(time.Now().Add(refusePatience)) == nil {
			_ = wire.WriteResponse(conn, wire.Response{V: wire.Version, Error: wire.NewFault(err)})
		}
		_ = conn.Close()
		c.halfOpen.done(true)
		return
	}
	l = c.newLink(conn, l.r)
	c.joined <- l
	c.halfOpen.done(true)
	c.calls <- call{link: l, request: req}
	c.receive(l)
}

// join begins to serve a client, for which the one that has asked for nothing the longest makes room if there is none.
func (h *holder) join(l *link) {
	if len(h.clients.links) >= mostLinks {
		if idle := h.longestIdle(); idle != nil {
			idle.dismiss(wire.ErrManyClients)
			delete(h.clients.links, idle)
		} else {
			defer l.dismiss(wire.ErrManyClients)
		}
	}
	l.asked = time.Now()
	h.clients.links[l] = true
	go l.write()
}

// longestIdle returns the client that has had no request or answer for the longest time and is there for nothing else, or nil.
func (h *holder) longestIdle() (idle *link) {
	for l := range h.clients.links {
		used := l.starter || l.capture || l.viewing || l.attached || l.person || l.gone
		if !used && (idle == nil || l.asked.Before(idle.asked)) && h.waiting(l) == 0 {
			idle = l
		}
	}
	return idle
}
