//go:build unix

package runner_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
)

// The command of --on-exit starts at most once, whoever is killed at whatever moment: the holder, or the holder of the command.
// It never starts if the holder is killed before the end.
func TestStressOnExitKilled(t *testing.T) {
	for i := range runnertest.Rounds(20, 500) {
		path := runnertest.NewState(t)
		spec := runnertest.Shell(t, path, "exit 3")
		if i%4 == 0 {
			spec = runnertest.SpecFor(t, path, "sleep", "1000")
		}
		spec.Name, spec.OnExit, spec.OnExitPath = "web", []string{"sh", "-c", "echo x >>ran"}, "/bin/sh"
		c := runnertest.Begin(t, spec)
		dir := runnertest.OpenState(t, path)
		if i%4 != 0 {
			if _, err := c.Result(runnertest.WithPatience(t)); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Duration(rand.IntN(20000)) * time.Microsecond) // the moment of the kill
		}
		victim := c.Session.Holder
		if hook, ok := dir.Living("web-on-exit"); ok && i%2 == 1 {
			if record, err := dir.LoadSession(hook.ID); err == nil {
				victim = record.Holder
			}
		}
		_ = track.Identity(victim).Signal(syscall.SIGKILL) // it may be gone
		all := awaitHolders(t, dir)
		ran, _ := os.ReadFile(filepath.Join(spec.Cwd, "ran"))
		if len(ran) > 2 || len(all) > 2 || i%4 == 0 && (len(ran) > 0 || len(all) > 1) {
			t.Fatalf("round %d: it ran %d times, in %d sessions", i, len(ran)/2, len(all)-1)
		}
		runnertest.EndAll(t, path)
	}
}

// awaitHolders waits until all holders have left, also those that start in the meantime, and returns the sessions.
func awaitHolders(t *testing.T, dir ledger.Dir) []ledger.Session {
	t.Helper()
	for {
		before, err := dir.Sessions()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range before {
			if err := proc.Await(runnertest.WithPatience(t), track.Identity(s.Holder)); err != nil {
				t.Fatal(err)
			}
		}
		if after, err := dir.Sessions(); err == nil && len(after) == len(before) {
			return after
		}
	}
}
