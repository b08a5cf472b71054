package screen

// moveTo puts the cursor at a column and row. Both count from 0 at the origin.
func (t *Terminal) moveTo(col, row int) {
	t.pending = false
	if t.origin {
		t.col = min(max(col+t.left, t.left), t.right)
		t.row = min(max(row+t.top, t.top), t.bottom)
		return
	}
	t.col = min(max(col, 0), t.cols-1)
	t.row = min(max(row, 0), t.rows-1)
}

// moveToColumn puts the cursor at a column of its row (CHA, HPA).
func (t *Terminal) moveToColumn(col int) {
	_, row := t.position()
	t.moveTo(col, row)
}

// moveToRow puts the cursor at a row, in its column (VPA).
func (t *Terminal) moveToRow(row int) {
	col, _ := t.position()
	t.moveTo(col, row)
}

// moveBy moves the cursor by a number of columns and rows (HPR, VPR).
func (t *Terminal) moveBy(cols, rows int) {
	col, row := t.position()
	t.moveTo(col+cols, row+rows)
}

// position returns the column and row of the cursor, counted from the origin.
func (t *Terminal) position() (col, row int) {
	if t.origin {
		return t.col - t.left, t.row - t.top
	}
	return t.col, t.row
}

// up moves the cursor up by n rows (CUU), not across the top margin.
func (t *Terminal) up(n int) {
	edge := 0
	if t.row >= t.top {
		edge = t.top
	}
	t.row, t.pending = max(t.row-n, edge), false
}

// down moves the cursor down by n rows (CUD), not across the bottom margin.
func (t *Terminal) down(n int) {
	edge := t.rows - 1
	if t.row <= t.bottom {
		edge = t.bottom
	}
	t.row, t.pending = min(t.row+n, edge), false
}

// lineUp moves the cursor up by n rows, to the start of the row (CPL).
func (t *Terminal) lineUp(n int) {
	t.up(n)
	t.col = t.lineStart()
}

// lineDown moves the cursor down by n rows, to the start of the row (CNL).
func (t *Terminal) lineDown(n int) {
	t.down(n)
	t.col = t.lineStart()
}

// forward moves the cursor right by n columns (CUF), not across the margin.
func (t *Terminal) forward(n int) {
	t.col, t.pending = min(t.col+n, t.limit()), false
}

// back moves the cursor left by n columns (CUB, BS), not across the margin. With reverse wrap it
// continues at the end of the row above: in mode 45 if the line wrapped there, in mode 1045 always
// (ctlseqs, XTREVWRAP).
func (t *Terminal) back(n int) {
	reverse := t.modes&modeWrap != 0 && t.modes&(modeReverseWrap|modeReverseWrapAll) != 0
	if reverse && t.pending {
		n--
	}
	t.pending = false
	for {
		edge := 0
		if t.col >= t.left {
			edge = t.left
		}
		step := min(n, t.col-edge)
		t.col -= step
		n -= step
		if n == 0 || !reverse {
			return
		}
		all := t.modes&modeReverseWrapAll != 0
		switch {
		case t.row == t.top && all && t.top < t.bottom:
			t.row = t.bottom
			n = min(n, t.cols*t.rows) // a larger n only goes round again
		case t.row == 0 || t.row == t.top:
			return
		case all || t.page.rows[t.row-1].wrapped:
			t.row--
		default:
			return
		}
		t.col = t.right
		n--
	}
}

// tab moves the cursor to the n-th next tab stop (CHT, HT). At the last column
// a pending wrap stays pending.
func (t *Terminal) tab(n int) {
	limit := t.limit()
	for ; n > 0 && t.col < limit; n-- {
		t.pending = false
		t.col++
		for t.col < limit && !t.tabs[t.col] {
			t.col++
		}
	}
}

// tabBack moves the cursor to the n-th previous tab stop (CBT).
func (t *Terminal) tabBack(n int) {
	edge := 0
	if t.origin {
		edge = t.left
	}
	t.pending = false
	for ; n > 0 && t.col > edge; n-- {
		t.col--
		for t.col > edge && !t.tabs[t.col] {
			t.col--
		}
	}
}

func defaultTabs(cols int) []bool {
	tabs := make([]bool, cols)
	for col := 8; col < cols; col += 8 {
		tabs[col] = true
	}
	return tabs
}

// save saves the cursor (DECSC). Each page has its own.
func (t *Terminal) save() {
	t.page.saved = t.cursor
	t.page.saved.kept = true
}

// restore restores the cursor (DECRC). Without a save, the cursor is as after a reset.
func (t *Terminal) restore() {
	t.cursor = t.page.saved
	t.kept = false
	t.col, t.row, t.pending = min(t.col, t.cols-1), min(t.row, t.rows-1), false
	if t.origin {
		t.row = min(max(t.row, t.top), t.bottom)
		t.col = min(max(t.col, t.left), t.right)
	}
	t.updatePen()
}

// setRegion is DECSTBM. The rows from top to bottom become the scroll region. They count from 1.
func (t *Terminal) setRegion(top, bottom int) {
	if bottom = min(bottom, t.rows); bottom == 0 {
		bottom = t.rows
	}
	if top >= bottom {
		return
	}
	t.top, t.bottom = top-1, bottom-1
	t.moveTo(0, 0)
}

// setMarginsOrSave is DECSLRM if the program has turned margins on, otherwise SCOSC.
func (t *Terminal) setMarginsOrSave(s *sequence) {
	if t.modes&modeMargins != 0 {
		t.setMargins(s.count(0), s.param(1, 0))
	} else {
		t.save()
	}
}

// setMargins is DECSLRM. The columns from left to right become the scroll region. They count from 1.
func (t *Terminal) setMargins(left, right int) {
	if right = min(right, t.cols); right == 0 {
		right = t.cols
	}
	if left >= right {
		return
	}
	t.left, t.right = left-1, right-1
	t.moveTo(0, 0)
}
