package screen

import "strings"

// A sequence that Plain ignores while it holds the screen as text must never change the terminal,
// not even the character that REP repeats.

// execute implements handler.
func (p *Plain) execute(c byte) {
	term := p.term
	switch c {
	case '\n':
		if p.flat && (p.cr || term.modes&modeNewLine != 0 || p.text.atStart()) {
			p.cr = false
			p.text.b = append(p.text.b, '\n')
			return
		}
		p.toScreen()
		term.execute(c)
		p.toText()
	case '\r':
		if p.flat {
			p.cr = true
			return
		}
		term.execute(c)
	case '\t':
		if p.flat && (!p.cr || p.text.atStart()) {
			p.cr = false
			p.text.b = append(p.text.b, '\t')
			return
		}
		p.toScreen()
		term.interrupt()
		p.tab()
	case '\b', '\v', '\f':
		p.toScreen()
		term.execute(c)
	case 0x0e, 0x0f: // SO, SI
		if term.charsets.gl != 0x0f-c {
			p.toScreen()
			term.execute(c)
		}
	}
}

// esc implements handler.
func (p *Plain) esc(intermediates []byte, final byte) {
	term := p.term
	switch i := string(intermediates); {
	case len(i) == 1 && strings.Contains("()*+-./", i):
		if final == '0' || final == 'A' {
			p.toScreen()
		}
		term.charsets.designate(i[0], final)
		term.updateDirect()
	case i == "#" && final == '8', i == "" && strings.IndexByte("6789DEHMNOcno", final) >= 0:
		p.toScreen()
		p.clean = 0
		p.moving = p.moving || strings.IndexByte("689Mc", final) >= 0
		term.esc(intermediates, final)
	}
}

// csi implements handler.
func (p *Plain) csi(s *sequence) {
	switch public := s.private == '?'; {
	case s.ninter > 0:
		p.extended(s)
	case s.private != 0 && !public:
	case s.final == 'J' || s.final == 'K': // Plain protects no text from DECSED and DECSEL
		p.erase(s)
	case strings.IndexByte("hl", s.final) >= 0, public && strings.IndexByte("sr", s.final) >= 0:
		for i := range s.n {
			p.mode(s.param(i, 0), s.final, public)
		}
	case public:
	case s.final == 'I': // CHT
		p.toScreen()
		p.term.interrupt()
		for n := s.count(0); n > 0 && p.tabStop(); n-- {
		}
	case strings.IndexByte("@ABCDEFGHLMPSTXZ^`abdefgjkrsu", s.final) >= 0:
		p.apply(s, strings.IndexByte("AFHLMSTdfkru^", s.final) >= 0)
	}
}

// extended applies the control sequences with intermediates that move text: DECSTR and those of a
// VT420.
func (p *Plain) extended(s *sequence) {
	switch string(s.intermediates()) + string(s.final) {
	case "!p":
		p.apply(s, false)
	case `"p`, " @", " A", "'}", "'~", "$x", "$z", "${", "$v":
		p.apply(s, true)
	}
}

// apply applies a control sequence to the terminal. moves tells whether the program moves about the
// screen with it.
func (p *Plain) apply(s *sequence, moves bool) {
	p.toScreen()
	p.clean = 0
	p.moving = p.moving || moves
	p.term.csi(s)
}

// erase applies ED and EL. At the end of the text they have no effect, and Plain still holds the
// screen as text.
func (p *Plain) erase(s *sequence) {
	extent := s.param(0, 0)
	if p.flat && extent == toEnd && (!p.cr || p.text.atStart()) {
		return
	}
	p.toScreen()
	term := p.term
	r := term.line()
	if extent != toEnd || !term.pending && term.col < r.used || s.final == 'J' && term.row < term.rows-1 {
		p.clean = 0
	}
	if s.final == 'K' {
		term.eraseLine(extent, false)
		return
	}
	p.moving = p.moving || extent == toStart || extent == whole
	term.eraseScreen(extent, false)
	if extent == toEnd && term.col == 0 {
		r.settled = min(r.settled, replaced)
	}
}

// mode sets, resets, saves or restores a mode, if the mode changes where text goes.
func (p *Plain) mode(n int, final byte, public bool) {
	term, on := p.term, final == 'h'
	switch {
	case !public && n == 4: // IRM
		p.toScreen()
		p.clean = 0
		term.setANSI(n, on)
	case !public && n == 20: // LNM
		term.setANSI(n, on)
	case !public:
	case n == 25: // DECTCEM
		p.moving = p.moving || final == 'l'
	case n == 7 && p.flat && on: // DECAWM is on already
	case n == 3, n == 6, n == 7, n == 40, n == 45, n == 47, n == 69, n == 1045, n >= 1047 && n <= 1049, n == 2027:
		p.toScreen()
		p.clean = 0
		p.moving = p.moving || n == 6 || n == 47 || n == 1047 || n == 1049 || n == 1048 && !on
		term.interrupt()
		term.privateMode(final, n)
	}
}

// osc implements handler. Titles, links and the like are not text.
func (p *Plain) osc([]byte, bool) {}

// dcs implements handler.
func (p *Plain) dcs(*sequence, []byte) {}
