package screen

// A cell is one column of a row: in its lower half a character, or the number
// of a cluster, with flags; in its upper half the number of its style. The
// zero cell is blank, in the default style, and nothing was written to it.
type cell uint64

const (
	cellText    cell = 1<<21 - 1 // a character, or the index of a cluster
	cellCluster cell = 1 << 21   // it is the index of a cluster
	cellWide    cell = 1 << 22   // the character takes this column and the next
	cellTail    cell = 1 << 23   // the second of these columns
	cellTab     cell = 1 << 24   // of a Plain: a tab begins here
	cellSkip    cell = 1 << 25   // of a Plain: the tab goes on here

	styleShift = 32
)

// style returns the number of the cell's style.
func (c cell) style() uint32 { return uint32(c >> styleShift) }

// styled returns the part of the cell that is its style.
func (c cell) styled() cell { return c >> styleShift << styleShift }

// written reports whether there is a character, if only a blank one.
func (c cell) written() bool { return c&(cellText|cellCluster|cellTail) != 0 }

// A row is a row of a screen, or of the scrollback.
type row struct {
	cells   []cell
	used    int    // cells from here on are zero
	wrapped bool   // its text goes on in the next row
	ended   bool   // the cursor went on to the next row from here
	wide    bool   // there may be wide characters in it
	wiped   bool   // the last of its used cells is a blank that was written over a character
	settled uint32 // what a Plain has written of it
	marks   []Mark
}

func newRow(cols int) *row { return &row{cells: make([]cell, cols)} }

// empty reports whether every cell is blank in the default style.
func (r *row) empty() bool {
	for _, c := range r.cells[:r.used] {
		if c != 0 {
			return false
		}
	}
	return true
}

// renew makes r a row that nothing was ever written to.
func (r *row) renew(blank cell) {
	r.clear(blank)
	r.settled = fresh
}

// clear makes every cell blank.
func (r *row) clear(blank cell) {
	r.wrapped, r.ended, r.wide, r.wiped, r.marks = false, false, false, false, nil
	r.settled = min(r.settled, replaced)
	if blank == 0 {
		clear(r.cells[:r.used])
		r.used = 0
		return
	}
	r.fill(0, len(r.cells), blank)
}

// fill sets the cells from column from up to, and without, to. What is left of
// a wide character at the borders becomes blank.
func (r *row) fill(from, to int, c cell) {
	if from >= to {
		return
	}
	r.open(from, to)
	if c == 0 {
		if from < r.used {
			clear(r.cells[from:min(to, r.used)])
			if to >= r.used {
				r.used = from
			}
		}
		return
	}
	r.set(from, to, c)
	r.used = max(r.used, to)
}

// set sets cells and looks at nothing else.
func (r *row) set(from, to int, c cell) {
	for i := from; i < to; i++ {
		r.cells[i] = c
	}
}

// open makes sure that no wide character crosses the borders of the columns
// from up to, and without, to. A half that stays becomes blank.
func (r *row) open(from, to int) {
	if !r.wide {
		return
	}
	r.split(from)
	r.split(to)
}

// split blanks both halves of a wide character that crosses the left border of
// column col.
func (r *row) split(col int) {
	if col > 0 && col < len(r.cells) && r.cells[col]&cellTail != 0 {
		r.cells[col-1] = r.cells[col-1].styled()
		r.cells[col] = r.cells[col].styled()
	}
}

// halves blanks the halves of wide characters at both ends of cells that were
// cut out of a row.
func (r *row) halves() {
	if first := &r.cells[0]; *first&cellTail != 0 {
		*first = first.styled()
	}
	if last := &r.cells[len(r.cells)-1]; *last&cellWide != 0 {
		*last = last.styled()
	}
}

// put writes ASCII text from column col on, in the style of pen.
func (r *row) put(col int, text []byte, pen cell) {
	end := col + len(text)
	if r.wide {
		r.open(col, end)
	}
	r.reach(end, text[len(text)-1] == ' ')
	cells := r.cells[col:end]
	for i, c := range text {
		cells[i] = pen | cell(c)
	}
}

// reach says that the cells up to, and without, end are used, the last of which
// is about to hold a blank or something else.
func (r *row) reach(end int, blank bool) {
	switch {
	case end > r.used:
		r.used, r.wiped = end, false
	case end == r.used:
		r.wiped = blank && (r.wiped || r.cells[end-1]&(cellText|cellCluster) > ' ')
	}
}

// putOne writes a character of one or two columns.
func (r *row) putOne(col, width int, c cell) {
	if r.wide {
		r.open(col, col+width)
	}
	r.reach(col+width, c&cellText == ' ')
	if width == 2 {
		r.wide = true
		r.cells[col] = c | cellWide
		r.cells[col+1] = c.styled() | cellTail
	} else {
		r.cells[col] = c
	}
}

// insert moves the cells from column col on to the right by n, within the
// columns up to and without end, and blanks what comes free.
func (r *row) insert(col, end, n int, blank cell) {
	n = min(n, end-col)
	r.open(col, end)
	r.split(end - n)
	copy(r.cells[col+n:end], r.cells[col:end-n])
	r.set(col, col+n, blank)
	r.settle()
}

// remove moves the cells from column col+n up to, and without, end to column
// col, and blanks what comes free.
func (r *row) remove(col, end, n int, blank cell) {
	n = min(n, end-col)
	r.open(col, end)
	r.split(col + n)
	copy(r.cells[col:end-n], r.cells[col+n:end])
	r.set(end-n, end, blank)
	r.settle()
}

// settle finds out how much of the row is used after its cells were moved.
func (r *row) settle() {
	used := len(r.cells)
	for used > 0 && r.cells[used-1] == 0 {
		used--
	}
	r.used = used
}

// resize changes the number of columns; what is cut off is lost.
func (r *row) resize(cols int) {
	if cols < len(r.cells) {
		r.split(cols)
	}
	cells := make([]cell, cols)
	copy(cells, r.cells[:min(r.used, cols)])
	r.cells, r.used = cells, min(r.used, cols)
}
