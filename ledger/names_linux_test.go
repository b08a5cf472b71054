package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk returns a new state folder on a file system of 8 MiB, which is mounted at folder.
func smallDisk(t *testing.T) (d Dir, folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := unix.Mount("none", folder, "tmpfs", 0, "size=8m"); err != nil {
		if os.Geteuid() == 0 && os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, unix.MNT_DETACH) })
	d, err := Create(filepath.Join(folder, FolderName))
	if err != nil {
		t.Fatal(err)
	}
	return d, folder
}

// What was pruned is forgotten although others take the room on a full disk that it has made. The next search makes the index anew.
func TestForgetOnFullDisk(t *testing.T) {
	d, folder := smallDisk(t)
	kept, pruned := leaves(t, d, "kept"), leaves(t, d, "pruned")
	if err := os.Remove(d.record(pruned)); err != nil {
		t.Fatal(err)
	}
	ballast, err := os.Create(filepath.Join(folder, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = ballast.Write(make([]byte, 4096))
	}
	if err := d.forgetNames(t.Context(), []string{pruned}); err != nil {
		t.Error(err)
	}
	if indexed(t, d) {
		t.Error("the index could be written: the disk was not full")
	}
	finds(t, d, "kept", kept)
	if err := errors.Join(ballast.Truncate(0), ballast.Close()); err != nil {
		t.Fatal(err)
	}
	finds(t, d, "kept", kept)
	if !indexed(t, d) {
		t.Error("there is no index again")
	}
}

// On a full disk a session may leave the active set without room for its line in the index of names. Whatever is written
// and whatever fails, each session is found.
func TestNamesOnFullDisk(t *testing.T) {
	d, folder := smallDisk(t)
	var ids []string
	long := strings.Repeat("s", 50) // so that the index becomes longer than the page that it has
	for i := range 3*lastLines + 1 {
		ids = append(ids, leaves(t, d, fmt.Sprintf("%s%d", long, i)))
	}
	found := func(when string) {
		t.Helper()
		for i, id := range ids {
			if s, err := d.Session(fmt.Sprintf("%s%d", long, i)); s.ID != id {
				t.Fatalf("%s: number %d is %q, %v, not %s", when, i, s.ID, err, id)
			}
		}
	}
	var waiting []Session // these leave when the disk is full
	for i := range 4 * lastLines {
		id, err := d.NewSession()
		s := Session{ID: id, Name: fmt.Sprintf("%s%d", long, len(ids)+i), Command: []string{"a"}, Status: StatusCompleted}
		if err == nil {
			err = errors.Join(d.SaveSession(s), d.Update(t.Context(), func(a *Active) error { a.Put(s); return nil }))
		}
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, s)
	}
	ballast, err := os.Create(filepath.Join(folder, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	dropped := false
	for _, s := range waiting {
		for err == nil { // also what an update has freed
			_, err = ballast.Write(make([]byte, 4096))
		}
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatal(err)
		}
		if err = d.UpdateOne(t.Context(), s.ID, func(a *Active) error { a.Remove(s.ID); return nil }); err != nil && !errors.Is(err, unix.ENOSPC) {
			t.Fatal(err)
		}
		ids = append(ids, s.ID)
		dropped = dropped || !indexed(t, d)
	}
	found("full")
	if !dropped {
		t.Error("the index could always be written: the disk was not full")
	}
	if err := errors.Join(ballast.Truncate(0), ballast.Close()); err != nil {
		t.Fatal(err)
	}
	found("with room again")
	if !indexed(t, d) {
		t.Error("there is no index again")
	}
}
