package screen

import "slices"

const (
	// DefaultScrollback is the number of lines of scrollback if the caller gives none.
	DefaultScrollback = 1000

	// MaxScrollback is the largest number of lines of scrollback.
	MaxScrollback = 100_000

	maxHistoryBytes = 32 << 20
)

// roomFor returns how many rows of cols columns fit into the memory of a history.
func roomFor(cols int) int { return min(MaxScrollback, maxHistoryBytes/(cols*8+96)) }

// A history holds the rows that have left the top of the main screen. It is a ring that grows to its
// limit. Then each new row replaces the oldest.
type history struct {
	rows  []*row
	first int // index of the oldest row
	max   int // the largest number of rows
	lines int // the limit that the caller asked for

	pushed int  // all rows that ever came in
	open   bool // the text of the newest row continues in the top row of the screen

	leave func(rows []*row) // only for a Plain: is called with each row that comes in, and the rows below it
}

// limit sets the largest number of rows of cols columns. All rows have their full length, so that
// they can be used again. Rows beyond the limit are dropped only when the next row comes: a screen
// that became narrow by mistake can become wide again.
func (h *history) limit(lines, cols int) {
	h.lines = min(max(lines, 0), MaxScrollback)
	h.max = min(h.lines, roomFor(cols))
	h.linearize()
	if h.max == 0 {
		h.clear()
	}
}

// trim drops the oldest rows beyond the limit.
func (h *history) trim() {
	h.linearize()
	if extra := len(h.rows) - h.max; extra > 0 {
		h.rows = slices.Clone(h.rows[extra:])
	}
}

// push appends the first of rows and returns the row that it drops, if any.
func (h *history) push(rows []*row) *row {
	r := rows[0]
	if h.leave != nil {
		h.leave(rows)
	}
	h.open = r.wrapped
	h.pushed++
	if len(h.rows) > h.max {
		h.trim()
	}
	if h.max == 0 {
		return r
	}
	if len(h.rows) < h.max {
		h.rows = append(h.rows, r)
		return nil
	}
	dropped := h.rows[h.first]
	h.rows[h.first] = r
	if h.first++; h.first == len(h.rows) {
		h.first = 0
	}
	return dropped
}

// at returns row i, counted from the oldest.
func (h *history) at(i int) *row {
	if i += h.first; i >= len(h.rows) {
		i -= len(h.rows)
	}
	return h.rows[i]
}

// end marks the text of the newest row as complete.
func (h *history) end() {
	h.open = false
	if n := len(h.rows); n > 0 {
		h.at(n - 1).wrapped = false
	}
}

// clear drops all rows.
func (h *history) clear() { h.rows, h.first = nil, 0 }

// dropFor drops the oldest rows for which there would be no room after all lines are broken anew, from
// one number of columns to another.
func (h *history) dropFor(from, to int) {
	if to >= from {
		return // wider rows do not become more
	}
	room := roomFor(to)
	for i := len(h.rows) - 1; i >= 0; i-- {
		if room -= max(1, (h.rows[i].used+to-1)/to); room < 0 {
			h.rows = slices.Clone(h.rows[i+1:])
			return
		}
	}
}

// linearize makes the oldest row the first of rows.
func (h *history) linearize() {
	if h.first > 0 {
		h.rows = append(slices.Clone(h.rows[h.first:]), h.rows[:h.first]...)
		h.first = 0
	}
}

// Scrolled returns how many rows have left the top of the main screen since the start. It may count
// a row again after lines were broken anew.
func (t *Terminal) Scrolled() int { return t.history.pushed }

// HiddenRow returns the row of the cursor when it was last hidden (DECTCEM), counted from the first row that ever left the screen,
// as in Scrolled. A program that draws its own cursor hides this one before it draws. HiddenRow returns 0 if the cursor was never
// hidden.
func (t *Terminal) HiddenRow() int { return t.hiddenRow }

// CursorRow returns the row of the cursor on the screen, from 0.
func (t *Terminal) CursorRow() int { return t.row }
