package hold

import (
	"fmt"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/prompt"
	"devtools/runner/wire"
	"devtools/screen"
)

const (
	// firstProbe is how long there must have been neither output nor input for the first look at what reads the
	// terminal, and floodProbe how often it is looked at where output never ends.
	firstProbe = 30 * time.Millisecond
	floodProbe = 250 * time.Millisecond

	// promptQuiet is after how long without output a verdict is not waited for any more that the screen would have given.
	promptQuiet = 1600 * time.Millisecond

	// promptSoon is the least time without output after which the screen can give one.
	promptSoon = 1500 * time.Millisecond

	// eagerFor is how long after somebody has asked the looks follow soon, however long it has been quiet.
	eagerFor = 2 * time.Second
	eager    = 100 * time.Millisecond

	// slowest is the longest time between two looks, as a command may work in silence for long before it asks, and
	// tellAgain between two words to the loop that nothing has changed.
	slowest   = 500 * time.Millisecond
	tellAgain = 2 * time.Second

	// queryQuiet is how long a program that has asked the terminal something, and was not answered, may read: it waits
	// for the terminal and not for a person.
	queryQuiet = 200 * time.Millisecond

	// takeTime is how long a program may need to wake up for what was typed.
	takeTime = 250 * time.Millisecond

	// tailBytes is how much of the last output is kept, to see whether it asks the terminal something.
	tailBytes = 256
)

// A waitWatcher follows whether what runs in front waits for input: a goroutine for all who ask, which ends when nobody
// does. The holder is an ancestor of all that runs in its terminal, so the kernel lets it look (ptrace(2), Yama).
type waitWatcher struct {
	h     *holder
	watch *proc.Watch
	wake  chan struct{} // holds a value when there is a reason to look again
	rests atomic.Bool   // the next look is not soon
	took  time.Duration // the last look
	asked atomic.Int64  // when somebody asked last, in nanoseconds of Unix time

	printed  int64    // when there was output last, when it was looked at
	typed    *typedAt // what was typed last then
	picture  frame    // the one that was looked at last
	pictured *typedAt // what was typed last then

	book  *prompt.Book // nil before it was needed
	own   []byte       // the workspace's patterns in it
	fault string       // what is wrong with them
}

// A typedAt is a moment at which something was typed, and what slept in a read of the terminal then.
type typedAt struct {
	at     time.Time
	before uint64 // the number of that block; 0 is none
	inputs int    // how often something was typed that a program can read: half a line it cannot
}

// A probeResult is what one look has found.
type probeResult struct {
	at      time.Time
	verdict proc.Verdict
	quiet   time.Duration
	printed int64 // when there was output last
	typed   *typedAt

	// These are of a verdict of waiting.
	confirmed bool // all that was printed and typed before is dealt with
	picture   frame
	waiting   *wire.Waiting
	asks      prompt.Question
}

// waits reports whether it is sure that the program waits for input.
func (s probeResult) waits() bool { return s.verdict.State == proc.Waiting && s.confirmed }

// settled reports whether looking for longer tells no more.
func (s probeResult) settled() bool {
	switch s.verdict.State {
	case proc.AcceptsInput, proc.Unknown: // a prompt on the screen counts after a time
		return s.verdict.Reason.Mixed() && s.quiet > promptQuiet
	case proc.Waiting:
		return s.confirmed
	}
	return !s.at.IsZero()
}

// stays reports whether the verdict cannot become one of waiting until then: where the screen decides, it is asked after
// a time without output alone.
func (s probeResult) stays(until time.Time) bool {
	mixed := s.verdict.Reason.Mixed() && s.verdict.State == proc.AcceptsInput
	return mixed && s.quiet+until.Sub(s.at) < promptSoon
}

// same reports whether a probe result says nothing new after the one before: to wake the loop costs more than to look.
func (s probeResult) same(before probeResult) bool {
	v, was := s.verdict, before.verdict
	if v.State != was.State || v.Reason != was.Reason || v.PID != was.PID {
		return false
	}
	return v.State != proc.Waiting || before.confirmed && s.printed == before.printed && s.typed == before.typed
}

// recover ends the looking after a fault of its own: the session goes on, and those who ask hear that nothing is known.
func (p *waitWatcher) recover() {
	if v := recover(); v != nil {
		p.watch.Close()
		err := fmt.Errorf("it cannot be seen whether the program waits for input: %v", v)
		p.h.done <- func() {
			p.h.note(err)
			p.h.endAskers(err)
			p.h.waitWatcher = nil
		}
	}
}

// probe looks until the loop says that nobody asks any more.
func (p *waitWatcher) probe() {
	defer p.recover()
	last := time.Now() // look
	var told probeResult
	for {
		now := time.Now()
		quiet := p.quiet(now)
		if quiet < firstProbe && now.Sub(last) < floodProbe {
			p.pause(firstProbe - max(quiet, 0))
			continue
		}
		last = now
		s := probeResult{at: now, verdict: p.watch.Probe(now, quiet), quiet: quiet, printed: p.printed, typed: p.typed}
		next := min(s.verdict.Next, slowest)
		age := now.Sub(time.Unix(0, p.asked.Load()))
		if age < eagerFor {
			next = min(next, max(firstProbe, min(age/2, eager)))
		}
		if s.same(told) && now.Sub(told.at) < tellAgain && age > eagerFor {
			if s.verdict.State == proc.Waiting { // whatever ends that ends the pause as well
				next = max(next, time.Second)
			}
			p.pause(next)
			continue
		}
		if s.verdict.State == proc.Waiting {
			s.confirmed = p.confirm(&s)
		}
		p.took = time.Since(now)
		if !p.tell(&s) {
			p.rest()
			return
		}
		if told = s; s.verdict.State == proc.Waiting && !s.confirmed {
			next = lookMost
		}
		p.pause(next)
	}
}

// quiet returns for how long there has been neither output nor input, and has the watch know of what was typed.
func (p *waitWatcher) quiet(now time.Time) time.Duration {
	p.printed = p.h.printedAt.Load()
	last := time.Unix(0, p.printed)
	if typed := p.h.typed.Load(); typed != nil {
		if typed.count() != p.typed.count() { // half a line wakes nobody
			p.watch.Written(typed.at, typed.before)
		}
		p.typed = typed
		last = later(last, typed.at)
	}
	return now.Sub(last)
}

// pause waits for the time of the next look. When that is far, output and input end the pause as well as a new asker.
func (p *waitWatcher) pause(d time.Duration) {
	if d > firstProbe {
		p.rests.Store(true)
		defer p.rests.Store(false)
		if p.h.printedAt.Load() != p.printed || p.h.typed.Load() != p.typed {
			d = firstProbe // it came before anybody could know that we rest
		}
	}
	select {
	case <-time.After(d):
	case <-p.wake:
	}
}

// tell hands a probe result to the loop, which may find that it does not hold, and reports whether somebody still asks.
func (p *waitWatcher) tell(s *probeResult) bool {
	more := make(chan bool, 1)
	p.h.done <- func() { more <- p.h.sounded(s) }
	return <-more
}

// confirm reports whether a verdict of waiting is about all that was printed and typed, and holds when that is known.
func (p *waitWatcher) confirm(s *probeResult) bool {
	h := p.h
	if !h.caughtUp() {
		return false // what it printed last is still to be read
	}
	if n, err := h.program.Tty.Unread(); err == nil && n > 0 && p.typed != nil && time.Since(p.typed.at) < takeTime {
		return false // it is about to read that
	}
	pic, ok := p.look()
	if !ok {
		return false
	}
	s.picture = pic
	s.waiting, s.asks = p.read(s.verdict, pic)
	// Whatever has run in between sleeps another sleep now.
	return p.watch.Probe(time.Now(), p.quiet(time.Now())).State == proc.Waiting
}

// look returns the picture of all that was printed; ok is false while there is none, or while the program waits for the
// terminal to answer a query.
func (p *waitWatcher) look() (pic frame, ok bool) {
	h := p.h
	answers := make(chan frame, 1) // without a snapshot where there is none
	h.done <- func() {
		at := h.log.Next()
		switch last := p.picture.Snapshot; {
		case h.asksTerminal():
			answers <- frame{}
			return
		case last != nil && p.picture.Offset == at && p.pictured == p.typed && h.session.Size == (ledger.Size{Cols: last.Cols, Rows: last.Rows}):
			answers <- p.picture
			return
		case h.screenFeed == nil:
			h.startFeed()
		}
		size := h.session.Size
		s := show{view: screen.Visible(), at: at, until: time.Now().Add(maxPaintLag)}
		s.answer = func(pic frame, err error) {
			switch {
			case err != nil: // there will be none any more: what is asked is not known then
				pic = frame{Picture: wire.Picture{Snapshot: wire.NewTerminal(size, 0).Snapshot(screen.Visible()), Offset: at}}
			case pic.Offset != at:
				pic = frame{}
			}
			answers <- pic
		}
		if !h.screenFeed.order(order{show: &s}) {
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

// stir has the watcher look again soon, if there is one and it rests: there was output, or input.
func (h *holder) stir() {
	if h.waitWatcher != nil && h.waitWatcher.rests.Load() {
		h.waitWatcher.again()
	}
}

// again has the watcher look again at once.
func (p *waitWatcher) again() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// asksTerminal reports whether the last output asks the terminal something that nobody has answered yet.
func (h *holder) asksTerminal() bool {
	if time.Since(h.lastBytes) >= queryQuiet || h.repliedAt.Load() >= h.printedAt.Load() {
		return false
	}
	var filter screen.QueryFilter
	return len(filter.Filter(nil, h.tail)) < len(h.tail)
}

// keepTail keeps the end of the output.
func (h *holder) keepTail(data []byte) {
	if len(data) >= tailBytes {
		h.tail = append(h.tail[:0], data[len(data)-tailBytes:]...)
		return
	}
	if over := len(h.tail) + len(data) - tailBytes; over > 0 {
		h.tail = append(h.tail[:0], h.tail[over:]...)
	}
	h.tail = append(h.tail, data...)
}
