package runner_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
)

// A session has a cgroup as long as it lives. Its holder removes old cgroups that no process uses, and no others. Where
// holders take turns in removing what is old, it does so only when it has its turn.
func TestCgroupsAreRemoved(t *testing.T) {
	for name, test := range map[string]struct {
		keep  ledger.Retention
		last  time.Duration // time since the last removal
		stays bool          // what is old
	}{
		"without limits": {},
		"its turn":       {keep: ledger.DefaultRetention, last: 2 * time.Hour},
		"not its turn":   {keep: ledger.DefaultRetention, last: 10 * time.Minute, stays: true},
	} {
		t.Run(name, func(t *testing.T) { testRemoveCgroups(t, test.keep, test.last, test.stays) })
	}
}

func testRemoveCgroups(t *testing.T, keep ledger.Retention, last time.Duration, stays bool) {
	spec := runnertest.Shell(t, runnertest.NewState(t), "read x")
	spec.Retention = keep
	c := runnertest.Begin(t, spec)
	chance := strings.HasSuffix(c.Session.ID, "0") // one in 32 looks without a turn
	stays = stays && !chance
	at := time.Now().Add(-last)
	if err := os.WriteFile(spec.Dir+"/pruned", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(spec.Dir+"/pruned", at, at); err != nil {
		t.Fatal(err)
	}
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
	want := map[string]bool{own: false, left: false, fresh: true, used: true}
	if stays { // a holder of another test may remove it: the groups are those of the whole machine
		delete(want, left)
	}
	if info, err := os.Stat(spec.Dir + "/pruned"); err != nil || last > 0 && !chance && (time.Since(info.ModTime()) < time.Minute) == stays {
		t.Errorf("whether the holder took its turn: %v, %v", !stays, err)
	}
	for path, want := range want {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want it to be there: %v", path, err, want)
		}
	}
}
