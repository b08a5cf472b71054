package hold

import (
	"math"

	"devtools/screen"
)

// typed notes what the screen shows at an input. While the cursor is hidden, its row says nothing.
func (p *screenFeed) typed() {
	p.typedRow, p.typedRows = p.cursorRow(), nil
	if !p.terminal.Snapshot(screen.View{Last: -1}).Cursor.Visible {
		p.typedRows, p.typedFirst = p.terminal.Snapshot(screen.Visible()).RowHashes(), p.terminal.Scrolled()
	}
}

// firstChanged returns the first row of the screen that has changed since the last input, if the cursor was hidden then.
func (p *screenFeed) firstChanged(s *screen.Snapshot) int {
	if p.typedRows == nil {
		return math.MaxInt
	}
	for row, hash := range s.RowHashes() {
		if i := row + p.terminal.Scrolled() - p.typedFirst; i < 0 || i >= len(p.typedRows) || p.typedRows[i] != hash {
			return row
		}
	}
	return math.MaxInt
}
