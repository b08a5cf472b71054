package start

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipe makes a pipe whose ends are closed on exec and do not block.
func pipe(ends *[2]int) error {
	syscall.ForkLock.RLock() // no program starts before they are closed on exec
	defer syscall.ForkLock.RUnlock()
	err := unix.Pipe(ends[:])
	for _, fd := range ends {
		if err == nil {
			unix.CloseOnExec(fd)
			err = errors.Join(err, unix.SetNonblock(fd, true))
		}
	}
	return err
}
