package proc

import (
	"os"
	"os/exec"
	"testing"
)

// play returns a command that runs a role. The path is a link that a process may
// follow under any user.
func play(role string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	// Under the race detector a program sleeps for a second before it exits.
	cmd.Env = append(os.Environ(), "PROC_TEST_ROLE="+role, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
}

// living lists the descendants that are no zombies.
func living() []Info {
	var all []Info
	for _, p := range Tree(os.Getpid()) {
		if !p.Ended() {
			all = append(all, p)
		}
	}
	return all
}

// need skips the test where a program is missing, and fails it in CI.
func need(t testing.TB, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip(err)
}
