//go:build unix

package commands

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonBlock lets a FIFO be opened without waiting for its other end, open(2).
const nonBlock = syscall.O_NONBLOCK

// checkPrivate refuses a file of secrets that belongs to another user or that other users can open.
func checkPrivate(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return errors.New("the file belongs to another user")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New("other users can read the file: use chmod 600")
	}
	return nil
}

// inherited reports whether the caller has passed the descriptor fd. Go opens its own to be closed when a program is executed, open(2).
func inherited(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}
