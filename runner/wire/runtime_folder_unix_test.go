//go:build unix

package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"devtools/ledger"
)

// shortFolder makes a folder with a path that is short enough for sockets below it.
func shortFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "wire")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// privateFolder makes the folder for sockets.
func privateFolder() (string, error) {
	folder, err := RuntimePath()
	return folder, errors.Join(err, makePrivate(folder))
}

// The folder for sockets is made for this user alone, and one that others may enter is refused.
func TestRuntimeFolderIsPrivate(t *testing.T) {
	base := shortFolder(t)
	t.Setenv("TMPDIR", base)
	t.Setenv("XDG_RUNTIME_DIR", "")
	want := filepath.Join(base, fmt.Sprintf("devtools-%d", os.Getuid()))
	for range 2 { // made, and found
		if got, err := privateFolder(); err != nil || got != want {
			t.Fatalf("%s, %v, want %s", got, err, want)
		}
	}
	if info, err := os.Stat(want); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(want, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := privateFolder(); err == nil || !strings.Contains(err.Error(), "open to other users (mode 0750)") {
		t.Errorf("open to a group: %v", err)
	}
	if _, err := Listen("id", ledger.At(base)); err == nil {
		t.Error("it listens where others may enter")
	}
	if err := os.Remove(want); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(base, "private")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, want); err != nil {
		t.Fatal(err)
	}
	if _, err := privateFolder(); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a link: %v", err)
	}
}

// XDG_RUNTIME_DIR counts where it is private, and a path that is too long for sockets does not.
func TestRuntimeFolderOfUser(t *testing.T) {
	base := shortFolder(t)
	own, open, long := filepath.Join(base, "own"), filepath.Join(base, "open"), filepath.Join(base, strings.Repeat("long", 20))
	for path, mode := range map[string]os.FileMode{own: 0o700, open: 0o755, long: 0o700} {
		if err := errors.Join(os.Mkdir(path, mode), os.Chmod(path, mode)); err != nil { // whatever the umask
			t.Fatal(err)
		}
	}
	temporary := fmt.Sprintf("devtools-%d", os.Getuid())
	for _, test := range []struct{ xdg, tmp, want string }{
		{own, base, filepath.Join(own, "devtools")},
		{open, base, filepath.Join(base, temporary)},
		{"own", base, filepath.Join(base, temporary)},
		{filepath.Join(base, "missing"), base, filepath.Join(base, temporary)},
		{long, base, filepath.Join("/tmp", temporary)},
		{"", long, filepath.Join("/tmp", temporary)},
		{"", "relative", filepath.Join("/tmp", temporary)},
	} {
		t.Setenv("XDG_RUNTIME_DIR", test.xdg)
		t.Setenv("TMPDIR", test.tmp)
		if got, err := RuntimePath(); err != nil || got != test.want {
			t.Errorf("XDG_RUNTIME_DIR=%s TMPDIR=%s: %s, %v, want %s", test.xdg, test.tmp, got, err, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(own, "devtools")); err == nil {
		t.Error("to ask for the path has made the folder")
	}
}

// A folder for temporary files that does not exist is made. Where none can be made, the next one has the socket, and last the state
// folder.
func TestListenElsewhere(t *testing.T) {
	base := shortFolder(t)
	t.Setenv("XDG_RUNTIME_DIR", "")
	file, missing := filepath.Join(base, "file"), filepath.Join(base, "a", "b")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir, name := ledger.At(filepath.Join(base, ".devtools")), fmt.Sprintf("devtools-%d", os.Getuid())
	for tmp, want := range map[string]string{missing: filepath.Join(missing, name), filepath.Join(file, "tmp"): filepath.Join("/tmp", name)} {
		t.Setenv("TMPDIR", tmp)
		listener, err := Listen("0123456789", dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.Dir(listener.Addr().String()); got != want {
			t.Errorf("TMPDIR=%s: %s, want %s", tmp, got, want)
		}
		_ = listener.Close()
	}
	if info, err := os.Stat(missing); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	var tried []string
	err := listenIn(dir, func(folder string) error {
		if tried = append(tried, folder); len(tried) == 1 {
			return syscall.EROFS
		}
		return fs.ErrNotExist
	})
	if last := tried[len(tried)-1]; !errors.Is(err, ErrNoFolder) || !errors.Is(err, syscall.EROFS) || len(tried) != 3 || last != dir.RunFolder() {
		t.Errorf("tried %q: %v", tried, err)
	}
	if err := os.Mkdir(dir.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	err = listenIn(dir, func(folder string) error {
		if folder != dir.RunFolder() {
			return fs.ErrPermission
		}
		listener, err := ListenAt(filepath.Join(folder, "0123456789-01234567"))
		if err == nil {
			err = listener.Close()
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Sessions with the same id, of two workspaces, have a socket each.
func TestListenTwice(t *testing.T) {
	base := shortFolder(t)
	t.Setenv("TMPDIR", base)
	t.Setenv("XDG_RUNTIME_DIR", "")
	seen := map[string]bool{}
	for n := range 2 {
		listener, err := Listen("0123456789", ledger.At(filepath.Join(base, fmt.Sprint(n), ".devtools")))
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		path := listener.Addr().String()
		if seen[path] || len(path) > maxSocketPath {
			t.Errorf("%s: known %v, %d bytes", path, seen[path], len(path))
		}
		seen[path] = true
		conn, err := dial(path)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	}
}
