package leftover

import (
	"os/exec"
	"testing"
	"time"
)

type runs func() int

func (r runs) Run() int { return r() }

// Tests fail when a process that they have started lives after them, and pass when it has ended.
func TestChecked(t *testing.T) {
	t.Setenv(Variable, "")
	defer func(before time.Duration) { patience = before }(patience)
	patience = 100 * time.Millisecond
	for _, lives := range []bool{true, false} {
		cmd := exec.Command("sleep", "1000")
		end := func() {
			_ = cmd.Process.Kill() // it runs until then
			_ = cmd.Wait()
		}
		code := Checked(runs(func() int {
			cmd.Env = nil // that of this process, with the mark
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if !lives {
				end()
			}
			return 0
		})).Run()
		if lives {
			end()
		}
		if (code != 0) != lives {
			t.Errorf("lives %v: code %d", lives, code)
		}
	}
}
