package blocked

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// What is kept open must never tell of the past: each round looks at the same thing through files that were opened
// before it changed, and through new ones.
func TestFDCache(t *testing.T) {
	c := shell(t, `echo ready; read x; sleep 1000 & echo forked; read x; exec sleep 1000`)
	c.expect("ready")
	pid := c.Process.Pid
	var k fdCache
	defer k.close()
	look := func() (proc.Info, []int) {
		t.Helper()
		info, err := k.stat(pid)
		if err != nil {
			t.Fatal(err)
		}
		pids := k.children(nil, pid, info.Threads)
		if _, err := k.read(make([]byte, 4096), procFile{pid, pid, "syscall"}); err != nil {
			t.Fatal(err)
		}
		if want := (*fdCache)(nil).children(nil, pid, info.Threads); !slices.Equal(pids, want) {
			t.Errorf("children %v, want %v", pids, want)
		}
		k.sweep()
		return info, pids
	}
	if info, pids := look(); info.Name != "sh" || len(pids) != 0 {
		t.Errorf("%+v with the children %v", info, pids)
	}
	c.answer()
	c.expect("forked")
	if _, pids := look(); len(pids) != 1 {
		t.Errorf("the children %v, want one", pids)
	}
	c.answer()
	deadline := time.Now().Add(20 * time.Second)
	for info, _ := look(); info.Name != "sleep"; info, _ = look() {
		if time.Now().After(deadline) {
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
	if info, err := k.stat(pid); !errors.Is(err, proc.ErrGone) || len(k.files) != 0 {
		t.Errorf("%+v, %v of who is gone, and %d files are open", info, err, len(k.files))
	}
}

// The threads of a process come and go.
func TestFDCacheThreads(t *testing.T) {
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
	var k fdCache
	defer k.close()
	for range 20 {
		c.expect("ready")
		info, err := k.stat(pid)
		if err != nil {
			t.Fatal(err)
		}
		want := (*fdCache)(nil).children(nil, pid, info.Threads)
		if got := k.children(nil, pid, info.Threads); !slices.Equal(got, want) || len(got) != 1 {
			t.Fatalf("children %v, want %v", got, want)
		}
		k.sweep()
		c.answer()
	}
}

// There is no room for everything, and what is not used is closed.
func TestFDCacheIsBounded(t *testing.T) {
	before := openFiles(t)
	var k fdCache
	var buf [4096]byte
	own := os.Getpid()
	for i := range maxCached + 20 {
		f := procFile{pid: own, name: strings.Repeat("./", i) + "stat"}
		if data, err := k.read(buf[:], f); err != nil || len(data) == 0 {
			t.Fatalf("%s: %q, %v", f.path(), data, err)
		}
	}
	if len(k.files) != maxCached {
		t.Errorf("%d files are open, want %d", len(k.files), maxCached)
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
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, entry := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + entry.Name()); err == nil && strings.HasPrefix(target, "/proc/"+strconv.Itoa(os.Getpid())) {
			n++
		}
	}
	return n
}

func init() { roles["recycler"] = recycle }

// recycle is the first process of a pid namespace. It lets pids change hands by setting the last pid that was given out
// (ns_last_pid, pid_namespaces(7)), and prints how many did.
func recycle() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	recycled := 0
	for range 50 {
		first, old, err := sleeping()
		if err != nil {
			return err
		}
		var files fdCache
		if _, err := files.stat(old.PID); err != nil {
			return err
		}
		files.children(nil, old.PID, 1)
		_ = first.Process.Kill() // it sleeps
		_ = first.Wait()         // it was killed
		last := []byte(strconv.Itoa(old.PID - 1))
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", last, 0); err != nil {
			return err
		}
		second, id, err := sleeping()
		if err != nil {
			return err
		}
		if id.PID == old.PID {
			recycled++
			if now, err := files.stat(id.PID); err != nil || now.Start != id.Start || len(files.files) != 1 {
				return fmt.Errorf("%+v, %v with %d files after %+v took the pid", now, err, len(files.files), id)
			}
		}
		files.close()
		_ = second.Process.Kill() // it sleeps
		_ = second.Wait()         // it was killed
	}
	if recycled == 0 {
		return errors.New("no pid came back")
	}
	fmt.Println(recycled)
	return nil
}

func sleeping() (*exec.Cmd, proc.ID, error) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		return nil, proc.ID{}, err
	}
	id, err := proc.Identify(cmd.Process.Pid)
	return cmd, id, err
}

// An open file of a process never shows another process that has its pid.
func TestFDCacheOfARecycledPid(t *testing.T) {
	cmd := play("recycler")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.Output()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EINVAL) {
		t.Skipf("no namespaces here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("pids that came back: %s", out)
}
