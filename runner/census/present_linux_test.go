package census_test

import (
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

// Where claims are not tested, a killed holder is noticed at once. In a copy of the folder the sessions do not count as
// alive.
func TestHere(t *testing.T) {
	path := runnertest.NewState(t)
	for i := range 3 {
		spec := runnertest.SpecFor(t, path, "sleep", "60")
		spec.Name = fmt.Sprint("s", i)
		runnertest.Begin(t, spec)
	}
	dir := runnertest.OpenState(t, path)
	statuses := func(dir ledger.Dir) map[string]int {
		sessions, err := census.Here(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]int{}
		for _, s := range sessions {
			found[s.Status]++
		}
		return found
	}
	if got := statuses(dir); got[ledger.StatusRunning] != 3 {
		t.Errorf("%v", got)
	}
	copied := filepath.Join(t.TempDir(), ledger.FolderName)
	if err := os.CopyFS(copied, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	if got := statuses(runnertest.OpenState(t, copied)); len(got) != 0 {
		t.Errorf("in a copy: %v", got)
	}
	s, err := dir.Session("s1")
	if err != nil {
		t.Fatal(err)
	}
	holder := track.Identity(s.Holder)
	if err := errors.Join(holder.Signal(syscall.SIGKILL), proc.Await(runnertest.WithPatience(t), holder)); err != nil {
		t.Fatal(err)
	}
	if got := statuses(dir); got[ledger.StatusRunning] != 2 { // its program may live on, or have got SIGHUP
		t.Errorf("after the end of a holder: %v", got)
	}
}
