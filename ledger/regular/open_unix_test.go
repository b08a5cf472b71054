//go:build unix

package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Anything but a regular file is refused at once, and the target of a link is not touched.
func TestOpen(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(path("file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(path("file"), path("link")), syscall.Mkfifo(path("fifo"), 0o600), os.Mkdir(path("folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "fifo", "folder"} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY | os.O_CREATE | os.O_TRUNC} {
			if f, _, err := Open(path(name), flag); !errors.Is(err, ErrOther) {
				t.Errorf("%s with flag %#x: %v, %v", name, flag, f, err)
			}
		}
	}
	if _, _, err := Open(path("none"), os.O_RDONLY); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	f, info, err := Open(path("file"), os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if data, err := io.ReadAll(f); err != nil || string(data) != "text" || info.Size() != 4 {
		t.Errorf("%q, %d bytes, %v", data, info.Size(), err)
	}
}

// A file with a second name is read, and not opened for writing.
func TestLinked(t *testing.T) {
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
	if err := errors.Join(os.WriteFile(one, []byte("text"), 0o600), os.Link(one, two)); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []int{os.O_WRONLY | os.O_CREATE, os.O_RDWR, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_TRUNC} {
		if _, _, err := Open(two, flag); !errors.Is(err, ErrLinked) {
			t.Errorf("flag %#x: %v", flag, err)
		}
	}
	file, _, err := Open(two, os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

// Of a file of our own with a second name, that name keeps what it has, and the first one is written.
func TestOpenOwn(t *testing.T) {
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
	if err := errors.Join(os.WriteFile(one, []byte("text"), 0o600), os.Link(one, two)); err != nil {
		t.Fatal(err)
	}
	file, _, err := OpenOwn(one, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(" and more")
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{one: "text and more", two: "text"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if info, err := os.Stat(one); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if names, err := os.ReadDir(folder); err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
}

// A link to a file of another user stays refused, and that file stays as it is.
func TestOpenOwnOfAnother(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
	if err := errors.Join(os.WriteFile(one, []byte("text"), 0o600), os.Link(one, two), os.Chown(one, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenOwn(two, os.O_WRONLY|os.O_TRUNC); !errors.Is(err, ErrLinked) {
		t.Error(err)
	}
	if got, err := os.ReadFile(one); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
}
