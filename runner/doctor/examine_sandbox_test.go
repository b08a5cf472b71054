package doctor

import (
	"errors"
	"strings"
	"testing"

	"devtools/runner/sandbox"
)

func TestSandboxChecks(t *testing.T) {
	known := sandbox.Sandbox{Name: "Codex", Ends: "bwrap (pid 1 here)", Allow: "the network"}
	refused := errors.New("no way")
	for _, test := range []struct {
		check     Check
		level     Level
		says, fix string
	}{
		{lifeCheck(sandbox.Sandbox{}), LevelOK, "outlives the call", ""},
		{lifeCheck(known), LevelNote, "This is the sandbox of Codex. What is started here ends when bwrap (pid 1 here) ends", "in the call that starts it"},
		{procCheck(false, true, nil), LevelOK, "this PID namespace", ""},
		{procCheck(true, true, nil), LevelOK, "outer PID namespace", ""},
		{procCheck(true, false, nil), LevelWarn, "another PID namespace", "--mount-proc"},
		{procCheck(true, false, refused), LevelFail, "no /proc (no way)", "mount"},
		{deviceChecks(known, nil, nil)[0], LevelOK, "get a terminal", ""},
		{deviceChecks(known, nil, refused)[0], LevelFail, "no terminal for commands: no way. Only pipes", "let the sandbox of Codex open /dev/ptmx"},
		{deviceChecks(sandbox.Sandbox{}, refused, nil)[0], LevelFail, "Nothing can be started: no way.", "give the sandbox the usual devices"},
	} {
		c := test.check
		if c.Level != test.level || !strings.Contains(c.Message, test.says) || !strings.HasSuffix(c.Message, ".") || !strings.Contains(c.Fix, test.fix) || (test.fix == "") != (c.Fix == "") {
			t.Errorf("%+v, want %s, %q, %q", c, test.level, test.says, test.fix)
		}
	}
	if checks := deviceChecks(known, nil, errors.ErrUnsupported); len(checks) > 0 {
		t.Errorf("a system without terminals: %+v", checks)
	}
}
