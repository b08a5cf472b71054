package hold

import (
	"time"

	"devtools/runner/wire"
)

const (
	// glanceQuiet is how long the output must be silent before a look that no client has asked for. glancePace
	// is the least time between two such looks.
	glanceQuiet = 100 * time.Millisecond
	glancePace  = 2 * time.Second

	// glanceShare is how many times the duration of such a look must pass before the next one: 0.05 % of a
	// processor.
	glanceShare = 2000
)

// A glance is one look at the reader of the terminal that no client has asked for, after the output has
// paused. A client that asks later need not wait for a second look: a sleep that has lasted since the glance
// counts as one. The glance itself gives no verdict. Where nothing is printed, there is no glance.

// glanceDue returns when the next glance is due, or a zero time.
func (h *holder) glanceDue() time.Time {
	if h.waitWatcher != nil || h.exited || h.program.Tty == nil || h.printedAt.Load() == h.glanced {
		return time.Time{}
	}
	return later(h.lastBytes.Add(glanceQuiet), h.nextGlance)
}

// glance starts a glance when it is due. The wait watcher then finds that no client asks, and rests.
func (h *holder) glance(now time.Time) {
	if due := h.glanceDue(); due.IsZero() || now.Before(due) {
		return
	}
	h.glanced, h.nextGlance = h.printedAt.Load(), now.Add(glancePace)
	h.haveWatcher()
	go h.waitWatcher.probe()
}

// haveWatcher makes a wait watcher, or takes up the one that has looked before.
func (h *holder) haveWatcher() {
	if h.waitWatcher = h.rested; h.waitWatcher == nil {
		h.waitWatcher = &waitWatcher{h: h, watch: watchTerminal(h.program.Tty), wake: make(chan struct{}, 1)}
		h.waitWatcher.watch.Prompt = h.waitWatcher.atPrompt
	}
	h.rested = nil
	h.probeResult, h.inputState = probeResult{}, wire.InputState{}
}

// rest frees what a wait watcher has open, and keeps the watcher for the next asker. By then another one may
// have been made.
func (p *waitWatcher) rest() {
	p.watch.Close()
	took := p.took
	p.h.done <- func() {
		p.h.rested = p
		p.h.nextGlance = later(p.h.nextGlance, time.Now().Add(glanceShare*took))
	}
}
