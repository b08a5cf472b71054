package pty

import (
	"os"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

func inodeOf(file *os.File) (inode, filesystem uint64) {
	_ = proc.Control(file, func(fd int) error { // without the numbers no reader is found
		var stat unix.Stat_t
		err := unix.Fstat(fd, &stat)
		inode, filesystem = stat.Ino, uint64(stat.Dev)
		return err
	})
	return inode, filesystem
}

// unread asks the kernel how many bytes wait in the pipe (FIONREAD, pipe(7)), and whether a process may still read them: poll(2)
// reports POLLERR for the writing end of a pipe without a reader.
func (p *InputPipe) unread() (n int64, readers bool, err error) {
	err = proc.Control(p.file, func(fd int) error {
		poll := []unix.PollFd{{Fd: int32(fd)}}                             // first: the last reader may read and end after the other look
		if _, err := unix.Poll(poll, 0); err != nil && err != unix.EINTR { // a signal may come when there is nothing to report
			return err
		}
		readers = poll[0].Revents&unix.POLLERR == 0
		waiting, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
		n = int64(waiting)
		return err
	})
	return n, readers, err
}
