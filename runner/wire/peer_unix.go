//go:build unix

package wire

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// CheckPeer returns an error unless the process at the other end of conn belongs to this user or to root. It returns the pid of
// the process that has opened that end; 0: not known. A FIFO does not tell: there, the mode of its folder keeps others out.
func CheckPeer(conn net.Conn) (pid int, err error) {
	if _, ok := conn.(Duplex); ok {
		return 0, nil
	}
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, errors.New("not a Unix socket")
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var uid int
	var failed error
	err = raw.Control(func(fd uintptr) { uid, pid, failed = peer(int(fd)) })
	if err = errors.Join(err, failed); err != nil {
		return 0, err
	}
	if uid != os.Geteuid() && uid != 0 {
		return 0, fmt.Errorf("the other end of the socket belongs to user %d", uid)
	}
	return pid, nil
}
