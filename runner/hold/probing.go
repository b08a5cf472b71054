package hold

import (
	"slices"
	"sync/atomic"
	"time"

	"devtools/runner/blocked"
	"devtools/screen"
)

const (
	// glanceQuiet is how long the output must be silent before a look that no client has asked for. glancePace
	// is the least time between two such looks.
	glanceQuiet = 100 * time.Millisecond
	glancePace  = 2 * time.Second

	// glanceShare is how many times the duration of such a look must pass before the next one: 0.05 % of a
	// processor.
	glanceShare = 2000

	// tailBytes is how many bytes of the last output are kept, to see whether they have a query for the
	// terminal.
	tailBytes = 256

	// glanceLooks is the largest number of looks of a glance: a second one confirms a sleep, and a third comes when the
	// screen may decide.
	glanceLooks = 3

	// queryQuiet is how long a program that has sent the terminal a query may read without an answer. In that
	// time it waits for the terminal and not for a person.
	queryQuiet = 200 * time.Millisecond
)

// The probing part knows whether the program in front waits for input. It runs a wait watcher while a client asks. When
// the output pauses, it runs one for one look.
type probing struct {
	*core
	display   *display
	inputIdle func() bool                       // nothing waits to be typed
	found     func(*probeResult)                // takes each new result, before the askers do
	answering func(blocked.Verdict, frame) bool // the picture still shows the last question, and its answer has got no Enter

	watcher   *waitWatcher // nil while none runs
	rested    *waitWatcher // the previous wait watcher, with what it has seen
	result    probeResult  // the last one
	askers    []*asker
	askedLast time.Time    // last time at which an asker was there
	tail      []byte       // end of the output
	burst     time.Time    // beginning of the last output, see inBursts
	hurried   atomic.Int64 // when output last came at other times than a blinking caret, Unix ns

	prompt atomic.Pointer[replPrompt] // the last prompt of a REPL at which a command was typed; nil before

	glanced    int64     // printedAt at the last glance
	nextGlance time.Time // earliest next glance
}

// linger is how long the wait watcher goes on without an asker. A client that received a question soon asks
// whether it still stands, and then waits for the next one.
const linger = 500 * time.Millisecond

// An asker is a request for the input state of the program in front.
type asker struct {
	link *link // connection of the client; nil for a waiter

	// heard takes a probe result and reports whether the asker is done. At the time until, if there is one, it is
	// called with last set, and must return true. s is then the latest result since the asker came, or zero.
	heard func(s probeResult, last bool) (done bool)
	until time.Time
	since time.Time // time of asking

	ended func(error) // called in place of heard when the program ends, or with an error when the wait watcher fails; may be nil
}

// ask adds an asker and makes the wait watcher look.
func (p *probing) ask(a *asker) {
	now := time.Now()
	a.since = now
	p.askers, p.askedLast = append(p.askers, a), now
	starting := p.watcher == nil
	if starting {
		p.haveWatcher()
	}
	p.watcher.asked.Store(now.UnixNano())
	p.watcher.glances.Store(0)
	if starting {
		go p.watcher.probe()
		return
	}
	p.watcher.again()
}

// take takes over what the wait watcher has found, and reports whether the wait watcher is still needed.
func (p *probing) take(s *probeResult) (more bool) {
	if s.confirmed && !p.holds(*s) {
		s.confirmed = false // since the look, the program was answered or has printed
	}
	p.found(s)
	p.result = *s
	now := time.Now()
	p.tell(now, func(*asker) bool { return true })
	if len(p.askers) > 0 {
		p.askedLast = now
	} else if now.Sub(p.askedLast) > linger && (s.settled() || p.watcher.glances.Load() <= 0) {
		p.watcher = nil
	}
	return p.watcher != nil
}

// tell hands the last probe result to the askers that to accepts.
func (p *probing) tell(now time.Time, to func(*asker) bool) {
	for _, a := range slices.Clone(p.askers) {
		s := p.result
		if s.at.Before(a.since) {
			s = probeResult{} // the result is older than the asker
		}
		if a.link != nil && a.link.gone || to(a) && a.heard(s, a.due(now)) {
			p.askers = slices.DeleteFunc(p.askers, func(other *asker) bool { return other == a })
		}
	}
}

// due reports whether the time until which a waits is over.
func (a *asker) due(now time.Time) bool { return due(a.until, now) }

// nextAsker returns when the next asker is due, or a zero time.
func (p *probing) nextAsker() (next time.Time) {
	for _, a := range p.askers {
		next = soonest(next, a.until)
	}
	return next
}

// holds reports whether a probe result is still true: nothing has happened since that would make it wrong.
func (p *probing) holds(s probeResult) bool {
	return !p.exited() && p.inputIdle() && p.typed.Load() == s.typed && p.log.Next() == s.picture.Offset
}

// end tells the askers that the program has ended, or, with an error, why nothing looks any more.
func (p *probing) end(err error) {
	for _, a := range p.askers {
		if a.ended != nil {
			a.ended(err)
		}
	}
	p.askers, p.result = nil, probeResult{}
}

// deadline returns when an asker is due, or the next glance, or a zero time.
func (p *probing) deadline() time.Time { return soonest(p.nextAsker(), p.glanceDue()) }

// tick hands the last result to the askers that are due, and starts a glance when it is due.
func (p *probing) tick(now time.Time) {
	p.tell(now, func(a *asker) bool { return a.due(now) })
	p.glance(now)
}

// waiting returns how many requests of the client wait for the input state.
func (p *probing) waiting(l *link) (n int) {
	for _, a := range p.askers {
		if a.link == l {
			n++
		}
	}
	return n
}

// dropped forgets the requests of a client that is gone.
func (p *probing) dropped(l *link) {
	p.askers = slices.DeleteFunc(p.askers, func(a *asker) bool { return a.link == l })
}

// A glance is a look at the reader of the terminal that no client has asked for, after the output has paused. A client
// that asks later need not wait for a second look: a sleep that has lasted since the glance counts as one. The glance
// looks again until its verdict can be written down for ps, at most glanceLooks times. Where nothing is printed, there
// is no glance.

// glanceDue returns when the next glance is due, or a zero time.
func (p *probing) glanceDue() time.Time {
	if p.watcher != nil || p.exited() || p.program.Tty == nil || p.printedAt.Load() == p.glanced {
		return time.Time{}
	}
	return later(p.lastBytes.Add(glanceQuiet), p.nextGlance)
}

// glance starts a glance when it is due. The wait watcher finds that no client asks, and soon rests.
func (p *probing) glance(now time.Time) {
	if !due(p.glanceDue(), now) {
		return
	}
	p.glanced, p.nextGlance = p.printedAt.Load(), now.Add(glancePace)
	p.haveWatcher()
	p.watcher.glances.Store(glanceLooks)
	go p.watcher.probe()
}

// haveWatcher makes a wait watcher, or takes up the one that has looked before.
func (p *probing) haveWatcher() {
	if p.watcher = p.rested; p.watcher == nil {
		p.watcher = &waitWatcher{probing: p, watch: watchInput(p.program), wake: make(chan struct{}, 1)}
		p.watcher.watch.Picture = blocked.Picture{Prompt: p.watcher.atPrompt, Back: p.watcher.promptBack, Offers: p.watcher.offers}
		p.watcher.watch.Printed = p.printedBytes.Load
	}
	p.rested = nil
	p.result = probeResult{}
}

// printed takes output that has come. The wait watcher looks again soon.
func (p *probing) printed(data []byte) {
	p.keepTail(data)
	p.inBursts(time.Now())
	p.stir()
}

// A caret blinks in bursts of output, which are at most burstTime long and begin at least blinkTime apart.
const (
	burstTime = 50 * time.Millisecond
	blinkTime = 250 * time.Millisecond
)

// inBursts notes whether output comes in bursts as of a blinking caret.
func (p *probing) inBursts(now time.Time) {
	switch since := now.Sub(p.burst); {
	case since >= blinkTime:
		p.burst = now
	case since > burstTime:
		p.hurried.Store(now.UnixNano())
	}
}

// stir makes the wait watcher look again soon after output or input, if there is one and it rests.
func (p *probing) stir() {
	if p.watcher != nil && p.watcher.rests.Load() {
		p.watcher.again()
	}
}

// asksTerminal reports whether the last output has a query for the terminal that is not answered yet.
func (p *probing) asksTerminal() bool {
	if time.Since(p.lastBytes) >= queryQuiet || p.repliedAt.Load() >= p.printedAt.Load() {
		return false
	}
	var filter screen.QueryFilter
	return len(filter.Filter(nil, p.tail)) < len(p.tail)
}

// keepTail keeps the end of the output.
func (p *probing) keepTail(data []byte) {
	if len(data) >= tailBytes {
		p.tail = append(p.tail[:0], data[len(data)-tailBytes:]...)
		return
	}
	if over := len(p.tail) + len(data) - tailBytes; over > 0 {
		p.tail = append(p.tail[:0], p.tail[over:]...)
	}
	p.tail = append(p.tail, data...)
}
