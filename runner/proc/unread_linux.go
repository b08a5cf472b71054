package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

func unread(slave int) (int, error) {
	// A write to the master only queues work for the line discipline. The poll of the slave waits for that work before
	// it reports that nothing is there (n_tty_poll in drivers/tty/n_tty.c).
	fds := []unix.PollFd{{Fd: int32(slave), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, 0)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return 0, os.NewSyscallError("poll", err)
		}
	}
	n, err := unix.IoctlGetInt(slave, unix.TIOCINQ)
	if err != nil {
		return 0, os.NewSyscallError("ioctl", err)
	}
	return n, nil
}
