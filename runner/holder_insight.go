package runner

import (
	"math"
	"syscall"
	"time"
)

// An insight is what the holder alone knows of why its session goes on.
type insight struct {
	Exited   bool  `json:"exited,omitzero"`   // the main process has ended
	TreeGone bool  `json:"treeGone,omitzero"` // and all that it has started
	Terminal bool  `json:"terminal,omitzero"` // it has one
	QuietMs  int64 `json:"quietMs"`           // since it printed last, or began

	Held    int64  `json:"held,omitzero"`    // bytes that are printed and not taken by the one for whom the terminal is not read any more; 0 while it is
	HeldFor string `json:"heldFor,omitzero"` // "" is the starter, else the file of a capture
	Unsaved int64  `json:"unsaved,omitzero"` // bytes that the disk has refused, and that are tried again
	Lost    int64  `json:"lost,omitzero"`    // bytes that are given up
	Fault   string `json:"fault,omitzero"`   // what the disk has said

	Signal   string `json:"signal,omitzero"` // with which the session is being ended
	SignalMs int64  `json:"signalMs,omitzero"`
	KillMs   int64  `json:"killMs,omitzero"` // until SIGKILL follows; less than 0 when it was sent

	Untaken   int    `json:"untaken,omitzero"` // bytes that are typed and that the program does not read
	GraceMs   int64  `json:"graceMs,omitzero"` // for what outlives the main process; 0 when it is over
	Leftovers string `json:"leftovers,omitzero"`
}

// An ending is what has begun to end the session, or a part of it.
type ending struct {
	signal syscall.Signal
	since  time.Time
	grace  time.Duration
}

func (h *holder) tellInsight(l *link, req *request) {
	now := time.Now()
	lost, fault := h.log.Lost()
	i := insight{
		Exited: h.exited, TreeGone: h.treeGone, Terminal: h.program.tty != nil,
		Lost: lost, Untaken: h.backlogBytes, Leftovers: h.spec.Leftovers,
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
		i.Signal, i.SignalMs = signalName(h.ending.signal), now.Sub(h.ending.since).Milliseconds()
		i.KillMs = h.ending.grace.Milliseconds() - i.SignalMs
	}
	if !h.grace.IsZero() {
		i.GraceMs = h.grace.Sub(now).Milliseconds()
	}
	session := h.session
	l.answer(response{ID: req.ID, Insight: &i, Session: &session})
}

// furthestBehind returns how many bytes the one is behind who has got least of the output, and who that is: the file of a
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
