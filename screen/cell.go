package screen

// A cell is one column of a row. Its lower half holds flags and a character, or the number of a
// cluster. Its upper half holds the number of its style. The zero cell is blank, in the default
// style, and no program wrote to it.
type cell uint64

const (
	cellText    cell = 1<<21 - 1 // a character, or the index of a cluster
	cellCluster cell = 1 << 21   // cellText is the index of a cluster
	cellWide    cell = 1 << 22   // the character takes this column and the next
	cellTail    cell = 1 << 23   // the second column of a wide character
	cellTab     cell = 1 << 24   // only in a Plain: a tab begins here
	cellSkip    cell = 1 << 25   // only in a Plain: the tab continues here
	cellOld     cell = 1 << 26   // written before the last MarkOld

	styleShift = 32
)

// style returns the number of the cell's style.
func (c cell) style() uint32 { return uint32(c >> styleShift) }

// styled returns the part of the cell that is its style.
func (c cell) styled() cell { return c >> styleShift << styleShift }

// written reports whether the cell holds a character, which may be a blank.
func (c cell) written() bool { return c&(cellText|cellCluster|cellTail) != 0 }

// A row is a row of a screen, or of the scrollback.
type row struct {
	cells   []cell
	used    int    // all cells from here on are zero
	wrapped bool   // its text continues in the next row
	ended   bool   // the cursor moved from here to the next row
	wide    bool   // the row may hold wide characters
	wiped   bool   // its last used cell is a blank that replaced a character
	settled uint32 // what a Plain has written of the row: see fresh
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

// renew makes r a row that no program ever wrote to.
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

// fill sets the cells from column from to column to-1. The rest of a wide character at the borders
// becomes blank.
func (r *row) fill(from, to int, c cell) {
	if from >= to {
		return
	}
	r.splitBorders(from, to)
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

// set sets cells, and takes no care of wide characters.
func (r *row) set(from, to int, c cell) {
	for i := from; i < to; i++ {
		r.cells[i] = c
	}
}

// splitBorders makes sure that no wide character crosses the borders of columns from to to-1. A half outside
// them becomes blank.
func (r *row) splitBorders(from, to int) {
	if !r.wide {
		return
	}
	r.split(from)
	r.split(to)
}

// split blanks both halves of a wide character that crosses the left border of column col.
func (r *row) split(col int) {
	if col > 0 && col < len(r.cells) && r.cells[col]&cellTail != 0 {
		r.cells[col-1] = r.cells[col-1].styled()
		r.cells[col] = r.cells[col].styled()
	}
}

// blankHalves blanks the half of a wide character at each end of cells that were cut out of a row.
func (r *row) blankHalves() {
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
		r.splitBorders(col, end)
	}
	r.markUsed(end, text[len(text)-1] == ' ')
	cells := r.cells[col:end]
	for i, c := range text {
		cells[i] = pen | cell(c)
	}
}

// markUsed marks the cells before end as used. blank tells whether the caller is about to write a blank
// into the last of them.
func (r *row) markUsed(end int, blank bool) {
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
		r.splitBorders(col, col+width)
	}
	r.markUsed(col+width, c&cellText == ' ')
	if width == 2 {
		r.wide = true
		r.cells[col] = c | cellWide
		r.cells[col+1] = c.styled() | cellTail
	} else {
		r.cells[col] = c
	}
}

// insert moves the cells from column col to the right by n, within the columns before end, and
// blanks the gap.
func (r *row) insert(col, end, n int, blank cell) {
	n = min(n, end-col)
	r.splitBorders(col, end)
	r.split(end - n)
	copy(r.cells[col+n:end], r.cells[col:end-n])
	r.set(col, col+n, blank)
	r.trimUsed()
}

// remove moves the cells of columns col+n to end-1 to column col, and blanks the gap.
func (r *row) remove(col, end, n int, blank cell) {
	n = min(n, end-col)
	r.splitBorders(col, end)
	r.split(col + n)
	copy(r.cells[col:end-n], r.cells[col+n:end])
	r.set(end-n, end, blank)
	r.trimUsed()
}

// trimUsed finds out how much of the row is in use after its cells were moved.
func (r *row) trimUsed() {
	used := len(r.cells)
	for used > 0 && r.cells[used-1] == 0 {
		used--
	}
	r.used = used
}

// resize changes the number of columns. Cells beyond the new width are lost.
func (r *row) resize(cols int) {
	if cols < len(r.cells) {
		r.split(cols)
	}
	cells := make([]cell, cols)
	copy(cells, r.cells[:min(r.used, cols)])
	r.cells, r.used = cells, min(r.used, cols)
}
