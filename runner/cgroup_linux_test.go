package runner_test

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
)

// A session has a cgroup as long as it lives. Its holder removes old cgroups that no process uses, and no others.
func TestCgroupsAreRemoved(t *testing.T) {
	spec := runnertest.Shell(t, runnertest.NewState(t), "read x")
	c := runnertest.Begin(t, spec)
	own := c.Session.Cgroup
	if own == "" {
		t.Skip("no cgroups of our own here")
	}
	if data, err := os.ReadFile(own + "/cgroup.procs"); err != nil || len(data) == 0 {
		t.Fatalf("the cgroup of a living session: %q, %v", data, err)
	}
	long := time.Now().Add(-2 * time.Hour)
	leave := func(name string, at time.Time) string {
		path := filepath.Join(filepath.Dir(own), "devtools-"+name)
		if err := os.MkdirAll(path+"/inner", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Skipf("the times of cgroups cannot be set: %v", err)
		}
		t.Cleanup(func() { _ = os.Remove(path + "/inner"); _ = os.Remove(path) })
		return path
	}
	left, fresh, used := leave("test-left", long), leave("test-fresh", time.Now()), leave("test-used", long)
	sleeper := runnertest.Bystander(t)
	if err := os.WriteFile(used+"/inner/cgroup.procs", []byte(strconv.Itoa(sleeper.PID)), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = sleeper.Signal(syscall.SIGKILL) // before its cgroup is removed
		if err := proc.Await(runnertest.WithPatience(t), sleeper); err != nil {
			t.Error(err)
		}
	})
	runnertest.TypeInto(t, c, "Enter")
	if err := proc.Await(runnertest.WithPatience(t), track.Identity(c.Session.Holder)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{own: false, left: false, fresh: true, used: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want it to be there: %v", path, err, want)
		}
	}
}
