//go:build unix

package ledger

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// everything selects all ended sessions.
var everything = Pruning{Goes: older(0, 0), Lives: nothingLives}

// pruneAll removes all ended sessions. It returns the names of the removed sessions, and of those in use.
func pruneAll(t *testing.T, d Dir) (removed, used []string) {
	t.Helper()
	done, err := d.Prune(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range done.InUse {
		used = append(used, s.Name)
	}
	if done.Kept != len(used) || done.InUse == nil {
		t.Errorf("%+v", done)
	}
	return names(done.Sessions), used
}

func TestPruneSparesWhatIsRead(t *testing.T) {
	d := newDir(t)
	id := endedSession(t, d, "read", 100*time.Hour)
	endedSession(t, d, "other", 100*time.Hour)
	first, err := d.LockSession(id)
	if err != nil {
		t.Fatal(err)
	}
	second, err := d.LockSession(id)
	if err != nil {
		t.Fatal(err)
	}
	setBack(t, d, 2*time.Hour)
	if _, err := d.Retain(t.Context(), Retention{Age: time.Hour}, nothingLives); err != nil {
		t.Fatal(err)
	}
	dry := everything
	dry.Dry = true
	if done, err := d.Prune(t.Context(), dry); err != nil || len(done.InUse) != 1 || len(done.Sessions) != 0 {
		t.Errorf("announced: %+v, %v", done, err)
	}
	first()
	first() // once more is no harm
	if removed, used := pruneAll(t, d); removed != nil || !cmp.Equal(used, []string{"read"}) {
		t.Errorf("while it is read: removed %v, in use %v", removed, used)
	}
	if _, err := os.Lstat(filepath.Join(d.SessionFolder(id), "output.0")); err != nil {
		t.Error(err)
	}
	second()
	if removed, used := pruneAll(t, d); !cmp.Equal(removed, []string{"read"}) || used != nil {
		t.Errorf("afterwards: removed %v, in use %v", removed, used)
	}
	if _, err := d.LockSession(id); !errors.Is(err, ErrNoSession) {
		t.Errorf("when it is removed: %v", err)
	}
}

// A program that a reader starts does not inherit the reader's lock.
func TestLockSessionIsNotInherited(t *testing.T) {
	d := newDir(t)
	unlock, err := d.LockSession(endedSession(t, d, "read", time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait() // killed
	}()
	unlock()
	if removed, used := pruneAll(t, d); len(removed) != 1 {
		t.Errorf("removed %v, in use %v", removed, used)
	}
}

// A session that starts has no record yet. It can be locked as soon as others can find it.
func TestLockSessionThatStarts(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.LockSession(id); !errors.Is(err, ErrNoSession) {
		t.Errorf("without a holder: %v", err)
	}
	starter, err := d.LockNewSession(id)
	if err != nil {
		t.Fatal(err)
	}
	defer starter()
	unclaim, err := lockAt(t.Context(), d.claim(id))
	if err != nil {
		t.Fatal(err)
	}
	defer unclaim()
	if unlock, err := d.LockSession(id); err != nil {
		t.Error(err)
	} else {
		unlock()
	}
}

// The folder of a caller that was stopped during a start is kept, however old it is.
func TestPruneSparesWhatStarts(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := d.LockNewSession(id)
	past := time.Now().Add(-100 * time.Hour)
	if err = errors.Join(err, os.Chtimes(d.SessionFolder(id), past, past)); err != nil {
		t.Fatal(err)
	}
	p := everything
	p.Before = time.Now()
	if done, err := d.Prune(t.Context(), p); err != nil || done.Files != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	unlock()
	if done, err := d.Prune(t.Context(), p); err != nil || done.Files != 1 {
		t.Errorf("afterwards: %+v, %v", done, err)
	}
}

// A killed Prune leaves nothing that readers find, and the next Prune deletes the rest.
func TestPruneAfterCrash(t *testing.T) {
	for name, crash := range map[string]func(d Dir, id string) error{
		"before the files": func(Dir, string) error { return nil },
		"among the files":  func(d Dir, id string) error { return os.Remove(filepath.Join(d.SessionFolder(id), "output.0")) },
		"after the files":  func(d Dir, id string) error { return os.RemoveAll(d.SessionFolder(id)) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDir(t)
			id := endedSession(t, d, "half", time.Hour)
			if err := errors.Join(d.removeEnded(id, false), crash(d, id)); err != nil {
				t.Fatal(err)
			}
			if all, err := d.Sessions(); err != nil || len(all) != 0 {
				t.Errorf("listed: %v, %v", all, err)
			}
			for _, name := range []string{"half", id} {
				if s, err := d.Session(name); !errors.Is(err, ErrNoSession) {
					t.Errorf("found: %v, %v", s, err)
				}
			}
			if _, err := d.LockSession(id); !errors.Is(err, ErrNoSession) {
				t.Errorf("locked: %v", err)
			}
			if removed, used := pruneAll(t, d); removed != nil || used != nil {
				t.Errorf("removed %v, in use %v", removed, used)
			}
			if left, err := os.ReadDir(d.file(sessionsDir)); err != nil || len(left) != 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// Without an id, the path of a session would be the folder of all sessions.
func TestRemoveSessionNeedsID(t *testing.T) {
	d := newDir(t)
	endedSession(t, d, "kept", time.Hour)
	for _, id := range []string{"", ".", "..", "a/b"} {
		if err := d.RemoveSession(id); !errors.Is(err, ErrNoSession) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if all, err := d.Sessions(); err != nil || len(all) != 1 {
		t.Errorf("left: %v, %v", all, err)
	}
}

// A Prune that cannot take its lock removes nothing.
func TestPruneWithoutLock(t *testing.T) {
	d := newDir(t)
	endedSession(t, d, "kept", time.Hour)
	script := filepath.Join(d.file(scriptsDir), "6akrqmv06z.py")
	past := time.Now().Add(-100 * time.Hour)
	err := errors.Join(os.MkdirAll(d.file(scriptsDir), 0o700), os.WriteFile(script, nil, 0o600), os.Chtimes(script, past, past))
	if err = errors.Join(err, os.RemoveAll(d.file(pruneFile)), os.Symlink("nowhere", d.file(pruneFile))); err != nil {
		t.Fatal(err)
	}
	if done, err := d.Prune(t.Context(), everything); err == nil || len(done.Sessions)+done.Files != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := os.Lstat(script); err != nil {
		t.Error(err)
	}
}

// A holder waits for the last process that reads its session. Without a folder nobody reads, and the wait ends with its context.
func TestAwaitReaders(t *testing.T) {
	d := newDir(t)
	id := endedSession(t, d, "read", time.Hour)
	unlock, err := d.LockSession(id)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := d.AwaitReaders(short, id); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it is read: %v", err)
	}
	free := make(chan error, 1)
	go func() { free <- d.AwaitReaders(t.Context(), id) }()
	unlock()
	if err := <-free; err != nil {
		t.Errorf("when it is read no more: %v", err)
	}
	if err := d.AwaitReaders(t.Context(), "0123456789"); err != nil {
		t.Errorf("without a folder: %v", err)
	}
}
