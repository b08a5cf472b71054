//go:build unix

package runner_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// Of several renames to one name, and a launch of that name, exactly one gets it.
func TestStressRenameRace(t *testing.T) {
	path := runnertest.NewState(t)
	const renames = 4
	spec := runnertest.Shell(t, path, `read x`)
	for i := range renames {
		spec.Name = fmt.Sprintf("s%d", i)
		runnertest.Begin(t, spec)
	}
	dir := runnertest.OpenState(t, path)
	for round := range runnertest.Rounds(5, 100) {
		want := fmt.Sprintf("wanted%d", round)
		errs := make([]error, renames+1)
		var done sync.WaitGroup
		for i := range renames {
			done.Go(func() {
				_, _, errs[i] = runner.Rename(runnertest.WithPatience(t), dir, fmt.Sprintf("s%d", i), want)
			})
		}
		launched, ended := spec, ""
		launched.Name = want
		done.Go(func() {
			var c *runner.Client
			if c, errs[renames] = runnertest.StartSession(runnertest.WithPatience(t), launched, nil); errs[renames] == nil {
				ended = c.Session.ID
				_, _ = runner.Kill(runnertest.WithPatience(t), dir, []string{c.Session.ID}, "KILL", 0)
				_ = c.Close()
			}
		})
		done.Wait()
		won := slices.IndexFunc(errs, func(err error) bool { return err == nil })
		for i, err := range errs {
			// A rename may come when the launched session has ended.
			if i != won && !errors.Is(err, wire.ErrNameTaken) && !(errs[renames] == nil && err == nil) {
				t.Fatalf("round %d: %d has won, and %d: %v", round, won, i, err)
			}
		}
		active, err := dir.Active()
		if err != nil || won < 0 {
			t.Fatal(won, err)
		}
		names := map[string]bool{}
		for _, s := range active.Sessions {
			if names[s.Name] {
				t.Fatalf("round %d: two sessions are called %s", round, s.Name)
			}
			names[s.Name] = true
			if s.Name == want && s.ID != ended {
				if _, _, err := runner.Rename(runnertest.WithPatience(t), dir, want, fmt.Sprintf("s%d", slices.Index(errs, nil))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// checkNamed checks that the record, the active set, the index of names and the history agree about the name of a session.
func checkNamed(t *testing.T, dir ledger.Dir, id string, others ...string) {
	t.Helper()
	record, err := dir.LoadSession(id)
	if err != nil {
		t.Fatal(err)
	}
	found, err := dir.Session(record.Name)
	if err != nil || found.ID != id || found.Name != record.Name {
		t.Errorf("%s is called %s: that finds %s, called %s, %v", id, record.Name, found.ID, found.Name, err)
	}
	of, err := dir.SessionsOf(record.Name)
	if err != nil || len(of) != 1 {
		t.Errorf("%d sessions had the name %s, %v", len(of), record.Name, err)
	}
	for _, other := range others {
		if s, err := dir.Session(other); other != record.Name && !errors.Is(err, ledger.ErrNoSession) {
			t.Errorf("%s is called %s, and %s finds %s, called %s, %v", id, record.Name, other, s.ID, s.Name, err)
		}
	}
	last := others[0]
	show := func(text []byte, _ string, e *ledger.Event) []byte { return append(text, e.Terminal+"\n"...) }
	if err := dir.History(ledger.Query{Session: id, Kinds: []string{ledger.EventRenamed}, Tail: 1}, show, func(text []byte) error {
		last = strings.TrimSpace(string(text))
		return nil
	}); err != nil {
		t.Error(err)
	}
	if last != record.Name {
		t.Errorf("%s is called %s, and by its history %s", id, record.Name, last)
	}
}

// A holder that is killed after it has taken a name leaves the writing of its record and the event to others.
func TestRenamedByKilledHolder(t *testing.T) {
	for i, line := range []string{`echo up; read x`, `trap '' HUP; echo up; exec sleep 1000`, `echo up; read y`} { // lost, orphaned, lost
		path := runnertest.NewState(t)
		spec := runnertest.Shell(t, path, line)
		spec.Name = "old"
		c := runnertest.StartReady(t, spec)
		dir := runnertest.OpenState(t, path)
		holder := track.Identity(c.Session.Holder)
		if err := errors.Join(holder.Signal(syscall.SIGKILL), proc.Await(runnertest.WithPatience(t), holder)); err != nil {
			t.Fatal(err)
		}
		// The last thing that this holder has done is to take the name, or to log it.
		if err := dir.UpdateOne(t.Context(), c.Session.ID, func(a *ledger.Active) error {
			s := a.Sessions[0]
			s.Name = "new"
			a.Put(s)
			if i == 2 {
				a.Log(track.RenamedEvent(s, "old"))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := census.Reconcile(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		checkNamed(t, dir, c.Session.ID, "old", "new")
		if s, err := dir.LoadSession(c.Session.ID); err != nil || s.Name != "new" {
			t.Errorf("%q: it is called %q, %v", line, s.Name, err)
		}
		if kinds := historyOf(t, dir, c.Session.ID); count(kinds, ledger.EventRenamed) != 1 {
			t.Errorf("%q: %q", line, kinds)
		}
	}
}

// A holder does not wait long for the lock of the ledger to change a name or labels, and then changes nothing.
func TestNamingBusy(t *testing.T) {
	path := runnertest.NewState(t)
	spec := runnertest.Shell(t, path, `read x`)
	spec.Name = "old"
	c := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, path)
	errUnchanged := errors.New("no change")
	begin := time.Now()
	err := dir.Update(runnertest.WithPatience(t), func(*ledger.Active) error { // the lock is held
		_, _, renamed := runner.Rename(runnertest.WithPatience(t), dir, "old", "new")
		_, labelled := runner.Label(runnertest.WithPatience(t), dir, "old", map[string]string{"k": "v"}, nil)
		for _, err := range []error{renamed, labelled} {
			if err == nil || !strings.Contains(err.Error(), "the state folder is busy") {
				t.Error(err)
			}
		}
		return errUnchanged
	})
	if took := time.Since(begin); !errors.Is(err, errUnchanged) || took > wire.LockWait {
		t.Errorf("after %v: %v", took, err)
	}
	if s, err := dir.Session(c.Session.ID); err != nil || s.Name != "old" || len(s.Labels) > 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// The holder may be killed at any moment of a rename, and so may the caller.
func TestStressRenameKilled(t *testing.T) {
	path := runnertest.NewState(t)
	spec := runnertest.Shell(t, path, `read x`)
	for round := range runnertest.Rounds(20, 500) {
		names := []string{fmt.Sprintf("a%d", round), fmt.Sprintf("b%d", round)}
		spec.Name = names[0]
		c := runnertest.Begin(t, spec)
		dir := runnertest.OpenState(t, path)
		holder := track.Identity(c.Session.Holder)
		var renaming sync.WaitGroup
		renaming.Go(func() {
			for i := 1; ; i++ {
				caller, err := runner.Dial(dir, c.Session)
				if err != nil {
					return
				}
				answer := caller.Send(wire.Request{Op: wire.OpRename, Name: names[i%2]})
				if i%3 > 0 { // otherwise the caller is gone before it has its answer
					_, err = caller.Await(runnertest.WithPatience(t), answer)
				}
				_ = caller.Close()
				if err != nil {
					return
				}
			}
		})
		<-time.After(time.Duration(rand.IntN(20000)) * time.Microsecond) // a random moment
		if err := errors.Join(holder.Signal(syscall.SIGKILL), proc.Await(runnertest.WithPatience(t), holder)); err != nil {
			t.Fatal(err)
		}
		renaming.Wait()
		active, err := census.Reconcile(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for len(active) > 0 { // its shell is about to end, because its terminal is gone
			if active, err = census.Reconcile(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
		}
		if checkNamed(t, dir, c.Session.ID, names...); t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}
