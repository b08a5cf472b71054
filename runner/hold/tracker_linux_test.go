package hold

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/pty"
)

// A program that always prints does not make a tree be looked at more often that takes long to look at.
func TestLooksTakeTheirShare(t *testing.T) {
	for _, took := range []time.Duration{0, time.Microsecond, time.Millisecond, 50 * time.Millisecond, time.Second} {
		pace, now, looks := lookPace{wait: firstTrack}, time.Now(), 0
		begin, busy := now, time.Duration(0)
		for ; now.Sub(begin) < time.Hour; looks++ {
			end := now.Add(took)
			wait := pace.looked(took, end)
			if busy += took; pace.wait >= lastTrack {
				wait = pace.stirred(end)
			}
			now = end.Add(wait)
		}
		if share := busy.Seconds() / now.Sub(begin).Seconds(); share > 1.0/trackShare {
			t.Errorf("looks of %v take %.4f of a processor", took, share)
		}
		if now.Sub(begin).Seconds()/float64(looks) > max(lastTrack, (trackShare+1)*took).Seconds() {
			t.Errorf("%d looks of %v in an hour", looks, took)
		}
	}
}

// takeSeen gives a tracker a look at the tree, and returns the beginnings that it logs.
func takeSeen(t *tracker, rests bool, living ...proc.Info) (logged []ledger.Process) {
	var news changes
	t.takeLiving(&news, living, rests)
	for _, e := range news.events {
		logged = append(logged, ledger.Process{PID: e.PID, Name: e.Name, CommandLine: e.Cmd})
	}
	return logged
}

// A fork is logged when it has executed its program, has children, or goes on while the tracker rests.
func TestForksAreLoggedByTheirOwnName(t *testing.T) {
	self, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	forked := self
	forked.Forked = true
	child := proc.Info{ID: proc.ID{PID: 1 << 30, Start: 1}, Parent: self.PID, Forked: true}
	fresh := func() *tracker {
		return &tracker{known: map[proc.ID]ledger.Process{}, unsure: map[proc.ID]bool{}, missing: map[proc.ID]bool{}}
	}
	tr := fresh()
	for range 3 {
		if got := takeSeen(tr, false, forked); len(got) != 0 {
			t.Fatalf("logged between fork and exec: %v", got)
		}
	}
	before := self
	before.Name = "parent" // it was read before the exec
	if got := takeSeen(tr, false, before); len(got) != 1 || got[0].Name != self.Name {
		t.Errorf("after exec: %v", got)
	}
	if got := takeSeen(tr, true, self); len(got) != 0 {
		t.Errorf("logged twice: %v", got)
	}
	if got := takeSeen(fresh(), false, forked, child); len(got) != 1 || got[0].PID != self.PID {
		t.Errorf("with a child: %v", got)
	}
	tr = fresh()
	takeSeen(tr, false, forked)
	if first, second := takeSeen(tr, true, forked), takeSeen(tr, true, forked); len(first) != 0 || len(second) != 1 {
		t.Errorf("in a rest: %v, %v", first, second)
	}
}

func TestTrackerBoundsItsEvents(t *testing.T) {
	tr := &eventBudget{left: 3, refilled: time.Now()}
	five := make([]ledger.Event, 5)
	if got := tr.afford(five); len(got) != 3 || tr.dropped != 2 {
		t.Fatalf("%d events, %d dropped", len(got), tr.dropped)
	}
	tr.left = 1
	if got := tr.afford(five[:1]); len(got) != 1 || got[0].Dropped != 2 || tr.dropped != 0 {
		t.Errorf("%+v, %d dropped", got, tr.dropped)
	}
}

// BenchmarkLook is one look at a tree of 200 processes, which comes every lastTrack.
func BenchmarkLook(b *testing.B) {
	cmd := exec.Command("sh", "-c", "for i in $(seq 199); do sleep 1000 & done; echo up; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 3)); err != nil {
		b.Fatal(err)
	}
	defer func() {
		id, err := proc.Identify(cmd.Process.Pid)
		if err == nil {
			proc.Kill(context.Background(), proc.Subtree(id), syscall.SIGKILL, 0)
		}
		_ = cmd.Wait() // it was killed
	}()
	if n := len(proc.Tree(cmd.Process.Pid)) + 1; n != 200 {
		b.Fatal(strconv.Itoa(n) + " processes")
	}
	for b.Loop() {
		pty.Tree()
	}
	b.ReportMetric(100*b.Elapsed().Seconds()/float64(b.N)/lastTrack.Seconds(), "%core")
}
