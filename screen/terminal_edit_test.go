package screen

import "testing"

func TestTerminalErase(t *testing.T) {
	const three = "abcdef\r\nghijkl\r\nmnopqr\x1b[2;3H"
	runScreenTests(t, []screenTest{
		{"ED 0", 10, 3, three + "\x1b[J", "abcdef\ngh", 2, 1},
		{"ED 1", 10, 3, three + "\x1b[1J", "\n   jkl\nmnopqr", 2, 1},
		{"ED 2", 10, 3, three + "\x1b[2J", "", 2, 1},
		{"ED of nonsense", 10, 3, three + "\x1b[9J", "abcdef\nghijkl\nmnopqr", 2, 1},
		{"EL 0", 10, 3, three + "\x1b[K", "abcdef\ngh\nmnopqr", 2, 1},
		{"EL 1", 10, 3, three + "\x1b[1K", "abcdef\n   jkl\nmnopqr", 2, 1},
		{"EL 2", 10, 3, three + "\x1b[2K", "abcdef\n\nmnopqr", 2, 1},
		{"ECH", 10, 3, three + "\x1b[2X", "abcdef\ngh  kl\nmnopqr", 2, 1},
		{"ECH 0", 10, 3, three + "\x1b[0X", "abcdef\ngh jkl\nmnopqr", 2, 1},
		{"huge ECH", 10, 3, three + "\x1b[99999X", "abcdef\ngh\nmnopqr", 2, 1},
		{"ICH", 10, 3, three + "\x1b[2@", "abcdef\ngh  ijkl\nmnopqr", 2, 1},
		{"ICH pushes off the row", 6, 3, three + "\x1b[2@", "abcdef\ngh  ij\nmnopqr", 2, 1},
		{"DCH", 10, 3, three + "\x1b[2P", "abcdef\nghkl\nmnopqr", 2, 1},
		{"huge DCH", 10, 3, three + "\x1b[99999P", "abcdef\ngh\nmnopqr", 2, 1},
		{"IL", 10, 3, three + "\x1b[L", "abcdef\n\nghijkl", 0, 1},
		{"DL", 10, 3, three + "\x1b[M", "abcdef\nmnopqr", 0, 1},
		{"huge IL", 10, 3, three + "\x1b[99999L", "abcdef", 0, 1},
		{"huge DL", 10, 3, three + "\x1b[99999M", "abcdef", 0, 1},
		{"SU", 10, 3, three + "\x1b[2S", "mnopqr", 2, 1},
		{"SD", 10, 3, three + "\x1b[2T", "\n\nabcdef", 2, 1},
	})
	term := terminalWith(10, 3, 100, "1\r\n2\r\n3\r\n4\r\n5\x1b[3J")
	if h := historyOf(term); len(h) > 0 {
		t.Errorf("ED 3 leaves %q in the scrollback", h)
	}
	if got := rowsOf(term.Snapshot(Visible())); got != "3\n4\n5" {
		t.Errorf("ED 3 leaves %q on the screen", got)
	}
}

// Cells that are erased, inserted or scrolled in have the background colour, and no other attributes
// (xterm, "bce" in terminfo).
func TestTerminalBackgroundColourErase(t *testing.T) {
	for _, test := range []struct {
		in       string
		col, row int
	}{
		{"\x1b[K", 5, 2},
		{"\x1b[1K", 0, 2},
		{"\x1b[2K", 0, 2},
		{"\x1b[J", 0, 4},
		{"\x1b[1J", 9, 0},
		{"\x1b[2J", 9, 4},
		{"\x1b[X", 3, 2},
		{"\x1b[@", 3, 2},
		{"\x1b[P", 9, 2},
		{"\x1b[L", 0, 2},
		{"\x1b[M", 9, 4},
		{"\x1b[S", 9, 4},
		{"\x1b[T", 9, 0},
		{"\x1b[5H\n", 5, 4},
		{"\x1b[5H\x1bD", 5, 4},
		{"\x1b[5H\x1bE", 5, 4},
		{"\x1b[H\x1bM", 5, 0},
		{"\x1b[5;10Hxy", 5, 4}, // wraps
		{"\x1b['}", 3, 4},
		{"\x1b['~", 9, 4},
		{"\x1b[4hx\x1b[4l\x1b[X", 4, 2},
		{"\x1b[?1049h", 5, 3},
		{"\x1b[?1047h\x1b[2J", 5, 3},
		{"\x1b[2;4r\x1b[S", 0, 3},
	} {
		s := terminalWith(10, 5, 0, five+"\x1b[3;4H\x1b[1;4;31;44m"+test.in).Snapshot(Visible())
		if c := cellOf(s, test.col, test.row); look(c.Style) != "/-/4" && look(c.Style) != "/1/4" || c.Text != "" && c.Text != " " {
			t.Errorf("%q: cell %d,%d is %q in %s", test.in, test.col, test.row, c.Text, look(c.Style))
		}
	}
	s := terminalWith(10, 2, 0, "\x1b[7mA\x1b[K").Snapshot(Visible())
	if c := cellOf(s, 5, 0); c.Style.Has(Reverse) {
		t.Error("what is erased is in reverse video")
	}
}

// DECSCA protects from DECSED and DECSEL, not from ED, EL and ECH (DEC STD 070).
func TestTerminalSelectiveErase(t *testing.T) {
	const some = "ab\x1b[1\"qcd\x1b[0\"qef\r\ngh\x1b[1\"qij\x1b[2\"qkl\x1b[2;4H"
	runScreenTests(t, []screenTest{
		{"DECSEL 0", 10, 2, some + "\x1b[?K", "abcdef\nghij", 3, 1},
		{"DECSEL 1", 10, 2, some + "\x1b[?1K", "abcdef\n  ijkl", 3, 1},
		{"DECSEL 2", 10, 2, some + "\x1b[?2K", "abcdef\n  ij", 3, 1},
		{"DECSED 0", 10, 2, some + "\x1b[H\x1b[?J", "  cd\n  ij", 0, 0},
		{"DECSED 1", 10, 2, some + "\x1b[?1J", "  cd\n  ijkl", 3, 1},
		{"DECSED 2", 10, 2, some + "\x1b[?2J", "  cd\n  ij", 3, 1},
		{"EL", 10, 2, some + "\x1b[2K", "abcdef", 3, 1},
		{"ED", 10, 2, some + "\x1b[2J", "", 3, 1},
		{"ECH", 10, 2, some + "\x1b[9X", "abcdef\nghi", 3, 1},
		{"SGR 0 does not end it", 10, 2, "\x1b[1\"q\x1b[ma\x1b[?2J", "a", 1, 0},
		{"DECSTR ends it", 10, 2, "\x1b[1\"q\x1b[!pa\x1b[?2J", "", 1, 0},
		{"what is written over it", 10, 2, "\x1b[1\"qabc\x1b[0\"q\x1b[1;2Hx\x1b[?2J", "a c", 2, 0},
		{"DECSERA", 10, 2, vt420 + some + "\x1b[1;2;2;3${", "a cdef\ng ijkl", 3, 1},
	})
}

// Rectangles (DEC STD 070, VT420). The cursor stays.
func TestTerminalRectangles(t *testing.T) {
	const at = five + "\x1b[2;2H"
	runScreenTests(t, []screenTest{
		{"DECFRA", 10, 5, at + "\x1b[42;2;3;4;6$x", "abcdefghij\nkl****qrst\nAB****GHIJ\nKL****QRST\n0123456789", 1, 1},
		{"DECFRA of the screen", 10, 5, at + "\x1b[42$x", "**********\n**********\n**********\n**********\n**********", 1, 1},
		{"DECFRA with a control", 10, 5, at + "\x1b[10;2;3;4;6$x", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 1, 1},
		{"DECFRA beyond the screen", 10, 5, at + "\x1b[42;4;9;99;99$x", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQR**\n01234567**", 1, 1},
		{"DECERA", 10, 5, at + "\x1b[2;3;4;6$z", "abcdefghij\nkl    qrst\nAB    GHIJ\nKL    QRST\n0123456789", 1, 1},
		{"DECERA of the screen", 10, 5, at + "\x1b[$z", "", 1, 1},
		{"DECERA upside down", 10, 5, at + "\x1b[4;3;2;6$z", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 1, 1},
		{"DECERA of one cell", 10, 5, at + "\x1b[2;3;2;3$z", "abcdefghij\nkl nopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 1, 1},
		{"DECERA counts from the margins in DECOM", 10, 5, five + "\x1b[2;4r\x1b[?6h\x1b[1;1;1;2$z\x1b[?6l", "abcdefghij\n  mnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 0, 0},
		{"DECCRA", 10, 5, at + "\x1b[1;1;2;4;1;3;5;1$v", "abcdefghij\nklmnopqrst\nABCDabcdIJ\nKLMNklmnST\n0123456789", 1, 1},
		{"DECCRA onto itself", 10, 5, at + "\x1b[1;1;3;4;1;2;2;1$v", "abcdefghij\nkabcdpqrst\nAklmnFGHIJ\nKABCDPQRST\n0123456789", 1, 1},
		{"DECCRA onto itself, upwards", 10, 5, at + "\x1b[2;2;4;5;1;1;1;1$v", "lmnoefghij\nBCDEopqrst\nLMNOEFGHIJ\nKLMNOPQRST\n0123456789", 1, 1},
		{"DECCRA beyond the screen", 10, 5, at + "\x1b[1;1;2;4;1;5;9;1$v", "abcdefghij\nklmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n01234567ab", 1, 1},
		{"DECCRA with defaults", 10, 5, at + "\x1b[2;3;;;;;;$v", "mnopqrstij\nCDEFGHIJst\nMNOPQRSTIJ\n23456789ST\n0123456789", 1, 1},
	})
	s := terminalWith(10, 5, 0, vt420+"\x1b[1;31;44m\x1b[42;2;3;4;6$x").Snapshot(Visible())
	if got := look(cellOf(s, 2, 1).Style); got != "b/1/4" {
		t.Errorf("DECFRA fills in %s, want the style that is set", got)
	}
	s = terminalWith(10, 5, 0, vt420+"\x1b[1;31;44mx\x1b[m\x1b[1;1;1;1;1;3;3;1$v").Snapshot(Visible())
	if got := look(cellOf(s, 2, 2).Style); got != "b/1/4" {
		t.Errorf("DECCRA copies %s, want the style too", got)
	}
}

// Half a wide character is never left: a change of one half blanks the other.
func TestTerminalWide(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"written over its first half", 10, 2, "世界\x1b[1;1HX", "X 界", 1, 0},
		{"written over its second half", 10, 2, "世界\x1b[1;2HX", " X界", 2, 0},
		{"wide over two halves", 10, 2, "世界\x1b[1;2H本", " 本", 3, 0},
		{"ECH of the first half", 10, 2, "世界\x1b[1;1H\x1b[X", "  界", 0, 0},
		{"ECH of the second half", 10, 2, "世界\x1b[1;2H\x1b[X", "  界", 1, 0},
		{"EL 1 to the first half", 10, 2, "世界\x1b[1;1H\x1b[1K", "  界", 0, 0},
		{"EL 0 from the second half", 10, 2, "a世\x1b[1;3H\x1b[K", "a", 2, 0},
		{"DCH of the first half", 10, 2, "世界a\x1b[1;1H\x1b[P", " 界a", 0, 0},
		{"DCH of both halves", 10, 2, "世界a\x1b[1;1H\x1b[2P", "界a", 0, 0},
		{"DCH moves one from the edge", 4, 2, "ab世\x1b[1;1H\x1b[P", "b世", 0, 0},
		{"SL moves one from the edge", 4, 2, vt420 + "ab世\x1b[1;1H\x1b[ @", "b世", 0, 0},
		{"ICH before it", 10, 2, "世界a\x1b[1;1H\x1b[@", " 世界a", 0, 0},
		{"ICH pushes half of it off the row", 5, 2, "abc世\x1b[1;1H\x1b[@", " abc", 0, 0},
		{"IRM", 10, 2, "ab\x1b[1;2H\x1b[4h世", "a世b", 3, 0},
		{"IRM pushes half of it off the row", 6, 2, "abcd世\x1b[1;1H\x1b[4hX", "Xabcd", 1, 0},
		{"CUF into it", 10, 2, "世界\x1b[1;1H\x1b[CX", " X界", 2, 0},
		{"BS into it", 10, 2, "世\bX", " X", 2, 0},
		{"two marks", 10, 2, "e\u0302\u0323x", "e\u0302\u0323x", 2, 0},
		{"mark on it", 10, 2, "世\u0301x", "世\u0301x", 3, 0},
		{"erased with its marks", 10, 2, "e\u0301\x1b[1;1Hx", "x", 1, 0},
		{"written in two halves of a write", 10, 2, "a世b", "a世b", 4, 0},
	})
	for _, test := range []struct{ name, in, want string }{
		{"truncated", "a\xe4\xb8b", "a\uFFFDb"},
		{"maximal subparts", "a\xf0\x9f\x98e\xc3(\xff\xfe", "a\uFFFDe\uFFFD(\uFFFD\uFFFD"},
		{"surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"overlong", "\xc0\xaf", "\uFFFD\uFFFD"},
		{"before a sequence", "\xe4\x1b[1mb", "\uFFFDb"},
	} {
		if got := rowsOf(terminalWith(20, 2, 0, test.in).Snapshot(Visible())); got != test.want {
			t.Errorf("%s: %q: got %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

// In mode 2027 a cluster has the width of its whole text, as wcswidth gives it. Otherwise each
// character has its own width (contour's "terminal unicode core").
func TestTerminalClusters(t *testing.T) {
	for _, test := range []struct {
		name, cluster      string
		width, unclustered int
	}{
		{"letter and mark", "e\u0301", 1, 1},
		{"family", "👨\u200d👩\u200d👧", 2, 6},
		{"skin tone", "👍🏽", 2, 4},
		{"flag", "🇨🇦", 2, 2},
		{"presentation selector", "❤\ufe0f", 2, 1},
		{"presentation selector behind no emoji", "★\ufe0f", 1, 1},
		{"keycap", "1\ufe0f\u20e3", 2, 1},
		{"text emoji joined", "⛹\u200d♂\ufe0f", 2, 2},
		{"text emoji joined without a selector", "⛹\u200d♂", 1, 2},
		{"East Asian emoji", "㊗\ufe0f", 2, 2},
		{"spacing mark", "कि", 2, 2},
		{"halfwidth letter and mark", "ｶﾞ", 2, 2},
		{"Hangul in parts", "\u1112\u1161\u11ab", 2, 2},
	} {
		for _, mode := range []struct {
			in    string
			width int
		}{{"\x1b[?2027h", test.width}, {"\x1b[?2027h\x1b[?2027l", test.unclustered}} {
			s := terminalWith(20, 2, 0, mode.in+test.cluster+"x").Snapshot(Visible())
			if got := s.Text(0, false); got != test.cluster+"x" {
				t.Errorf("%s after %q: got %q", test.name, mode.in, got)
			}
			if mode.width > 0 && s.Cursor.Col != mode.width+1 {
				t.Errorf("%s after %q: %d columns, want %d", test.name, mode.in, s.Cursor.Col-1, mode.width)
			}
			if c := cellOf(s, 0, 0); mode.in == "\x1b[?2027h" && c.Text != test.cluster {
				t.Errorf("%s: the cell has %q", test.name, c.Text)
			}
		}
	}
}
