package hold

import (
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// defaultGrace is the time between TERM and KILL where the caller gives none.
const defaultGrace = 5 * time.Second

// The limits part ends the session: at its time limit, when nobody uses it, or after the process that it is tethered to.
type limits struct {
	*core
	end    func(sig syscall.Signal, grace time.Duration) // ends the tree
	there  func() bool                                   // whether a person is there
	limit  time.Time                                     // zero without one
	idle   idleLimit
	tether tether
}

// begin begins the time limit and the watch of the tether.
func (l *limits) begin() {
	if l.spec.TimeLimit > 0 {
		l.limit = l.started.Add(l.spec.TimeLimit)
	}
	l.idle.limit = l.spec.IdleLimit
	if l.spec.Tether != 0 {
		l.tether.watch(track.Identity(l.session.Tether), l.done)
	}
}

// serve makes the session end with a process, or without one for the pid 0. An earlier process no longer ends it.
func (l *limits) serve(from *link, req *wire.Request) {
	if req.PID == 0 {
		l.session.Tether = ledger.Process{}
		l.tether.untie()
	} else {
		id, err := l.tetherTo(req.PID)
		if err != nil {
			from.refuse(req, err)
			return
		}
		l.tether.watch(id, l.done)
	}
	l.save()
	from.answer(wire.Response{ID: req.ID, Session: l.record()})
}

// finish ends the time limits: the result is known.
func (l *limits) finish() { l.limit, l.idle.limit = time.Time{}, 0 }

// deadline returns when the session must end, or a zero time.
func (l *limits) deadline() time.Time {
	return soonest(soonest(l.limit, l.tether.end), l.idle.end(l.lastUse()))
}

// tick ends the session when its time is over, or its tether is gone for good.
func (l *limits) tick(now time.Time) {
	if l.tether.gone(now) {
		_ = l.program.Signal(proc.SigHangUp) // as when a terminal's window is closed; there may be no foreground
		_ = l.program.Signal(proc.SigContinue)
		l.endAs(ledger.EndTether, defaultGrace)
	}
	if due(l.limit, now) {
		l.limit = time.Time{}
		l.session.TimedOut = !l.exited() // after the exit, the limit only ends leftovers
		l.end(syscall.SIGTERM, l.spec.KillAfter)
	}
	if l.idle.limit > 0 {
		l.idle.saw(l.there(), now)
	}
	if due(l.idle.end(l.lastUse()), now) {
		l.idle.limit = 0
		l.endAs(ledger.EndIdleLimit, l.spec.KillAfter)
	}
}

// endAs ends the session, and notes the reason if its main process still runs. Otherwise only leftovers end.
func (l *limits) endAs(reason string, grace time.Duration) {
	if !l.exited() {
		l.session.EndReason = reason
	}
	l.end(syscall.SIGTERM, grace)
}
