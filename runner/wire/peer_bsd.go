//go:build darwin || freebsd

package wire

import "golang.org/x/sys/unix"

// peer returns the user at the other end of a Unix socket, unix(4). The process is not known.
func peer(fd int) (uid, pid int, err error) {
	credentials, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(credentials.Uid), 0, nil
}
