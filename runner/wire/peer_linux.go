package wire

import "golang.org/x/sys/unix"

// peerUser returns the user id at the other end of a Unix socket, unix(7).
func peerUser(fd int) (int, error) {
	credentials, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(credentials.Uid), nil
}

// peerProcess returns the pid of the process at the other end of a Unix socket, unix(7).
func peerProcess(fd int) (int, error) {
	credentials, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(credentials.Pid), nil
}
