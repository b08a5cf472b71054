package census_test

import (
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
)

// over runs commands to their end in a state folder, one after the other, and returns their records, oldest first.
func over(t *testing.T, path string, n int) (ended []ledger.Session) {
	t.Helper()
	for range n {
		c, err := runnertest.StartSession(runnertest.WithPatience(t), runnertest.Shell(t, path, "echo a"), nil)
		if err != nil {
			t.Fatal(err)
		}
		holder := track.Identity(c.Session.Holder)
		_ = c.Close() // else it would be in use
		if err := proc.Await(runnertest.WithPatience(t), holder); err != nil {
			t.Fatal(err)
		}
		s, err := runnertest.OpenState(t, path).LoadSession(c.Session.ID)
		if err != nil || !s.Closed {
			t.Fatalf("%+v, %v", s, err)
		}
		ended = append(ended, s)
	}
	return ended
}

func removed(p ledger.Pruned) (ids []string) {
	for _, s := range p.Sessions {
		ids = append(ids, s.ID)
	}
	return ids
}

// The newest sessions stay, as many as are wanted, and a dry run removes none.
func TestPruneByCount(t *testing.T) {
	path := runnertest.NewState(t)
	ended := over(t, path, 3)
	dir := runnertest.OpenState(t, path)
	keep := ledger.Pruning{Goes: func(rank int, _ time.Duration, _ int64) bool { return rank >= 1 }, Dry: true}
	for range 2 {
		pruned, err := census.Prune(runnertest.WithPatience(t), dir, keep)
		if want := []string{ended[0].ID, ended[1].ID}; err != nil || !slices.Equal(removed(pruned), want) || pruned.Kept != 1 {
			t.Errorf("dry %v: %+v, %v, want %v", keep.Dry, pruned, err, want)
		}
		keep.Dry = false
	}
	left, err := dir.Sessions()
	if err != nil || len(left) != 1 || left[0].ID != ended[2].ID {
		t.Errorf("left: %+v, %v", left, err)
	}
}

// A session is as old as its end, not as its beginning.
func TestPruneByAge(t *testing.T) {
	path := runnertest.NewState(t)
	ended := over(t, path, 2)
	old := ended[0]
	old.EndedAt = ledger.Time{Time: time.Now().Add(-3 * time.Hour)}
	fresh := ended[1]
	fresh.StartedAt = old.EndedAt
	dir := runnertest.OpenState(t, path)
	for _, s := range []ledger.Session{old, fresh} {
		if err := dir.SaveSession(s); err != nil {
			t.Fatal(err)
		}
	}
	pruned, err := census.Prune(runnertest.WithPatience(t), dir, ledger.Pruning{Goes: func(_ int, age time.Duration, _ int64) bool { return age > time.Hour }})
	if err != nil || !slices.Equal(removed(pruned), []string{old.ID}) {
		t.Errorf("%+v, %v, want %s", pruned, err, old.ID)
	}
}

// A session whose holder was killed is not removed while one of its processes lives, and is when none does. Its end is then
// in the log.
func TestPruneSparesOrphans(t *testing.T) {
	l := loseHolder(t, "setsid sleep 1001 & sleep 1000", 2)
	l.awaitHangUp(t)
	everything := ledger.Pruning{Goes: func(int, time.Duration, int64) bool { return true }, Before: time.Now()}
	if pruned, err := census.Prune(runnertest.WithPatience(t), l.dir, everything); err != nil || len(pruned.Sessions) > 0 {
		t.Fatalf("with a living process: %+v, %v", pruned, err)
	}
	_ = l.client.Close() // else the session would be in use
	orphans := l.orphaned(t)
	if len(orphans) != 1 {
		t.Fatalf("orphaned %v, want 1", orphans)
	}
	id, err := proc.Identify(orphans[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := id.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := proc.Await(runnertest.WithPatience(t), id); err != nil {
		t.Fatal(err)
	}
	pruned, err := census.Prune(runnertest.WithPatience(t), l.dir, everything)
	if err != nil || !slices.Equal(removed(pruned), []string{l.session.ID}) {
		t.Errorf("without one: %+v, %v", pruned, err)
	}
	l.checkOnce(t, 3)
	if _, err := os.Stat(l.session.Socket); err == nil {
		t.Error("the socket of the dead holder is still there")
	}
}

// A session lives with its holder, or with any process that its record or its journal names. A record that names none does not.
func TestLives(t *testing.T) {
	path := runnertest.NewState(t)
	ended := over(t, path, 1)[0]
	dir := runnertest.OpenState(t, path)
	lives := census.Lives(dir)
	if lives(ended) {
		t.Error("an ended session lives")
	}
	running := runnertest.Begin(t, runnertest.Shell(t, path, "sleep 1000")).Session
	if !lives(running) {
		t.Error("a running session does not live")
	}
	survivor := track.Process(runnertest.Bystander(t))
	left := ended
	left.Leftovers = []ledger.Process{survivor}
	if !lives(left) {
		t.Error("a leftover in its record does not count")
	}
	if err := dir.AppendJournal(ended.ID, []ledger.Process{survivor}, nil); err != nil {
		t.Fatal(err)
	}
	if !lives(ended) {
		t.Error("a process in its journal does not count")
	}
}
