package hold

import (
	"testing"
	"time"

	"devtools/ledger/transcript"
)

func newClients(t *testing.T) *clients {
	t.Helper()
	c := &clients{core: newCore(t), links: map[*link]bool{}}
	c.completion = &completion{core: c.core}
	c.over = c.completion.over
	return c
}

func (c *clients) print(t *testing.T, text string) {
	t.Helper()
	c.log.Append([]byte(text), transcript.Output, 0)
}

// A client is told of output that it does not have, but not more often than its interval allows.
func TestFollow(t *testing.T) {
	c, l := newClients(t), newClient()
	c.print(t, "some")
	c.follow(pending{link: l, id: 1})
	got := l.answered()
	sameIDs(t, "at once", got, 1)
	if got[0].Next != 4 || got[0].Closed {
		t.Errorf("%+v", got[0])
	}
	c.follow(pending{link: l, id: 2, from: 4})
	if at := c.deadline(); !at.IsZero() {
		t.Error("a deadline without new output")
	}
	told := time.Now()
	l.told = told
	c.print(t, " more")
	if at := c.deadline(); !at.Equal(told.Add(tellInterval)) {
		t.Errorf("deadline %v after it was told", at.Sub(told))
	}
	c.tick(told)
	sameIDs(t, "too soon", l.answered())
	c.tick(told.Add(tellInterval))
	sameIDs(t, "in time", l.answered(), 2)
	if l.read != 4 {
		t.Errorf("it has read up to %d", l.read)
	}
}

// The end is told at once: of the session, of the command to clients that ask for it, and of a capture that was stopped.
func TestFollowEnds(t *testing.T) {
	c := newClients(t)
	session, command, stopped := newClient(), newClient(), newClient()
	c.print(t, "some")
	c.follow(pending{link: session, id: 1, from: 4})
	c.follow(pending{link: command, id: 2, from: 4, complete: true})
	c.follow(pending{link: stopped, id: 3, from: 4})
	stopped.ending, stopped.until = true, 3
	c.completion.complete = true
	c.tick(time.Now())
	sameIDs(t, "while the tree lives", session.answered())
	if got := command.answered(); len(got) != 1 || !got[0].Closed {
		t.Errorf("the command's client: %+v", got)
	}
	if got := stopped.answered(); len(got) != 1 || !got[0].Closed || got[0].Next != 3 {
		t.Errorf("the stopped capture: %+v", got)
	}
	c.completion.treeGone, c.completion.drained = true, true
	c.tick(time.Now())
	if got := session.answered(); len(got) != 1 || !got[0].Closed {
		t.Errorf("the session's client: %+v", got)
	}
}

// The command waits for the client that started it and reads along, but not for others, and not for one that is gone.
func TestBackPressure(t *testing.T) {
	c, starter := newClients(t), newClient()
	c.starter = starter
	c.spec.MaxLog = 16
	r := &readers{core: c.core, completion: c.completion, clients: c, captures: &captures{core: c.core, completion: c.completion, clients: c}}
	c.print(t, "nine byte")
	for _, test := range []struct {
		name             string
		foreground, gone bool
		read             int64
		treeGone, want   bool
	}{
		{"it reads along", true, false, 0, false, true},
		{"it is half of the kept output behind", true, false, 1, false, false},
		{"it does not read", false, false, 0, false, false},
		{"it is gone", true, true, 0, false, false},
		{"the tree is gone", true, false, 0, true, false},
	} {
		c.spec.Foreground, starter.gone, starter.read, c.completion.treeGone = test.foreground, test.gone, test.read, test.treeGone
		if got := r.behind(); got != test.want {
			t.Errorf("%s: behind %v", test.name, got)
		}
		if !r.delivered() {
			t.Errorf("%s: the disk has everything, and it is not delivered", test.name)
		}
	}
	c.spec.Foreground, starter.gone, starter.read = true, false, 2
	if held, file := r.furthest(); held != 7 || file != "" {
		t.Errorf("furthest %d, %q", held, file)
	}
}
