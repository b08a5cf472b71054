package screen

// updateDirect finds out whether ASCII can go straight into the cells.
func (t *Terminal) updateDirect() {
	t.direct = t.modes&(modeInsert|modeWrap) == modeWrap && t.charsets.ascii()
}

// printASCII implements handler.
func (t *Terminal) printASCII(text []byte) {
	if !t.direct {
		for _, c := range text {
			t.put(t.charsets.character(c), 1)
			t.updateDirect() // it ends a single shift
		}
		t.joining = true
		return
	}
	t.last, t.joining = rune(text[len(text)-1]), true
	for {
		if t.pending {
			t.wrap()
		}
		limit := t.limit()
		n := min(len(text), limit+1-t.col)
		r := t.line()
		r.put(t.col, text[:n], t.pen)
		t.col += n
		if t.col > limit {
			t.col, t.pending = limit, true
			r.wrapped = false // until more text follows
		}
		if n == len(text) {
			return
		}
		text = text[n:]
	}
}

// print implements handler.
func (t *Terminal) print(r rune) {
	if t.charsets.single > 0 { // a single shift counts for one character
		t.charsets.single = 0
		t.updateDirect()
	}
	width := runeWidth(r)
	if t.joining && t.modes&modeGraphemes != 0 && t.joins(r) {
		return
	}
	if width == 0 {
		t.mark(r)
		return
	}
	t.put(r, width)
	t.joining = true
}

// put writes a character of one or two columns where the cursor is.
func (t *Terminal) put(r rune, width int) {
	wrap := t.modes&modeWrap != 0
	if t.pending && wrap {
		t.wrap()
	}
	limit := t.limit()
	width = min(width, t.cols)
	if t.col+width-1 > limit {
		if wrap && t.col > t.left {
			t.wrap()
			limit = t.limit()
		} else {
			t.col = max(limit-width+1, 0)
		}
	}
	row := t.line()
	if t.modes&modeInsert != 0 {
		row.insert(t.col, limit+1, width, t.blank)
	}
	row.putOne(t.col, width, t.pen|cell(r))
	t.last = r
	t.advance(width, limit)
}

// advance moves the cursor behind a character.
func (t *Terminal) advance(width, limit int) {
	t.col += width
	t.pending = false
	if t.col > limit {
		t.col, t.pending = limit, true
		t.line().wrapped = false // until more text follows
	}
}

// wrap continues the line in the next row.
func (t *Terminal) wrap() {
	t.line().wrapped = t.left == 0 && t.right == t.cols-1
	t.wrapping = true
	t.index()
	t.wrapping = false
	t.col = t.lineStart()
}

// lineStart returns the column that a carriage return goes to.
func (t *Terminal) lineStart() int {
	if t.col >= t.left || t.origin {
		return t.left
	}
	return 0
}

// index moves the cursor down. At the bottom of the scroll region it moves the text up instead
// (IND).
func (t *Terminal) index() {
	t.pending = false
	t.line().ended = true
	switch {
	case t.row == t.bottom:
		if t.col >= t.left && t.col <= t.right {
			t.scrollUp(1)
		}
	case t.row < t.rows-1:
		t.row++
	}
}

// nextLine moves the cursor down as index does, and to the start of the row (NEL).
func (t *Terminal) nextLine() {
	t.index()
	t.col = t.lineStart()
}

// reverseIndex moves the cursor up. At the top of the scroll region it moves the text down instead
// (RI).
func (t *Terminal) reverseIndex() {
	t.pending = false
	switch {
	case t.row == t.top:
		if t.col >= t.left && t.col <= t.right {
			t.scrollDown(t.top, 1)
		}
	case t.row > 0:
		t.row--
	}
}

// lineFeed is LF. It ends the line of the row that the cursor leaves.
func (t *Terminal) lineFeed() {
	t.line().wrapped = false
	t.index()
	if t.modes&modeNewLine != 0 {
		t.col = t.lineStart()
	}
}

// interrupt separates the last character from the next one, which cannot join it.
func (t *Terminal) interrupt() { t.joining, t.last = false, 0 }

// execute implements handler.
func (t *Terminal) execute(c byte) {
	t.interrupt()
	switch c {
	case '\b':
		t.back(1)
	case '\t':
		t.tab(1)
	case '\n', '\v', '\f':
		t.lineFeed()
	case '\r':
		t.col, t.pending = t.lineStart(), false
	case 0x0e, 0x0f: // SO, SI
		t.lockingShift(0x0f - c)
	case 0x1a: // SUB marks lost data
		t.print('\uFFFD')
	}
}
