//go:build unix

package wire

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// CheckPeer returns an error unless the process at the other end of conn belongs to this user or to root.
func CheckPeer(conn net.Conn) error {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return errors.New("not a Unix socket")
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var failed error
	err = raw.Control(func(fd uintptr) { uid, failed = peerUser(int(fd)) })
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if uid != os.Geteuid() && uid != 0 {
		return fmt.Errorf("the other end of the socket belongs to user %d", uid)
	}
	return nil
}
