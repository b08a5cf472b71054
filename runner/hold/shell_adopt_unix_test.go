//go:build unix

package hold_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// A shell that is executed in place of an integrated one takes commands too, as soon as it is at its prompt.
func TestRunInAfterExec(t *testing.T) {
	for _, line := range []string{
		"bash: exec bash --norc -i", "bash: exec bash", "bash: exec env A=1 zsh -f", "bash: exec fish --no-config", "bash: exec dash -i",
		"zsh: exec bash --norc", "fish: exec zsh -f", "dash: exec bash --norc -i", "zsh: exec zsh -f",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			shell, text, _ := strings.Cut(line, ": ")
			next := strings.Fields(text)[1]
			if next == "env" {
				next = "zsh"
			}
			runnertest.Need(t, next)
			c := shellSession(t, "", shell)
			wantRunIn(t, c, "echo before", "before\n", 0)
			if r, err := c.RunIn(runnertest.WithPatience(t), text, runner.RunInOptions{Background: true}); err != nil {
				t.Fatal(r, err)
			}
			awaitRunIn(t, c, "echo after", "after\n")
			wantRunIn(t, c, "sh -c 'exit 7'", "", 7)
			wantRunIn(t, c, in(next, "true; set -g x 5", "x=5"), "", 0)
			wantRunIn(t, c, "echo $x; cd /usr", "5\n", 0)
			if got, err := runWith(t, c, `echo "$GIVEN $PWD"`, "/", "GIVEN=x"); err != nil || got != "x /\n" {
				t.Errorf("given: %q, %v", got, err)
			}
			wantRunIn(t, c, "pwd", "/usr\n", 0)
		})
	}
}

// Into a line that a person may have begun nothing is typed, nor into another program.
func TestRunInAfterExecRefuses(t *testing.T) {
	c := shellSession(t, "", "bash")
	out := runnertest.NewCollector()
	go func() { _, _, _ = c.Follow(runnertest.WithPatience(t), 0, out.Sink()) }()
	wantRunIn(t, c, "echo before", "before\n", 0)
	typeIn(t, c, "PS1='new''> ' exec bash --norc\r")
	out.Await(t, "new> ")
	typeIn(t, c, "echo half")
	if _, _, err := tryRunIn(t, c, "echo no"); !errors.Is(err, wire.ErrNoShell) || !strings.Contains(err.Error(), "typed since") {
		t.Errorf("half a line: %v\n%s", err, transcriptOf(c))
	}
	typeIn(t, c, "way; exec sh -c 'echo ca''t; exec cat'\r")
	out.Await(t, "halfway\r\n")
	out.Await(t, "cat\r\n")
	err := wire.ErrBusy
	for deadline := time.Now().Add(runnertest.Patience); isBusy(err) && time.Now().Before(deadline); { // cat may not be loaded yet
		_, _, err = tryRunIn(t, c, "echo no")
	}
	if !errors.Is(err, wire.ErrNoShell) {
		t.Errorf("another program: %v\n%s", err, transcriptOf(c))
	}
}
