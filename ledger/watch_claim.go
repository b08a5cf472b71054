package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"devtools/ledger/codec"
	"devtools/ledger/regular"
)

// ErrWatched reports a watch that another process holds.
var ErrWatched = errors.New("is watched already")

// By returns a copy of d whose claims name the process p as their holder. Without By, claims name only the pid of
// this process.
func (d Dir) By(p Process) Dir {
	d.by = p
	return d
}

// ClaimWatch takes the claim of the watch id. It lasts until release is called or this process ends. If another
// process holds the claim, ClaimWatch waits until ctx ends. Then the error is ErrWatched, which names that process.
func (d Dir) ClaimWatch(ctx context.Context, id string) (release func(), err error) {
	path, err := d.watch(id, ".lock")
	if err != nil {
		return nil, err
	}
	for {
		l, err := takeLock(ctx, path)
		if ctx.Err() != nil && err != nil {
			err = ErrWatched
			if p, ok := claimant(path); ok {
				err = fmt.Errorf("%w by process %d", err, p.PID)
			}
		}
		if err != nil {
			return nil, err
		}
		if !sameFile(l, path) { // the file was removed during the wait; another file is the lock now
			_ = l.Close()
			continue
		}
		p := d.by
		if p.PID == 0 {
			p.PID = os.Getpid()
		}
		_ = writeClaimant(path, &p) // the claim is valid without it; it only serves a message
		return func() {
			_ = writeClaimant(path, nil) // as above
			_ = l.Close()                // the kernel releases the lock with the descriptor
		}, nil
	}
}

// sameFile reports whether the locked file is still the file at path.
func sameFile(l *flock.Flock, path string) bool {
	locked, err := l.Stat()
	there, errThere := os.Lstat(path)
	return err == nil && errThere == nil && os.SameFile(locked, there)
}

// A claim of a watch names its holder from the byte claimStart on. On some systems no other process can read the
// locked byte before it. Spaces fill the text up to claimSize bytes. So the file takes its space on disk only once,
// and a single write changes it.
const (
	claimStart = 1
	claimSize  = 256
)

// writeClaimant notes in a claim which process holds it. A nil p means that no process holds it. The caller holds the
// claim's lock.
func writeClaimant(path string, p *Process) error {
	var data []byte
	if p != nil {
		var err error
		if data, err = codec.Marshal(Process{PID: p.PID, Start: p.Start, Boot: p.Boot, Inode: p.Inode}); err != nil {
			return err
		}
	}
	f, _, err := regular.Open(path, os.O_WRONLY) // a copy in its place would not be locked
	if err != nil {
		return err
	}
	if n := claimSize - 1 - len(data); n > 0 {
		data = append(data, bytes.Repeat([]byte(" "), n)...)
	}
	_, err = f.WriteAt(append(data, '\n'), claimStart)
	return errors.Join(err, f.Close())
}

// claimant returns the process that a claim names.
func claimant(path string) (p Process, ok bool) {
	f, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return p, false
	}
	defer func() { _ = f.Close() }() // the file was only read
	data, err := io.ReadAll(io.NewSectionReader(f, claimStart, 2*claimSize))
	return p, err == nil && codec.Unmarshal(data, &p) == nil && p.PID > 0
}

// claimFree takes the lock of a watch if no process has it. release releases the lock. With dry, a missing lock file
// is not made. Then no process holds it, and free is true.
func claimFree(path string, dry bool) (release func(), free bool) {
	flag := os.O_CREATE | os.O_RDONLY
	if dry {
		flag = os.O_RDONLY
	}
	l := flock.New(path, flock.SetFlag(flag|regular.NoFollow|regular.NonBlock))
	locked, err := l.TryLock()
	release = func() { _ = l.Close() } // the kernel releases the lock with the descriptor
	if dry && errors.Is(err, fs.ErrNotExist) {
		return release, true
	}
	if err != nil || !locked || !sameFile(l, path) {
		release()
		return nil, false
	}
	return release, true
}
