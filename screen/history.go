package screen

import "slices"

const (
	// DefaultScrollback is how many lines are kept where nobody said.
	DefaultScrollback = 1000

	// MaxScrollback is the most lines of scrollback that can be asked for.
	MaxScrollback = 100_000

	maxHistoryBytes = 32 << 20
)

// roomFor returns how many rows of cols columns there is room for.
func roomFor(cols int) int { return min(MaxScrollback, maxHistoryBytes/(cols*8+96)) }

// A history is the rows that have left the top of the main screen: a ring that
// grows to its limit, and then drops the oldest row for each new one.
type history struct {
	rows  []*row
	first int // index of the oldest
	max   int // rows
	lines int // that were asked for

	pushed int  // rows that ever came in
	open   bool // the newest goes on in the top row of the screen

	leave func(rows []*row) // of a Plain: is shown each row that comes in, with those below it
}

// limit sets how many rows of cols columns are kept. Rows have their full
// length, so that they can be used again. What is there is dropped when the next
// row comes: a screen that was made narrow by mistake can be made wide again.
func (h *history) limit(lines, cols int) {
	h.lines = min(max(lines, 0), MaxScrollback)
	h.max = min(h.lines, roomFor(cols))
	h.straighten()
	if h.max == 0 {
		h.clear()
	}
}

// trim drops the oldest rows beyond the limit.
func (h *history) trim() {
	h.straighten()
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

// end says that the text of the newest row does not go on.
func (h *history) end() {
	h.open = false
	if n := len(h.rows); n > 0 {
		h.at(n - 1).wrapped = false
	}
}

// clear drops all rows.
func (h *history) clear() { h.rows, h.first = nil, 0 }

// keep drops the oldest rows that there would be no room for once all are broken
// anew, from some number of columns to another.
func (h *history) keep(from, to int) {
	if to >= from {
		return // they do not become more
	}
	room := roomFor(to)
	for i := len(h.rows) - 1; i >= 0; i-- {
		if room -= max(1, (h.rows[i].used+to-1)/to); room < 0 {
			h.rows = slices.Clone(h.rows[i+1:])
			return
		}
	}
}

// straighten makes the oldest row the first of rows.
func (h *history) straighten() {
	if h.first > 0 {
		h.rows = append(slices.Clone(h.rows[h.first:]), h.rows[:h.first]...)
		h.first = 0
	}
}

// Scrolled returns how many rows have left the top of the main screen since
// the start. Where rows are broken anew it may count some again.
func (t *Terminal) Scrolled() int { return t.history.pushed }

// CursorRow returns the row of the cursor on the screen, from 0.
func (t *Terminal) CursorRow() int { return t.row }
