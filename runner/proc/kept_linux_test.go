package proc

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What is kept open must never tell of the past: each round looks at the same thing through files that were opened
// before it changed, and through new ones.
func TestKept(t *testing.T) {
	c := shell(t, `echo ready; read x; sleep 1000 & echo forked; read x; exec sleep 1000`)
	c.expect("ready", 1)
	pid := c.Process.Pid
	var k kept
	defer k.close()
	look := func() (Info, []int) {
		t.Helper()
		info, err := k.stat(pid)
		if err != nil {
			t.Fatal(err)
		}
		pids := k.children(nil, pid, info.Threads)
		if _, err := k.read(make([]byte, 4096), procFile{pid, pid, "syscall"}); err != nil {
			t.Fatal(err)
		}
		if want := (*kept)(nil).children(nil, pid, info.Threads); !slices.Equal(pids, want) {
			t.Errorf("children %v, want %v", pids, want)
		}
		k.sweep()
		return info, pids
	}
	if info, pids := look(); info.Name != "sh" || len(pids) != 0 {
		t.Errorf("%+v with the children %v", info, pids)
	}
	c.answer()
	c.expect("forked", 1)
	if _, pids := look(); len(pids) != 1 {
		t.Errorf("the children %v, want one", pids)
	}
	c.answer()
	ctx := deadline(t)
	for info, _ := look(); info.Name != "sleep"; info, _ = look() {
		if ctx.Err() != nil {
			t.Fatalf("%+v, want sleep", info)
		}
	}
	if len(k.files) != 3 {
		t.Errorf("%d files are open, want 3", len(k.files))
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed is what we expect
	if info, err := k.stat(pid); !errors.Is(err, ErrGone) || len(k.files) != 0 {
		t.Errorf("%+v, %v of who is gone, and %d files are open", info, err, len(k.files))
	}
}

// The threads of a process come and go.
func TestKeptThreads(t *testing.T) {
	need(t, "python3")
	c := start(t, exec.Command("python3", "-c", `
import subprocess, sys, threading
def work():
    child = subprocess.Popen(["sleep", "1000"])
    print("ready", flush=True)
    sys.stdin.readline()
    child.kill()
    child.wait()
for i in range(20):
    t = threading.Thread(target=work)
    t.start()
    t.join()`))
	pid := c.Process.Pid
	var k kept
	defer k.close()
	for range 20 {
		c.expect("ready", 1)
		info, err := k.stat(pid)
		if err != nil {
			t.Fatal(err)
		}
		want := (*kept)(nil).children(nil, pid, info.Threads)
		if got := k.children(nil, pid, info.Threads); !slices.Equal(got, want) || len(got) != 1 {
			t.Fatalf("children %v, want %v", got, want)
		}
		k.sweep()
		c.answer()
	}
}

// There is no room for everything, and what is not used is closed.
func TestKeptIsBounded(t *testing.T) {
	before := openFiles(t)
	var k kept
	var buf [4096]byte
	own := os.Getpid()
	for i := range maxKept + 20 {
		f := procFile{pid: own, name: strings.Repeat("./", i) + "stat"}
		if data, err := k.read(buf[:], f); err != nil || len(data) == 0 {
			t.Fatalf("%s: %q, %v", f.path(), data, err)
		}
	}
	if len(k.files) != maxKept {
		t.Errorf("%d files are open, want %d", len(k.files), maxKept)
	}
	k.sweep()
	if _, err := k.stat(own); err != nil {
		t.Fatal(err)
	}
	k.sweep()
	if len(k.files) != 1 {
		t.Errorf("%d files are open after a round with one", len(k.files))
	}
	k.close()
	if after := openFiles(t); after != before {
		t.Errorf("%d descriptors are open, want %d", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	n := 0
	for _, name := range directory("/proc/self/fd") {
		if target, err := os.Readlink("/proc/self/fd/" + name); err == nil && strings.HasPrefix(target, "/proc/"+strconv.Itoa(os.Getpid())) {
			n++
		}
	}
	return n
}
