package screen

import "strings"

// execute implements handler.
func (p *Plain) execute(c byte) {
	switch c {
	case '\n':
		if p.flat && (p.cr || p.lnm || p.text.atStart()) {
			p.cr = false
			p.text.b = append(p.text.b, '\n')
			return
		}
		p.toScreen()
		p.newLine(p.lnm)
		p.toText()
	case '\v', '\f':
		p.toScreen()
		p.newLine(p.lnm)
	case '\r':
		if p.flat {
			p.cr = true
			return
		}
		p.scr.col = 0
		p.last = 0
	case '\b':
		p.toScreen()
		p.scr.col = max(min(p.scr.col, p.cols-1)-1, 0)
		p.last = 0
	case '\t':
		if p.flat && (!p.cr || p.text.atStart()) {
			p.cr = false
			p.text.b = append(p.text.b, '\t')
			return
		}
		p.toScreen()
		p.tab()
	case 0x0e, 0x0f: // SO, SI
		shift := int(0x0f - c)
		if p.graphics[shift] {
			p.toScreen()
		}
		p.shift = shift
	}
}

// newLine goes to the next row, and to its start if home says so.
func (p *Plain) newLine(home bool) {
	if home {
		p.scr.col = 0
	}
	p.lineFeed()
}

// esc implements handler.
func (p *Plain) esc(intermediates []byte, final byte) {
	if len(intermediates) == 1 && (intermediates[0] == '(' || intermediates[0] == ')') {
		set := int(intermediates[0] - '(')
		if final == '0' && set == p.shift {
			p.toScreen()
		}
		p.graphics[set] = final == '0'
		return
	}
	if len(intermediates) > 0 || strings.IndexByte("78DEHMc", final) < 0 {
		return
	}
	p.toScreen()
	switch final {
	case '7':
		p.save()
	case '8':
		p.restore()
	case 'D': // IND
		p.lineFeed()
	case 'E': // NEL
		p.newLine(true)
	case 'H': // HTS
		p.setTab(true)
	case 'M': // RI
		p.reverseFeed()
	case 'c': // RIS
		p.moving = true
		p.reset()
	}
}

// reverseFeed goes to the row above and keeps the column.
func (p *Plain) reverseFeed() {
	s := p.scr
	p.moving = true
	s.col = min(s.col, p.cols-1)
	if s.row == s.top {
		p.scrollDown(1)
	} else {
		s.row = max(s.row-1, 0)
	}
}

// csi implements handler.
func (p *Plain) csi(s *sequence) {
	switch {
	case s.ninter > 0:
		if s.private == 0 && s.ninter == 1 && s.inter[0] == '!' && s.final == 'p' { // DECSTR
			p.toScreen()
			p.softReset()
		}
	case s.private == 0:
		p.control(s)
	case s.private != '?':
	case s.final == 'h' || s.final == 'l':
		for i := range s.n {
			p.mode(s.param(i, 0), s.final == 'h')
		}
	case s.final == 'J' || s.final == 'K': // DECSED, DECSEL
		p.control(s)
	}
}

// control does the control sequences without private marker or intermediates.
func (p *Plain) control(s *sequence) {
	const known = "@ABCDEFGHIJKLMPSTXZ`abdefghlrsu"
	if strings.IndexByte(known, s.final) < 0 {
		return
	}
	if (s.final == 'J' || s.final == 'K') && s.param(0, 0) == 0 && p.flat && (!p.cr || p.text.atStart()) {
		return // nothing is right of the cursor or below it
	}
	if s.final == 'h' || s.final == 'l' { // SM, RM
		for i := range s.n {
			p.ansiMode(s.param(i, 0), s.final == 'h')
		}
		return
	}
	p.toScreen()
	n := s.count(0)
	switch s.final {
	case '@':
		p.shiftChars(n)
	case 'b': // REP
		p.repeat(n)
	case 'g': // TBC
		switch s.param(0, 0) {
		case 0:
			p.setTab(false)
		case 3:
			p.tabs = make([]bool, p.cols)
		}
	case 'I': // CHT
		for ; n > 0 && p.scr.col < p.cols-1; n-- {
			p.tab()
		}
	case 'J':
		p.eraseInDisplay(s.param(0, 0))
	case 'K':
		p.eraseInLine(s.param(0, 0))
	case 'L':
		p.moving = true
		p.shiftLines(n)
	case 'M':
		p.moving = true
		p.shiftLines(-n)
	case 'P':
		p.shiftChars(-n)
	case 'S':
		p.moving = true
		p.scrollUp(n, false)
		p.clean = 0
	case 'T':
		if p.moving = true; s.n <= 1 { // with more parameters it is xterm's highlight tracking
			p.scrollDown(n)
		}
	case 'X':
		p.eraseChars(n)
	default:
		p.move(s, n)
	}
}

// move does the control sequences that move the cursor.
func (p *Plain) move(s *sequence, n int) {
	scr := p.scr
	col := min(scr.col, p.cols-1)
	switch s.final {
	case 'A', 'F': // CUU, CPL
		p.up(n)
	case 'B', 'E', 'e': // CUD, CNL, VPR
		p.down(n)
	case 'H', 'f': // CUP, HVP
		p.goTo(n - 1)
		col = s.count(1) - 1
	case 'd': // VPA
		p.goTo(n - 1)
	case 'C', 'a': // CUF, HPR
		col += n
	case 'D': // CUB
		col -= n
	case 'G', '`': // CHA, HPA
		col = n - 1
	case 'Z': // CBT
		for ; n > 0 && col > 0; n-- {
			for col--; col > 0 && !p.stop(col); col-- {
			}
		}
	case 'r': // DECSTBM
		p.region(n-1, s.param(1, 0))
		return
	case 's':
		p.save()
		return
	case 'u':
		p.restore()
		return
	}
	if s.final == 'E' || s.final == 'F' {
		col = 0
	}
	scr.col = max(min(col, p.cols-1), 0)
	p.last = 0
}

// up moves n rows up, to the top of the scroll region if the cursor is not
// above it.
func (p *Plain) up(n int) {
	s := p.scr
	p.moving = true
	limit := 0
	if s.row >= s.top {
		limit = s.top
	}
	s.row = max(s.row-n, limit)
}

// down moves n rows down, to the bottom of the scroll region if the cursor is
// not below it.
func (p *Plain) down(n int) {
	s := p.scr
	limit := p.rows - 1
	if s.row <= s.bottom {
		limit = s.bottom
	}
	s.row = min(s.row+n, limit)
}

// goTo moves to a row, which in origin mode is one of the scroll region.
func (p *Plain) goTo(row int) {
	s := p.scr
	p.moving = true
	if p.origin {
		s.row = min(s.top+row, s.bottom)
	} else {
		s.row = min(row, p.rows-1)
	}
}

// osc implements handler: titles, links and the like are not text.
func (p *Plain) osc([]byte, bool) {}

// dcs implements handler.
func (p *Plain) dcs(*sequence, []byte) {}
