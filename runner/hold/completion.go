package hold

import (
	"syscall"
	"time"

	"devtools/runner/wire"
)

const (
	// strangerWait is how long the terminal may stay open after the tree is gone. If all output has been read by then,
	// the holder concludes that a stranger, a process outside the tree, has it open. strangerQuiet is how long the
	// terminal must then have been silent.
	strangerWait  = 200 * time.Millisecond
	strangerQuiet = 50 * time.Millisecond

	// stopQuiet is how long the terminal must be silent before the output of a stopped or ended program counts
	// as complete.
	stopQuiet = 20 * time.Millisecond
)

// A completion says how far the session has come on its way to its end: ARCHITECTURE.md draws the states.
type completion struct {
	*core
	outputs    int  // outputs that have not ended
	treeGone   bool // no descendant is left
	drained    bool // every output is at its end, or a stranger's
	complete   bool // the result is known; leftovers may still run
	recorded   bool // the ledger has the end of the main process
	grace      grace
	strangerAt time.Time // when a terminal that is still open counts as a stranger's

	killing int // goroutines that are ending processes
	ending  ending

	stopped     time.Time // when the main process was known to be stopped; zero if it runs or the stop is reported
	stops       []pending // requests that wait for a stop
	results     []pending // requests that wait for the result
	afterRecord []func()  // answers that wait until the end is recorded
}

// An ending describes the signal that is ending the session, or a part of it.
type ending struct {
	signal syscall.Signal
	since  time.Time
	grace  time.Duration
}

// over reports whether no process of the tree is left, and no output will come any more.
func (c *completion) over() bool { return c.treeGone && c.drained }

// treeEnded notes that no descendant is left.
func (c *completion) treeEnded(now time.Time) {
	c.treeGone = true
	c.grace.stop()
	c.strangerAt = now.Add(strangerWait)
}

// outputEnded notes that one output is at its end.
func (c *completion) outputEnded() {
	c.outputs--
	c.drained = c.drained || c.outputs == 0 // a stranger may have kept one of several
}

// checkStranger decides that a stranger has the terminal, which is still open though the tree is gone. Before
// that, all output must have been read, and the terminal must have been silent.
func (c *completion) checkStranger(now time.Time) {
	quiet := c.lastBytes.Add(strangerQuiet)
	switch {
	case now.Before(quiet):
		c.strangerAt = quiet
	case !c.allRead():
		c.strangerAt = now.Add(strangerQuiet)
	default:
		c.strangerAt, c.drained = time.Time{}, true
	}
}

// deadline returns when a stop is to be told, the tree is to be looked at, or an open terminal counts as a
// stranger's. A zero time means never.
func (c *completion) deadline() time.Time {
	next := soonest(c.strangerAt, c.grace.deadline())
	if len(c.stops) > 0 && !c.stopped.IsZero() {
		next = soonest(next, c.quietAfterStop())
	}
	return next
}

// tick tells the clients of a stop once all output of the stopped program has been read.
func (c *completion) tick(now time.Time) {
	if len(c.stops) == 0 || c.stopped.IsZero() || now.Before(c.quietAfterStop()) {
		return
	}
	if !c.caughtUp() {
		c.stopped = now // on a busy machine the last output takes longer to be read
		return
	}
	c.stopped = time.Time{}
	answerAll(&c.stops, func(p pending) wire.Response { return wire.Response{ID: p.id, Next: c.log.Next()} })
}

// awaitResult keeps a request until the result is known.
func (c *completion) awaitResult(p pending) {
	c.results = append(c.results, p)
	if c.complete {
		c.giveResult()
	}
}

// giveResult answers all requests for the result.
func (c *completion) giveResult() {
	answerAll(&c.results, func(p pending) wire.Response { return wire.Response{ID: p.id, Session: c.record()} })
}

// quietAfterStop returns when the output of a stopped program counts as complete, if all of it has been read.
func (c *completion) quietAfterStop() time.Time { return later(c.lastBytes, c.stopped).Add(stopQuiet) }

// quietAfterExit returns when the output of an ended program counts as complete, if all of it has been read.
func (c *completion) quietAfterExit() time.Time {
	return later(c.lastBytes, c.session.EndedAt.Time).Add(stopQuiet)
}

// unread reports whether output of the main process, which has ended, may not have been read yet.
func (c *completion) unread() bool {
	return !c.allRead() && c.printedBytes.Load()-c.grace.before < mostUnread
}

// printedAll reports whether the program has ended and its output has been read. Leftovers may go on printing.
func (c *completion) printedAll(now time.Time) bool {
	return c.exited() && (c.drained || !now.Before(c.quietAfterExit()) && c.caughtUp())
}

// waiting returns how many requests of the client wait for a stop or the result.
func (c *completion) waiting(l *link) int { return countOf(c.stops, l) + countOf(c.results, l) }

// dropped forgets the requests of a client that is gone.
func (c *completion) dropped(l *link) {
	dropFrom(&c.stops, l)
	dropFrom(&c.results, l)
}
