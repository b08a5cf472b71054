package hold

import (
	"math"
	"syscall"
	"time"

	"devtools/runner/proc"
	"devtools/runner/wire"
)

// An ending describes the signal that is ending the session, or a part of it.
type ending struct {
	signal syscall.Signal
	since  time.Time
	grace  time.Duration
}

func (h *holder) tellStatus(l *link, req *wire.Request) {
	now := time.Now()
	lost, fault := h.log.Lost()
	i := wire.HolderStatus{
		Exited: h.exited, TreeGone: h.treeGone, Terminal: h.program.Tty != nil,
		Lost: lost, Untaken: h.input.bytes, Leftovers: h.spec.Leftovers,
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
	if h.behind() {
		i.Held, i.HeldFor = h.furthestBehind()
	}
	if h.killing > 0 {
		i.Signal, i.SignalMs = proc.SignalName(h.ending.signal), now.Sub(h.ending.since).Milliseconds()
		i.KillMs = h.ending.grace.Milliseconds() - i.SignalMs
	}
	if !h.grace.IsZero() {
		i.GraceMs = h.grace.Sub(now).Milliseconds()
	}
	session := h.session
	l.answer(wire.Response{ID: req.ID, Insight: &i, Session: &session})
}

// furthestBehind returns how many bytes the slowest reader of the output is behind. file is the file of that
// capture, or "" for the starter.
func (h *holder) furthestBehind() (held int64, file string) {
	at := int64(math.MaxInt64)
	if h.spec.Foreground && h.links[h.starter] {
		at = h.starter.read
	}
	for _, c := range h.captures {
		if c.record.Running() && c.at.Load() < at {
			at, file = c.at.Load(), c.record.File
		}
	}
	return h.log.Next() - at, file
}
