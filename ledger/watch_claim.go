package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// ErrWatched reports a watch that another process holds.
var ErrWatched = errors.New("is watched already")

// By returns a copy of d whose claims say that the process p holds them. Without, they name the pid alone.
func (d Dir) By(p Process) Dir {
	d.by = p
	return d
}

// ClaimWatch takes the claim of the watch id until release is called, or this process ends. Waiting for the process
// that holds it ends with ctx, and with ErrWatched, which names that process.
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
		if !sameFile(l, path) { // it was removed while it was waited for: another one counts now
			_ = l.Close()
			continue
		}
		p := d.by
		if p.PID == 0 {
			p.PID = os.Getpid()
		}
		_ = writeClaimant(path, &p) // the claim holds without; it is for a message
		return func() {
			_ = writeClaimant(path, nil) // the same
			_ = l.Close()                // the kernel frees the lock with the descriptor
		}, nil
	}
}

// sameFile reports whether the file that is locked is still the one at path.
func sameFile(l *flock.Flock, path string) bool {
	locked, err := l.Stat()
	there, errThere := os.Lstat(path)
	return err == nil && errThere == nil && os.SameFile(locked, there)
}

// A claim of a watch names its holder from claimStart on, before which some systems keep all others from what is locked,
// filled up with blanks: so it takes its room on disk once, and is written by one write.
const (
	claimStart = 1
	claimSize  = 256
)

// writeClaimant writes into a claim who holds it, or that nobody does. The caller holds its lock.
func writeClaimant(path string, p *Process) error {
	var data []byte
	if p != nil {
		var err error
		if data, err = json.Marshal(Process{PID: p.PID, Start: p.Start, Boot: p.Boot, Inode: p.Inode}); err != nil {
			return err
		}
	}
	f, err := openFile(path, os.O_WRONLY)
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
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.NewSectionReader(f, claimStart, 2*claimSize))
	return p, err == nil && json.Unmarshal(data, &p) == nil && p.PID > 0
}

// claimFree takes the lock of a watch, if nobody has it, and returns the function that gives it back. A lock that is not
// there is not made where dry is set: then nobody holds it.
func claimFree(path string, dry bool) (release func(), free bool) {
	flag := os.O_CREATE | os.O_RDONLY
	if dry {
		flag = os.O_RDONLY
	}
	l := flock.New(path, flock.SetFlag(flag|noFollow|nonBlock))
	locked, err := l.TryLock()
	release = func() { _ = l.Close() } // the kernel frees the lock with the descriptor
	if dry && errors.Is(err, fs.ErrNotExist) {
		return release, true
	}
	if err != nil || !locked || !sameFile(l, path) {
		release()
		return nil, false
	}
	return release, true
}
