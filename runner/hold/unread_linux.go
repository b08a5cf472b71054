package hold

import (
	"io"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
	"devtools/runner/wire"
)

// unreadBy reports whether a client at the other end of two pipes has left something unread, pipe(7). With a socket, the end of the
// connection tells it.
func unreadBy(conn io.ReadWriteCloser) (left bool) {
	pipes, ok := conn.(wire.Duplex)
	return ok && proc.Control(pipes.Out, func(fd int) error {
		n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
		left = n > 0
		return err
	}) == nil && left
}
