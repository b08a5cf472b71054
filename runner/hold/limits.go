package hold

import (
	"syscall"
	"time"

	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// defaultGrace is the time between TERM and KILL where the caller gives none.
const defaultGrace = 5 * time.Second

// The limits part ends the session: at its time limit, or after the process that it is tethered to.
type limits struct {
	*core
	end    func(sig syscall.Signal, grace time.Duration) // ends the tree
	limit  time.Time                                     // zero without one
	tether tether
}

// begin begins the time limit and the watch of the tether.
func (l *limits) begin() {
	if l.spec.TimeLimit > 0 {
		l.limit = l.started.Add(l.spec.TimeLimit)
	}
	if l.spec.Tether != 0 {
		l.tether.watch(track.Identity(l.session.Tether), l.done)
	}
}

// serve makes the session end with a process. An earlier process no longer ends it.
func (l *limits) serve(from *link, req *wire.Request) {
	id, err := l.tetherTo(req.PID)
	if err != nil {
		from.refuse(req, err)
		return
	}
	l.tether.watch(id, l.done)
	l.save()
	from.answer(wire.Response{ID: req.ID, Session: l.record()})
}

// finish ends the time limit: the result is known.
func (l *limits) finish() { l.limit = time.Time{} }

// deadline returns when the session must end, or a zero time.
func (l *limits) deadline() time.Time { return soonest(l.limit, l.tether.end) }

// tick ends the session when its time is over, or its tether is gone for good.
func (l *limits) tick(now time.Time) {
	if l.tether.gone(now) {
		_ = l.program.Signal(proc.SigHangUp) // as when a terminal's window is closed; there may be no foreground
		_ = l.program.Signal(proc.SigContinue)
		l.end(syscall.SIGTERM, defaultGrace)
	}
	if due(l.limit, now) {
		l.limit = time.Time{}
		l.session.TimedOut = !l.exited() // after the exit, the limit only ends leftovers
		l.end(syscall.SIGTERM, l.spec.KillAfter)
	}
}
