package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"devtools/runner/runnertest"
)

// Keys that a policy judges behind half a line cost two connections to the holder, as other keys do: one asks for the half line, and
// one types.
func TestJudgedKeysConnections(t *testing.T) {
	strace := runnertest.Need(t, "strace")
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v: %s", err, out)
	}
	program, dir, trace := build(t, ".", true), t.TempDir(), filepath.Join(t.TempDir(), "trace")
	defer func() { _ = quietly(dir, program, "kill", "--all").Run() }()
	for _, args := range [][]string{
		{program, "policy", "init"},
		{program, "launch", "--name", "x", "--", "cat"},
		{program, "send-keys", "x", "half"},
		{strace, "-f", "-qq", "-o", trace, "-e", "trace=connect", program, "send-keys", "x", " a line", "Enter"},
	} {
		if out, err := quietly(dir, args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	if got := len(countCalls(t, trace)); got != 2 {
		t.Errorf("%d connections, want 2", got)
	}
}
