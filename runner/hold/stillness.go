package hold

import (
	"time"

	"devtools/runner/prompt"
	"devtools/screen"
)

// A stillness knows since when nothing on the screen has changed but a blinking caret. A program may also print and change nothing:
// many draw the same picture several times a second.
type stillness struct {
	since   int64               // when the first of the pictures was printed, Unix ns
	states  [2]*screen.Snapshot // the pictures with and without the caret, in any order; the second is nil at first
	caret   *prompt.Caret       // where they differ
	offset  int64               // of the last picture
	printed int64               // last output as of that picture, Unix ns
}

// observe takes the picture of the last output into account.
func (p *waitWatcher) observe() {
	if p.still.printed == p.printed && p.still.states[0] != nil {
		return
	}
	printed := p.printed
	if pic, ok := p.look(); ok {
		p.still.saw(pic, printed)
	}
}

// saw takes a picture into account.
func (s *stillness) saw(pic frame, printed int64) {
	s.offset, s.printed = pic.Offset, printed
	for _, known := range s.states {
		if known != nil && prompt.Alike(known, pic.Snapshot) {
			return
		}
	}
	if s.states[0] != nil && s.states[1] == nil {
		if s.caret = prompt.Blinks(s.states[0], pic.Snapshot); s.caret != nil {
			s.states[1] = pic.Snapshot
			return
		}
	}
	s.since, s.caret, s.states = printed, nil, [2]*screen.Snapshot{pic.Snapshot}
}

// caretAt returns the caret in the picture at an offset, if it is known to blink.
func (s *stillness) caretAt(offset int64) *prompt.Caret {
	if s.offset != offset {
		return nil
	}
	return s.caret
}

// calm returns how long there has been no input and no output that changed the picture, except for that of a blinking caret. quiet
// is how long there has been neither at all.
func (p *waitWatcher) calm(now time.Time, quiet time.Duration) time.Duration {
	if p.still.printed != p.printed {
		return quiet
	}
	last := time.Unix(0, p.still.since)
	if p.still.caret != nil {
		last = later(last, time.Unix(0, p.probing.hurried.Load()))
	}
	if p.typed != nil {
		last = later(last, p.typed.at)
	}
	return max(quiet, now.Sub(last))
}
