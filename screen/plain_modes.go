package screen

import "slices"

// ansiMode sets or resets a mode that ECMA-48 knows (SM, RM).
func (p *Plain) ansiMode(mode int, set bool) {
	switch mode {
	case 4: // IRM
		p.toScreen()
		p.insert = set
	case 20: // LNM
		p.lnm = set
	}
}

// mode sets or resets a private mode (DECSET, DECRST).
func (p *Plain) mode(mode int, set bool) {
	switch mode {
	case 6: // DECOM
		p.toScreen()
		p.origin = set
		p.scr.col = 0
		p.goTo(0)
	case 7: // DECAWM
		if p.noWrap == set {
			p.toScreen()
			p.scr.col = min(p.scr.col, p.cols-1)
		}
		p.noWrap = !set
	case 25: // DECTCEM
		p.moving = p.moving || !set
	case 47, 1047:
		p.toScreen()
		p.alternate(set)
	case 1048:
		p.toScreen()
		if set {
			p.save()
		} else {
			p.restore()
		}
	case 1049:
		p.toScreen()
		if set && p.scr == p.main {
			p.save()
		}
		p.alternate(set)
		if !set {
			p.restore()
		}
	}
}

// alternate changes to the alternate screen, which is empty then, or back. The
// cursor stays where it is.
func (p *Plain) alternate(on bool) {
	p.moving = true
	p.clean = 0
	from := p.scr
	at := *from
	switch {
	case on && from == p.main:
		if p.alt == nil {
			p.alt = newPlainScreen(p.cols, p.rows)
		}
		p.alt.clear()
		p.scr = p.alt
	case !on && from == p.alt:
		p.alt.clear()
		p.scr = p.main
	default:
		return
	}
	p.scr.col, p.scr.row, p.scr.top, p.scr.bottom = at.col, at.row, at.top, at.bottom
}

// save is DECSC, which does not keep a pending wrap.
func (p *Plain) save() {
	s := p.scr
	s.saved = plainCursor{min(s.col, p.cols-1), s.row, p.graphics, p.shift, p.origin}
}

// restore is DECRC; the cursor goes home if it was never saved.
func (p *Plain) restore() {
	s := p.scr
	p.moving = true
	p.last = 0
	c := s.saved
	s.col, s.row = min(c.col, p.cols-1), min(c.row, p.rows-1)
	p.graphics, p.shift, p.origin = c.graphics, c.shift, c.origin
}

// region is DECSTBM with the first row and the row behind the last. A region
// of less than two rows is none.
func (p *Plain) region(top, end int) {
	s := p.scr
	if end == 0 || end > p.rows {
		end = p.rows
	}
	if top+1 >= end {
		return
	}
	p.clean = 0
	s.top, s.bottom = top, end-1
	s.col = 0
	p.goTo(0)
}

// softReset is DECSTR.
func (p *Plain) softReset() {
	s := p.scr
	p.noWrap, p.insert, p.origin = false, false, false
	p.graphics, p.shift = [2]bool{}, 0
	s.saved = plainCursor{}
	s.top, s.bottom = 0, p.rows-1
	s.col = min(s.col, p.cols-1)
	p.clean = 0
	p.last = 0
}

// reset is RIS.
func (p *Plain) reset() {
	p.alternate(false)
	p.softReset()
	p.lnm, p.tabs = false, nil
	p.scr.row, p.scr.col = 0, 0
	p.eraseInDisplay(2)
}

// maxRepeat bounds how often one REP repeats a character, since a few bytes
// of input would otherwise become very much output.
const maxRepeat = 4096

// repeat is REP (ECMA-48 8.3.103): the character before comes n times more.
func (p *Plain) repeat(n int) {
	if p.last == 0 {
		return
	}
	width := min(runeWidth(p.last), p.cols)
	for range min(n, maxRepeat) {
		if width == 0 {
			p.mark(p.last)
		} else {
			p.put(p.last, width)
		}
	}
}

// stop reports whether col has a tab stop.
func (p *Plain) stop(col int) bool {
	if p.tabs == nil {
		return col%8 == 0
	}
	return p.tabs[col]
}

// setTab sets or clears the tab stop in the column of the cursor.
func (p *Plain) setTab(set bool) {
	if p.tabs == nil {
		p.tabs = defaultTabs(p.cols)
	}
	p.tabs[min(p.scr.col, p.cols-1)] = set
	if slices.Equal(p.tabs, defaultTabs(p.cols)) {
		p.tabs = nil
	}
}

func defaultTabs(cols int) []bool {
	tabs := make([]bool, cols)
	for col := 8; col < cols; col += 8 {
		tabs[col] = true
	}
	return tabs
}

// drawn returns what c is in the character set in use: DEC special graphics
// have line drawing in place of the characters from U+005F.
func (p *Plain) drawn(c rune) rune {
	if !p.graphics[p.shift] {
		return c
	}
	return drawing(c)
}

// drawing returns the character that DEC special graphics have in place of c.
func drawing(c rune) rune {
	const from = 0x5f
	if c < from || c > 0x7e {
		return c
	}
	return graphics[c-from]
}

var graphics = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}
