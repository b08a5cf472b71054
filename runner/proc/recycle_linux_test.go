package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { roles["recycler"] = recycle }

// recycle is the first process of a pid namespace. It lets pids change hands by
// setting the last pid that was given out (ns_last_pid, pid_namespaces(7)), and
// prints how many did and how many of these within one tick.
func recycle() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	recycled, sameTick := 0, 0
	watch := NewIdleWatch()
	for range 200 {
		first, old, err := sleeping()
		if err != nil {
			return err
		}
		watched := watch.Sample([]ID{old})
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
			if id.Start == old.Start {
				sameTick++
			}
			if err := checkRecycled(old, id); err != nil {
				return err
			}
			if watched && isStill(watch) {
				return fmt.Errorf("the clock of the new process shows what that of the old one did: %v", watch.clocks)
			}
		}
		_ = second.Process.Kill() // it sleeps
		_ = second.Wait()         // it was killed
	}
	if recycled == 0 {
		return errors.New("no pid came back")
	}
	fmt.Println(recycled, sameTick)
	return nil
}

func sleeping() (*exec.Cmd, ID, error) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		return nil, ID{}, err
	}
	id, err := Identify(cmd.Process.Pid)
	return cmd, id, err
}

// checkRecycled checks that nothing that is done to old hits id, which has its pid.
func checkRecycled(old, id ID) error {
	if old.Start == id.Start && id.Inode == 0 {
		return nil // this kernel cannot tell them apart
	}
	if old == id || old.Alive() {
		return fmt.Errorf("%+v is alive, it is %+v now", old, id)
	}
	if err := old.Signal(syscall.SIGKILL); !errors.Is(err, ErrGone) {
		return fmt.Errorf("signal: %v", err)
	}
	out := Kill(context.Background(), func() []ID { return []ID{old} }, syscall.SIGKILL, 0)
	if len(out.Killed)+len(out.Failed) > 0 {
		return fmt.Errorf("kill: %+v", out)
	}
	if err := Await(context.Background(), old); err != nil {
		return err
	}
	if !id.Alive() {
		return errors.New("the stranger was hit")
	}
	return nil
}

func TestRecycledPid(t *testing.T) {
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
	t.Logf("pids that came back, and within one tick: %s", out)
}
