package screen

import "bytes"

// esc implements handler.
func (t *Terminal) esc(intermediates []byte, final byte) {
	t.interrupt()
	if len(intermediates) == 1 {
		switch i := intermediates[0]; {
		case i >= '(' && i <= '/' && i != ',':
			t.charsets.designate(i, final)
			t.prepare()
		case i == '#' && final == '8':
			t.align()
		}
		return
	}
	if len(intermediates) > 0 {
		return
	}
	switch final {
	case '6':
		t.backIndex()
	case '7':
		t.save()
	case '8':
		t.restore()
	case '9':
		t.forwardIndex()
	case '=':
		t.modes |= modeAppKeypad
	case '>':
		t.modes &^= modeAppKeypad
	case 'D':
		t.index()
	case 'E':
		t.index()
		t.col = t.lineStart()
	case 'H':
		t.tabs[t.col] = true
	case 'M':
		t.reverseIndex()
	case 'N', 'O': // SS2, SS3
		t.charsets.single = final - 'N' + 2
		t.prepare()
	case 'Z':
		t.primaryAttributes()
	case 'c':
		t.reset()
	case 'n', 'o': // LS2, LS3
		t.charsets.gl = final - 'n' + 2
		t.prepare()
	}
}

// backIndex is DECBI.
func (t *Terminal) backIndex() {
	switch {
	case t.level < 4:
	case t.col == t.left && t.inMargins():
		t.shiftColumns(t.left, 1)
	case t.col > 0:
		t.col, t.pending = t.col-1, false
	}
}

// forwardIndex is DECFI.
func (t *Terminal) forwardIndex() {
	switch {
	case t.level < 4:
	case t.col == t.right && t.inMargins():
		t.shiftColumns(t.left, -1)
	case t.col < t.cols-1:
		t.col, t.pending = t.col+1, false
	}
}

// csi implements handler.
func (t *Terminal) csi(s *sequence) {
	last := t.last
	t.interrupt()
	if s.final == 'b' && s.private == 0 && s.ninter == 0 {
		t.last = last
	}
	switch {
	case s.ninter > 0:
		t.extended(s)
	case s.private == 0:
		t.control(s)
	default:
		t.private(s)
	}
}

// control applies a control sequence that is in ECMA-48, or has its form.
func (t *Terminal) control(s *sequence) {
	n := s.count(0)
	switch s.final {
	case '@':
		t.insertCharacters(n)
	case 'A', 'k':
		t.up(n)
	case 'B':
		t.down(n)
	case 'C':
		t.forward(n)
	case 'D', 'j':
		t.back(n)
	case 'E':
		t.down(n)
		t.col = t.lineStart()
	case 'F':
		t.up(n)
		t.col = t.lineStart()
	case 'G', '`':
		_, row := t.position()
		t.moveTo(n-1, row)
	case 'H', 'f':
		t.moveTo(s.count(1)-1, n-1)
	case 'I':
		t.tab(n)
	case 'J':
		t.eraseScreen(s.param(0, 0), false)
	case 'K':
		t.eraseLine(s.param(0, 0), false)
	case 'L':
		t.insertLines(n)
	case 'M':
		t.deleteLines(n)
	case 'P':
		t.deleteCharacters(n)
	case 'S':
		t.scrollUp(n)
	case 'T', '^':
		if s.n <= 1 { // with five parameters it is mouse tracking
			t.scrollDown(t.top, n)
		}
	case 'X':
		t.eraseCharacters(n)
	case 'Z':
		t.tabBack(n)
	case 'a':
		col, row := t.position()
		t.moveTo(col+n, row)
	case 'b':
		t.repeat(n)
	case 'c':
		if s.param(0, 0) == 0 {
			t.primaryAttributes()
		}
	case 'd':
		col, _ := t.position()
		t.moveTo(col, n-1)
	case 'e':
		col, row := t.position()
		t.moveTo(col, row+n)
	case 'g':
		t.clearTabs(s.param(0, 0))
	case 'h', 'l':
		for i := range s.n {
			t.setANSI(s.param(i, 0), s.final == 'h')
		}
	case 'm':
		t.selectGraphics(s)
	case 'n':
		t.report(s.param(0, 0), false)
	case 'r':
		t.setRegion(n, s.param(1, 0))
	case 's':
		if t.modes&modeMargins != 0 {
			t.setMargins(n, s.param(1, 0))
		} else {
			t.save()
		}
	case 't':
		t.window(s)
	case 'u':
		t.restore()
	}
}

// private applies a control sequence with a private marker.
func (t *Terminal) private(s *sequence) {
	public := s.private == '?'
	switch s.final {
	case 'J':
		if public {
			t.eraseScreen(s.param(0, 0), true)
		}
	case 'K':
		if public {
			t.eraseLine(s.param(0, 0), true)
		}
	case 'c':
		switch {
		case s.param(0, 0) != 0:
		case s.private == '>':
			t.secondaryAttributes()
		case s.private == '=':
			t.tertiaryAttributes()
		}
	case 'h', 'l', 's', 'r':
		for i := 0; public && i < s.n; i++ {
			t.privateMode(s.final, s.param(i, 0))
		}
	case 'm':
		if s.private == '>' && s.param(0, 0) == 4 { // XTMODKEYS
			t.otherKeys = min(s.param(1, 0), 2)
		}
	case 'n':
		switch {
		case s.private == '>' && s.param(0, 0) == 4:
			t.otherKeys = 0
		case public:
			t.report(s.param(0, 0), true)
		}
	case 'q':
		if s.private == '>' && s.param(0, 0) == 0 {
			t.version()
		}
	case 'u':
		t.keyboardProtocol(s)
	}
}

func (t *Terminal) privateMode(final byte, n int) {
	switch final {
	case 's':
		t.saveModes(n)
	case 'r':
		t.restoreModes(n)
	default:
		t.setDEC(n, final == 'h')
	}
}

// keyboardProtocol applies the sequences of the kitty keyboard protocol.
func (t *Terminal) keyboardProtocol(s *sequence) {
	switch s.private {
	case '?':
		t.keyboardFlags()
	case '>':
		t.kitty().push(s.param(0, 0))
	case '<':
		t.kitty().pop(s.count(0))
	case '=':
		t.kitty().change(s.param(0, 0), s.count(1))
	}
}

// repeat is REP. More than a screen of the same shows nothing new, but for the
// place of the cursor.
func (t *Terminal) repeat(n int) {
	if t.last == 0 {
		return
	}
	if limit := t.cols * t.rows; n > limit {
		n = limit + (n-limit)%t.cols
	}
	last := t.last
	width := max(runeWidth(last), 1)
	if last < 0x7f && t.direct {
		t.scratch = append(t.scratch[:0], bytes.Repeat([]byte{byte(last)}, n)...)
		t.printASCII(t.scratch)
		return
	}
	for range n {
		t.put(last, width)
	}
}

// clearTabs is TBC.
func (t *Terminal) clearTabs(which int) {
	switch which {
	case 0:
		t.tabs[t.col] = false
	case 3:
		clear(t.tabs)
	}
}

// extended applies a control sequence with intermediate bytes.
func (t *Terminal) extended(s *sequence) {
	switch string(s.intermediates()) + string(s.final) {
	case " q": // DECSCUSR
		t.setShape(s.param(0, 0))
	case "!p": // DECSTR
		t.softReset()
	case `"q`: // DECSCA
		t.style.Attributes &^= Protected
		if s.param(0, 0) == 1 {
			t.style.Attributes |= Protected
		}
		t.styled()
	case "$p":
		t.requestMode(s)
	case `"p`: // DECSCL
		if n := s.param(0, 0); n > 60 && n <= 65 {
			t.softReset()
			t.level = min(n-60, 4)
		}
	default:
		if t.level >= 4 {
			t.vt420(s)
		}
	}
}

// vt420 applies what only a VT420 has.
func (t *Terminal) vt420(s *sequence) {
	n := s.count(0)
	switch string(s.intermediates()) + string(s.final) {
	case " @": // SL
		t.shiftColumns(t.left, -n)
	case " A": // SR
		t.shiftColumns(t.left, n)
	case "$x", "$z", "${", "$v", "*y":
		t.rectangle(s)
	case "'}": // DECIC
		if t.inMargins() {
			t.shiftColumns(t.col, n)
		}
	case "'~": // DECDC
		if t.inMargins() {
			t.shiftColumns(t.col, -n)
		}
	}
}

// setShape is DECSCUSR: odd numbers blink.
func (t *Terminal) setShape(n int) {
	if n > 6 {
		return
	}
	t.shape = CursorShape(max(n-1, 0) / 2)
	t.assign(modeBlink, n == 0 || n%2 == 1)
}
