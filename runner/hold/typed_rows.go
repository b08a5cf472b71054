package hold

import (
	"math"

	"devtools/runner/blocked"
	"devtools/runner/prompt"
	"devtools/runner/pty"
	"devtools/screen"
)

// A lastInput is input, and what read it then.
type lastInput struct {
	prompt.Typed
	canonical bool
	asked     *openQuestion // that stood then; nil if none is known
}

// taken reports whether the program has taken the input, by what it is blocked on now.
func (l *lastInput) taken(v blocked.Verdict, tty *pty.Terminal) bool {
	if l.asked == nil {
		return v.Reason.Nested == 0 && (v.Canonical != l.canonical || v.Echo != l.Echo)
	}
	w := l.asked.Waiting
	return v.PID != w.PID || v.Comm != w.Command || l.asked.settingsChanged(v, tty)
}

// typed notes what the screen shows at an input. While the cursor is hidden, its row says nothing.
func (p *screenFeed) typed(t lastInput) {
	p.typedRow, p.typedRows, p.lastTyped = p.cursorRow(), nil, nil
	row := p.terminal.CursorRow()
	s := p.terminal.Snapshot(screen.View{First: row, Last: row})
	if !s.Cursor.Visible {
		p.typedRows, p.typedFirst = p.terminal.Snapshot(screen.Visible()).RowHashes(), p.terminal.Scrolled()
		p.typedAt = p.at
		return
	}
	t.Row, t.Before = p.typedRow, prompt.BeforeCursor(s)
	p.lastTyped = &t
}

// firstChanged returns the first row of the screen that has changed since the last input, if the cursor was hidden then. If none has,
// but something was printed, the program has drawn the same again.
func (p *screenFeed) firstChanged(s *screen.Snapshot) int {
	if p.typedRows == nil {
		return math.MaxInt
	}
	for row, hash := range s.RowHashes() {
		if i := row + p.terminal.Scrolled() - p.typedFirst; i < 0 || i >= len(p.typedRows) || p.typedRows[i] != hash {
			return row
		}
	}
	if p.at > p.typedAt {
		return 0
	}
	return math.MaxInt
}
