package fork

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The second child tells why it could not execute, and a process that started is a child of somebody else.
func TestDetached(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	files := []uintptr{null.Fd(), null.Fd(), null.Fd()}
	for path, want := range map[string]error{"/nowhere/at all": syscall.ENOENT, "/": syscall.EACCES} {
		if err := detached(path, []string{"program"}, nil, files); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if err := detached("/bin/true", []string{"true"}, nil, []uintptr{null.Fd(), null.Fd(), 1 << 20}); !errors.Is(err, syscall.EBADF) {
		t.Errorf("a descriptor that is not open: %v", err)
	}
	leaked, err := unix.Open(os.DevNull, unix.O_RDONLY, 0) // without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leaked)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	runtime.LockOSThread() // the signal mask belongs to the thread
	defer runtime.UnlockOSThread()
	var before, after unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &before); err != nil {
		t.Fatal(err)
	}
	if err := detached("/bin/sh", []string{"sh", "-c", "echo $PPID; test ! -e /proc/$$/fd/" + strconv.Itoa(leaked) + " || echo and a descriptor of it"}, nil, []uintptr{null.Fd(), w.Fd(), null.Fd()}); err != nil {
		t.Fatal(err)
	}
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &after); err != nil || after != before {
		t.Errorf("the signal mask was %v and is %v, %v", before, after, err)
	}
	_ = w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	parent, more, _ := strings.Cut(string(text), "\n")
	if parent == strconv.Itoa(os.Getpid()) || more != "" {
		t.Errorf("its parent is %s, this process is %d %s", parent, os.Getpid(), more)
	}
}
