package hold

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"time"

	"devtools/runner/wire"
)

const (
	// acceptPause is how long the holder first waits when it could not take a connection. acceptPauseMost is
	// the longest such wait.
	acceptPause     = 10 * time.Millisecond
	acceptPauseMost = 200 * time.Millisecond

	// refusePatience is how long a refused client may take to read the reason.
	refusePatience = 100 * time.Millisecond
)

// accept takes connections until the listener is closed. When no descriptor is left for a connection, accept closes the oldest
// half-open one. Without any, it gives up the spare descriptor while it tells the client so. No other goroutine touches the spare.
func (c *clients) accept(listener net.Listener) {
	spare, pause := newSpare(), acceptPause
	for {
		conn, err := listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			select {
			case listener = <-c.renewed:
			default:
				return
			}
		case outOfDescriptors(err) && connectionWaits(listener) && (c.halfOpen.giveUp() || spare.refuse(listener)):
		case err != nil:
			<-time.After(pause)
			pause = min(2*pause, acceptPauseMost)
		default:
			pause = acceptPause
			pid, err := wire.CheckPeer(conn)
			if err != nil {
				_ = conn.Close()
				continue
			}
			c.halfOpen.add(conn, pid)
			go c.greet(conn)
		}
	}
}

// closeDoor closes the socket or the FIFO, and removes it.
func (c *clients) closeDoor() {
	if c.listener != nil {
		c.note(c.listener.Close())
	}
	c.listener = nil
}

// listenAgain opens the socket again if its file was removed. A client that finds it missing asks for that by SIGCONT.
func (c *clients) listenAgain() {
	if _, err := os.Lstat(c.session.Socket); c.listener == nil || !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if len(c.renewed) > 0 {
		return // accept has not gone over to the last one yet
	}
	listener, err := wire.ListenAt(c.session.Socket)
	if err != nil {
		c.note(err)
		return
	}
	if door, ok := c.listener.(interface{ SetUnlinkOnClose(bool) }); ok {
		door.SetUnlinkOnClose(false) // the path is that of the new socket
	}
	c.renewed <- listener
	_ = c.listener.Close() // nobody can reach it
	c.listener = listener
}

// refuse takes the waiting connection, tells its client why it is not served, and closes it. It reports
// whether there was a descriptor for that.
func (s *spare) refuse(listener net.Listener) bool {
	s.release()
	defer s.take()
	conn, err := listener.Accept()
	if err != nil {
		return false
	}
	if _, err := wire.CheckPeer(conn); err == nil && conn.SetDeadline(time.Now().Add(refusePatience)) == nil {
		_ = wire.WriteResponse(conn, wire.Response{V: wire.Version, Error: wire.NewFault(wire.ErrNoDescriptors)})
	}
	_ = conn.Close()
	return true
}
