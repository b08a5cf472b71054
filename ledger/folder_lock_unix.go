//go:build unix

package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
)

// lockFolder locks the folder at path without waiting. unlock releases the lock. The error is errLocked when another
// process has the lock, and fs.ErrNotExist when there is no folder. On a file system without locks, lockFolder always
// succeeds.
func lockFolder(path string, how lockKind) (unlock func(), err error) {
	fd, err := openFolder(path)
	if err == syscall.ENOTDIR || err == syscall.ELOOP { // a file or a link stands in its place
		err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	operation := syscall.LOCK_SH
	if how == exclusive {
		operation = syscall.LOCK_EX
	}
	if err := syscall.Flock(fd, operation|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		_ = syscall.Close(fd) // nothing was written
		return nil, errLocked
	}
	return sync.OnceFunc(func() { _ = syscall.Close(fd) }), nil // the kernel releases the lock with the descriptor
}

// openFolder opens a folder with a single system call, open(2). os.Open makes more.
func openFolder(path string) (fd int, err error) {
	for {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}
