package screen

import (
	"fmt"
	"strings"
)

// The size of a cell in pixels, for programs that ask for it.
const (
	cellWidth  = 10
	cellHeight = 20
)

// deviceAttributes answers DA1, DA2 and DA3, which differ in their private marker.
func (t *Terminal) deviceAttributes(s *sequence) {
	switch {
	case s.param(0, 0) != 0:
	case s.private == 0:
		t.primaryAttributes()
	case s.private == '>':
		t.secondaryAttributes()
	case s.private == '=':
		t.tertiaryAttributes()
	}
}

// primaryAttributes answers DA1 and DECID: a VT220 with selective erase and
// colour, or a VT420 with horizontal scrolling and rectangles too.
func (t *Terminal) primaryAttributes() {
	if t.level >= 4 {
		t.reply("\x1b[?64;6;21;22;28c")
		return
	}
	t.reply("\x1b[?62;6;22c")
}

// secondaryAttributes answers DA2, without a version. It must not promise more than DA1, or programs
// use features that the terminal does not have.
func (t *Terminal) secondaryAttributes() {
	if t.level >= 4 {
		t.reply("\x1b[>41;0;0c")
		return
	}
	t.reply("\x1b[>1;0;0c")
}

// tertiaryAttributes answers DA3 with unit number 0 (DECRPTUI).
func (t *Terminal) tertiaryAttributes() { t.reply("\x1bP!|00000000\x1b\\") }

// version answers XTVERSION.
func (t *Terminal) version() { t.reply("\x1bP>|devtools\x1b\\") }

// keyboardFlags answers the query of the kitty keyboard protocol.
func (t *Terminal) keyboardFlags() { t.reply("\x1b[?%du", t.kitty().flags()) }

// status returns the constant answer to a private DSR, "" if it has none.
func status(n int) string {
	switch n {
	case 15:
		return "?13n" // no printer
	case 25:
		return "?20n" // no user-defined keys
	case 26:
		return "?27;1;0;0n" // a North American keyboard
	case 53, 55:
		return "?50n" // no locator
	case 56:
		return "?57;0n"
	case 62:
		return "0000*{" // no macros
	case 75:
		return "?70n" // no malfunction
	case 85:
		return "?83n" // one session
	case 996:
		return "?997;1n" // a dark colour scheme
	}
	return ""
}

// report answers DSR, or a private DSR of DEC.
func (t *Terminal) report(n int, private bool) {
	col, row := t.position()
	switch {
	case n == 5 && !private:
		t.reply("\x1b[0n")
	case n == 6 && private:
		t.reply("\x1b[?%d;%dR", row+1, col+1)
	case n == 6:
		t.reply("\x1b[%d;%dR", row+1, col+1)
	case private && status(n) != "":
		t.reply("\x1b[%s", status(n))
	}
}

// requestMode answers DECRQM.
func (t *Terminal) requestMode(s *sequence) {
	n := s.param(0, 0)
	if s.private == '?' {
		t.reply("\x1b[?%d;%d$y", n, t.mode(n))
		return
	}
	if s.private != 0 {
		return
	}
	state := 0
	if m := ansiMode(n); m != 0 {
		state = 2
		if t.modes&m != 0 {
			state = 1
		}
	}
	t.reply("\x1b[%d;%d$y", n, state)
}

// dcs implements handler: it answers DECRQSS, refuses XTGETTCAP, and ignores all else.
func (t *Terminal) dcs(s *sequence, data []byte) {
	t.joining = false
	switch string(s.intermediates()) + string(s.final) {
	case "$q":
		if setting, ok := t.setting(string(data)); ok {
			t.reply("\x1bP1$r%s\x1b\\", setting)
		} else {
			t.reply("\x1bP0$r\x1b\\")
		}
	case "+q":
		t.reply("\x1bP0+r\x1b\\")
	}
}

// setting returns the control function that sets a setting to its present value (DECRQSS). function
// is its intermediate and final bytes.
func (t *Terminal) setting(function string) (string, bool) {
	switch function {
	case "m":
		return t.graphicRendition() + "m", true
	case "r":
		return fmt.Sprintf("%d;%dr", t.top+1, t.bottom+1), true
	case "s":
		return fmt.Sprintf("%d;%ds", t.left+1, t.right+1), true
	case "t", "*|":
		return fmt.Sprintf("%d%s", t.rows, function), true
	case "$|":
		return fmt.Sprintf("%d$|", t.cols), true
	case " q":
		n := int(t.shape)*2 + 2
		if t.modes&modeBlink != 0 {
			n--
		}
		return fmt.Sprintf("%d q", n), true
	case `"p`:
		return fmt.Sprintf(`%d;1"p`, 60+t.level), true
	case `"q`:
		if t.style.Has(Protected) {
			return `1"q`, true
		}
		return `0"q`, true
	}
	return "", false
}

// graphicRendition returns the parameters of SGR for the style in force.
func (t *Terminal) graphicRendition() string {
	return strings.Join(append([]string{"0"}, Style{}.Changes(t.style)...), ";")
}

// titles are an entry of the stack of XTWINOPS 22.
type titles struct{ title, icon string }

// window answers or applies XTWINOPS: the sizes, and the stack of titles. It never reports a title:
// the answer would arrive as typed input, and a program can choose its text.
func (t *Terminal) window(s *sequence) {
	which := s.param(1, 0)
	switch s.param(0, 0) {
	case 11:
		t.reply("\x1b[1t")
	case 13:
		t.reply("\x1b[3;0;0t")
	case 14:
		t.reply("\x1b[4;%d;%dt", t.rows*cellHeight, t.cols*cellWidth)
	case 15:
		t.reply("\x1b[5;%d;%dt", t.rows*cellHeight, t.cols*cellWidth)
	case 16:
		t.reply("\x1b[6;%d;%dt", cellHeight, cellWidth)
	case 18:
		t.reply("\x1b[8;%d;%dt", t.rows, t.cols)
	case 19:
		t.reply("\x1b[9;%d;%dt", t.rows, t.cols)
	case 20:
		t.reply("\x1b]L\x1b\\")
	case 21:
		t.reply("\x1b]l\x1b\\")
	case 22:
		if len(t.titles) < maxTitles {
			t.titles = append(t.titles, titles{t.title, t.icon})
		}
	case 23:
		t.popTitles(which)
	}
}

// popTitles restores both titles, for 1 only the icon's, and for 2 only the window's.
func (t *Terminal) popTitles(which int) {
	if len(t.titles) == 0 {
		return
	}
	last := t.titles[len(t.titles)-1]
	t.titles = t.titles[:len(t.titles)-1]
	if which != 1 {
		t.title = last.title
	}
	if which != 2 {
		t.icon = last.icon
	}
}

// checksum answers DECRQCRA: the negated sum of the characters and attributes in a rectangle (DEC
// STD 070; xterm's weights).
func (t *Terminal) checksum(id, top, left, bottom, right int) {
	var sum uint16
	for row := top; row < bottom; row++ {
		for _, c := range t.page.rows[row].cells[left:right] {
			if !c.written() {
				continue
			}
			if c&cellCluster == 0 {
				sum += uint16(c & cellText)
			} else {
				for _, r := range t.clusters.at(uint32(c & cellText)) {
					sum += uint16(r)
				}
			}
			if n := c.style(); n > 0 {
				sum += t.styles.at(n).weight()
			}
		}
	}
	t.reply("\x1bP%d!~%04X\x1b\\", id, -sum)
}

// weight returns what a style adds to a checksum.
func (s Style) weight() (sum uint16) {
	for _, w := range [...]struct {
		attribute Attributes
		weight    uint16
	}{{Protected, 0x04}, {Hidden, 0x08}, {Reverse, 0x20}, {Blink, 0x40}, {Bold, 0x80}} {
		if s.Has(w.attribute) {
			sum += w.weight
		}
	}
	if s.Underline != NoUnderline {
		sum += 0x10
	}
	return sum
}
