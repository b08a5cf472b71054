package hold

import (
	"strings"
	"sync/atomic"
	"time"

	"devtools/runner/condition"
	"devtools/screen"
)

// A screenCondition is a condition about the screen that a client waits for. The screen feed checks it
// whenever the picture has changed.
type screenCondition struct {
	cond  condition.Condition
	fresh bool  // only content that was not there at the start counts
	whole bool  // text counts that was ever shown
	at    int64 // end of the output when it came; checked from there on
	until time.Time
	off   atomic.Bool        // no client waits for it any more
	met   func(match string) // called once by the screen feed; must not block
	fail  func(err error)    // called when no picture will come any more; must not block

	begun   bool
	before  map[int]string // rows at the start, by their number since the start of the output
	hash    string         // of the picture, at the start or at the last look
	changed time.Time      // when the hash last changed
	looked  int            // rows that had left the screen at the last look
}

// maxLogical is how many rows upwards one logical line is followed.
const maxLogical = 64

// observe looks at the conditions that clients wait for. now is the time of the look.
func (p *screenFeed) observe(now time.Time) {
	if len(p.conditions.list) == 0 {
		return
	}
	kept := p.conditions.list[:0]
	for _, s := range p.conditions.list {
		if s.off.Load() {
			continue
		}
		if !s.begun {
			if p.at < s.at && now.Before(s.until) {
				kept = append(kept, s)
				continue
			}
			p.begin(s, now)
		}
		if match, met := p.look(s, now); met {
			s.met(match)
			continue
		}
		kept = append(kept, s)
	}
	clear(p.conditions.list[len(kept):])
	p.conditions.list = kept
	p.conditions.at, p.conditions.stale = p.at, false
}

// begin records the picture from before anything counts.
func (p *screenFeed) begin(s *screenCondition, now time.Time) {
	s.begun, s.changed = true, now
	if !s.whole {
		s.looked = p.terminal.Scrolled()
	}
	snapshot := p.terminal.Snapshot(screen.Visible())
	s.hash = snapshot.Hash()
	if s.fresh && s.cond.Pattern != nil {
		s.before = map[int]string{}
		for i := range snapshot.Lines {
			s.before[s.looked+i] = snapshot.Text(i, false)
		}
	}
	p.conditions.stale = true
}

// look reports whether the condition of s is true of the picture, and which text has matched.
func (p *screenFeed) look(s *screenCondition, now time.Time) (match string, met bool) {
	fresh := p.conditions.stale || p.conditions.at != p.at // otherwise the picture is that of the last look
	switch s.cond.Kind {
	case condition.UntilText:
		if !fresh {
			return "", false
		}
		return s.cond.Find(p.recent(s))
	case condition.UntilGone:
		if !fresh {
			return "", false
		}
		_, there := s.cond.Find(p.recent(s))
		return "", !there
	case condition.UntilChange:
		return "", fresh && p.terminal.Snapshot(screen.Visible()).Hash() != s.hash
	case condition.UntilStable:
		if fresh {
			if hash := p.terminal.Snapshot(screen.Visible()).Hash(); hash != s.hash {
				s.hash, s.changed = hash, now
			}
		}
		return "", now.Sub(s.changed) >= s.cond.Quiet
	}
	return "", false
}

// due returns when a condition may come true without any output, or a zero time.
func (p *screenFeed) due() (at time.Time) {
	for _, s := range p.conditions.list {
		next := time.Time{}
		switch {
		case !s.begun:
			next = s.until
		case s.cond.Kind == condition.UntilStable:
			next = s.changed.Add(s.cond.Quiet)
		}
		if !next.IsZero() && (at.IsZero() || next.Before(at)) {
			at = next
		}
	}
	return at
}

// recent returns the text of the screen. For UntilText it adds the rows that have left the screen since the
// last look. If only fresh text counts, it leaves out the text that was there when s came.
func (p *screenFeed) recent(s *screenCondition) []string {
	scrolled := p.terminal.Scrolled()
	first := 0
	if s.cond.Kind == condition.UntilText {
		first = s.looked - scrolled
	}
	snapshot := p.terminal.Snapshot(screen.View{First: first - maxLogical, Last: screen.MaxRows})
	s.looked = scrolled
	from := max(first-snapshot.First, 0) // the index of the first row that counts
	for from > 0 && snapshot.Lines[from-1].Wrapped {
		from--
	}
	if s.before == nil {
		return condition.LogicalText(snapshot, from, nil)
	}
	return condition.LogicalText(snapshot, from, func(i int, row string) bool {
		was, ok := s.before[scrolled+snapshot.First+i]
		return !ok || was != strings.TrimRight(row, " ")
	})
}
