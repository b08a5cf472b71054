package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A file in memory is opened by its descriptor's path, by its own name alone, and only its user may open it.
func TestInMemory(t *testing.T) {
	file, err := InMemory("devtools:x:output.0")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if flags, err := unix.FcntlInt(file.Fd(), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("the program of the session would get the descriptor: flags %#x, %v", flags, err)
	}
	if _, err := file.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.Fd())
	if _, err := OpenInMemory(path, "devtools:x:output"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("by another name: %v", err)
	}
	reader, err := OpenInMemory(path, "devtools:x:output.0")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if data, err := io.ReadAll(reader); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := reader.WriteString("more"); err == nil {
		t.Error("a reader can write")
	}
}

// A descriptor whose number has another file by now is refused, and that file is not opened: opening a FIFO would wait.
func TestReusedDescriptor(t *testing.T) {
	file, err := InMemory("devtools:x:output.0")
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.Fd())
	named := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(named, 0o600); err != nil {
		t.Fatal(err)
	}
	fifo, err := os.OpenFile(named, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer fifo.Close()
	number := int(file.Fd())
	if err := unix.Dup3(int(fifo.Fd()), number, unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := OpenInMemory(path, "devtools:x:output.0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the number has a FIFO: %v", err)
	}
	another, err := InMemory("devtools:x:output.1")
	if err != nil {
		t.Fatal(err)
	}
	defer another.Close()
	if err := unix.Dup3(int(another.Fd()), number, unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenInMemory(path, "devtools:x:output.0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the number has another file in memory: %v", err)
	}
}
