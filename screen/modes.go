package screen

// A modeSet says which modes are set. It holds the modes whose state is one bit. Origin mode is a
// part of the cursor, and the alternate screen is a page.
type modeSet uint32

const (
	modeInsert         modeSet = 1 << iota // IRM
	modeNewLine                            // LNM
	modeAppCursor                          // DECCKM
	modeReverse                            // DECSCNM
	modeWrap                               // DECAWM
	modeBlink                              // the cursor blinks, AT&T 610
	modeVisible                            // DECTCEM
	modeAllow132                           // the terminal obeys DECCOLM
	mode132                                // DECCOLM
	modeReverseWrap                        // XTREVWRAP
	modeReverseWrapAll                     // XTREVWRAP2
	modeAppKeypad                          // DECNKM, DECKPAM
	modeMargins                            // DECLRMM
	modeFocus
	modeAlternateScroll
	modePaste
	modeSynchronized
	modeGraphemes
)

// A numbered is a mode of a modeSet with its number in SM or DECSET.
type numbered struct {
	number int
	mode   modeSet
}

// ansiModes and decModes are the modes in a modeSet, by their numbers in SM and DECSET.
var (
	ansiModes = [...]numbered{{4, modeInsert}, {20, modeNewLine}}
	decModes  = [...]numbered{
		{1, modeAppCursor},
		{3, mode132},
		{5, modeReverse},
		{7, modeWrap},
		{12, modeBlink},
		{25, modeVisible},
		{40, modeAllow132},
		{45, modeReverseWrap},
		{66, modeAppKeypad},
		{69, modeMargins},
		{1004, modeFocus},
		{1007, modeAlternateScroll},
		{1045, modeReverseWrapAll},
		{2004, modePaste},
		{2026, modeSynchronized},
		{2027, modeGraphemes},
	}
)

// ansiMode and decMode return the mode with a number, 0 if a modeSet has none.
func ansiMode(n int) modeSet { return modeOf(ansiModes[:], n) }

func decMode(n int) modeSet { return modeOf(decModes[:], n) }

func modeOf(modes []numbered, n int) modeSet {
	for _, m := range modes {
		if m.number == n {
			return m.mode
		}
	}
	return 0
}

// setANSIModes is SM and RM.
func (t *Terminal) setANSIModes(s *sequence) {
	for i := range s.n {
		t.setANSI(s.param(i, 0), s.final == 'h')
	}
}

// setANSI sets or resets one mode of SM and RM.
func (t *Terminal) setANSI(n int, on bool) {
	t.assign(ansiMode(n), on)
	t.updateDirect()
}

func (t *Terminal) assign(m modeSet, on bool) {
	if on {
		t.modes |= m
	} else {
		t.modes &^= m
	}
}

// setDEC is DECSET and DECRST.
func (t *Terminal) setDEC(n int, on bool) {
	switch n {
	case 3:
		if t.modes&modeAllow132 == 0 {
			return
		}
		t.columns()
	case 6:
		t.origin = on
		t.moveTo(0, 0)
	case 9, 1000, 1002, 1003:
		t.mouse = NoMouse
		if on {
			t.mouse = Mouse(n)
		}
	case 1005, 1006, 1015, 1016:
		if on {
			t.encoding = n
		} else if t.encoding == n {
			t.encoding = 0
		}
	case 47, 1047, 1049:
		t.alternate(n, on)
	case 1048:
		if on {
			t.save()
		} else {
			t.restore()
		}
	case 25:
		if !on && t.modes&modeVisible != 0 {
			t.hiddenRow = t.Scrolled() + t.row
		}
	case 69:
		if t.level < 4 {
			return
		}
		t.left, t.right = 0, t.cols-1
	case 2026:
		t.setFrame(on)
	}
	t.assign(decMode(n), on)
	t.updateDirect()
}

// columns does what DECCOLM does besides changing the number of columns. Here the program cannot
// change that number.
func (t *Terminal) columns() {
	t.resetMargins()
	t.eraseScreen(whole, false)
	t.cursor.origin = false
	t.moveTo(0, 0)
}

// alternate changes between the main and the alternate screen. 47 and 1047 keep the place of the
// cursor, 1049 saves and restores it. 1047 clears the alternate screen when the program leaves it,
// 1049 when the program enters it.
func (t *Terminal) alternate(n int, on bool) {
	t.joining = false
	if on {
		if n == 1049 && t.page != &t.alt {
			t.save()
		}
		if t.page == &t.alt {
			return
		}
		if t.alt.rows == nil {
			t.alt.rows = newPage(t.cols, t.rows).rows
		}
		t.page = &t.alt
		if n == 1049 {
			t.eraseScreen(whole, false)
		}
		return
	}
	if t.page == &t.alt {
		if n == 1047 {
			t.eraseScreen(whole, false)
		}
		t.page = &t.main
	}
	if n == 1049 {
		t.restore()
	}
}

// mode returns the state of a private mode as DECRQM reports it: 1 set, 2
// reset, 0 unknown (DEC STD 070; ctlseqs).
func (t *Terminal) mode(n int) int {
	on, known := false, true
	switch n {
	case 6:
		on = t.origin
	case 9, 1000, 1002, 1003:
		on = t.mouse == Mouse(n)
	case 1005, 1006, 1015, 1016:
		on = t.encoding == n
	case 47, 1047, 1049:
		on = t.page == &t.alt
	case 1048:
		on = t.page.saved.kept
	case 69:
		known, on = t.level >= 4, t.modes&modeMargins != 0
	default:
		m := decMode(n)
		known, on = m != 0, t.modes&m != 0
	}
	switch {
	case !known:
		return 0
	case on:
		return 1
	}
	return 2
}

// saveModes is XTSAVE and restoreModes XTRESTORE, for the modes in a modeSet. Only saved modes are
// restored.
func (t *Terminal) saveModes(n int) {
	m := decMode(n)
	t.savedModes[0] |= m
	t.savedModes[1] = t.savedModes[1]&^m | t.modes&m
}

func (t *Terminal) restoreModes(n int) {
	if m := decMode(n) & t.savedModes[0]; m != 0 {
		t.setDEC(n, t.savedModes[1]&m != 0)
	}
}

// exported returns the modes as a Snapshot has them.
func (t *Terminal) exported() Modes {
	has := func(m modeSet) bool { return t.modes&m != 0 }
	return Modes{
		Alternate:         t.page == &t.alt,
		ApplicationCursor: has(modeAppCursor),
		ApplicationKeypad: has(modeAppKeypad),
		BracketedPaste:    has(modePaste),
		Focus:             has(modeFocus),
		Mouse:             t.mouse,
		MouseEncoding:     map[int]string{1005: "utf8", 1006: "sgr", 1015: "urxvt", 1016: "sgr-pixels"}[t.encoding],
		Synchronized:      has(modeSynchronized),
		Graphemes:         has(modeGraphemes),
		ReverseVideo:      has(modeReverse),
		Insert:            has(modeInsert),
		Origin:            t.origin,
		AutoWrap:          has(modeWrap),
		LineFeedNewLine:   has(modeNewLine),
		Keyboard:          t.kitty().flags(),
		OtherKeys:         t.otherKeys,
	}
}
