package hold

import (
	"bytes"
	"errors"
	"io"
	"net"
	"time"

	"devtools/runner/wire"
)

const (
	// requestTime is how long a request may take from its first byte to its last, and the first one from the connection on.
	requestTime = 30 * time.Second

	// smallRequest is the length of a request, in bytes, beyond which only one client at a time may send one.
	smallRequest = 64 << 10

	// largeTime is how long a client may take to send the rest of a large request: others may wait to send theirs.
	largeTime = 5 * time.Second

	// mostQueued is how many bytes of answers may wait for a client before the holder takes no further request of it.
	mostQueued = 16 << 10
)

// receive takes the requests of a client until the connection ends.
func (c *clients) receive(l *link) {
	for {
		req, err := l.next()
		if err != nil {
			c.calls <- call{link: l, unread: wire.Reset(err), wrong: err}
			return
		}
		c.calls <- call{link: l, request: req}
	}
}

// tellable reports whether a client whose requests end with err can do something about it.
func tellable(err error) bool {
	closed := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe)
	return err != nil && !closed && !wire.Reset(err)
}

// next returns the next request of the client. It waits until there is room for the answer.
func (l *link) next() (*wire.Request, error) {
	for l.queued.Load() > mostQueued {
		<-l.room
	}
	if _, err := l.r.Peek(1); err != nil {
		return nil, err
	}
	l.memory.used(1)
	if begun, _ := l.r.Peek(l.r.Buffered()); bytes.IndexByte(begun, '\n') >= 0 { // nearly always
		return l.readRequest()
	}
	if err := l.limit(requestTime); err != nil {
		return nil, err
	}
	req, err := l.readRequest()
	return req, errors.Join(err, l.limit(0))
}

// limit sets the time from now on after which reading from the client fails; 0: never.
func (l *link) limit(d time.Duration) error {
	conn, ok := l.conn.(interface{ SetReadDeadline(time.Time) error })
	switch {
	case !ok:
		return nil
	case d == 0:
		return conn.SetReadDeadline(time.Time{})
	}
	return conn.SetReadDeadline(time.Now().Add(d))
}

// readRequest reads a request. Of those that are large, it reads one at a time, for all clients together.
func (l *link) readRequest() (*wire.Request, error) {
	line, err := wire.AppendLine(nil, l.r, smallRequest)
	if errors.Is(err, wire.ErrLong) {
		return l.readLarge(line)
	}
	if err != nil {
		return nil, err
	}
	req, err := wire.ReadRequest(line)
	return &req, err
}

// readLarge reads a request that begins with line. Its memory goes back to the system at once.
func (l *link) readLarge(line []byte) (*wire.Request, error) {
	l.large <- struct{}{}
	defer func() { <-l.large }()
	defer l.memory.used(trimAfter)
	buffer, free, err := pages(wire.MaxRequest + lineBuffer)
	if err != nil {
		return nil, err
	}
	defer free()
	if err := l.limit(largeTime); err != nil {
		return nil, err
	}
	whole, err := wire.AppendLine(append(buffer[:0], line...), l.r, wire.MaxRequest)
	if err != nil {
		return nil, err
	}
	req, err := wire.ReadRequest(whole)
	return &req, err
}
