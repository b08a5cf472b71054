package hold

import (
	"sync/atomic"
	"time"

	"devtools/runner/condition"
	"devtools/screen"
)

// A screenCondition is a condition about the screen that a client waits for. The screen feed checks it
// whenever the picture has changed.
type screenCondition struct {
	cond  condition.Condition
	fresh bool  // only text counts that the program has written since it came
	whole bool  // text counts that was ever shown
	at    int64 // end of the output when it came; checked from there on
	until time.Time
	off   atomic.Bool        // no client waits for it any more
	met   func(match string) // called once by the screen feed; must not block
	fail  func(err error)    // called when no picture will come any more; must not block

	begun   bool
	hash    string    // of the picture, at the start or at the last look
	changed time.Time // when the hash last changed
	looked  int       // rows that had left the screen at the last look
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
	s.hash = p.terminal.Snapshot(screen.Visible()).Hash()
	if s.fresh && s.cond.Kind == condition.UntilText {
		p.terminal.MarkOld() // other conditions have looked already at what is old now
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
		snapshot, from := p.recent(s)
		if s.fresh {
			return s.cond.FindNew(snapshot, from)
		}
		return s.cond.Find(condition.LogicalText(snapshot, from))
	case condition.UntilGone:
		if !fresh {
			return "", false
		}
		_, there := s.cond.Find(condition.LogicalText(p.terminal.Snapshot(screen.Visible()), 0))
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

// recent returns the screen, with the rows that have left it since the last look, and the index of the first row that counts.
func (p *screenFeed) recent(s *screenCondition) (snapshot *screen.Snapshot, from int) {
	scrolled := p.terminal.Scrolled()
	first := s.looked - scrolled
	snapshot = p.terminal.Snapshot(screen.View{First: first - maxLogical, Last: screen.MaxRows})
	s.looked = scrolled
	from = max(first-snapshot.First, 0)
	for from > 0 && snapshot.Lines[from-1].Wrapped {
		from--
	}
	return snapshot, from
}
