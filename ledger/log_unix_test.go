//go:build unix

package ledger

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
)

// A FIFO or a folder in the place of a file of the log is an error at once, and nothing waits for it.
func TestLogRefusesWhatIsNoFile(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a link":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"a FIFO":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		for _, file := range []string{eventFile, segmentName(1)} {
			d := newDir(t)
			if err := put(d.file(file)); err != nil {
				t.Fatal(err)
			}
			var failed error
			for _, err := range d.Events() {
				failed = err
			}
			if failed == nil {
				t.Errorf("%s as %s is read", name, file)
			}
			if err := d.Append(t.Context(), []Event{{Event: EventStarted}}); (err == nil) != (file != eventFile) {
				t.Errorf("%s as %s is written to: %v", name, file, err)
			}
		}
	}
}

// Anything but a regular file in the place of a file of ours is an error at once: a link is not followed, and nothing
// waits for a FIFO.
func TestLedgerRefusesWhatIsNoFile(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a link":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"a FIFO":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		d := newDir(t)
		id, err := d.NewSession()
		if err == nil {
			err = errors.Join(put(d.file(activeFile)), put(d.record(id)))
		}
		if err != nil {
			t.Fatal(err)
		}
		if a, err := d.Active(); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s as the active set is read: %v, %v", name, a, err)
		}
		if err := d.Update(t.Context(), func(*Active) error { return nil }); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s as the active set is written to: %v", name, err)
		}
		if s, err := d.LoadSession(id); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s as a record is read: %v, %v", name, s, err)
		}
		if err := d.SaveSession(Session{ID: id, Command: []string{"a"}}); err == nil {
			t.Errorf("%s as a record is written to", name)
		}
		if all, err := d.Sessions(); err != nil || len(all) != 0 {
			t.Errorf("%s among the records: %v, %v", name, all, err)
		}
	}
}

// Nothing waits for a FIFO in the place of a lock or a claim.
func TestLocksAreNotWaitedFor(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err == nil {
		err = errors.Join(syscall.Mkfifo(d.file(lockFile), 0o600), syscall.Mkfifo(d.claim(id), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	d.Held(id)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the lock is free, whatever it is
	if err := d.Update(ctx, func(*Active) error { return nil }); err != nil {
		t.Error(err)
	}
}
