//go:build unix

package hold

import (
	"errors"
	"io"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// outOfDescriptors reports whether err says that the process, or the system, has no descriptor left.
func outOfDescriptors(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}

// connectionWaits reports whether a connection waits to be accepted. Without a descriptor, accept(2) fails
// even where none waits.
func connectionWaits(listener net.Listener) (there bool) {
	door, ok := listener.(syscall.Conn)
	if !ok {
		return false
	}
	conn, err := door.SyscallConn()
	return err == nil && conn.Control(func(fd uintptr) {
		n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		there = n > 0
	}) == nil && there
}

// hungUp reports whether a client has closed its end of the connection, poll(2).
func hungUp(conn io.ReadWriteCloser) (gone bool) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	return err == nil && raw.Control(func(fd uintptr) {
		polled := []unix.PollFd{{Fd: int32(fd)}}
		_, _ = unix.Poll(polled, 0)
		gone = polled[0].Revents&unix.POLLHUP != 0
	}) == nil && gone
}

// A spare is a descriptor that can be given up when no other is left. It belongs to the goroutine that
// accepts.
type spare struct{ fd int }

// newSpare takes the standard input of the holder. It is /dev/null, which nobody reads.
func newSpare() spare { return spare{fd: 0} }

// release frees the descriptor.
func (s *spare) release() {
	if s.fd >= 0 {
		_ = unix.Close(s.fd) // nothing was written
	}
	s.fd = -1
}

// take opens a descriptor again, if one is left.
func (s *spare) take() {
	if s.fd < 0 {
		s.fd, _ = unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0) // -1 if none is left
	}
}
