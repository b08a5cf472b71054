package blocked

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// childLimit is how long the child may take until it sleeps.
const childLimit = 2 * time.Second

func checkVisibility() Visibility {
	v := Visibility{System: runtime.GOOS, PtraceScope: -1, Children: proc.ListsChildren(), KnownCalls: len(calls) > 0}
	var name unix.Utsname
	if err := unix.Uname(&name); err == nil {
		v.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	_, err := os.Stat("/proc/self/stat")
	if v.Proc = err == nil; !v.Proc {
		return v
	}
	if data, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil {
		if scope, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
			v.PtraceScope = scope
		}
	}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err == nil {
		v.HidePID = hidePID(string(mounts))
	}
	if err := v.tryChild(); err != nil {
		v.Syscall = err.Error()
	}
	_, err = os.Lstat("/proc/thread-self/syscall")
	v.NoSyscall = errors.Is(err, fs.ErrNotExist)
	return v
}

// tryChild examines a child that waits for input. It returns the reason if it cannot see the child's system call.
func (v *Visibility) tryChild() error {
	cmd := exec.Command("/bin/sh", "-c", "read x")
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	cmd.Stdin = r
	err = cmd.Start()
	r.Close()
	if err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()         // the error only says that it was killed
	}()
	folder := proc.Folder(cmd.Process.Pid)
	for deadline := time.Now().Add(childLimit); ; <-time.After(childPoll) {
		info, err := uncached.stat(cmd.Process.Pid)
		if err != nil {
			return err
		}
		if info.State != 'S' && time.Now().Before(deadline) {
			continue
		}
		// The file holds a name, or 0 where the system does not tell.
		where, err := os.ReadFile(folder + "/wchan")
		v.Wchan = err == nil && len(where) > 0 && string(where) != "0"
		line, err := readFirst(folder + "/syscall")
		if err != nil {
			return err
		}
		b, err := parseSyscall(line)
		if err != nil || b.number >= 0 {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("a program that sleeps seems to run")
		}
	}
}

// childPoll is the time between two looks at a child that does not sleep yet.
const childPoll = time.Millisecond

// readFirst reads the beginning of a file.
func readFirst(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, 4096))
}

// hidePID returns the option hidepid from proc_pid_mountinfo(5), or "" if /proc hides nothing.
func hidePID(mounts string) string {
	hidden := ""
	for line := range strings.Lines(mounts) {
		// 22 1 0:21 / /proc rw,nosuid shared:5 - proc proc rw,hidepid=invisible
		before, after, found := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if !found || len(fields) < 5 || fields[4] != "/proc" || len(kind) < 3 || kind[0] != "proc" {
			continue
		}
		hidden = "" // a later mount covers the earlier ones
		for option := range strings.SplitSeq(kind[2], ",") {
			if value, ok := strings.CutPrefix(option, "hidepid="); ok && value != "0" && value != "off" {
				hidden = value
			}
		}
	}
	return hidden
}
