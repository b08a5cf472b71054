//go:build darwin || freebsd

package wire

import (
	"errors"

	"golang.org/x/sys/unix"
)

// peerUser returns the user id at the other end of a Unix socket, unix(4).
func peerUser(fd int) (int, error) {
	credentials, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(credentials.Uid), nil
}

// peerProcess does not tell: the environment of the process could not be read either.
func peerProcess(int) (int, error) { return 0, errors.ErrUnsupported }
