package ledger

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"devtools/ledger/regular"
)

// lock takes the lock of the shared files. unlock releases it. The wait ends with ctx.
func (d Dir) lock(ctx context.Context) (unlock func(), err error) {
	return lockAt(ctx, d.file(lockFile))
}

// lockAt takes the exclusive lock of the file at path. It makes the file if it does not exist.
func lockAt(ctx context.Context, path string) (unlock func(), err error) {
	l, err := takeLock(ctx, path)
	if err != nil {
		return nil, err
	}
	return func() { _ = l.Close() }, nil // the kernel releases the lock with the descriptor
}

// takeLock works as lockAt, for a caller that also needs the lock file itself.
func takeLock(ctx context.Context, path string) (*flock.Flock, error) {
	regular.CloseUmask()
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NoFollow|regular.NonBlock))
	locked, err := l.TryLock()
	if err != nil || locked {
		return l, unsafeLock(path, err)
	}
	if ctx.Err() != nil { // the caller does not wait; what waits would make the file again after the folder is deleted
		return nil, fmt.Errorf("lock %s: %w", path, ctx.Err())
	}
	taken := make(chan error, 1)
	go func() { taken <- l.Lock() }()
	select {
	case err := <-taken:
		return l, err
	case <-ctx.Done():
		go func() { // the wait cannot be cancelled: release the lock as soon as it is taken
			<-taken
			_ = l.Close() // nothing was written
		}()
		return nil, fmt.Errorf("lock %s: %w", path, ctx.Err())
	}
}

// unsafeLock returns the error err of opening the lock file at path as ErrUnsafe if something else stands in its place.
func unsafeLock(path string, err error) error {
	if err == nil {
		return nil
	}
	if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a file", ErrUnsafe, path)
	}
	return err
}

// patience is the maximum time that a reader waits for a lock. Writers hold a lock for well below a millisecond.
const patience = time.Second

// share takes the shared lock of a file, for reading. The file must exist. unlock releases the lock.
func share(path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY|regular.NoFollow|regular.NonBlock))
	locked, err := l.TryRLock()
	if err == nil && !locked {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err = l.TryRLockContext(ctx, time.Millisecond)
	}
	return func() { _ = l.Close() }, err // the kernel releases the lock with the descriptor
}

// Claim takes the claim of session id for the life of this process. While a process holds the claim, the session's
// holder is alive. The folder of the session must exist.
func (d Dir) Claim(id string) error {
	if d.discards {
		return nil
	}
	l := flock.New(d.claim(id), flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NoFollow|regular.NonBlock))
	locked, err := l.TryLock()
	if err == nil && !locked {
		err = fmt.Errorf("session %s already has a holder", id)
	}
	if err == nil {
		claims = append(claims, l)
	}
	return err
}

// claims keeps the garbage collector from closing the claims of this process.
var claims []*flock.Flock

// Held reports whether the holder of session id is alive. It is not alive if there is no such session. If the lock of
// the claim cannot be tested, the holder counts as alive, because then nothing may be done to the session.
func (d Dir) Held(id string) bool { return taken(d.claim(id)) }

func (d Dir) claim(id string) string { return d.file(sessionsDir + "/" + id + "/" + claimFile) }

// LockName takes the lock of a session's name. With it, a caller can end the session of that name and start another
// without interference. unlock releases the lock. The caller may hold it for as long as it needs, because only other
// calls of LockName for the same name wait for it.
func (d Dir) LockName(ctx context.Context, name string) (unlock func(), err error) {
	names, err := d.folder(namesDir)
	if err != nil {
		return nil, err
	}
	return lockAt(ctx, filepath.Join(names, name))
}
