package hold

import (
	"io"
	"os"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/pty"
)

// A stop is told once the output of the stopped program has been read.
func TestStopIsTold(t *testing.T) {
	c, l := &completion{core: newCore(t)}, newClient()
	begin := time.Now()
	c.stops = []pending{{link: l, id: 1}}
	if at := c.deadline(); !at.IsZero() {
		t.Errorf("a deadline %v while it runs", at)
	}
	c.stopped, c.lastBytes = begin, begin.Add(5*time.Millisecond)
	due := begin.Add(5*time.Millisecond + stopQuiet)
	if at := c.deadline(); !at.Equal(due) {
		t.Errorf("deadline after %v", at.Sub(begin))
	}
	c.tick(due.Add(-1))
	sameIDs(t, "while output may come", l.answered())
	c.tick(due)
	sameIDs(t, "when it is quiet", l.answered(), 1)
	c.stops = []pending{{link: l, id: 2}}
	if c.tick(due); !c.deadline().IsZero() || len(l.answered()) > 0 {
		t.Error("the stop is told again to a later request")
	}
}

// A result is given when it is known, and at once after that.
func TestResult(t *testing.T) {
	c, early, gone, late := &completion{core: newCore(t)}, newClient(), newClient(), newClient()
	c.awaitResult(pending{link: early, id: 1})
	c.awaitResult(pending{link: gone, id: 2})
	if n := c.waiting(early); n != 1 {
		t.Errorf("%d requests wait", n)
	}
	c.dropped(gone)
	sameIDs(t, "before the result", early.answered())
	c.complete = true
	c.giveResult()
	sameIDs(t, "with the result", early.answered(), 1)
	sameIDs(t, "a client that is gone", gone.answered())
	c.awaitResult(pending{link: late, id: 3})
	list := late.answered()
	sameIDs(t, "after the result", list, 3)
	if list[0].Session == nil || list[0].Session.Name != "web" {
		t.Errorf("the session %+v", list[0].Session)
	}
}

// A terminal that stays open without a tree is a stranger's once it is silent.
func TestStranger(t *testing.T) {
	c := &completion{core: newCore(t), outputs: 1}
	begin := time.Now()
	c.treeEnded(begin)
	if at := c.deadline(); !at.Equal(begin.Add(strangerWait)) || c.over() {
		t.Errorf("deadline after %v, over %v", at.Sub(begin), c.over())
	}
	c.lastBytes = begin.Add(strangerWait - 10*time.Millisecond)
	c.checkStranger(begin.Add(strangerWait))
	if at := c.deadline(); !at.Equal(c.lastBytes.Add(strangerQuiet)) || c.over() {
		t.Errorf("with output: deadline after %v, over %v", at.Sub(begin), c.over())
	}
	if c.checkStranger(c.lastBytes.Add(strangerQuiet)); !c.over() || !c.deadline().IsZero() {
		t.Error("it is not a stranger's when it is silent")
	}
}

// Output that nobody has read yet is no stranger's silence, however long ago the tree has ended: the reader may get little of a
// processor. The last looks of the waits and the end of the grace wait for it, too.
func TestUnreadAtTheEnd(t *testing.T) {
	c := &completion{core: newCore(t), outputs: 1}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	if _, err := write.WriteString("last words"); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	c.program = &pty.Program{Outputs: []*os.File{read}}
	c.idle[0].Store(true)
	c.ended.Store(true)
	c.treeEnded(begin)
	now := begin.Add(time.Minute)
	if c.checkStranger(now); c.over() || !c.deadline().After(now) {
		t.Errorf("over %v, next look %v after the last", c.over(), c.deadline().Sub(now))
	}
	if c.printedAll(now) || !c.unread() {
		t.Errorf("unread output: printed all %v, unread %v", c.printedAll(now), c.unread())
	}
	if _, err := io.ReadFull(read, make([]byte, len("last words"))); err != nil {
		t.Fatal(err)
	}
	if !c.printedAll(now) || c.unread() {
		t.Errorf("it is read: printed all %v, unread %v", c.printedAll(now), c.unread())
	}
	if c.checkStranger(now); !c.over() {
		t.Error("it is not a stranger's when all is read")
	}
}

// The session is over when the tree is gone and the last of its outputs has ended, in any order.
func TestOver(t *testing.T) {
	for _, treeFirst := range []bool{true, false} {
		c := &completion{core: newCore(t), outputs: 2}
		steps := []func(){c.outputEnded, c.outputEnded, func() { c.treeEnded(time.Now()) }}
		if treeFirst {
			steps = append(steps[2:], steps[:2]...)
		}
		for i, step := range steps {
			if c.over() {
				t.Errorf("tree first %v: over before step %d", treeFirst, i)
			}
			step()
		}
		if !c.over() {
			t.Errorf("tree first %v: not over", treeFirst)
		}
	}
}

// A stranger that kept one of two outputs open may close the other later.
func TestStrangerLater(t *testing.T) {
	c := &completion{core: newCore(t), outputs: 2}
	c.treeEnded(time.Now())
	c.checkStranger(time.Now().Add(strangerWait))
	if c.outputEnded(); !c.over() {
		t.Error("it is not over any more")
	}
}

// All is printed when the program has ended and was silent, or its outputs are at their end.
func TestPrintedAll(t *testing.T) {
	c := &completion{core: newCore(t), outputs: 1}
	end := time.Now()
	c.lastBytes = end.Add(-time.Hour)
	if c.printedAll(end) {
		t.Error("while it runs")
	}
	c.ended.Store(true)
	c.session.EndedAt = ledger.Time{Time: end}
	if c.printedAll(end) || !c.printedAll(end.Add(stopQuiet)) {
		t.Error("it does not wait for the last output")
	}
	c.lastBytes = end.Add(stopQuiet)
	if c.printedAll(end.Add(stopQuiet)) {
		t.Error("it does not wait after the last output")
	}
	if c.outputEnded(); !c.printedAll(end) {
		t.Error("at the end of the output")
	}
}
