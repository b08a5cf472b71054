//go:build unix

package runner_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
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

// Orphans that are ended at the same time are all logged as killed.
func TestKillOrphansAtOnce(t *testing.T) {
	path := runnertest.NewState(t)
	var targets []string
	for range 4 {
		c := runnertest.StartReady(t, runnertest.Shell(t, path, "trap '' HUP; echo up; while :; do sleep 1; done"))
		targets = append(targets, c.Session.ID)
		holder := track.Identity(c.Session.Holder)
		if err := errors.Join(holder.Signal(syscall.SIGKILL), proc.Await(runnertest.WithPatience(t), holder)); err != nil {
			t.Fatal(err)
		}
	}
	if result, err := runner.Kill(runnertest.WithPatience(t), runnertest.OpenState(t, path), targets, "TERM", time.Second); err != nil || len(result.Killed) < len(targets) {
		t.Errorf("killed %v, %v", result.Killed, err)
	}
	killed := map[string]bool{}
	events, err := os.ReadFile(filepath.Join(path, "process-log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(events)) {
		var e ledger.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Event == ledger.EventKilled && e.Signal != "" {
			killed[e.SessionID] = true
		}
	}
	for _, id := range targets {
		if !killed[id] {
			t.Errorf("session %s was not logged as killed:\n%s", id, events)
		}
	}
}

// A session that two targets name has ended when its turn comes again, which is no error.
func TestKillTwice(t *testing.T) {
	path := runnertest.NewState(t)
	first, second := runnertest.Begin(t, runnertest.Shell(t, path, "read x")), runnertest.Begin(t, runnertest.Shell(t, path, "read x"))
	targets := []string{first.Session.ID, second.Session.Name, first.Session.Name}
	result, err := runner.Kill(runnertest.WithPatience(t), runnertest.OpenState(t, path), targets, "TERM", time.Second)
	if want := []int{first.Session.Main.PID, second.Session.Main.PID}; err != nil || !slices.Equal(result.Killed, want) {
		t.Errorf("killed %v, %v; want %v", result.Killed, err, want)
	}
}
