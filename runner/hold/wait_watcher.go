package hold

import (
	"fmt"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/runner/blocked"
	"devtools/runner/prompt"
	"devtools/runner/wire"
	"devtools/screen"
)

const (
	// firstProbe is how long output and input must have been silent before the first look at the reader of the
	// terminal. floodProbe is the time between two looks where output never ends.
	firstProbe = 30 * time.Millisecond
	floodProbe = 250 * time.Millisecond

	// For eagerFor after an asker came, looks are at most eager apart, even if the program is quiet.
	eagerFor = 2 * time.Second
	eager    = 100 * time.Millisecond

	// slowest is the longest time between two looks, because a command may work in silence for long before it
	// asks. Only a program that is known to wait is looked at less often. tellAgain is the time between two
	// reports to the loop that nothing has changed.
	slowest   = 500 * time.Millisecond
	tellAgain = 2 * time.Second

	// takeTime is how long a program may need to wake up for typed input.
	takeTime = 250 * time.Millisecond
)

// A waitWatcher follows whether the program in front waits for input. It is one goroutine for all askers, and
// ends when there are none. The holder is an ancestor of all programs in its terminal, so the kernel lets it
// look (ptrace(2), Yama).
type waitWatcher struct {
	probing *probing
	watch   *blocked.Watch
	wake    chan struct{} // holds a value when there is a reason to look again
	rests   atomic.Bool   // the next look is not soon
	took    time.Duration // duration of the last look
	asked   atomic.Int64  // when the last asker came, Unix ns
	glances atomic.Int32  // looks that are left of a glance; 0 while a client asks

	printed  int64    // last output as of the last look, Unix ns
	typed    *typedAt // last input as of the last look
	picture  frame    // last picture looked at
	pictured *typedAt // last input as of that picture
	still    stillness
	offered  offer
	askedIn  askedLine

	book  *prompt.Book // nil until it is needed
	own   []byte       // the workspace's patterns in book
	fault string       // error in these patterns

	noted noted // last input state that was written down
}

// A probeResult is the result of one look.
type probeResult struct {
	at      time.Time
	verdict blocked.Verdict
	quiet   time.Duration
	printed int64 // last output, Unix ns
	typed   *typedAt

	// These fields belong to a verdict of waiting.
	confirmed bool // all earlier output and input is dealt with
	picture   frame
	waiting   *wire.Waiting
	asks      prompt.Question
}

// waits reports whether the program certainly waits for input.
func (s probeResult) waits() bool { return s.verdict.State == blocked.Waiting && s.confirmed }

// settled reports whether longer looking would tell no more.
func (s probeResult) settled() bool {
	switch s.verdict.State {
	case blocked.AcceptsInput, blocked.Unknown:
		return s.verdict.After == blocked.Never
	case blocked.Waiting:
		return s.confirmed
	}
	return !s.at.IsZero()
}

// stays reports whether the verdict cannot become one of waiting before until.
func (s probeResult) stays(until time.Time) bool {
	open := s.verdict.State == blocked.AcceptsInput || s.verdict.State == blocked.Unknown
	return open && s.verdict.After > until.Sub(s.at)
}

// same reports whether a probe result equals the previous one in all that the loop uses. Waking the loop costs
// more than a look.
func (s probeResult) same(before probeResult) bool {
	v, was := s.verdict, before.verdict
	if v.State != was.State || v.Reason != was.Reason || v.PID != was.PID {
		return false
	}
	return v.State != blocked.Waiting || before.confirmed && s.printed == before.printed && s.typed == before.typed
}

// recover ends the wait watcher after a fault of its own. The session goes on, and the askers hear that
// nothing is known.
func (p *waitWatcher) recover() {
	if v := recover(); v != nil {
		p.watch.Close()
		err := fmt.Errorf("it cannot be seen whether the program waits for input: %v", v)
		p.probing.done <- func() {
			p.probing.note(err)
			p.probing.end(err)
			p.probing.watcher = nil
		}
	}
}

// probe looks until the loop says that no asker is left.
func (p *waitWatcher) probe() {
	defer p.recover()
	last := time.Now() // time of the last look
	var told probeResult
	for {
		now := time.Now()
		quiet := p.quiet(now)
		if quiet < firstProbe && now.Sub(last) < floodProbe {
			p.pause(firstProbe - max(quiet, 0))
			continue
		}
		last = now
		switch told.verdict.State {
		case blocked.AcceptsInput, blocked.Waiting:
			if quiet >= firstProbe {
				p.observe()
			}
		default:
			p.still = stillness{}
		}
		s := probeResult{at: now, verdict: p.watch.Probe(now, p.calm(now, quiet)), quiet: quiet, printed: p.printed, typed: p.typed}
		next := min(s.verdict.Next, slowest)
		age := now.Sub(time.Unix(0, p.asked.Load()))
		if age < eagerFor {
			next = min(next, max(firstProbe, min(age/2, eager)))
		}
		left := p.glances.Load()
		if left > 0 {
			p.glances.Add(-1)
		}
		if left <= 0 && s.same(told) && now.Sub(told.at) < tellAgain && age > eagerFor {
			if s.verdict.State == blocked.Waiting { // the event that ends the waiting also ends the pause
				next = max(next, time.Second)
			}
			p.pause(next)
			continue
		}
		if s.verdict.State == blocked.Waiting {
			s.confirmed = p.confirm(&s)
		}
		p.took = time.Since(now)
		more := p.tell(&s)
		if s.settled() {
			p.writeDown(s)
		}
		if !more {
			p.rest()
			return
		}
		if told = s; s.verdict.State == blocked.Waiting && !s.confirmed {
			next = lookMost
		}
		if left > 0 && s.verdict.After != blocked.Never {
			next = max(next, s.verdict.After)
		}
		p.pause(next)
	}
}

// quiet returns how long there has been neither output nor input. It also tells the watch about the input.
func (p *waitWatcher) quiet(now time.Time) time.Duration {
	p.printed = p.probing.printedAt.Load()
	last := time.Unix(0, p.printed)
	if typed := p.probing.typed.Load(); typed != nil {
		if typed.count() != p.typed.count() { // half a line wakes no reader
			p.watch.Written(typed.at, typed.before)
		}
		p.typed = typed
		last = later(last, typed.at)
	}
	return now.Sub(last)
}

// pause waits for the time of the next look. A new asker ends the pause. If the look is far off, output and
// input end it, too.
func (p *waitWatcher) pause(d time.Duration) {
	if d > firstProbe {
		p.rests.Store(true)
		defer p.rests.Store(false)
		if p.probing.printedAt.Load() != p.printed || p.probing.typed.Load() != p.typed {
			d = firstProbe // it came before rests was set
		}
	}
	select {
	case <-time.After(d):
	case <-p.wake:
	}
}

// tell hands a probe result to the loop, and reports whether the loop still needs the wait watcher. The loop
// may find that the result no longer holds.
func (p *waitWatcher) tell(s *probeResult) bool {
	more := make(chan bool, 1)
	p.probing.done <- func() { more <- p.probing.take(s) }
	return <-more
}

// confirm reports whether a verdict of waiting is about all output and input, and still holds once that is
// known.
func (p *waitWatcher) confirm(s *probeResult) bool {
	probing := p.probing
	if !probing.caughtUp() {
		return false // its last output is still to be read
	}
	if probing.unread() && p.typed != nil && time.Since(p.typed.at) < takeTime {
		return false // the program is about to read it
	}
	pic, ok := p.look()
	if !ok {
		return false
	}
	pic.caret = p.still.caretAt(pic.Offset)
	s.picture = pic
	if s.verdict.Confidence == blocked.Heuristic {
		p.offers(s.verdict, blocked.Anything) // with an answer behind it, more may be known of the reader
	}
	made := prompt.Answer // the kernel alone may have told
	if p.offered.picture == pic.Snapshot {
		made = max(made, p.offered.made)
	}
	p.askedIn.waitedIn(pic.Snapshot, made)
	s.waiting, s.asks = p.read(s.verdict, pic)
	// A reader that has run in between sleeps a new sleep now.
	now := time.Now()
	return p.watch.Probe(now, p.calm(now, p.quiet(now))).State == blocked.Waiting
}

// look returns the picture of all output. ok is false while there is none, or while the program waits for the
// terminal to answer a query.
func (p *waitWatcher) look() (pic frame, ok bool) {
	probing := p.probing
	answers := make(chan frame, 1) // without a snapshot where there is no picture
	probing.done <- func() {
		at := probing.log.Next()
		switch last := p.picture.Snapshot; {
		case probing.asksTerminal():
			answers <- frame{}
			return
		case last != nil && p.picture.Offset == at && p.pictured == p.typed && probing.session.Size == (ledger.Size{Cols: last.Cols, Rows: last.Rows}):
			answers <- p.picture
			return
		}
		size := probing.session.Size
		err := probing.display.picture(func(pic frame, err error) {
			switch {
			// The feed has failed, so there will be no picture: the question remains unknown.
			case err != nil:
				pic = frame{Picture: wire.Picture{Snapshot: wire.NewTerminal(size, 0).Snapshot(screen.Visible()), Offset: at}}
			case pic.Offset != at:
				pic = frame{}
			}
			answers <- pic
		})
		if err != nil {
			answers <- frame{}
		}
	}
	pic = <-answers
	if pic.Snapshot == nil {
		return pic, false
	}
	p.picture, p.pictured = pic, p.typed
	return pic, true
}

// again makes the wait watcher look again at once.
func (p *waitWatcher) again() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// rest frees what a wait watcher has open, and keeps the watcher for the next asker. By then another one may
// have been made.
func (p *waitWatcher) rest() {
	p.watch.Close()
	took := p.took
	p.probing.done <- func() {
		p.probing.rested = p
		p.probing.nextGlance = later(p.probing.nextGlance, time.Now().Add(glanceShare*took))
	}
}
