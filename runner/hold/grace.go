package hold

import (
	"time"

	"devtools/runner/proc"
)

const (
	// graceCheck is how often the holder looks at the tree for new descendants during the grace. firstLook is
	// when it looks for the first time: a tree that is gone by then is never looked at.
	graceCheck = 50 * time.Millisecond
	firstLook  = 5 * time.Millisecond

	// graceQuiet is how long the output must have been silent at the end of the grace. Measured were the gaps in the
	// output of work that ends: make 69 ms at most, apt-get update 198 ms, a line each 50 ms beside six busy
	// processes 68 ms. The lines of ping are 1 s apart, so a service that logs each second ends the grace.
	graceQuiet = 500 * time.Millisecond

	// graceMost is how many times its own length the grace may last in all, when new descendants restart it or output
	// prolongs it.
	graceMost = 10

	// mostUnread is the most output that a terminal or a pipe holds before it is read: pipe-max-size, pipe(7).
	mostUnread = 1 << 20
)

// A grace is the time that the tree has to end after the main process. Each new descendant restarts it, and it does not
// end while output comes.
type grace struct {
	length time.Duration
	end    time.Time // zero outside the grace
	latest time.Time // end at the latest, whatever new descendants and output there are
	look   time.Time // next look at the tree
	known  map[proc.ID]bool
	before int64 // bytes of output that were read before the main process ended
}

// begin begins a grace when the main process has ended. before is how many bytes of output were read by then.
func (g *grace) begin(exited time.Time, length time.Duration, before int64) {
	*g = grace{
		length: length, end: exited.Add(length), latest: exited.Add(graceMost * length), look: exited.Add(firstLook),
		known: map[proc.ID]bool{}, before: before,
	}
}

// stop ends the grace early.
func (g *grace) stop() { g.end = time.Time{} }

// deadline returns when the tree must be looked at, or a zero time.
func (g *grace) deadline() time.Time {
	if g.end.IsZero() {
		return time.Time{}
	}
	return g.look
}

// saw takes a look at the living tree and at the time of the last output, and reports whether the grace is over. An
// empty tree does not end it: wait4 reports the end of the tree in a moment. Nor does it end while output is unread that the
// main process may have printed.
func (g *grace) saw(living []proc.ID, printed, now time.Time, unread bool) (over bool) {
	if len(living) == 0 {
		g.look = now.Add(graceCheck)
		return false
	}
	for _, id := range living {
		if !g.known[id] {
			g.known[id] = true
			g.end = now.Add(g.length)
		}
	}
	g.end = later(g.end, printed.Add(min(graceQuiet, g.length)))
	if g.latest.Before(g.end) {
		g.end = g.latest
	}
	switch {
	case now.Before(g.end):
		g.look = now.Add(min(graceCheck, g.end.Sub(now)))
		return false
	case unread:
		g.look = now.Add(graceCheck)
		return false
	}
	g.stop()
	return true
}
