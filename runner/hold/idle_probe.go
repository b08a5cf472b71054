package hold

import (
	"time"

	"devtools/runner/wire"
)

const (
	// glanceQuiet is how long there must have been no output for a look that nobody has asked for, and glancePace the
	// least time between two of them.
	glanceQuiet = 100 * time.Millisecond
	glancePace  = 2 * time.Second

	// glanceShare is how many times as long as such a look has taken there is none: 0.05 % of a processor.
	glanceShare = 2000
)

// A glance is one look at what reads the terminal that nobody has asked for, after the output has paused. Whoever asks
// later need not wait for a second look: a sleep that has lasted since the glance is one. It is no verdict, and where
// nothing is printed there is none.

// glanceDue returns when there is to be a glance, or a zero time.
func (h *holder) glanceDue() time.Time {
	if h.waitWatcher != nil || h.exited || h.program.Tty == nil || h.printedAt.Load() == h.glanced {
		return time.Time{}
	}
	return later(h.lastBytes.Add(glanceQuiet), h.nextGlance)
}

// glance looks when it is due. The watcher finds that nobody asks, and rests.
func (h *holder) glance(now time.Time) {
	if due := h.glanceDue(); due.IsZero() || now.Before(due) {
		return
	}
	h.glanced, h.nextGlance = h.printedAt.Load(), now.Add(glancePace)
	h.haveWatcher()
	go h.waitWatcher.probe()
}

// haveWatcher makes a watcher, or wakes the one that has looked before.
func (h *holder) haveWatcher() {
	if h.waitWatcher = h.rested; h.waitWatcher == nil {
		h.waitWatcher = &waitWatcher{h: h, watch: h.program.Tty.Watch(), wake: make(chan struct{}, 1)}
		h.waitWatcher.watch.Prompt = h.waitWatcher.atPrompt
	}
	h.rested = nil
	h.probeResult, h.inputState = probeResult{}, wire.InputState{}
}

// rest frees what a watcher has open and keeps it for the next who asks. Until then another one may have been made.
func (p *waitWatcher) rest() {
	p.watch.Close()
	took := p.took
	p.h.done <- func() {
		p.h.rested = p
		p.h.nextGlance = later(p.h.nextGlance, time.Now().Add(glanceShare*took))
	}
}
