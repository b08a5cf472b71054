//go:build amd64 || arm64

package fork

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// started runs a line of the shell after steps, and returns its output, its exit code and the pid that Exec has returned.
func started(t *testing.T, line string, steps []Step) (string, int, int) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	attr := attributes(t)
	attr.Files[1] = in.Fd()
	pid, err := Exec("/bin/sh", []string{"sh", "-c", line}, attr, steps)
	_ = in.Close()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text)), status.ExitStatus(), pid
}

// attributes returns those of a program without input and output.
func attributes(t *testing.T) *syscall.ProcAttr {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	return &syscall.ProcAttr{Env: []string{"GIVEN=x"}, Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}, Sys: &syscall.SysProcAttr{}}
}

// The child makes its steps in their order, with the results of earlier ones, and what may fail does not stop it. The parent is
// changed by none.
func TestExec(t *testing.T) {
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, err := unix.BytePtrFromString(dir)
	if err != nil {
		t.Fatal(err)
	}
	folder := new(uintptr)
	steps := []Step{
		{What: "nonsense", Trap: unix.SYS_CLOSE, Args: [6]uintptr{1 << 30}, Try: true},
		{What: "open", Trap: unix.SYS_OPENAT, Args: [6]uintptr{0, uintptr(unsafe.Pointer(path)), unix.O_PATH | unix.O_CLOEXEC}, To: folder},
		{What: "enter", Trap: unix.SYS_FCHDIR, From: folder, Arg: 0},
	}
	for range 2 { // a plan may be used again
		text, code, pid := started(t, `pwd; echo $GIVEN $$ $(cut -d " " -f 5 /proc/$$/stat); exit 3`, steps)
		n := strconv.Itoa(pid)
		if want := dir + "\nx " + n + " " + n; text != want || code != 3 {
			t.Errorf("it printed %q and ended with %d; want %q, 3", text, code, want)
		}
	}
	if after, err := os.Getwd(); err != nil || after != before {
		t.Errorf("this process went from %s to %s, %v", before, after, err)
	}
}

// An error says whether a step has failed, and which, or the start of the program. No child is left.
func TestExecFails(t *testing.T) {
	steps := []Step{
		{What: "first", Trap: unix.SYS_GETPID},
		{What: "second", Trap: unix.SYS_CLOSE, Args: [6]uintptr{1 << 30}},
		{What: "third", Trap: unix.SYS_EXIT_GROUP},
	}
	_, err := Exec("/bin/true", []string{"true"}, attributes(t), steps)
	if step, ok := errors.AsType[*StepError](err); !ok || step.What != "second" || step.Err != unix.EBADF {
		t.Errorf("a step that fails: %v", err)
	}
	for path, want := range map[string]error{"/nowhere/at all": syscall.ENOENT, "/": syscall.EACCES} {
		_, err := Exec(path, []string{"program"}, attributes(t), steps[:1])
		if _, ok := errors.AsType[*StepError](err); ok || !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	attr := attributes(t)
	attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(attr.Files[0])
	if pid, err := Exec("/bin/true", []string{"true"}, attr, nil); pid != 0 || !errors.Is(err, unix.EBADF) {
		t.Errorf("a control group that is none: pid %d, %v", pid, err)
	}
	attr = attributes(t)
	attr.Sys.Foreground, attr.Sys.Ctty = true, int(attr.Files[0])
	if _, err := Exec("/bin/true", []string{"true"}, attr, nil); !errors.Is(err, unix.ENOTTY) {
		t.Errorf("a terminal that is none: %v", err)
	}
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid != -1 || err != syscall.ECHILD {
		t.Errorf("a child is left: %d, %v", pid, err)
	}
}

// A program gets the umask that it is to have, and what other goroutines make meanwhile does not.
func TestStartUmask(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var making sync.WaitGroup
	making.Go(func() {
		for path := filepath.Join(dir, "made"); ; {
			select {
			case <-done:
				return
			default:
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Errorf("a file that another goroutine has made: %v", err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("a file that another goroutine has made: %v, %v", info.Mode(), err)
				return
			}
			_ = os.Remove(path)
		}
	})
	made := filepath.Join(dir, "of the program")
	for range 50 {
		attr := attributes(t)
		attr.Dir = dir
		mask := 0o777
		pid, err := Start("/bin/sh", []string{"sh", "-c", `test $(umask) = 0777 && test "$PWD" = "$0" && : >"of the program"`, dir}, attr, Settings{Umask: &mask})
		if err != nil {
			t.Fatal(err)
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || status.ExitStatus() != 0 {
			t.Fatalf("it ended with %d, %v", status.ExitStatus(), err)
		}
		if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0 {
			t.Fatalf("its file: %v, %v", info, err)
		}
		_ = os.Remove(made)
	}
	close(done)
	making.Wait()
}

// The errors of Start are those of syscall.ForkExec.
func TestStartFails(t *testing.T) {
	for path, want := range map[string]error{"/nowhere/at all": syscall.ENOENT, "/": syscall.EACCES} {
		if _, err := Start(path, []string{"program"}, attributes(t), Settings{}); err != want {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	attr := attributes(t)
	attr.Dir = "/nowhere/at all"
	if _, err := Start("/bin/true", []string{"true"}, attr, Settings{}); err != syscall.ENOENT {
		t.Errorf("a folder that is not there: %v", err)
	}
}
