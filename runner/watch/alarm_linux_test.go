package watch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestAlarmFolders has the folders that the alarm listens to come anew and move. It listens to those that have the names
// then: no scan is made that would find by itself what it does not tell.
func TestAlarmFolders(t *testing.T) {
	top := t.TempDir()
	path := func(name string) string { return filepath.Join(top, name) }
	mkdir := func(names ...string) {
		for _, name := range names {
			if err := os.MkdirAll(path(name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	move := func(from, to string) {
		if err := os.Rename(path(from), path(to)); err != nil {
			t.Fatal(err)
		}
	}
	mkdir("a/sub/x", "b/sub/x")
	a, err := openAlarm(true, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	folders := func() (all []string) {
		_ = filepath.WalkDir(top, func(name string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				all = append(all, name)
			}
			return nil
		})
		return all
	}
	// told follows the folders that are there until the alarm tells of this one.
	told := func(folder string) {
		t.Helper()
		deadline := time.After(10 * time.Second)
		for {
			select {
			case <-a.ring:
			case <-deadline:
				t.Fatalf("%s: no event", folder)
			}
			found := slices.Contains(a.drain(), folder)
			if err := a.heed(folders()); err != nil {
				t.Fatal(err)
			}
			if found {
				return
			}
		}
	}
	if err := a.heed(folders()); err != nil {
		t.Fatal(err)
	}
	for round, change := range []func(){
		func() {},
		func() { _ = os.RemoveAll(path("a")); mkdir("a/sub/x") },
		func() { move("a", "t") },
		func() { move("t", "a") },
		func() { move("a", "t"); move("b", "a"); move("t", "b") },
		func() { move("a", "t"); mkdir("a/sub/x") },
		func() { _ = os.RemoveAll(path("a/sub/x")); move("t/sub/x", "a/sub/x") },
	} {
		change()
		mkdir("mark") // an event that comes after those of the change
		told(top)
		_ = os.Remove(path("mark"))
		told(top)
		for { // the folders that were followed anew; each ring may be for one that is not followed any more
			select {
			case <-a.ring:
				a.drain()
				if err := a.heed(folders()); err != nil {
					t.Fatal(err)
				}
				continue
			default:
			}
			break
		}
		for _, folder := range folders() {
			if err := os.WriteFile(filepath.Join(folder, "f"), []byte{byte(round)}, 0o600); err != nil {
				t.Fatal(err)
			}
			told(folder)
		}
	}
}
