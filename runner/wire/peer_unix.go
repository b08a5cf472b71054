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
	uid, err := ofPeer(conn, peerUser)
	if err != nil {
		return err
	}
	if uid != os.Geteuid() && uid != 0 {
		return fmt.Errorf("the other end of the socket belongs to user %d", uid)
	}
	return nil
}

// PeerProcess returns the pid of the process that has connected conn, or 0 if it is not known.
func PeerProcess(conn net.Conn) int {
	pid, err := ofPeer(conn, peerProcess)
	if err != nil {
		return 0
	}
	return pid
}

// ofPeer returns what ask finds out about the other end of conn.
func ofPeer(conn net.Conn, ask func(fd int) (int, error)) (found int, err error) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, errors.New("not a Unix socket")
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { found, failed = ask(int(fd)) })
	return found, errors.Join(err, failed)
}
