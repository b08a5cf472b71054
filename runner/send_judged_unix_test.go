//go:build unix

package runner_test

import (
	"errors"
	"testing"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// Keys that a policy has judged are typed only behind what was typed before them then, with and without a terminal.
func TestSendJudged(t *testing.T) {
	state := runnertest.NewState(t)
	for _, name := range []string{"terminal", "pipe"} {
		spec := runnertest.SpecFor(t, state, "cat")
		if spec.Name = name; name == "pipe" {
			spec.Size = ledger.Size{}
		}
		runnertest.Begin(t, spec)
	}
	dir := runnertest.OpenState(t, state)
	for _, name := range []string{"terminal", "pipe"} {
		session, _ := dir.Living(name)
		for _, c := range []struct{ behind, keys, left string }{
			{"", "su", "su"},
			{"su", "do ls", "sudo ls"},
			{"sudo ls", "Enter", ""},
			{"", "x", "x"},
		} {
			ask := runner.Typing{Keys: wire.Keys{Args: []string{c.keys}}, Judged: true, Behind: []byte("other")}
			if _, _, err := runner.Send(runnertest.WithPatience(t), dir, name, ask); !errors.Is(err, wire.ErrTypedBefore) {
				t.Errorf("%s: %q behind something else: %v", name, c.keys, err)
			}
			ask.Behind = []byte(c.behind)
			if _, _, err := runner.Send(runnertest.WithPatience(t), dir, name, ask); err != nil {
				t.Errorf("%s: %q behind %q: %v", name, c.keys, c.behind, err)
			}
			if got, err := runner.HalfLine(runnertest.WithPatience(t), dir, session); string(got) != c.left || err != nil {
				t.Errorf("%s: %q behind %q leaves %q, %v, want %q", name, c.keys, c.behind, got, err, c.left)
			}
		}
	}
}
