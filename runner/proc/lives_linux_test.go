package proc_test

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// A process that has ended does not live, before and after somebody has waited for it.
func TestLives(t *testing.T) {
	if !proc.Lives(os.Getpid()) || !proc.Lives(1) || proc.Lives(0) || proc.Lives(-1) {
		t.Error("of this process, the first one and none")
	}
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if proc.Lives(cmd.Process.Pid) {
		t.Error("a process that has ended lives")
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if proc.Lives(cmd.Process.Pid) {
		t.Error("a process that was waited for lives")
	}
}
