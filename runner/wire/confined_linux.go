package wire

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// Confined reports whether the process at the other end of conn has no_new_privs and this one has not, prctl(2): then it, or what has
// started it, runs in a sandbox. A process never loses that, and its children have it too. It is false of a process outside of our pid
// namespace, which nobody can look at. A process that is gone counts as confined: its number may be that of another one.
func Confined(conn any) bool {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	if own, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || own == 1 {
		return false
	}
	pid, _ := CheckPeer(socket) // those of others were refused before
	if pid == 0 {
		return false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if !peerLives(socket, pid) {
		return true
	}
	return err == nil && bytes.Contains(status, []byte("\nNoNewPrivs:\t1\n")) // the name, before it, has no line feed
}

// peerLives reports whether the process that has opened the other end of the socket has its pid still.
func peerLives(socket *net.UnixConn, pid int) (lives bool) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		handle, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		if err != nil { // a Linux before 6.5 knows only the number
			lives = !errors.Is(err, unix.ESRCH) && !errors.Is(err, unix.EINVAL) && proc.Lives(pid)
			return
		}
		lives = !errors.Is(unix.PidfdSendSignal(handle, 0, nil, 0), unix.ESRCH)
		_ = unix.Close(handle)
	})
	return lives && err == nil
}
