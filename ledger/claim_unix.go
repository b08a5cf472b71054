//go:build unix

package ledger

import (
	"errors"
	"os"
	"syscall"

	"devtools/ledger/regular"
)

// taken reports whether another process has the exclusive lock of the file at path, or the lock cannot be tested. It
// makes three system calls. Package flock makes seven, and a listing tests each session.
func taken(path string) bool {
	fd, err := -1, error(syscall.EINTR)
	for err == syscall.EINTR {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|regular.NoFollow|regular.NonBlock, 0)
	}
	if err != nil {
		return !errors.Is(err, syscall.ENOENT)
	}
	defer syscall.Close(fd) // which releases the lock
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB) // shared: two processes that test at once do not take each other for the holder
	}
	return err != nil
}

// shareFile takes the shared lock of an open file, if nobody has the exclusive one. The kernel releases it with the
// descriptor.
func shareFile(f *os.File) (locked bool) {
	conn, err := f.SyscallConn()
	return err == nil && conn.Control(func(fd uintptr) {
		locked = syscall.Flock(int(fd), syscall.LOCK_SH|syscall.LOCK_NB) == nil
	}) == nil && locked
}
