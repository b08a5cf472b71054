package screen

import "unicode/utf8"

// maxMarks is how many bytes of a character with its marks join one cell. Further marks take columns
// of their own, so that text with many marks comes out whole.
const maxMarks = maxCluster - utf8.UTFMax

// toScreen changes to holding the screen as cells.
func (p *Plain) toScreen() {
	if !p.flat {
		return
	}
	p.trim()
	t, term := &p.text, p.term
	p.flat = false
	p.open = t.open && t.written == 0
	term.history.open = t.open
	term.interrupt()
	for b := t.b; len(b) > 0; {
		if n := printable(b); n > 0 {
			p.printASCII(b[:n])
			b = b[n:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		switch r {
		case '\n':
			term.execute('\r')
			term.execute('\n')
		case '\t':
			p.execute('\t')
		default:
			p.print(r)
		}
		b = b[n:]
	}
	for i, start := range t.starts {
		if start < t.written {
			p.settle(term.main.rows[i])
		}
	}
	if p.cr {
		p.cr = false
		term.execute('\r')
	}
	p.clean = 0
	t.reset()
}

// toText changes back to holding the screen as text, if the program has written only text for a
// whole screen, and no mode gives text another meaning. The cursor is at the start of a new line.
func (p *Plain) toText() {
	term := p.term
	if p.clean < term.rows || term.page != &term.main || !term.direct || term.modes&modeGraphemes != 0 ||
		term.col != 0 || term.row != term.rows-1 || term.line().used > 0 || !term.wholeRegion() || !term.evenTabs() {
		return
	}
	if p.open && !term.history.open {
		p.out = append(p.out, '\n')
	}
	t := &p.text
	t.open = term.history.open
	for i, r := range term.main.rows {
		if i > 0 && !term.main.rows[i-1].wrapped {
			t.b = append(t.b, '\n')
		}
		if r.settled == fresh && t.written == 0 && i > 0 && term.main.rows[i-1].settled != fresh {
			t.written = len(t.b)
		}
		t.b = p.appendRow(t.b, r)
	}
	for _, r := range term.main.rows {
		r.renew(0)
	}
	term.row = 0
	p.flat, p.clean, p.open = true, 0, false
	p.flush()
}

// wholeRegion reports whether the scroll region is the whole screen.
func (t *Terminal) wholeRegion() bool {
	return t.top == 0 && t.bottom == t.rows-1 && t.left == 0 && t.right == t.cols-1
}

// evenTabs reports whether every eighth column has a tab stop, and no other column.
func (t *Terminal) evenTabs() bool {
	for col, set := range t.tabs[:t.cols] {
		if set != (col > 0 && col%8 == 0) {
			return false
		}
	}
	return true
}

// printASCII implements handler.
func (p *Plain) printASCII(text []byte) {
	if p.flat {
		if !p.cr || p.text.atStart() {
			p.cr = false
			p.text.b = append(p.text.b, text...)
			return
		}
		p.toScreen()
	}
	p.writing()
	p.term.printASCII(text)
}

// print implements handler.
func (p *Plain) print(r rune) {
	if p.flat {
		if !p.cr || p.text.atStart() {
			p.cr = false
			p.text.b = utf8.AppendRune(p.text.b, r)
			return
		}
		p.toScreen()
	}
	p.writing()
	switch width := runeWidth(r); {
	case p.term.modes&modeGraphemes != 0:
		p.term.print(r)
	case width > 0 || !p.join(r):
		p.term.put(r, max(width, 1))
	}
}

// writing prepares for text. Text that does not go to the end of its row changes that row.
func (p *Plain) writing() {
	if term := p.term; !term.pending && term.col != term.line().used {
		p.clean = 0
	}
}

// join adds a character without width to the character before the cursor. It reports whether there
// is one with room for it.
func (p *Plain) join(r rune) bool {
	term := p.term
	row, col, ok := term.previous()
	if ok {
		term.scratch = term.appendText(term.scratch[:0], row.cells[col])
		if ok = len(term.scratch)+utf8.RuneLen(r) <= maxMarks; ok {
			term.mark(r)
		}
	}
	return ok
}

// tab is HT. If no column is left, the tab stays with the character before it: on a wider screen it
// would show.
func (p *Plain) tab() {
	if p.tabStop() || p.join('\t') {
		return
	}
	if p.term.pending {
		p.term.wrap()
	}
	if !p.tabStop() {
		p.term.put('\t', 1)
	}
}

// tabStop moves to the next tab stop, and marks empty columns on the way as a tab. It reports
// whether there is a tab stop.
func (p *Plain) tabStop() bool {
	p.writing()
	term := p.term
	from, r := term.col, term.line()
	term.tab(1)
	if r.used <= from && term.col > from {
		r.set(from, term.col, ' '|cellSkip)
		r.cells[from] = ' ' | cellTab
		r.used, r.wiped = term.col, false
	}
	return term.col > from
}

// blank reports whether r holds no text.
func (r *row) blank() bool { return r.end() == 0 }

// end returns the column behind the last text. At the end of a line, erased cells and blanks that
// replaced text do not count as text. Inside a line they count.
func (r *row) end() int {
	end := r.used
	for end > 0 && !r.cells[end-1].written() {
		end--
	}
	if r.wrapped || !r.wiped || end < r.used {
		return end
	}
	for end > 0 && (r.cells[end-1] == 0 || r.cells[end-1] == ' ') {
		end--
	}
	return end
}

// appendRow appends the text of r to b.
func (p *Plain) appendRow(b []byte, r *row) []byte {
	end := r.end()
	for col := 0; col < end; col++ {
		switch c := r.cells[col]; {
		case c-' ' < 0x5f:
			b = append(b, byte(c))
		case c&(cellCluster|cellTab|cellTail) == 0 && c != 0:
			b = utf8.AppendRune(b, rune(c&cellText))
		case c&cellTab != 0:
			b, col = p.appendTab(b, r, col)
		default:
			b = p.term.appendText(b, c)
		}
	}
	return b
}

// appendTab appends the tab that begins in column col, and returns its last column. If the program
// has overwritten a part of it, the rest is blanks.
func (p *Plain) appendTab(b []byte, r *row, col int) (text []byte, last int) {
	end := col + 1
	for end < r.used && r.cells[end]&cellSkip != 0 {
		end++
	}
	if end < p.term.cols-1 && !p.term.tabs[end] {
		return p.term.appendText(b, r.cells[col]), col
	}
	b = append(b, '\t')
	for _, c := range r.cells[col:end] {
		blank := len(b)
		b = p.term.appendText(b, c)
		b = append(b[:blank], b[blank+1:]...) // its marks stay
	}
	return b, end - 1
}
