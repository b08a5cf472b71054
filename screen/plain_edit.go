package screen

// erase empties the columns from..to-1 of a row, and ends its line there if
// they reach its end. A row of which nothing is left begins no line and ends
// none.
func (p *Plain) erase(row, from, to int) {
	s := p.scr
	r := s.rows[row]
	if to >= p.cols {
		to = len(r.cells) // with what a resize has left behind the last column
		if from < to {
			p.breakAfter(row)
		}
	}
	if from < r.used || len(r.marks) > 0 {
		p.clean = 0
		r.erase(from, to)
	}
	if from == 0 && to >= r.used && r.used == 0 {
		r.marks = r.marks[:0]
		r.cont, r.ended = false, false
	}
}

// eraseInLine is EL (ECMA-48 8.3.41). Behind the last column nothing is left
// to erase: a line that fills the row keeps its last character. Marks without
// a character are before the cursor.
func (p *Plain) eraseInLine(part int) {
	s := p.scr
	switch r := s.rows[s.row]; part {
	case 0:
		if s.col > 0 || r.used > 0 || len(r.marks) == 0 {
			p.erase(s.row, s.col, p.cols)
		}
	case 1:
		p.erase(s.row, 0, min(s.col+1, p.cols))
	case 2:
		p.erase(s.row, 0, p.cols)
	}
}

// eraseInDisplay is ED (ECMA-48 8.3.39). The scrollback, part 3, is not ours
// to erase. Rows erased to the last one count as never written.
func (p *Plain) eraseInDisplay(part int) {
	s := p.scr
	from, to := 0, p.rows
	switch part {
	case 0:
		p.eraseInLine(0)
		from = s.row + 1
		s.reached = min(s.reached, s.row)
		if s.col == 0 {
			p.replace(s.row)
		}
	case 1:
		p.moving = true
		p.eraseInLine(1)
		to = s.row
	case 2:
		p.moving = true
		s.reached = -1
	default:
		return
	}
	for row := from; row < to; row++ {
		p.erase(row, 0, p.cols)
		p.replace(row)
	}
}

// replace says that what a row will hold is new, whatever was written of it.
func (p *Plain) replace(row int) {
	if r := p.scr.rows[row]; r.settled == written {
		r.settled = replaced
	}
}

// eraseChars is ECH (ECMA-48 8.3.38).
func (p *Plain) eraseChars(n int) {
	s := p.scr
	col := min(s.col, p.cols-1)
	p.erase(s.row, col, min(col+n, p.cols))
}

// shiftChars is ICH for a positive n and DCH for a negative one (ECMA-48
// 8.3.64, 8.3.26).
func (p *Plain) shiftChars(n int) {
	s := p.scr
	s.col = min(s.col, p.cols-1)
	n = max(min(n, p.cols-s.col), s.col-p.cols)
	p.clean = 0
	s.rows[s.row].shift(s.col, n, p.cols)
	p.breakAfter(s.row)
}

// shiftLines is IL for a positive n and DL for a negative one (ECMA-48 8.3.67,
// 8.3.32). Outside of the scroll region they do nothing.
func (p *Plain) shiftLines(n int) {
	s := p.scr
	if s.row < s.top || s.row > s.bottom {
		return
	}
	s.col = 0
	top := s.top
	s.top = s.row
	if n > 0 {
		p.scrollDown(n)
	} else {
		p.clean = 0
		for range min(-n, s.bottom-s.top+1) {
			s.rotate(s.top, s.bottom)
		}
		s.cut()
		s.rows[s.top].cont = false
	}
	s.top = top
}

// scrollDown moves the rows of the scroll region down by n. What leaves it at
// the bottom is gone.
func (p *Plain) scrollDown(n int) {
	s := p.scr
	p.clean = 0
	s.rows[s.top].cont = false
	for range min(n, s.bottom-s.top+1) {
		r := s.rows[s.bottom]
		copy(s.rows[s.top+1:s.bottom+1], s.rows[s.top:s.bottom])
		r.reset()
		s.rows[s.top] = r
		if s.reached >= s.top && s.reached < s.bottom {
			s.reached++
		}
	}
	s.cut()
}

// resize gives a screen the size of the terminal. With keep, rows that leave
// its top are written out.
func (p *Plain) resize(s *plainScreen, keep bool) {
	for len(s.rows) > p.rows {
		last := len(s.rows) - 1
		if s.row < last && s.rows[last].blank() {
			s.rows = s.rows[:last]
			continue
		}
		if keep {
			p.scrollOff(false)
		}
		s.rows = s.rows[1:]
		s.row = max(s.row-1, 0)
		s.reached = max(s.reached-1, -1)
	}
	for len(s.rows) < p.rows {
		s.rows = append(s.rows, &plainRow{})
	}
	for _, r := range s.rows {
		if n := p.cols - len(r.cells); n > 0 {
			r.cells = append(r.cells, make([]rune, n)...)
		}
	}
	s.top, s.bottom = 0, p.rows-1
	s.col = min(s.col, p.cols-1)
	s.reached = min(s.reached, s.bottom)
}
