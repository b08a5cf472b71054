package screen

import "unicode/utf8"

// A plainScreen is a screen with a cursor. The text it holds is main's or that
// of the alternate screen.
type plainScreen struct {
	rows        []*plainRow
	col, row    int // col is one behind the last column while a wrap is pending
	top, bottom int // the scroll region, both rows included
	reached     int // the last row that text or a line feed has come to, -1 for none
	saved       plainCursor
}

// A plainCursor is what DECSC saves.
type plainCursor struct {
	col, row int
	graphics [2]bool
	shift    int
	origin   bool
}

func newPlainScreen(cols, rows int) *plainScreen {
	s := &plainScreen{bottom: rows - 1, reached: -1}
	cells := make([]rune, cols*rows)
	all := make([]plainRow, rows)
	for i := range all {
		all[i].cells = cells[i*cols : (i+1)*cols : (i+1)*cols]
		s.rows = append(s.rows, &all[i])
	}
	return s
}

// clear makes s a screen that nothing was written to, cursor at home.
func (s *plainScreen) clear() {
	for _, r := range s.rows {
		r.reset()
	}
	s.col, s.row, s.top, s.bottom, s.reached = 0, 0, 0, len(s.rows)-1, -1
}

// end returns the number of rows that are to be written in the end.
func (s *plainScreen) end() int {
	n := 0
	if s.row <= s.reached {
		n = s.row + 1
	}
	for i, r := range s.rows {
		switch {
		case r.ended:
			n = max(n, i+2)
		case !r.blank():
			n = max(n, i+1)
		}
	}
	return min(n, len(s.rows))
}

// toScreen makes sure that the screen is held as cells.
func (p *Plain) toScreen() {
	if !p.flat {
		return
	}
	p.trim()
	if old := p.main; old == nil || len(old.rows) != p.rows || len(old.rows[0].cells) < p.cols {
		p.main = newPlainScreen(p.cols, p.rows)
		if old != nil {
			p.main.saved = old.saved
		}
	}
	p.main.clear()
	p.scr = p.main
	p.flat = false
	t := &p.text
	p.open = t.open && t.written == 0
	p.main.rows[0].cont = t.open
	p.last = 0
	for b := t.b; len(b) > 0; {
		if n := printable(b); n > 0 {
			p.printASCII(b[:n])
			b = b[n:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		switch r {
		case '\n':
			p.main.col = 0
			p.lineFeed()
		case '\t':
			p.tab()
		default:
			p.print(r)
		}
		b = b[n:]
	}
	for i, start := range t.starts {
		if start < t.written {
			p.settle(i)
		}
	}
	if p.cr {
		p.cr = false
		p.main.col = 0
		p.last = 0
	}
	p.clean = 0
	p.text.reset()
}

// toText holds the screen as text again, if nothing but text has been written
// for a whole screen and no mode would make text anything but text. The cursor
// is at the start of a new line.
func (p *Plain) toText() {
	s := p.main
	if p.clean < p.rows || p.scr != s || p.noWrap || p.insert || p.graphics[p.shift] || p.tabs != nil ||
		s.col != 0 || s.row != p.rows-1 || s.top != 0 || s.bottom != s.row {
		return
	}
	t := &p.text
	t.reset()
	if p.open && !s.rows[0].cont {
		p.out = append(p.out, '\n')
		p.open = false
	}
	t.open = s.rows[0].cont
	for i, r := range s.rows {
		if i > 0 && !r.cont {
			t.b = append(t.b, '\n')
		}
		if r.settled == fresh && t.written == 0 && i > 0 && s.rows[i-1].settled != fresh {
			t.written = len(t.b)
		}
		t.b = r.appendTo(t.b, i+1 < len(s.rows) && s.rows[i+1].cont)
	}
	p.flat, p.clean, p.open = true, 0, false
	p.flush()
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
	if p.insert || p.noWrap || p.graphics[p.shift] {
		for _, c := range text {
			p.put(p.drawn(rune(c)), 1)
		}
		return
	}
	s := p.scr
	for len(text) > 0 {
		if s.col == p.cols {
			p.wrap()
		}
		n := min(len(text), p.cols-s.col)
		if !s.rows[s.row].put(s.col, text[:n]) {
			p.clean = 0
		}
		s.col += n
		p.last = rune(text[n-1])
		text = text[n:]
	}
	s.reached = max(s.reached, s.row)
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
	if w := min(runeWidth(r), p.cols); w > 0 {
		p.put(r, w)
		return
	}
	p.mark(r)
	p.last = r
}

// put writes a character of one or two columns.
func (p *Plain) put(r rune, width int) {
	s := p.scr
	if s.col+width > p.cols {
		if p.noWrap {
			s.col = p.cols - width
		} else {
			p.wrap()
		}
	}
	row := s.rows[s.row]
	if p.insert {
		p.clean = 0
		row.shift(s.col, width, p.cols)
		p.breakAfter(s.row)
	}
	if row.used != s.col {
		p.clean = 0
		row.open(s.col, s.col+width)
	}
	row.cells[s.col] = over(row.cells[s.col], r)
	if width == 2 {
		row.cells[s.col+1] = wideTail
	}
	row.used = max(row.used, s.col+width)
	s.col += width
	if p.noWrap {
		s.col = min(s.col, p.cols-1)
	}
	s.reached = max(s.reached, s.row)
	p.last = r
}

// mark adds a character that takes no column to the cell before the cursor.
func (p *Plain) mark(r rune) {
	s := p.scr
	if len(s.rows[s.row].marks) >= maxMarks {
		if p.noWrap {
			return
		}
		p.wrap()
	}
	if s.col < s.rows[s.row].used {
		p.clean = 0
	}
	s.rows[s.row].mark(s.col, r)
	s.reached = max(s.reached, s.row)
}

// tab moves to the next tab stop. Where no column is left it does not move,
// and is kept with the character before: on a wider screen it would show.
func (p *Plain) tab() {
	s := p.scr
	p.last = 0
	if s.col >= p.cols-1 {
		p.mark('\t')
		return
	}
	to := s.col + 1
	for to < p.cols-1 && !p.stop(to) {
		to++
	}
	if !s.rows[s.row].tab(s.col, to) {
		p.clean = 0
	}
	s.col = to
	s.reached = max(s.reached, s.row)
}

// wrap goes on with the line on the next row.
func (p *Plain) wrap() {
	s := p.scr
	row := s.row
	if row == s.bottom {
		p.scrollUp(1, true)
	} else {
		s.row = min(row+1, p.rows-1)
	}
	s.col = 0
	s.rows[s.row].cont = s.row != row || row == s.bottom
	s.reached = max(s.reached, s.row)
}

// lineFeed goes to the next row and keeps the column; a pending wrap is over.
func (p *Plain) lineFeed() {
	s := p.scr
	s.col = min(s.col, p.cols-1)
	p.last = 0
	s.rows[s.row].ended = true
	if s.row == s.bottom {
		p.scrollUp(1, false)
	} else {
		s.row = min(s.row+1, p.rows-1)
	}
	s.reached = max(s.reached, s.row)
}

// scrollUp moves the rows of the scroll region up by n. What leaves the top of
// the main screen is written out; joined says that the line of the last row
// will go on in the row that comes free.
func (p *Plain) scrollUp(n int, joined bool) {
	s := p.scr
	whole := s.top == 0 && s.bottom == p.rows-1
	for range min(n, s.bottom-s.top+1) {
		if s.top == 0 && s == p.main {
			p.scrollOff(joined)
		}
		s.rotate(s.top, s.bottom)
		if s.reached <= s.bottom {
			s.reached = max(s.reached-1, -1)
		}
	}
	if !whole {
		p.clean = 0
		s.cut()
		return
	}
	p.clean += n
}

// rotate moves the rows top+1..bottom up by one; the row at bottom is new.
func (s *plainScreen) rotate(top, bottom int) {
	r := s.rows[top]
	copy(s.rows[top:bottom], s.rows[top+1:bottom+1])
	r.reset()
	s.rows[bottom] = r
}

// cut ends the lines at the borders of the scroll region, whose rows have got
// other neighbours.
func (s *plainScreen) cut() {
	if s.top > 0 {
		s.rows[s.top].cont = false
	}
	if s.bottom+1 < len(s.rows) {
		s.rows[s.bottom+1].cont = false
	}
}

// breakAfter says that the line of a row does not go on in the next.
func (p *Plain) breakAfter(row int) {
	if row+1 < p.rows {
		p.scr.rows[row+1].cont = false
	}
}
