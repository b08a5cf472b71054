package proc

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Of the files that this process has open those are told that it may write.
func TestWriting(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, flags := range map[string]int{"read": os.O_RDONLY, "written": os.O_WRONLY, "both": os.O_RDWR, "appended": os.O_WRONLY | os.O_APPEND, "closed": os.O_WRONLY} {
		f, err := os.OpenFile(path(name), flags|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if name == "closed" {
			_ = f.Close()
		} else {
			t.Cleanup(func() { _ = f.Close() })
		}
	}
	got := Writing(os.Getpid())
	for name, want := range map[string]bool{"read": false, "written": true, "both": true, "appended": true, "closed": false} {
		if slices.Contains(got, path(name)) != want {
			t.Errorf("%s: %v, want %v", name, !want, want)
		}
	}
}
