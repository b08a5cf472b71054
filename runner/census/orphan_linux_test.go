package census_test

import (
	"context"
	"errors"
	"maps"
	"os"
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
)

// A lostSession is a session whose holder was killed.
type lostSession struct {
	dir     ledger.Dir
	session ledger.Session
	client  *runner.Client
}

// loseHolder starts a session of a shell line, waits until the journal has n living processes, and kills its holder.
func loseHolder(t *testing.T, line string, n int) lostSession {
	t.Helper()
	spec := runnertest.Shell(t, runnertest.NewState(t), line)
	spec.NoCgroup = true
	c := runnertest.Begin(t, spec)
	l := lostSession{runnertest.OpenState(t, spec.Dir), c.Session, c}
	if n > 0 {
		l.awaitJournal(t, n)
	}
	holder := track.Identity(l.session.Holder)
	if err := holder.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := proc.Await(runnertest.WithPatience(t), holder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := runner.KillOrphans(context.Background(), l.dir, runner.Orphans{Deep: true, Signal: "KILL"}); err != nil {
			t.Error(err)
		}
	})
	return l
}

// awaitJournal waits until the journal names n living processes, and until each has reached its sleep.
func (l lostSession) awaitJournal(t *testing.T, n int) []ledger.Process {
	t.Helper()
	ctx := runnertest.WithPatience(t)
	for {
		list, err := l.dir.Journal(l.session.ID)
		if err != nil {
			t.Fatal(err)
		}
		onTheWay := slices.ContainsFunc(list, func(p ledger.Process) bool {
			info, err := proc.Read(p.PID)
			return err == nil && (info.State != 'S' || info.Name == "setsid" || info.Name == "env")
		})
		if len(list) >= n && !onTheWay {
			return list
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("the journal has %+v, want %d processes", list, n)
		}
	}
}

// awaitHangUp waits until the foreground processes have died of the end of the terminal.
func (l lostSession) awaitHangUp(t *testing.T) {
	t.Helper()
	list, err := l.dir.Journal(l.session.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(list, l.session.Main) {
		info, err := proc.Read(p.PID)
		if err == nil && info.Session == l.session.Holder.PID {
			if err := proc.Await(runnertest.WithPatience(t), track.Identity(p)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// events counts the events of a kind about the session.
func (l lostSession) events(t *testing.T, kind string) (n int) {
	t.Helper()
	for e, err := range l.dir.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.SessionID == l.session.ID && e.Event == kind {
			n++
		}
	}
	return n
}

// orphaned returns the pids of the living processes of the session, once that it has no holder is known.
func (l lostSession) orphaned(t *testing.T) []int {
	t.Helper()
	active, err := census.Reconcile(runnertest.WithPatience(t), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, s := range active {
		if s.Status != ledger.StatusOrphaned {
			continue
		}
		for _, info := range census.Orphans(s) {
			pids = append(pids, info.PID)
		}
	}
	slices.Sort(pids)
	return pids
}

// checkOnce checks that the log has one beginning and one end of each of n processes.
func (l lostSession) checkOnce(t *testing.T, n int) {
	t.Helper()
	begun, ended := map[proc.ID]int{}, map[proc.ID]int{}
	for e, err := range l.dir.SessionEvents(l.session.ID, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		id := proc.ID{PID: e.PID, Start: e.Start, Boot: e.Boot, Inode: e.Inode}
		switch e.Event {
		case ledger.EventStarted, ledger.EventSpawned:
			begun[id]++
		case ledger.EventCompleted, ledger.EventKilled:
			ended[id]++
		}
	}
	if len(begun) != n || !maps.Equal(begun, ended) {
		t.Errorf("want %d\nbegun %v\nended %v", n, begun, ended)
	}
	for id, times := range begun {
		if times != 1 {
			t.Errorf("%d events of the beginning of %v", times, id)
		}
	}
}

func (l lostSession) killOrphans(t *testing.T, o runner.Orphans) runner.KillResult {
	t.Helper()
	o.Signal, o.Grace = "TERM", 5*time.Second
	ending, err := runner.KillOrphans(runnertest.WithPatience(t), l.dir, o)
	if err != nil || len(ending.Failed) > 0 {
		t.Fatalf("%+v, %v", ending, err)
	}
	slices.Sort(ending.Killed)
	return ending
}

func TestOrphansAreFoundByJournalAndEvents(t *testing.T) {
	l := loseHolder(t, "env -i setsid sleep 1001 & setsid sleep 1002 & sleep 1000", 3)
	l.awaitHangUp(t)
	first := l.orphaned(t)
	if len(first) != 2 {
		t.Fatalf("orphaned %v, want both that have left the terminal", first)
	}
	if again := l.orphaned(t); !slices.Equal(first, again) {
		t.Errorf("orphaned %v, and then %v", first, again)
	}
	if n := l.events(t, ledger.EventOrphaned); n != 1 {
		t.Errorf("%d events of orphans, want 1", n)
	}
	if got := l.killOrphans(t, runner.Orphans{}).Killed; !slices.Equal(got, first) {
		t.Errorf("killed %v, want %v", got, first)
	}
	if a, err := l.dir.Active(); err != nil || len(a.Sessions) > 0 {
		t.Errorf("the active set has %+v, %v", a.Sessions, err)
	}
	ends := l.events(t, ledger.EventCompleted) + l.events(t, ledger.EventKilled)
	if begun := l.events(t, ledger.EventStarted) + l.events(t, ledger.EventSpawned); begun != ends {
		t.Errorf("%d processes have begun and %d ended, want as many", begun, ends)
	}
	if list, err := l.dir.Journal(l.session.ID); err != nil || len(list) > 0 {
		t.Errorf("the journal has %+v, %v", list, err)
	}
}

// However many calls end the orphans of a session at a time, the log has one start and one end of each process.
func TestOrphansEndOnceInTheLog(t *testing.T) {
	line := strings.Repeat("setsid sleep 1001 & ", 20) + "sleep 1000"
	l := loseHolder(t, line, 21)
	l.awaitHangUp(t)
	if got := l.orphaned(t); len(got) != 20 {
		t.Fatalf("orphaned %v, want 20", got)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if _, err := runner.KillOrphans(runnertest.WithPatience(t), l.dir, runner.Orphans{Signal: "TERM", Grace: 5 * time.Second}); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			if _, err := census.Reconcile(runnertest.WithPatience(t), l.dir); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := l.orphaned(t); len(got) > 0 {
		t.Errorf("orphaned %v", got)
	}
	l.checkOnce(t, 22)
	if list, err := l.dir.Journal(l.session.ID); err != nil || len(list) > 0 {
		t.Errorf("the journal has %+v, %v", list, err)
	}
}

// A later call logs the events that a killed holder could not log.
func TestOrphansOfALogThatTellsNothing(t *testing.T) {
	l := loseHolder(t, "setsid sleep 1001 & sleep 1000", 2)
	l.awaitHangUp(t)
	if err := os.Remove(l.dir.Path() + "/process-log.jsonl"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := l.orphaned(t); len(got) != 1 {
			t.Fatalf("orphaned %v, want 1", got)
		}
	}
	l.killOrphans(t, runner.Orphans{})
	l.checkOnce(t, 3)
}

// Even the longest command line hides no process from the journal: not its own, and no later one.
func TestOrphansWithLongCommandLines(t *testing.T) {
	long := "setsid env -i sh -c 'sleep 1001; : " + strings.Repeat("\x01", 100<<10) + "' & "
	l := loseHolder(t, long+"setsid env -i sleep 1002 & sleep 1000", 4)
	l.awaitHangUp(t)
	orphaned := l.orphaned(t)
	if len(orphaned) != 3 {
		t.Fatalf("orphaned %v, want the shell, its child and the other one", orphaned)
	}
	if got := l.killOrphans(t, runner.Orphans{}).Killed; !slices.Equal(got, orphaned) {
		t.Errorf("killed %v, want %v", got, orphaned)
	}
}

// A daemon that ran a job with the environment of a session does not belong to the session. Neither do its other jobs,
// although all of them share a kernel session.
func TestMarkedJobOfAStranger(t *testing.T) {
	stranger := runnertest.Bystander(t)
	l := loseHolder(t, "setsid sleep 1001 & sleep 1000", 2)
	l.awaitHangUp(t)
	job := runnertest.Bystander(t, track.Variable+"="+l.session.ID)
	want := append(l.orphaned(t)[:0:0], job.PID)
	for _, pid := range l.orphaned(t) {
		if pid != job.PID {
			want = append(want, pid)
		}
	}
	slices.Sort(want)
	if got := l.orphaned(t); len(got) != 2 || !slices.Equal(got, want) {
		t.Fatalf("orphaned %v, want the job %d and what has left the terminal", got, job.PID)
	}
	if got := l.killOrphans(t, runner.Orphans{}).Killed; !slices.Equal(got, want) {
		t.Errorf("killed %v, want %v", got, want)
	}
	if !stranger.Alive() || job.Alive() {
		t.Errorf("the stranger lives: %v, the job: %v", stranger.Alive(), job.Alive())
	}
}

// Processes with the mark of an ended session are found only by a search for marks.
func TestDeepOrphans(t *testing.T) {
	spec := runnertest.Shell(t, runnertest.NewState(t), "true")
	_, result := runnertest.RunFor(t, spec)
	l := lostSession{dir: runnertest.OpenState(t, spec.Dir), session: result.Session}
	job, other := runnertest.Bystander(t, track.Variable+"="+l.session.ID), runnertest.Bystander(t, track.Variable+"=../../x")
	if err := proc.Await(runnertest.WithPatience(t), track.Identity(l.session.Holder)); err != nil {
		t.Fatal(err)
	}
	if got := l.killOrphans(t, runner.Orphans{}).Killed; len(got) > 0 {
		t.Errorf("killed %v without looking", got)
	}
	if got := l.killOrphans(t, runner.Orphans{Deep: true}).Killed; !slices.Equal(got, []int{job.PID}) {
		t.Errorf("killed %v, want %d", got, job.PID)
	}
	if !other.Alive() {
		t.Error("a stranger was killed")
	}
	if got := l.orphaned(t); len(got) > 0 {
		t.Errorf("orphaned %v", got)
	}
}

// Finding processes of an ended session does not take its name from a living session.
func TestDeepOrphansLeaveTheName(t *testing.T) {
	spec := runnertest.Shell(t, runnertest.NewState(t), "true")
	spec.Name = "web"
	_, result := runnertest.RunFor(t, spec)
	if err := proc.Await(runnertest.WithPatience(t), track.Identity(result.Session.Holder)); err != nil {
		t.Fatal(err)
	}
	spec.Command = []string{"sh", "-c", "sleep 1000"}
	living := runnertest.Begin(t, spec).Session
	runnertest.Bystander(t, track.Variable+"="+result.Session.ID)
	dir := runnertest.OpenState(t, spec.Dir)
	ending, err := runner.KillOrphans(runnertest.WithPatience(t), dir, runner.Orphans{Deep: true, DryRun: true, Signal: "TERM"})
	if err != nil || len(ending.Orphaned) != 1 {
		t.Fatalf("%+v, %v, want 1 orphan", ending, err)
	}
	if s, err := dir.Session("web"); err != nil || s.ID != living.ID {
		t.Errorf("web is %s (%s), %v, want %s", s.ID, s.Status, err, living.ID)
	}
	if s, ok := dir.Living("web"); !ok || s.ID != living.ID {
		t.Errorf("web is %+v, want %s", s, living.ID)
	}
	if _, err := runner.KillOrphans(runnertest.WithPatience(t), dir, runner.Orphans{Signal: "KILL"}); err != nil {
		t.Error(err)
	}
}

// A holder that is killed right after the start of the command has not recorded the main process.
func TestOrphansOfAnUnrecordedStart(t *testing.T) {
	l := loseHolder(t, "trap '' HUP; sleep 1001", 1)
	if err := os.Remove(l.dir.SessionFolder(l.session.ID) + "/processes.jsonl"); err != nil {
		t.Fatal(err)
	}
	main := l.session.Main
	starting := l.session
	starting.Main, starting.Status = ledger.Process{}, ledger.StatusStarting
	if err := l.dir.SaveSession(starting); err != nil {
		t.Fatal(err)
	}
	if err := l.dir.Update(runnertest.WithPatience(t), func(a *ledger.Active) error {
		a.Put(starting)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := l.orphaned(t); len(got) != 2 || !slices.Contains(got, main.PID) {
		t.Fatalf("orphaned %v, want %d and its child", got, main.PID)
	}
	l.killOrphans(t, runner.Orphans{})
	if track.Identity(main).Alive() {
		t.Error("it lives")
	}
}

// The living processes that were found are recorded even if the change of the active set fails.
func TestUpdateAfterARefusal(t *testing.T) {
	l := loseHolder(t, "setsid sleep 1001 & sleep 1000", 2)
	refusal := errors.New("refused")
	err := census.Update(runnertest.WithPatience(t), l.dir, nil, func(*ledger.Active) error { return refusal })
	if !errors.Is(err, refusal) {
		t.Fatal(err)
	}
	a, err := l.dir.Active()
	if err != nil || len(a.Sessions) != 1 || a.Sessions[0].Status != ledger.StatusOrphaned || l.events(t, ledger.EventOrphaned) != 1 {
		t.Errorf("%+v, %v, %d events", a.Sessions, err, l.events(t, ledger.EventOrphaned))
	}
}

// Sessions of an earlier boot, of another container and of a copied folder claim no process of this machine.
func TestRecordsThatNameNobody(t *testing.T) {
	for name, change := range map[string]func(*ledger.Session){
		"another boot": func(s *ledger.Session) { s.Holder.Boot, s.Main.Boot = "other", "other" },
		"a container":  func(s *ledger.Session) { s.Namespace++ },
		"a copy":       func(s *ledger.Session) { s.Folder, s.FolderInode = "/other", s.FolderInode+1 },
	} {
		t.Run(name, func(t *testing.T) {
			l := loseHolder(t, "setsid sleep 1001 & sleep 1000", 2)
			changed := l.session
			change(&changed)
			if err := l.dir.SaveSession(changed); err != nil {
				t.Fatal(err)
			}
			if err := l.dir.Update(runnertest.WithPatience(t), func(a *ledger.Active) error {
				a.Put(changed)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if got := l.orphaned(t); len(got) > 0 {
				t.Errorf("orphaned %v", got)
			}
			if got := l.killOrphans(t, runner.Orphans{}).Killed; len(got) > 0 {
				t.Errorf("killed %v", got)
			}
			if a, err := l.dir.Active(); err != nil || len(a.Sessions) > 0 {
				t.Errorf("the active set has %+v, %v", a.Sessions, err)
			}
			if err := l.dir.SaveSession(l.session); err != nil { // for the clean-up to find it
				t.Fatal(err)
			}
		})
	}
}
