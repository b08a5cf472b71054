package hold_test

import (
	"strings"
	"testing"
	"time"

	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// The same shell may be executed once more, by a command of run --in or by a line that was typed.
func TestRunInAfterExecAgain(t *testing.T) {
	for _, shell := range []string{"bash --norc", "zsh -f", "fish --no-config", "dash"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			runnertest.Need(t, strings.Fields(shell)[0])
			c := shellSession(t, "", strings.Fields(shell)...)
			wantRunIn(t, c, "echo before", "before\n", 0)
			for _, typed := range []bool{true, true, false, false} {
				before := proc.Image(c.Session.Main.PID)
				if typed {
					typeIn(t, c, "exec "+shell+"\r")
				} else if r, err := c.RunIn(runnertest.WithPatience(t), "exec "+shell, runner.RunInOptions{Background: true}); err != nil {
					t.Fatal(r, err)
				}
				awaitAdopted(t, c, before)
				wantRunIn(t, c, "sh -c 'exit 7'", "", 7)
			}
		})
	}
}

// awaitAdopted waits until the program of the session is another one than that of the image before, and takes commands. The holder may
// not have read yet that the line of the exec was taken.
func awaitAdopted(t *testing.T, c *runner.Client, before string) {
	t.Helper()
	for deadline := time.Now().Add(runnertest.Patience); ; time.Sleep(time.Millisecond) {
		err := error(wire.ErrBusy)
		if proc.Image(c.Session.Main.PID) != before {
			_, _, err = tryRunIn(t, c, "true")
		}
		if err == nil {
			return
		}
		if !isBusy(err) && !strings.Contains(err.Error(), "typed since") || time.Now().After(deadline) {
			t.Fatalf("%v\n%s", err, transcriptOf(c))
		}
	}
}
