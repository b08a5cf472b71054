package proc

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// A process that has ended does not live, before and after somebody has waited for it.
func TestLives(t *testing.T) {
	if !Lives(os.Getpid()) || !Lives(1) || Lives(0) || Lives(-1) {
		t.Error("of this process, the first one and none")
	}
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if Lives(cmd.Process.Pid) {
		t.Error("a process that has ended lives")
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if Lives(cmd.Process.Pid) {
		t.Error("a process that was waited for lives")
	}
}
