package hold

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"devtools/runner/wire"
)

const (
	// requestTime is how long a request may take from its first byte to its last, and the first one from the connection on.
	requestTime = 30 * time.Second

	// smallRequest is the length of a request, in bytes, beyond which only mostLarge clients at a time may send one.
	smallRequest = 64 << 10

	// mostQueued is how many bytes of answers may wait for a client before the holder takes no further request of it.
	mostQueued = 16 << 10
)

// receive takes the requests of a client until the connection ends.
func (c *clients) receive(l *link) {
	for {
		req, err := l.next()
		if err != nil {
			c.calls <- call{link: l, unread: wire.Reset(err) || unreadBy(l.conn), wrong: err}
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
		return l.readRequest(time.Now().Add(requestTime))
	}
	end := time.Now().Add(requestTime)
	if err := l.limit(end); err != nil {
		return nil, err
	}
	req, err := l.readRequest(end)
	return req, errors.Join(err, l.limit(time.Time{}))
}

// limit sets the time after which reading from the client fails; zero: never.
func (l *link) limit(end time.Time) error {
	conn, ok := l.conn.(interface{ SetReadDeadline(time.Time) error })
	if !ok {
		return nil
	}
	if err := conn.SetReadDeadline(end); !errors.Is(err, os.ErrNoDeadline) { // a pipe of Windows has none
		return err
	}
	return nil
}

// readRequest reads a request, until end. Of those that are large, mostLarge are read at a time, for all clients together.
func (l *link) readRequest(end time.Time) (*wire.Request, error) {
	line, err := wire.AppendLine(nil, l.r, smallRequest)
	if errors.Is(err, wire.ErrLong) {
		return l.readLarge(line, end)
	}
	if err != nil {
		return nil, err
	}
	req, err := wire.ReadRequest(line)
	return &req, err
}
