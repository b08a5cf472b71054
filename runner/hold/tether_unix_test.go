//go:build unix

package hold

import (
	"os/exec"
	"testing"
	"time"

	"devtools/runner/proc"
)

// The session ends a grace after the process of its tether, but not after one that was replaced.
func TestTether(t *testing.T) {
	begin := func() (*exec.Cmd, proc.ID) {
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		id, err := proc.Identify(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		return cmd, id
	}
	end := func(cmd *exec.Cmd) {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}
	first, firstID := begin()
	second, secondID := begin()
	var tether tether
	loop := make(chan func(), 2)
	tether.watch(firstID, loop)
	tether.watch(secondID, loop)
	end(first)
	if now := time.Now().Add(time.Hour); tether.gone(now) {
		t.Error("the process that was replaced ends the session")
	}
	end(second)
	for tether.end.IsZero() {
		select {
		case happens := <-loop:
			happens()
		case <-time.After(time.Minute):
			t.Fatal("the end of the process is not seen")
		}
	}
	if now := time.Now(); tether.gone(now) {
		t.Error("it is gone at once")
	}
	if later := tether.end; !tether.gone(later) || tether.gone(later) {
		t.Error("it is not gone once when the grace is over")
	}
}
