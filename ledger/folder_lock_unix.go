//go:build unix

package ledger

import (
	"context"
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

// awaitFolder waits until it has the exclusive lock of the folder at path, which then lasts as long as this process, or until
// ctx ends. On a file system without locks, it does not wait.
func awaitFolder(ctx context.Context, path string) error {
	fd, err := openFolder(path)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	free := make(chan struct{})
	go func() {
		for syscall.Flock(fd, syscall.LOCK_EX) == syscall.EINTR {
		}
		close(free)
	}()
	select {
	case <-free:
		return nil
	case <-ctx.Done():
		go func() { // the wait cannot be cancelled: release the lock as soon as it is taken
			<-free
			_ = syscall.Close(fd) // nothing was written
		}()
		return ctx.Err()
	}
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
