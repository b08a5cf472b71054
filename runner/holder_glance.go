package runner

import "time"

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
	if h.prober != nil || h.exited || h.program.tty == nil || h.printedAt.Load() == h.glanced {
		return time.Time{}
	}
	return later(h.lastBytes.Add(glanceQuiet), h.nextGlance)
}

// glance looks when it is due. The prober finds that nobody asks, and rests.
func (h *holder) glance(now time.Time) {
	if due := h.glanceDue(); due.IsZero() || now.Before(due) {
		return
	}
	h.glanced, h.nextGlance = h.printedAt.Load(), now.Add(glancePace)
	h.haveProber()
	go h.prober.probe()
}

// haveProber makes a prober, or wakes the one that has looked before.
func (h *holder) haveProber() {
	if h.prober = h.rested; h.prober == nil {
		h.prober = &prober{h: h, watch: h.program.tty.watch(), wake: make(chan struct{}, 1)}
		h.prober.watch.Prompt = h.prober.atPrompt
	}
	h.rested = nil
	h.sounding, h.outlook = sounding{}, Outlook{}
}

// rest frees what a prober has open and keeps it for the next who asks. Until then another one may have been made.
func (p *prober) rest() {
	p.watch.Close()
	took := p.took
	p.h.done <- func() {
		p.h.rested = p
		p.h.nextGlance = later(p.h.nextGlance, time.Now().Add(glanceShare*took))
	}
}
