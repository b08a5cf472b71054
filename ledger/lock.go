package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lock takes the lock of the shared files and returns the function that gives it back. Waiting for
// it ends with ctx.
func (d Dir) lock(ctx context.Context) (unlock func(), err error) {
	return lockAt(ctx, d.file(lockFile))
}

// lockAt takes the exclusive lock of the file at path, which is made where it is not there.
func lockAt(ctx context.Context, path string) (unlock func(), err error) {
	l, err := takeLock(ctx, path)
	if err != nil {
		return nil, err
	}
	return func() { _ = l.Close() }, nil // the kernel frees the lock with the descriptor
}

// takeLock is lockAt for who asks more of the file.
func takeLock(ctx context.Context, path string) (*flock.Flock, error) {
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|noFollow|nonBlock))
	locked, err := l.TryLock()
	if err != nil || locked {
		return l, err
	}
	taken := make(chan error, 1)
	go func() { taken <- l.Lock() }()
	select {
	case err := <-taken:
		return l, err
	case <-ctx.Done():
		go func() { // the waiting cannot be called off: give the lock back once it is ours
			<-taken
			_ = l.Close() // it was only locked
		}()
		return nil, fmt.Errorf("lock %s: %w", path, ctx.Err())
	}
}

// patience is how long a reader waits for the lock, which its holders keep for well below a millisecond.
const patience = time.Second

// share takes the lock of a file for reading, if it is there to be had, and returns the function that gives
// it back.
func share(path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY|noFollow|nonBlock))
	locked, err := l.TryRLock()
	if err == nil && !locked {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err = l.TryRLockContext(ctx, time.Millisecond)
	}
	return func() { _ = l.Close() }, err // the kernel frees the lock with the descriptor
}

// Claim takes the claim of the session id for the life of this process: as long as it is held, the
// session's holder is alive. The folder of the session must exist.
func (d Dir) Claim(id string) error {
	l := flock.New(d.claim(id), flock.SetFlag(os.O_CREATE|os.O_RDONLY|noFollow|nonBlock))
	locked, err := l.TryLock()
	if err == nil && !locked {
		err = fmt.Errorf("session %s is held already", id)
	}
	if err == nil {
		claims = append(claims, l)
	}
	return err
}

// claims keeps the claims of this process from being closed as garbage.
var claims []*flock.Flock

// Held reports whether the holder of the session id is alive. Without a session of that id it is not; one
// whose claim cannot be asked counts as alive, as nothing may be done to it then.
func (d Dir) Held(id string) bool {
	l := flock.New(d.claim(id), flock.SetFlag(os.O_RDONLY|noFollow|nonBlock))
	defer l.Close()
	shared, err := l.TryRLock() // shared, so that two who ask do not take each other for the holder
	return !shared && !errors.Is(err, fs.ErrNotExist)
}

func (d Dir) claim(id string) string { return d.file(sessionsDir + "/" + id + "/" + claimFile) }

// LockName takes the lock of a session's name, so that who ends the session of that name and starts another is
// alone in it, and returns the function that gives it back. It may be held for as long as that takes: nobody
// else waits for it.
func (d Dir) LockName(ctx context.Context, name string) (unlock func(), err error) {
	names, err := d.folder(namesDir)
	if err != nil {
		return nil, err
	}
	return lockAt(ctx, filepath.Join(names, name))
}
