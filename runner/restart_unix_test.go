//go:build unix

package runner_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/census"
	"devtools/runner/condition"
	"devtools/runner/list"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// failing returns the spec of a session "web" that is started again when the shell line fails.
func failing(t *testing.T, dir, line string) wire.Spec {
	t.Helper()
	spec := runnertest.Shell(t, dir, line)
	spec.Name, spec.Foreground, spec.RestartOnFailure, spec.Grace = "web", false, true, 0
	return spec
}

// awaitSession waits until there is a session with the status, which is not before. It looks again and again: a holder tells nobody
// that it waits to start the session again, or that the next one has started.
func awaitSession(t *testing.T, dir ledger.Dir, status, before string) ledger.Session {
	t.Helper()
	for ctx := runnertest.WithPatience(t); ; {
		s, err := dir.Session("web")
		if err == nil && s.Status == status && s.ID != before {
			return s
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("no session is %s: %s %s, %v", status, s.ID, s.Status, err)
		}
	}
}

// history returns the kinds and names of the events of the sessions "web", without those of further processes.
func history(t *testing.T, dir ledger.Dir) []string {
	t.Helper()
	return historyOf(t, dir, "web")
}

func historyOf(t *testing.T, dir ledger.Dir, session string) (kinds []string) {
	t.Helper()
	show := func(text []byte, _ string, e *ledger.Event) []byte {
		if e.Event == ledger.EventFailed {
			return append(text, e.Event+":"+e.Name+":"+e.Reason+"\n"...)
		}
		return append(text, e.Event+"\n"...)
	}
	err := dir.History(ledger.Query{Session: session}, show, func(text []byte) error {
		kinds = append(kinds, strings.Fields(string(text))...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

func count(kinds []string, kind string) (n int) {
	for _, k := range kinds {
		if k == kind {
			n++
		}
	}
	return n
}

// A command that fails is started again with its environment, its folder and its name, and waits longer each time.
func TestRestartOnFailure(t *testing.T) {
	path := runnertest.NewState(t)
	spec := failing(t, path, `echo "$X $PWD"; echo x >> runs; test $(wc -l < runs) = 3 && exec sleep 1000; exit 3`)
	spec.Env = append(spec.Env, "X=kept", "PWD="+spec.Cwd)
	first := runnertest.Begin(t, spec).Session
	dir := runnertest.OpenState(t, path)
	waiting := awaitSession(t, dir, ledger.StatusRestarting, "")
	if waiting.ID != first.ID || waiting.ExitCode == nil || *waiting.ExitCode != 3 || waiting.RestartAt.IsZero() {
		t.Errorf("%+v", waiting)
	}
	if s, err := runnertest.WaitEnd(t, dir, "web"); err != nil || runnertest.Code(s) != "3" {
		t.Errorf("a wait in the delay: code %s, %v", runnertest.Code(s), err)
	}
	second := awaitSession(t, dir, ledger.StatusRestarting, first.ID)
	if delay := second.RestartAt.Sub(second.EndedAt.Time); delay < 2*time.Second || delay > 3*time.Second {
		t.Errorf("the second delay is %v", delay)
	}
	third := awaitSession(t, dir, ledger.StatusRunning, second.ID)
	for _, ended := range []ledger.Session{first, second} {
		if err := proc.Await(runnertest.WithPatience(t), track.Identity(ended.Holder)); err != nil {
			t.Fatal(err)
		}
		s, err := dir.LoadSession(ended.ID)
		if err != nil || s.Status != ledger.StatusCompleted || !s.RestartAt.IsZero() || !s.Closed {
			t.Errorf("%s: %+v, %v", ended.ID, s, err)
		}
	}
	printed, err := condition.ParseCondition("text:kept "+spec.Cwd, "/")
	if err != nil {
		t.Fatal(err)
	}
	if w, err := runner.WaitFor(runnertest.WithPatience(t), dir, third.ID, runner.Wait{Until: []condition.Condition{printed}, FromStart: true}); err != nil || len(w.Met) == 0 {
		t.Errorf("%+v, %v", w, err)
	}
	if kinds := history(t, dir); count(kinds, ledger.EventStarted) != 3 || count(kinds, ledger.EventFailed) != 0 {
		t.Errorf("%q", kinds)
	}
}

// Who was told to end, or has done its work, is not started again.
func TestRestartNotWanted(t *testing.T) {
	for name, test := range map[string]struct {
		line string
		then func(*testing.T, *runner.Client, *wire.Spec)
	}{
		"done": {line: "exit 0"},
		"killed": {line: "exec sleep 1000", then: func(t *testing.T, c *runner.Client, _ *wire.Spec) {
			if _, err := c.End(runnertest.WithPatience(t), "TERM", time.Second); err != nil {
				t.Fatal(err)
			}
		}},
		"holder told": {line: "exec sleep 1000", then: func(t *testing.T, c *runner.Client, _ *wire.Spec) {
			if err := track.Identity(c.Session.Holder).Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}},
		"time limit": {line: "exec sleep 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			path := runnertest.NewState(t)
			spec := failing(t, path, test.line)
			if name == "time limit" {
				spec.TimeLimit = 50 * time.Millisecond
			}
			c := runnertest.Begin(t, spec)
			if test.then != nil {
				test.then(t, c, &spec)
			}
			if err := proc.Await(runnertest.WithPatience(t), track.Identity(c.Session.Holder)); err != nil {
				t.Fatal(err)
			}
			dir := runnertest.OpenState(t, path)
			if all, err := dir.Sessions(); err != nil || len(all) != 1 || all[0].Status == ledger.StatusRestarting {
				t.Errorf("%+v, %v", all, err)
			}
		})
	}
}

// A kill in the delay ends the session for good.
func TestRestartKilledInDelay(t *testing.T) {
	path := runnertest.NewState(t)
	c := runnertest.Begin(t, failing(t, path, "exit 3"))
	dir := runnertest.OpenState(t, path)
	awaitSession(t, dir, ledger.StatusRestarting, "")
	if _, err := runner.Kill(runnertest.WithPatience(t), dir, []string{"web"}, "TERM", time.Second); err != nil {
		t.Error(err)
	}
	if s, err := dir.LoadSession(c.Session.ID); err != nil || s.Status != ledger.StatusCompleted || !s.RestartAt.IsZero() {
		t.Errorf("%+v, %v", s, err)
	}
	if _, living := dir.Living("web"); living {
		t.Error("it is there after the kill")
	}
	if err := proc.Await(runnertest.WithPatience(t), track.Identity(c.Session.Holder)); err != nil {
		t.Fatal(err)
	}
	if all, err := dir.Sessions(); err != nil || len(all) != 1 {
		t.Errorf("%d sessions, %v", len(all), err)
	}
}

// A holder that is killed in the delay takes the next start with it, and the ledger says so.
func TestRestartHolderKilledInDelay(t *testing.T) {
	path := runnertest.NewState(t)
	c := runnertest.Begin(t, failing(t, path, "exit 3"))
	dir := runnertest.OpenState(t, path)
	awaitSession(t, dir, ledger.StatusRestarting, "")
	holder := track.Identity(c.Session.Holder)
	if err := errors.Join(holder.Signal(syscall.SIGKILL), proc.Await(runnertest.WithPatience(t), holder)); err != nil {
		t.Fatal(err)
	}
	// The first list writes down that the holder is gone, and shows that already.
	l, err := list.List(runnertest.WithPatience(t), dir, true, false)
	if err != nil || len(l.Sessions) != 1 || l.Sessions[0].Status != ledger.StatusCompleted {
		t.Errorf("%+v, %v", l.Sessions, err)
	}
	if s, err := dir.LoadSession(c.Session.ID); err != nil || s.Status != ledger.StatusCompleted || !s.RestartAt.IsZero() {
		t.Errorf("%+v, %v", s, err)
	}
	if kinds := history(t, dir); count(kinds, "failed:restart:its") != 1 {
		t.Errorf("%q", kinds)
	}
}

// What cannot be started again is tried again, and the ledger says why it failed. What the first run has left behind is ended
// before.
func TestRestartFails(t *testing.T) {
	path := runnertest.NewState(t)
	spec := failing(t, path, "")
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntrap '' HUP\nmv \"$0\" \"$0x\"\nsleep 1000 &\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	spec.Command, spec.Path = []string{program}, program
	c := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, path)
	left := awaitSession(t, dir, ledger.StatusRestarting, "")
	if len(left.Leftovers) != 1 {
		t.Fatalf("%+v", left)
	}
	if err := proc.Await(runnertest.WithPatience(t), track.Identity(left.Leftovers[0])); err != nil {
		t.Fatal(err)
	}
	for ctx := runnertest.WithPatience(t); count(history(t, dir), "failed:restart:"+program+":") == 0; <-time.After(5 * time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("%q", history(t, dir))
		}
	}
	if s := awaitSession(t, dir, ledger.StatusRestarting, ""); s.ID != c.Session.ID {
		t.Errorf("%+v", s)
	}
	if err := os.Rename(program+"x", program); err != nil {
		t.Fatal(err)
	}
	awaitSession(t, dir, ledger.StatusRestarting, c.Session.ID)
}

// If a holder is killed while it starts the next session, at most one command runs, and a session that is not started again is
// not lost in silence.
func TestStressRestartKilled(t *testing.T) {
	for i := range runnertest.Rounds(12, 300) {
		path := runnertest.NewState(t)
		spec := failing(t, path, "test -e ran && exec sleep 1000; touch ran; exit 3")
		first := runnertest.Begin(t, spec).Session
		dir := runnertest.OpenState(t, path)
		waiting := awaitSession(t, dir, ledger.StatusRestarting, "")
		<-time.After(time.Until(waiting.RestartAt.Time) + time.Duration(rand.IntN(40)-5)*time.Millisecond) // the moment of the kill
		victim := first.Holder
		if all, _ := os.ReadDir(filepath.Join(path, "sessions")); i%2 == 1 { // the next holder, if there is one
			for _, entry := range all {
				if s, err := dir.LoadSession(strings.TrimSuffix(entry.Name(), ".json")); err == nil && s.ID != first.ID {
					victim = s.Holder
				}
			}
		}
		_ = track.Identity(victim).Signal(syscall.SIGKILL) // it may be gone
		if err := proc.Await(runnertest.WithPatience(t), track.Identity(victim)); err != nil {
			t.Fatal(err)
		}
		for ctx := runnertest.WithPatience(t); ; <-time.After(5 * time.Millisecond) {
			running, known := commandsOf(t, dir)
			if running > 1 {
				t.Fatalf("round %d: %d commands run", i, running)
			}
			if known && !track.Identity(first.Holder).Alive() {
				break
			}
			if ctx.Err() != nil {
				t.Fatalf("round %d: %q", i, history(t, dir))
			}
		}
		runnertest.EndAll(t, path)
	}
}

// commandsOf returns how many commands of the sessions run. known says that one runs, or that the ledger tells why none does.
func commandsOf(t *testing.T, dir ledger.Dir) (running int, known bool) {
	t.Helper()
	if _, err := census.Reconcile(runnertest.WithPatience(t), dir); err != nil {
		t.Fatal(err)
	}
	all, err := dir.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if track.Identity(s.Main).Alive() {
			running++
		}
		known = known || s.Status == ledger.StatusRunning || s.Status == ledger.StatusOrphaned || !s.LostAt.IsZero()
	}
	for _, kind := range history(t, dir) {
		known = known || strings.HasPrefix(kind, "failed:restart:")
	}
	return running, known
}

// A kill that meets the start of the next session ends that one.
func TestStressRestartKillMeetsStart(t *testing.T) {
	for i := range runnertest.Rounds(10, 200) {
		path := runnertest.NewState(t)
		c := runnertest.Begin(t, failing(t, path, "test -e ran && exec sleep 1000; touch ran; exit 3"))
		dir := runnertest.OpenState(t, path)
		at := awaitSession(t, dir, ledger.StatusRestarting, "").RestartAt.Time
		<-time.After(time.Until(at) + time.Duration(rand.IntN(12))*time.Millisecond) // the moment of the kill
		_, err := runner.Kill(runnertest.WithPatience(t), dir, []string{c.Session.ID}, "TERM", time.Second)
		if errors.Is(err, wire.ErrEnded) { // it came too late
			runnertest.EndAll(t, path)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := proc.Await(runnertest.WithPatience(t), track.Identity(c.Session.Holder)); err != nil {
			t.Fatal(err)
		}
		if s, living := dir.Living("web"); living {
			t.Fatalf("round %d: %s runs after the kill", i, s.ID)
		}
		runnertest.EndAll(t, path)
	}
}
