package screen

import "bytes"

// esc implements handler. The names are those of ECMA-48, ECMA-35 and the VT510 manual.
func (t *Terminal) esc(intermediates []byte, final byte) {
	t.interrupt()
	if len(intermediates) > 0 {
		t.escIntermediate(intermediates, final)
		return
	}
	switch final {
	case '6': // DECBI
		t.backIndex()
	case '7': // DECSC
		t.save()
	case '8': // DECRC
		t.restore()
	case '9': // DECFI
		t.forwardIndex()
	case '=', '>': // DECKPAM, DECKPNM
		t.assign(modeAppKeypad, final == '=')
	case 'D': // IND
		t.index()
	case 'E': // NEL
		t.nextLine()
	case 'H': // HTS
		t.tabs[t.col] = true
	case 'M': // RI
		t.reverseIndex()
	case 'N', 'O': // SS2, SS3
		t.singleShift(final - 'N' + 2)
	case 'Z': // DECID
		t.primaryAttributes()
	case 'c': // RIS
		t.reset()
	case 'n', 'o': // LS2, LS3
		t.lockingShift(final - 'n' + 2)
	}
}

// escIntermediate applies an escape sequence with intermediate bytes: it designates a character set
// (ECMA-35 14.1), or it is DECALN.
func (t *Terminal) escIntermediate(intermediates []byte, final byte) {
	if len(intermediates) > 1 {
		return
	}
	switch i := intermediates[0]; {
	case i >= '(' && i <= '/' && i != ',':
		t.charsets.designate(i, final)
		t.updateDirect()
	case i == '#' && final == '8':
		t.align()
	}
}

// singleShift takes the next character from one of the sets G2 and G3 (SS2, SS3).
func (t *Terminal) singleShift(set uint8) {
	t.charsets.single = set
	t.updateDirect()
}

// lockingShift takes all further characters from one of the sets G0 to G3 (SI, SO, LS2, LS3).
func (t *Terminal) lockingShift(set uint8) {
	t.charsets.gl = set
	t.updateDirect()
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

// control applies a control sequence without a private marker. The names are those of
// ECMA-48 8.3, of the VT510 manual and of ctlseqs.
func (t *Terminal) control(s *sequence) {
	n := s.count(0)
	switch s.final {
	case '@': // ICH
		t.insertCharacters(n)
	case 'A', 'k': // CUU, VPB
		t.up(n)
	case 'B': // CUD
		t.down(n)
	case 'C': // CUF
		t.forward(n)
	case 'D', 'j': // CUB, HPB
		t.back(n)
	case 'E': // CNL
		t.lineDown(n)
	case 'F': // CPL
		t.lineUp(n)
	case 'G', '`': // CHA, HPA
		t.moveToColumn(n - 1)
	case 'H', 'f': // CUP, HVP
		t.moveTo(s.count(1)-1, n-1)
	case 'I': // CHT
		t.tab(n)
	case 'J': // ED
		t.eraseScreen(s.param(0, 0), false)
	case 'K': // EL
		t.eraseLine(s.param(0, 0), false)
	case 'L': // IL
		t.insertLines(n)
	case 'M': // DL
		t.deleteLines(n)
	case 'P': // DCH
		t.deleteCharacters(n)
	case 'S': // SU
		t.scrollUp(n)
	case 'T', '^': // SD
		t.scrollTextDown(s)
	case 'X': // ECH
		t.eraseCharacters(n)
	case 'Z': // CBT
		t.tabBack(n)
	case 'a': // HPR
		t.moveBy(n, 0)
	case 'b': // REP
		t.repeat(n)
	case 'c': // DA1
		t.deviceAttributes(s)
	case 'd': // VPA
		t.moveToRow(n - 1)
	case 'e': // VPR
		t.moveBy(0, n)
	case 'g': // TBC
		t.clearTabs(s.param(0, 0))
	case 'h', 'l': // SM, RM
		t.setANSIModes(s)
	case 'm': // SGR
		t.selectGraphics(s)
	case 'n': // DSR
		t.report(s.param(0, 0), false)
	case 'r': // DECSTBM
		t.setRegion(n, s.param(1, 0))
	case 's': // DECSLRM, SCOSC
		t.setMarginsOrSave(s)
	case 't': // XTWINOPS
		t.window(s)
	case 'u': // SCORC
		t.restore()
	}
}

// private applies a control sequence with a private marker.
func (t *Terminal) private(s *sequence) {
	switch s.private {
	case '?':
		t.privateQuestion(s)
	case '>':
		t.privateGreater(s)
	case '=':
		t.privateEquals(s)
	case '<':
		if s.final == 'u' { // the kitty keyboard protocol
			t.kitty().pop(s.count(0))
		}
	}
}

// privateQuestion applies a control sequence with the private marker '?'.
func (t *Terminal) privateQuestion(s *sequence) {
	switch s.final {
	case 'J': // DECSED
		t.eraseScreen(s.param(0, 0), true)
	case 'K': // DECSEL
		t.eraseLine(s.param(0, 0), true)
	case 'h', 'l', 's', 'r': // DECSET, DECRST, XTSAVE, XTRESTORE
		for i := range s.n {
			t.privateMode(s.final, s.param(i, 0))
		}
	case 'n': // DSR, the forms of DEC
		t.report(s.param(0, 0), true)
	case 'u': // the kitty keyboard protocol
		t.keyboardFlags()
	}
}

// privateGreater applies a control sequence with the private marker '>'.
func (t *Terminal) privateGreater(s *sequence) {
	switch first := s.param(0, 0); s.final {
	case 'c': // DA2
		t.deviceAttributes(s)
	case 'm': // XTMODKEYS
		if first == 4 {
			t.otherKeys = min(s.param(1, 0), 2)
		}
	case 'n': // XTMODKEYS, disabled
		if first == 4 {
			t.otherKeys = 0
		}
	case 'q': // XTVERSION
		if first == 0 {
			t.version()
		}
	case 'u': // the kitty keyboard protocol
		t.kitty().push(first)
	}
}

// privateEquals applies a control sequence with the private marker '='.
func (t *Terminal) privateEquals(s *sequence) {
	switch s.final {
	case 'c': // DA3
		t.deviceAttributes(s)
	case 'u': // the kitty keyboard protocol
		t.kitty().change(s.param(0, 0), s.count(1))
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

// repeat is REP. Beyond a screenful only the place of the cursor changes, so that more is not
// printed.
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
		t.protect(s.param(0, 0) == 1)
	case "$p": // DECRQM
		t.requestMode(s)
	case `"p`: // DECSCL
		t.setLevel(s.param(0, 0) - 60)
	default:
		if t.level >= 4 {
			t.vt420(s)
		}
	}
}

// protect turns protection from selective erasure on or off for the next text (DECSCA).
func (t *Terminal) protect(on bool) {
	t.style.Attributes &^= Protected
	if on {
		t.style.Attributes |= Protected
	}
	t.updatePen()
}

// setLevel sets the level of conformance, and does a soft reset (DECSCL). The level of a VT510
// counts as that of a VT420.
func (t *Terminal) setLevel(level int) {
	if level > 0 && level <= 5 {
		t.softReset()
		t.level = min(level, 4)
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
	case "$x", "$z", "${", "$v", "*y": // DECFRA, DECERA, DECSERA, DECCRA, DECRQCRA
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
