//go:build unix

package hold

import (
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// While a process of the tree lives, nothing is started. The answer and the ledger say so, and the session goes on.
func TestAgainNotCleared(t *testing.T) {
	c := newCore(t)
	c.session.Status, c.asked = ledger.StatusRunning, wire.Spec{Path: "/bin/sh", Cwd: "/"}
	var then func(proc.Outcome)
	a := &restarts{core: c, completion: &completion{core: c}, endLeft: func(_ time.Duration, f func(proc.Outcome)) { then = f }}
	first, second := newClient(), newClient()
	a.serve(first, &wire.Request{ID: 1, Op: wire.OpRestart})
	a.serve(second, &wire.Request{ID: 2, Op: wire.OpRestart})
	then(proc.Outcome{Failed: []proc.Failure{{PID: 7, Reason: "it waits"}}})
	for _, l := range []*link{first, second} {
		got := l.answered()
		if len(got) != 1 || got[0].Error == nil || !strings.Contains(got[0].Error.Message, "process 7 still runs: it waits") {
			t.Errorf("%+v", got)
		}
	}
	if a.pending() || c.session.Status != ledger.StatusRunning {
		t.Errorf("%v, %s", a.pending(), c.session.Status)
	}
	then = nil
	if a.serve(first, &wire.Request{ID: 3, Op: wire.OpRestart}); then == nil {
		t.Error("it cannot be tried again")
	}
}

// A session that is told to end is not started again, and the answers say so.
func TestAgainStopped(t *testing.T) {
	c := newCore(t)
	c.asked = wire.Spec{Path: "/bin/sh", Cwd: "/"}
	a := &restarts{core: c, completion: &completion{core: c}, endLeft: func(time.Duration, func(proc.Outcome)) {}}
	l := newClient()
	a.serve(l, &wire.Request{ID: 1, Op: wire.OpRestart})
	a.stop()
	a.serve(l, &wire.Request{ID: 2, Op: wire.OpRestart})
	got := l.answered()
	if len(got) != 2 || got[0].Error == nil || got[1].Error == nil || got[0].Error.Kind != "ended" || got[1].Error.Kind != "ended" {
		t.Errorf("%+v", got)
	}
	if a.pending() {
		t.Error("it is started again")
	}
}
