//go:build unix

package ledger

import (
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A FIFO, a socket or a link in the place of a file is reported, and nothing waits for it.
func TestCheckUpIrregular(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{activeFile, eventFile, lockFile, indexFile, "sessions/z1.json", "sessions/" + id + "/claim"} {
		if err := os.Remove(d.file(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(d.file(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("unix", d.file("sessions/z2.json"))
	if err != nil {
		t.Skipf("the path of the test is too long for a socket: %v", err)
	}
	defer listener.Close()
	if err := os.Symlink("/etc/passwd", d.file("sessions/z3.json")); err != nil {
		t.Fatal(err)
	}
	c, err := d.CheckUp()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(c.Damaged)
	want := []string{activeFile, lockFile, eventFile, indexFile, "sessions/z1.json", "sessions/z2.json", "sessions/z3.json"}
	for i, name := range want {
		if len(c.Damaged) != len(want) || c.Damaged[i] != name+": it is not a file" {
			t.Fatalf("damaged %q, want %q", c.Damaged, want)
		}
	}
	if !c.Unlocked || !slices.Equal(c.Homeless, []string{id}) {
		t.Errorf("%+v", c)
	}
}

// A folder that others can read stays as it is. A folder that others can write to is refused.
func TestInspect(t *testing.T) {
	d := newDir(t)
	for _, mode := range []os.FileMode{0o755, 0o777} {
		if err := os.Chmod(d.Path(), mode); err != nil {
			t.Fatal(err)
		}
		_, err := Inspect(d.Path())
		info, statErr := os.Stat(d.Path())
		if err != nil || statErr != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %o: %v, %v, %v", mode, err, info.Mode(), statErr)
		}
	}
	other := strings.TrimSuffix(d.Path(), FolderName) + "other"
	if err := errors.Join(os.Mkdir(other, 0o700), os.Chmod(other, 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(other); !errors.Is(err, ErrUnsafe) {
		t.Errorf("a folder that others can write to: %v", err)
	}
}
