//go:build unix

package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The state folder of a workspace that cannot be written is found again in the user's own folder, from the folders below, too. One in
// the workspace counts more.
func TestAway(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_STATE_HOME", filepath.Join(base, "state"))
	t.Setenv("HOME", filepath.Join(base, "home"))
	t.Setenv("TMPDIR", filepath.Join(base, "tmp")) // the search goes up to base
	workspace := filepath.Join(base, "w")
	below := filepath.Join(workspace, "a", "b")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(workspace, FolderName)
	if got := Locate(workspace); got != own {
		t.Errorf("nothing is there: %s", got)
	}
	refused := notMade(own, &fs.PathError{Op: "mkdir", Path: own, Err: fs.ErrPermission})
	if _, err := CreateInStateHome(own, fmt.Errorf("%w: full", ErrNotMade)); err == nil {
		t.Error("a folder that could not be made for another reason is replaced")
	}
	other, err := CreateInStateHome(own, refused)
	if want := filepath.Join(base, "state", "devtools", workspace, inStateHomeName); err != nil || other != want {
		t.Fatalf("%s, %v, want %s", other, err, want)
	}
	for _, from := range []string{workspace, below} {
		if got := Locate(from); got != other {
			t.Errorf("from %s: %s", from, got)
		}
	}
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Locate(below); got != own {
		t.Errorf("the workspace has one: %s", got)
	}
	if _, err := CreateInStateHome(own, refused); !errors.Is(err, ErrNotMade) {
		t.Errorf("one that is there is replaced: %v", err)
	}
}

// A session without a folder gets an id and a name, and leaves nothing.
func TestDiscarding(t *testing.T) {
	path := filepath.Join(t.TempDir(), FolderName)
	d := Discarding(path)
	id, err := d.NewSession()
	if err != nil || !isID(id) {
		t.Fatal(id, err)
	}
	s := Session{ID: id, Name: "a"}
	unlock, err := d.LockNewSession(id)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	err = errors.Join(d.Claim(id), d.SaveSession(s), d.AppendJournal(id, []Process{{PID: 1}}, nil), d.RewriteJournal(id, nil),
		d.Append(t.Context(), []Event{{}}), d.AwaitReaders(t.Context(), id), d.RemoveSession(id),
		d.Update(t.Context(), func(a *Active) error { a.Put(s); return nil }),
		d.UpdateOne(t.Context(), id, func(a *Active) error { a.Log(Event{}); a.End(s); return nil }))
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
