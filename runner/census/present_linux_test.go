package census_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
)

// A killed holder is noticed at once, also where claims are not tested. In a copy of the folder the sessions do not count as
// alive.
func TestHereAndRemembered(t *testing.T) {
	path := runnertest.NewState(t)
	for i := range 3 {
		spec := runnertest.SpecFor(t, path, "sleep", "60")
		spec.Name = fmt.Sprint("s", i)
		runnertest.Begin(t, spec)
	}
	dir := runnertest.OpenState(t, path)
	look := map[string]func(context.Context, ledger.Dir) ([]ledger.Session, error){
		"here": census.Here,
		"remembered": func(ctx context.Context, dir ledger.Dir) ([]ledger.Session, error) {
			sessions, _, err := census.Remembered(ctx, dir)
			return sessions, err
		},
	}
	statuses := func(how string, dir ledger.Dir) map[string]int {
		sessions, err := look[how](t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]int{}
		for _, s := range sessions {
			found[s.Status]++
		}
		return found
	}
	for how := range look {
		if got := statuses(how, dir); got[ledger.StatusRunning] != 3 {
			t.Errorf("%s: %v", how, got)
		}
	}
	copied := filepath.Join(t.TempDir(), ledger.FolderName)
	if err := os.CopyFS(copied, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	for how := range look {
		if got := statuses(how, runnertest.OpenState(t, copied)); len(got) != 0 {
			t.Errorf("%s, in a copy: %v", how, got)
		}
	}
	s, err := dir.Session("s1")
	if err != nil {
		t.Fatal(err)
	}
	holder := track.Identity(s.Holder)
	if err := errors.Join(holder.Signal(syscall.SIGKILL), proc.Await(runnertest.WithPatience(t), holder)); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"remembered", "here"} { // the second brings the ledger in line
		if got := statuses(how, dir); got[ledger.StatusRunning] != 2 { // its program may live on, or have got SIGHUP
			t.Errorf("%s, after the end of a holder: %v", how, got)
		}
	}
}

// In a sandbox with pids of its own, another process has the number of a holder that has ended with an earlier call.
func TestRememberedInASandbox(t *testing.T) {
	path := runnertest.NewState(t)
	spec := runnertest.SpecFor(t, path, "sleep", "60")
	spec.Name, spec.EndsWith = "s", "sandbox (pid 1 here)"
	runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, path)
	s, err := dir.Session(spec.Name)
	if err != nil {
		t.Fatal(err)
	}
	holder := track.Identity(s.Holder)
	if err := errors.Join(holder.Signal(syscall.SIGKILL), proc.Await(runnertest.WithPatience(t), holder)); err != nil {
		t.Fatal(err)
	}
	err = dir.Update(t.Context(), func(now *ledger.Active) error {
		other := now.Sessions[0]
		other.Holder.PID = os.Getpid()
		now.Put(other)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sessions, _, err := census.Remembered(t.Context(), dir)
	if err != nil || len(sessions) > 0 && sessions[0].Status == ledger.StatusRunning {
		t.Errorf("%v, %v", sessions, err)
	}
}
