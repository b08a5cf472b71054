package screen

import (
	"slices"
	"unicode/utf8"
)

// What a cell holds that is no character. A cell that was never written or
// was erased by a control is empty. A blank written over text leaves wiped: it
// looks the same, but text that a program wiped has no trailing blanks, while
// blanks that it wrote on an empty row are text.
const (
	empty    rune = 0
	wiped    rune = -1
	wideTail rune = -2 // the second column of the character before
	tabTail  rune = -3 // a column that a tab moved over
	tabHead  rune = -4 // the first of them; -4-n for a tab of n more columns
)

// Whether a row has been written out while it was still on the screen.
type settled uint8

const (
	fresh    settled = iota // it has not
	written                 // it has, with the text that hash stands for
	replaced                // it has, and the screen was cleared since: what it holds is new
)

// A plainRow is one row of a plainScreen.
type plainRow struct {
	cells []rune // may be longer than the screen is wide, after a resize
	used  int    // cells[used:] are empty
	marks []mark // by column
	cont  bool   // the row goes on with the line of the row above
	ended bool   // a line feed has left the row

	settled settled
	hash    uint64
}

// A mark is a character that takes no column: it belongs to the cell in col,
// or to the start of the row if that is -1.
type mark struct {
	col int
	r   rune
}

// reset makes r a row that was never written.
func (r *plainRow) reset() {
	clear(r.cells[:r.used])
	*r = plainRow{cells: r.cells, marks: r.marks[:0]}
}

// put writes printable ASCII at col. It reports whether it only added to the
// end of the row.
func (r *plainRow) put(col int, text []byte) (added bool) {
	cells := r.cells[col : col+len(text)]
	if col == r.used {
		for i, c := range text {
			cells[i] = rune(c)
		}
		r.used += len(text)
		return true
	}
	r.open(col, col+len(text))
	for i, c := range text {
		cells[i] = over(cells[i], rune(c))
	}
	r.used = max(r.used, col+len(text))
	return false
}

// over returns what a cell holds after c was written over old.
func over(old, c rune) rune {
	if c == ' ' && old != empty && old != ' ' {
		return wiped
	}
	return c
}

// open prepares the cells from..to-1 for being overwritten: their marks go,
// and a wide character of which one half lies outside loses that too.
func (r *plainRow) open(from, to int) {
	if from > 0 && r.cells[from] == wideTail {
		r.unmark(from-1, from)
		r.cells[from-1] = wiped
	}
	if to < len(r.cells) && r.cells[to] == wideTail {
		r.cells[to] = wiped
	}
	r.unmark(from, to)
}

// unmark removes the marks of the cells from..to-1, and those at the start of
// the row with those of its first cell.
func (r *plainRow) unmark(from, to int) {
	if len(r.marks) == 0 {
		return
	}
	if from == 0 {
		from = -1
	}
	r.marks = slices.DeleteFunc(r.marks, func(m mark) bool { return m.col >= from && m.col < to })
}

// mark adds a character of no width to the cell before col.
func (r *plainRow) mark(col int, c rune) {
	col--
	for col > 0 && (r.cells[col] == wideTail || r.cells[col] == tabTail) {
		col--
	}
	i := len(r.marks)
	for i > 0 && r.marks[i-1].col > col {
		i--
	}
	r.marks = slices.Insert(r.marks, i, mark{col, c})
	r.used = max(r.used, col+1)
}

// tab moves over the cells from..to-1. If none holds anything they are a tab.
func (r *plainRow) tab(from, to int) (added bool) {
	if r.used > from {
		return false
	}
	added = r.used == from
	r.cells[from] = tabHead - rune(to-from-1)
	for i := from + 1; i < to; i++ {
		r.cells[i] = tabTail
	}
	r.used = to
	return added
}

// erase empties the cells from..to-1.
func (r *plainRow) erase(from, to int) {
	if to = min(to, r.used); from >= to {
		return
	}
	r.open(from, to)
	clear(r.cells[from:to])
	if to == r.used {
		r.used = from
		for r.used > 0 && r.cells[r.used-1] == empty {
			r.used--
		}
	}
}

// shift moves the cells from col on n columns to the right, or to the left if
// n is negative, within the first width columns, and empties what is left.
// Tabs on the way become blanks.
func (r *plainRow) shift(col, n, width int) {
	r.untab()
	r.open(col, col)
	if n < 0 {
		r.open(col, col-n)
		copy(r.cells[col:width], r.cells[col-n:width])
		clear(r.cells[width+n : width])
	} else {
		r.open(width-n, width)
		copy(r.cells[col+n:width], r.cells[col:width])
		clear(r.cells[col : col+n])
	}
	for i := range r.marks {
		if m := &r.marks[i]; m.col >= col && m.col < width {
			m.col += n
		}
	}
	r.used = len(r.cells)
	for r.used > 0 && r.cells[r.used-1] == empty {
		r.used--
	}
}

// untab makes blanks of all tabs.
func (r *plainRow) untab() {
	for i, c := range r.cells[:r.used] {
		if c <= tabTail {
			r.cells[i] = ' '
		}
	}
}

// isBlank reports whether a cell looks empty.
func isBlank(c rune) bool { return c == empty || c == wiped || c == ' ' }

// blank reports whether nothing was written to r that is left.
func (r *plainRow) blank() bool {
	for _, c := range r.cells[:r.used] {
		if c != empty && c != wiped {
			return false
		}
	}
	return len(r.marks) == 0
}

// appendTo appends the text of r to b. joined says that the next row goes on
// with the line, so that wiped cells at the end are blanks within it.
func (r *plainRow) appendTo(b []byte, joined bool) []byte {
	used := r.used
	for used > 0 && r.cells[used-1] == empty {
		used--
	}
	if !joined && used > 0 && r.cells[used-1] == wiped {
		for used > 0 && isBlank(r.cells[used-1]) {
			used--
		}
	}
	if n := len(r.marks); n > 0 {
		used = max(used, r.marks[n-1].col+1)
	}
	marks := r.marks
	for col := -1; col < used; {
		n := 1
		if col >= 0 {
			b, n = r.appendCell(b, col)
		}
		col += n
		for len(marks) > 0 && marks[0].col < col {
			b = utf8.AppendRune(b, marks[0].r)
			marks = marks[1:]
		}
	}
	return b
}

// appendCell appends the text of what begins at col and returns how many
// columns that is. A tab that is whole is a tab, the columns of one that was
// overwritten in part are blanks.
func (r *plainRow) appendCell(b []byte, col int) (text []byte, cols int) {
	c := r.cells[col]
	switch {
	case c > empty && c < utf8.RuneSelf:
		return append(b, byte(c)), 1
	case c > empty:
		return utf8.AppendRune(b, c), 1
	case c == wideTail:
		return b, 1
	case c <= tabHead:
		if n := 1 + int(tabHead-c); r.whole(col+1, col+n) {
			return append(b, '\t'), n
		}
	}
	return append(b, ' '), 1
}

// whole reports whether the cells from..to-1 all belong to a tab.
func (r *plainRow) whole(from, to int) bool {
	if to > len(r.cells) {
		return false
	}
	for _, c := range r.cells[from:to] {
		if c != tabTail {
			return false
		}
	}
	return true
}
