package screen

import "slices"

// Resize changes the size of the screen. It breaks the wrapped lines of the main screen and of its
// scrollback anew, and the cursor stays at its character. A lower screen first loses blank rows at
// its bottom and then moves rows into the scrollback. A higher screen takes these rows back, as in
// tmux. Rows below the cursor are lost only if the cursor would otherwise leave the screen. If lines
// become fewer rows, the screen takes rows from the scrollback too. The alternate screen is cut. The
// whole screen becomes the scroll region.
func (t *Terminal) Resize(cols, rows int) {
	cols, rows = clampSize(cols, rows)
	if cols == t.cols && rows == t.rows {
		return
	}
	t.frame.before, t.joining = nil, false
	mine := []*cursor{&t.cursor, &t.main.saved} // the cursors of the main page; the first must stay on it
	others := &t.alt.saved
	if t.page == &t.alt {
		mine, others = mine[1:], &t.cursor
	}
	t.resizeHeight(mine, rows)
	if cols != t.cols {
		t.reflow(mine, cols, rows)
		t.history.limit(t.history.lines, cols)
	}
	if t.alt.rows != nil {
		t.resizeAlternate(cols, rows)
	}
	for _, c := range append(mine, others, &t.alt.saved) {
		c.row, c.col = min(max(c.row, 0), rows-1), min(c.col, cols-1)
		c.pending = c.pending && c.col == cols-1
	}
	if cols > len(t.tabs) {
		t.tabs = append(t.tabs, defaultTabs(cols)[len(t.tabs):]...)
	}
	t.cols, t.rows = cols, rows
	t.resetMargins()
}

// resizeHeight changes the number of rows of the main page.
func (t *Terminal) resizeHeight(cursors []*cursor, rows int) {
	p, at := &t.main, cursors[0]
	shift := func(n int) {
		for _, c := range cursors {
			if c == &t.cursor || c.kept { // a cursor that was never saved stays at home
				c.row += n
			}
		}
	}
	if less := t.rows - rows; less > 0 {
		cut := min(less, t.blankBelow(at.row))
		if rest := less - cut; t.stays(at) && rest > at.row {
			cut = min(less, t.rows-1-at.row)
		}
		p.rows = p.rows[:len(p.rows)-cut]
		less -= cut
		for i := range less {
			t.history.push(p.rows[i:])
		}
		p.rows = slices.Clone(p.rows[less:])
		shift(-less)
		return
	}
	more := rows - t.rows
	t.history.linearize()
	pulled := min(more, len(t.history.rows))
	from := len(t.history.rows) - pulled
	p.rows = append(slices.Clone(t.history.rows[from:]), p.rows...)
	clear(t.history.rows[from:])
	t.history.rows = t.history.rows[:from]
	shift(pulled)
	for i, r := range p.rows[:pulled] {
		if len(r.cells) != t.cols {
			p.rows[i].resize(t.cols)
		}
	}
	for len(p.rows) < rows {
		p.rows = append(p.rows, newRow(t.cols))
	}
}

// stays reports whether a cursor of the main page must stay on the screen. A cursor that was never
// saved need not. In a Plain no cursor must, because a Plain loses no text.
func (t *Terminal) stays(c *cursor) bool {
	return (c == &t.cursor || c.kept) && t.history.leave == nil
}

// blankBelow returns how many blank rows lie at the bottom of the main page, below row.
func (t *Terminal) blankBelow(row int) int {
	n := 0
	for n < t.rows-1-row && t.main.rows[t.rows-1-n].empty() {
		n++
	}
	return n
}

// resizeAlternate cuts or extends the alternate page to its new size.
func (t *Terminal) resizeAlternate(cols, rows int) {
	p := &t.alt
	if less := len(p.rows) - rows; less > 0 {
		at := 0
		if t.page == p {
			at = t.row
		}
		cut := min(less, len(p.rows)-1-at)
		p.rows = p.rows[less-cut : len(p.rows)-cut]
		if t.page == p {
			t.row -= less - cut
		}
	}
	p.rows = slices.Clone(p.rows)
	for len(p.rows) < rows {
		p.rows = append(p.rows, newRow(cols))
	}
	for _, r := range p.rows {
		r.wrapped = r.wrapped && cols == t.cols
		r.resize(cols)
	}
}

// A reflow breaks lines anew for another number of columns.
type reflow struct {
	from, to int // columns
	rows     []*row
	line     []cell // the line that split breaks next
	marks    []Mark // its marks, with columns from its start
	starts   []int  // where in line each of its new rows starts
}

// reflow breaks the lines of the main page and of the scrollback anew. Additional rows first take
// the place of blank rows at the bottom.
func (t *Terminal) reflow(cursors []*cursor, cols, rows int) {
	t.history.linearize()
	t.history.dropFor(t.cols, cols)
	old := append(t.history.rows, t.main.rows...)
	above := len(t.history.rows) // rows above the page
	last := lastInUse(old, above+cursors[0].row)
	f := reflow{from: t.cols, to: cols, rows: make([]*row, 0, len(old))}
	places := f.breakLines(old[:last+1], above, cursors)
	blanks := len(old) - 1 - last
	blanks -= min(max(len(f.rows)-(last+1), 0), blanks)
	if extra := len(f.rows) - rows - roomFor(cols); extra > 0 && t.history.leave == nil {
		f.rows = f.rows[extra:]
		for k := range places {
			places[k] = max(places[k]-extra, 0)
		}
	}
	top := max(len(f.rows)+blanks-rows, 0) // the row that becomes the first of the page
	if t.stays(cursors[0]) {
		top = min(top, places[0])
	}
	for k, at := range cursors {
		if at == &t.cursor || at.kept {
			at.row = places[k] - top
		}
	}
	t.setRows(f.rows, top, cols, rows)
}

// lastInUse returns the number of the last row that is not empty. It is at least the row of the
// cursor.
func lastInUse(rows []*row, cursor int) int {
	for i := len(rows) - 1; i > cursor; i-- {
		if !rows[i].empty() {
			return i
		}
	}
	return cursor
}

// breakLines breaks the lines in rows for the new width, and moves the cursors with their
// characters. Row numbers of a cursor begin after the first above rows. places are the new rows of
// the cursors.
func (f *reflow) breakLines(rows []*row, above int, cursors []*cursor) (places []int) {
	places = make([]int, len(cursors))
	for i := 0; i < len(rows); {
		next := i + 1
		for next < len(rows) && rows[next-1].wrapped {
			next++
		}
		first := len(f.rows)
		lengths := f.join(rows[i:next])
		f.split(rows[i:next])
		for k, at := range cursors {
			if c := above + at.row; c >= i && c < next {
				places[k] = first + f.move(at, lengths[:c-i])
			}
		}
		i = next
	}
	return places
}

// setRows makes the rows above top the scrollback, and the others the main page. Missing rows of the
// page are blank.
func (t *Terminal) setRows(all []*row, top, cols, rows int) {
	t.history.rows, t.history.first = all[:top:top], 0
	if t.history.leave != nil {
		t.history.rows = nil
		for i := range top {
			t.history.push(all[i:])
		}
	}
	t.main.rows = slices.Clone(all[top:min(top+rows, len(all))])
	for _, r := range t.main.rows {
		if len(r.cells) != cols {
			r.resize(cols)
		}
	}
	for len(t.main.rows) < rows {
		t.main.rows = append(t.main.rows, newRow(cols))
	}
}

// join joins the rows of a line, and returns how many cells of each row it took.
func (f *reflow) join(rows []*row) []int {
	f.line, f.marks = f.line[:0], f.marks[:0]
	lengths := make([]int, len(rows))
	for i, r := range rows {
		n := r.used
		if r.wrapped {
			n = min(f.from, len(r.cells))
			wideNext := i+1 < len(rows) && rows[i+1].cells[0]&cellWide != 0
			if n > 1 && r.cells[n-1] == 0 && wideNext {
				n-- // left free because a wide character did not fit
			}
		}
		for _, m := range r.marks {
			m.Col += len(f.line)
			f.marks = append(f.marks, m)
		}
		f.line = append(f.line, r.cells[:n]...)
		lengths[i] = n
	}
	return lengths
}

// move puts a cursor at its place in the line that split has broken last. lengths are those of the
// line's rows before the cursor's own. The result is the new row of the cursor, counted in the line.
func (f *reflow) move(at *cursor, lengths []int) int {
	offset := at.col
	for _, n := range lengths {
		offset += n
	}
	if at.pending {
		offset++
	}
	row, col := f.place(offset)
	at.col, at.pending = col, at.pending && col == f.to
	if col >= f.to {
		at.pending = at.pending || offset == len(f.line)
		at.col = f.to - 1
	}
	return row
}

// split breaks the line for the new width and appends its rows. A single row that fits is kept.
func (f *reflow) split(rows []*row) {
	f.starts = append(f.starts[:0], 0)
	if len(rows) == 1 && len(f.line) <= f.to {
		r := rows[0]
		if len(r.cells) > f.to {
			r.resize(f.to)
		}
		r.wrapped = false
		for i, m := range r.marks {
			if m.Col >= f.to {
				r.marks = slices.Clone(r.marks) // snapshots share the old marks
				r.marks[i].Col = f.to - 1
			}
		}
		f.rows = append(f.rows, r)
		return
	}
	wide := false
	for _, r := range rows {
		wide = wide || r.wide
	}
	first := len(f.rows)
	for start := 0; ; {
		n := min(f.to, len(f.line)-start)
		r := newRow(f.to)
		if n > 0 && start+n < len(f.line) && f.line[start+n-1]&cellWide != 0 {
			n--
			if n == 0 { // one column has no room for a wide character
				f.line[start], f.line[start+1] = f.line[start].styled(), f.line[start+1].styled()
				n = 1
			}
		}
		copy(r.cells, f.line[start:start+n])
		r.wide, r.settled, r.ended = wide, rows[0].settled, rows[len(rows)-1].ended
		r.trimUsed()
		start += n
		r.wrapped = start < len(f.line)
		f.rows = append(f.rows, r)
		if !r.wrapped {
			break
		}
		f.starts = append(f.starts, start)
	}
	for _, m := range f.marks {
		row, col := f.place(m.Col)
		m.Col = min(col, f.to-1)
		if r := f.rows[first+row]; len(r.marks) < maxRowMarks {
			r.marks = append(r.marks, m)
		}
	}
}

// place returns the row and column of the cell at offset, counted in the line's new rows. For a line
// that is full there, the column is behind the last.
func (f *reflow) place(offset int) (row, col int) {
	row, found := slices.BinarySearch(f.starts, offset)
	if !found {
		row--
	}
	return row, offset - f.starts[row]
}
