//go:build unix

package runner_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// Several sessions end at the same time. The result has their processes in the order of the targets, and the errors of
// those that do not exist.
func TestKillSeveral(t *testing.T) {
	const grace = time.Second
	path := runnertest.NewState(t)
	targets, mains := []string{"nobody"}, []int{}
	for range 8 {
		c := runnertest.StartReady(t, runnertest.Shell(t, path, "trap '' TERM; echo up; while :; do read x; done"))
		targets, mains = append(targets, c.Session.ID), append(mains, c.Session.Main.PID)
	}
	slices.Reverse(mains)
	slices.Reverse(targets)
	dir, begin := runnertest.OpenState(t, path), time.Now()
	result, err := runner.Kill(runnertest.WithPatience(t), dir, targets, "TERM", grace)
	if !errors.Is(err, ledger.ErrNoSession) || len(result.Failed) > 0 || !slices.Equal(result.Killed, mains) {
		t.Errorf("killed %v, failed %v, %v; want %v", result.Killed, result.Failed, err, mains)
	}
	if took := time.Since(begin); took >= time.Duration(len(mains))*grace {
		t.Errorf("it took %v: one after another", took)
	}
}

// A session that two targets name has ended when its turn comes again.
func TestKillTwice(t *testing.T) {
	path := runnertest.NewState(t)
	first, second := runnertest.Begin(t, runnertest.Shell(t, path, "read x")), runnertest.Begin(t, runnertest.Shell(t, path, "read x"))
	targets := []string{first.Session.ID, second.Session.Name, first.Session.Name}
	result, err := runner.Kill(runnertest.WithPatience(t), runnertest.OpenState(t, path), targets, "TERM", time.Second)
	if want := []int{first.Session.Main.PID, second.Session.Main.PID}; !errors.Is(err, wire.ErrEnded) || !slices.Equal(result.Killed, want) {
		t.Errorf("killed %v, %v; want %v", result.Killed, err, want)
	}
}
