//go:build unix

package runner_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// lasting returns the spec of a session "web" that runs until it is ended.
func lasting(t *testing.T, dir string) wire.Spec {
	t.Helper()
	spec := failing(t, dir, "exec sleep 1000")
	spec.RestartOnFailure = false
	return spec
}

// onlyRunning returns the session that runs. It fails if the command of another one with its name runs.
func onlyRunning(t *testing.T, dir ledger.Dir) (s ledger.Session) {
	t.Helper()
	s = awaitSession(t, dir, ledger.StatusRunning, "")
	all, err := dir.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range all {
		if other.Name == s.Name && other.ID != s.ID && track.Identity(other.Main).Alive() {
			t.Fatalf("%s and %s run", other.ID, s.ID)
		}
	}
	return s
}

// The holder starts the session again also when the caller has gone.
func TestRestartCallerGone(t *testing.T) {
	path := runnertest.NewState(t)
	first := runnertest.Begin(t, lasting(t, path)).Session
	dir := runnertest.OpenState(t, path)
	c, err := runner.Dial(dir, first)
	if err != nil {
		t.Fatal(err)
	}
	c.Send(wire.Request{Op: wire.OpRestart, GraceMs: 1000})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	next := awaitSession(t, dir, ledger.StatusRunning, first.ID)
	if old, err := dir.LoadSession(first.ID); err != nil || old.Signal != "SIGTERM" || !old.ToldToEnd || next.RestartOf != first.ID {
		t.Errorf("%+v, %v; %+v", old, err, next)
	}
}

// Calls at the same time leave one program, and each gets a session that has started. The session keeps its place under the
// limit of sessions.
func TestStressRestartTogether(t *testing.T) {
	path := runnertest.NewState(t)
	spec := lasting(t, path)
	spec.MaxSessions = 1
	current := runnertest.Begin(t, spec).Session
	other := lasting(t, path)
	other.Name = "other"
	runnertest.Begin(t, other)
	dir := runnertest.OpenState(t, path)
	for i := range runnertest.Rounds(8, 100) {
		var calls sync.WaitGroup
		for range 3 {
			pause := time.Duration(rand.IntN(30)) * time.Millisecond
			calls.Go(func() {
				<-time.After(pause) // the moment of the call
				for s := current; ; {
					next, err := runner.Restart(runnertest.WithPatience(t), dir, s, time.Second)
					if err == nil && next.ID > s.ID {
						return
					}
					later, ok := runner.RestartedAs(dir, s)
					if !ok || !errors.Is(err, wire.ErrEnded) {
						t.Errorf("round %d: %s, %v", i, next.ID, err)
						return
					}
					s = later
				}
			})
		}
		calls.Wait()
		if current = onlyRunning(t, dir); current.Name != "web" || t.Failed() {
			t.Fatalf("round %d: %+v", i, current)
		}
	}
}

// A kill that meets a restart ends the session for good, whatever the moment.
func TestStressRestartMeetsKill(t *testing.T) {
	for i := range runnertest.Rounds(10, 200) {
		path := runnertest.NewState(t)
		first := runnertest.Begin(t, lasting(t, path)).Session
		dir := runnertest.OpenState(t, path)
		var restart sync.WaitGroup
		restart.Go(func() {
			_, err := runner.Restart(runnertest.WithPatience(t), dir, first, time.Second)
			if err != nil && !errors.Is(err, wire.ErrEnded) {
				t.Errorf("round %d: %v", i, err)
			}
		})
		awaitTold(t, dir, first.ID)
		<-time.After(time.Duration(rand.IntN(15)) * time.Millisecond) // the moment of the kill
		_, err := runner.KillListed(runnertest.WithPatience(t), dir, []ledger.Session{first}, "TERM", time.Second)
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		restart.Wait()
		if s, living := dir.Living("web"); living && s.Status == ledger.StatusRunning {
			t.Fatalf("round %d: %s runs after the kill", i, s.ID)
		}
		runnertest.EndAll(t, path)
	}
}

// awaitTold waits until the session is told to end.
func awaitTold(t *testing.T, dir ledger.Dir, id string) {
	t.Helper()
	for ctx := runnertest.WithPatience(t); ; {
		s, err := dir.LoadSession(id)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := wire.Ask(ctx, dir, s, wire.Request{Op: wire.OpState})
		if err != nil || resp.Session.ToldToEnd {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
	}
}

// A kill of the sessions that were listed before one of them was started again ends the new one. A kill of that one's id does not.
func TestRestartedSinceListed(t *testing.T) {
	path := runnertest.NewState(t)
	first := runnertest.Begin(t, lasting(t, path)).Session
	dir := runnertest.OpenState(t, path)
	second, err := runner.Restart(runnertest.WithPatience(t), dir, first, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if second, err = runner.Restart(runnertest.WithPatience(t), dir, second, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := proc.Await(runnertest.WithPatience(t), track.Identity(first.Holder)); err != nil {
		t.Fatal(err)
	}
	if _, err := runner.Kill(runnertest.WithPatience(t), dir, []string{first.ID}, "TERM", time.Second); !errors.Is(err, wire.ErrEnded) {
		t.Error(err)
	}
	if s := onlyRunning(t, dir); s.ID != second.ID {
		t.Fatalf("%+v", s)
	}
	ended, err := runner.KillListed(runnertest.WithPatience(t), dir, []ledger.Session{first}, "TERM", time.Second)
	if err != nil || len(ended.Killed) != 1 {
		t.Errorf("%+v, %v", ended, err)
	}
	if s, living := dir.Living("web"); living {
		t.Errorf("%s runs after the kill", s.ID)
	}
}

// A restart in the delay after a failure starts at once.
func TestRestartInDelay(t *testing.T) {
	path := runnertest.NewState(t)
	spec := failing(t, path, "test -e ran && exec sleep 1000; touch ran; exit 3")
	spec.Failures = 6
	first := runnertest.Begin(t, spec).Session
	dir := runnertest.OpenState(t, path)
	waiting := awaitSession(t, dir, ledger.StatusRestarting, "")
	next, err := runner.Restart(runnertest.WithPatience(t), dir, first, time.Second)
	if err != nil || !next.StartedAt.Before(waiting.RestartAt.Time) {
		t.Errorf("%+v, %v", next, err)
	}
	onlyRunning(t, dir)
}

// If the next start fails, the answer and the ledger say why, and the session has ended.
func TestRestartStartFails(t *testing.T) {
	path := runnertest.NewState(t)
	spec := lasting(t, path)
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntrap 'trap \"\" TERM; rm \"$0\"; exit' TERM\ntouch ready\nwhile :; do sleep 0.01; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	spec.Command, spec.Path = []string{program}, program
	first := runnertest.Begin(t, spec).Session
	for ctx := runnertest.WithPatience(t); ; <-time.After(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(spec.Cwd, "ready")); err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
	}
	dir := runnertest.OpenState(t, path)
	_, err := runner.Restart(runnertest.WithPatience(t), dir, first, 10*time.Second)
	if !errors.Is(err, proc.ErrNotFound) || !strings.Contains(err.Error(), `"web": was ended, and its command could not be started again: `) {
		t.Error(err)
	}
	if err := proc.Await(runnertest.WithPatience(t), track.Identity(first.Holder)); err != nil {
		t.Fatal(err)
	}
	if s, err := dir.LoadSession(first.ID); err != nil || s.Status != ledger.StatusCompleted || !s.RestartAt.IsZero() || !s.Closed {
		t.Errorf("%+v, %v", s, err)
	}
	if kinds := history(t, dir); count(kinds, "failed:restart:"+program+":") != 1 {
		t.Errorf("%q", kinds)
	}
}
