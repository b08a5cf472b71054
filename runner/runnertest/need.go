// Package runnertest has what the tests of several packages share: the programs that they need, state folders, sessions
// and waits for them. The tests themselves are beside the code that they test.
package runnertest

import (
	"os"
	"os/exec"
	"testing"
)

// Need returns the path of a program that a test needs. Without the program the test is skipped. On CI it fails, for there
// nothing is left out unseen.
func Need(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed, see .ci/run", program)
		}
		t.Skipf("%s is not installed", program)
	}
	return path
}

// Rounds returns how often to run a loop: few times, or many times with DEVTOOLS_STRESS=1. Many times is as often as is
// needed to trust the result.
func Rounds(few, many int) int {
	if Stress() {
		return many
	}
	return few
}

// NeedStress skips a test that takes too long for go test: make stress runs it.
func NeedStress(t testing.TB) {
	t.Helper()
	if !Stress() {
		t.Skip("takes long: DEVTOOLS_STRESS=1 runs it")
	}
}

// Stress reports whether the tests run at full length, as make stress runs them.
func Stress() bool { return os.Getenv("DEVTOOLS_STRESS") == "1" }
