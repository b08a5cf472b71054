package wire

import "golang.org/x/sys/unix"

// peer returns the user and the process that have connected the other end of a Unix socket, unix(7).
func peer(fd int) (uid, pid int, err error) {
	credentials, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(credentials.Uid), int(credentials.Pid), nil
}
