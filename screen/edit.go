package screen

import "slices"

// The extents of erasing in a row or a screen (ED, EL).
const (
	toEnd = iota
	toStart
	whole
	scrollback // only of ED: xterm's 3
)

// eraseLine is EL, or DECSEL if selective. A pending wrap stays pending.
func (t *Terminal) eraseLine(extent int, selective bool) {
	row := t.row
	switch extent {
	case toEnd:
		if t.pending {
			return // the cursor is behind the last column
		}
		t.erase(row, t.col, t.cols, selective)
	case toStart:
		t.erase(row, 0, t.col+1, selective)
	case whole:
		t.erase(row, 0, t.cols, selective)
	default:
		return
	}
	if extent != toStart {
		t.page.rows[row].wrapped = false
	}
}

// startLine separates a row from the text of the row above.
func (t *Terminal) startLine(row int) {
	switch {
	case row > 0:
		t.page.rows[row-1].wrapped = false
	case t.page == &t.main:
		t.history.end()
	}
}

// eraseScreen is ED, or DECSED if selective.
func (t *Terminal) eraseScreen(extent int, selective bool) {
	from, to := 0, t.rows
	switch extent {
	case toEnd:
		t.eraseLine(toEnd, selective)
		from = t.row + 1
	case toStart:
		t.eraseLine(toStart, selective)
		to = t.row
	case whole:
	case scrollback:
		if !selective {
			t.history.clear()
		}
		return
	default:
		return
	}
	for i := from; i < to; i++ {
		if selective {
			t.erase(i, 0, t.cols, true)
			continue
		}
		t.page.rows[i].clear(t.blank)
		t.startLine(i)
	}
}

// erase blanks columns from to to-1 of a row. Selective erasing leaves protected cells.
func (t *Terminal) erase(row, from, to int, selective bool) {
	r := t.page.rows[row]
	if !selective {
		r.fill(from, to, t.blank)
		if from == 0 && to == t.cols {
			r.ended = false
			t.startLine(row)
		}
		return
	}
	r.splitBorders(from, to)
	style, protected := uint32(0), false
	for col, c := range r.cells[from:max(from, min(to, r.used))] {
		if n := c.style(); n != style {
			style, protected = n, t.styles.at(n).Has(Protected)
		}
		if c != 0 && !protected {
			r.cells[from+col] = c.styled() | ' '
		}
	}
}

// eraseCharacters is ECH.
func (t *Terminal) eraseCharacters(n int) {
	t.line().fill(t.col, min(t.col+n, t.cols), t.blank)
	t.pending = false
}

// insertCharacters is ICH.
func (t *Terminal) insertCharacters(n int) {
	t.pending = false
	if t.col >= t.left && t.col <= t.right {
		t.line().insert(t.col, t.right+1, n, t.blank)
	}
}

// deleteCharacters is DCH.
func (t *Terminal) deleteCharacters(n int) {
	t.pending = false
	if t.col >= t.left && t.col <= t.right {
		t.line().remove(t.col, t.right+1, n, t.blank)
	}
}

// insertLines is IL. The cursor moves to the left margin.
func (t *Terminal) insertLines(n int) {
	if t.inMargins() {
		t.scrollDown(t.row, n)
		t.col, t.pending = t.left, false
	}
}

// deleteLines is DL. The cursor moves to the left margin.
func (t *Terminal) deleteLines(n int) {
	if t.inMargins() {
		t.shiftUp(t.row, n)
		t.col, t.pending = t.left, false
	}
}

// scrollUp moves the text of the scroll region up by n rows. Rows that leave the top of the main
// screen go to the scrollback.
func (t *Terminal) scrollUp(n int) {
	if t.page != &t.main || t.top > 0 || t.left > 0 || t.right < t.cols-1 {
		t.shiftUp(t.top, n)
		return
	}
	rows := t.page.rows[:t.bottom+1]
	for range min(n, len(rows)) {
		t.cutLine(rows[len(rows)-1])
		r := t.history.push(t.page.rows)
		copy(rows, rows[1:])
		if r == nil || len(r.cells) != t.cols {
			r = newRow(t.cols)
		}
		r.renew(t.blank)
		rows[len(rows)-1] = r
	}
}

// cutLine ends the line of a row, because a scroll makes the row below it blank. While the line itself
// wraps into that row, it does not end.
func (t *Terminal) cutLine(r *row) { r.wrapped = r.wrapped && t.wrapping }

// shiftUp moves the text between row top and the bottom margin up by n rows, within the margins. The
// topmost text is lost.
func (t *Terminal) shiftUp(top, n int) {
	n = min(n, t.bottom-top+1)
	if t.left > 0 || t.right < t.cols-1 {
		for row := top; row <= t.bottom; row++ {
			t.copyMargins(row, row+n)
		}
		return
	}
	rows := t.page.rows[top : t.bottom+1]
	t.startLine(top)
	for _, r := range rows[:n] {
		r.renew(t.blank)
	}
	rotate(rows, n)
	if t.bottom-n >= top {
		t.cutLine(t.page.rows[t.bottom-n])
	}
}

// scrollDown moves the text between row top and the bottom margin down by n rows, within the
// margins. The lowest text is lost.
func (t *Terminal) scrollDown(top, n int) {
	n = min(n, t.bottom-top+1)
	if t.left > 0 || t.right < t.cols-1 {
		for row := t.bottom; row >= top; row-- {
			from := row - n
			if from < top {
				from = t.rows // no row: the target becomes blank
			}
			t.copyMargins(row, from)
		}
		return
	}
	rows := t.page.rows[top : t.bottom+1]
	t.startLine(top)
	for _, r := range rows[len(rows)-n:] {
		r.renew(t.blank)
	}
	rotate(rows, len(rows)-n)
	t.page.rows[t.bottom].wrapped = false
}

// scrollTextDown is SD. With more than one parameter the sequence is xterm's highlight mouse tracking.
func (t *Terminal) scrollTextDown(s *sequence) {
	if s.n <= 1 {
		t.scrollDown(t.top, s.count(0))
	}
}

// rotate moves the first n rows behind the others.
func rotate(rows []*row, n int) {
	if n == 1 { // nearly always
		first := rows[0]
		copy(rows, rows[1:])
		rows[len(rows)-1] = first
		return
	}
	slices.Reverse(rows[:n])
	slices.Reverse(rows[n:])
	slices.Reverse(rows)
}

// copyMargins copies the cells between the margins from one row to another. Rows below the bottom
// margin count as blank.
func (t *Terminal) copyMargins(to, from int) {
	dst := t.page.rows[to]
	dst.wrapped = false
	if from > t.bottom {
		dst.fill(t.left, t.right+1, t.blank)
		return
	}
	src := t.page.rows[from]
	src.splitBorders(t.left, t.right+1)
	dst.splitBorders(t.left, t.right+1)
	copy(dst.cells[t.left:t.right+1], src.cells[t.left:t.right+1])
	dst.wide = dst.wide || src.wide
	dst.trimUsed()
}

// shiftColumns moves the text of the scroll region from column col to the right by n columns, or to
// the left with a negative n (DECIC, DECDC, SR, SL, DECBI, DECFI).
func (t *Terminal) shiftColumns(col, n int) {
	for _, r := range t.page.rows[t.top : t.bottom+1] {
		if n > 0 {
			r.insert(col, t.right+1, n, t.blank)
		} else {
			r.remove(col, t.right+1, -n, t.blank)
		}
	}
	t.pending = false
}

// align is DECALN: it fills the screen with E, and resets the margins.
func (t *Terminal) align() {
	t.resetMargins()
	t.startLine(0)
	for _, r := range t.page.rows {
		r.clear(0)
		r.fill(0, t.cols, 'E')
	}
	t.moveTo(0, 0)
}
