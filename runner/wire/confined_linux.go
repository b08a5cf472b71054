package wire

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// Confined reports whether the process at the other end of conn has no_new_privs and this one has not, prctl(2): then that process, or
// what has started it, runs in a sandbox. A process never loses that, and its children have it too. The answer is false for a process
// outside of our pid namespace, which nobody can look at. A process that is gone or hidden counts as confined: its number may be that of
// another one, and its sandbox may be what hides it.
func Confined(conn any) bool {
	socket, ok := conn.(*net.UnixConn)
	if !ok || proc.NoNewPrivs(os.Getpid()) {
		return false
	}
	pid, _ := CheckPeer(socket) // those of others were refused before
	return pid != 0 && (proc.NoNewPrivs(pid) || !peerLives(socket, pid))
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
