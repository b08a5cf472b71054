package hold

import (
	"time"

	"devtools/runner/proc"
	"devtools/runner/wire"
)

// status answers what the holder does, and what it waits for.
func (h *holder) status(l *link, req *wire.Request) {
	now, c := time.Now(), h.completion
	lost, fault := h.log.Lost()
	i := wire.HolderStatus{
		Exited: h.exited(), TreeGone: c.treeGone, Terminal: h.program.Tty != nil,
		Lost: lost, Untaken: h.input.queue.bytes, Leftovers: h.spec.Leftovers,
	}
	last := h.lastBytes
	if last.IsZero() {
		last = h.started
	}
	i.QuietMs = now.Sub(last).Milliseconds()
	unsaved, _ := h.log.Unsaved(0)
	if i.Unsaved = int64(len(unsaved)); fault != nil && i.Unsaved+lost > 0 {
		i.Fault = fault.Error()
	}
	if h.readers.behind() {
		i.Held, i.HeldFor = h.readers.furthest()
	}
	if c.killing > 0 {
		i.Signal, i.SignalMs = proc.SignalName(c.ending.signal), now.Sub(c.ending.since).Milliseconds()
		i.KillMs = c.ending.grace.Milliseconds() - i.SignalMs
	}
	if !c.grace.end.IsZero() {
		i.GraceMs = c.grace.end.Sub(now).Milliseconds()
	}
	l.answer(wire.Response{ID: req.ID, Insight: &i, Session: h.record()})
}
