package screen

import "testing"

func TestTerminalCursor(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"text", 10, 3, "ab\r\ncd", "ab\ncd", 2, 1},
		{"CUP", 10, 3, "\x1b[2;3Hx", "\n  x", 3, 1},
		{"CUP without parameters", 10, 3, "abc\x1b[Hx", "xbc", 1, 0},
		{"CUP with the second parameter", 10, 3, "\x1b[2;2H\x1b[;5Hx", "    x", 5, 0},
		{"HVP", 10, 3, "\x1b[3;2fx", "\n\n x", 2, 2},
		{"CUP beyond the screen", 10, 3, "\x1b[99;99Hx", "\n\n         x", 9, 2},
		{"CUU CUD CUF CUB", 10, 5, "\x1b[3;5HA\x1b[2AB\x1b[3BC\x1b[5DD\x1b[2CE", "     B\n\n    A\n  D  EC", 6, 3},
		{"counts of 0 are 1", 10, 5, "\x1b[3;5H\x1b[0Aa\x1b[0Bb\x1b[0Cc\x1b[0Dd", "\n    a\n     b d", 8, 2},
		{"at the edges", 10, 3, "\x1b[99Dx\x1b[99Ay\x1b[99Bz\x1b[99Cw", "xy\n\n  z      w", 9, 2},
		{"CNL CPL", 10, 5, "\x1b[3;5HA\x1b[EB\x1b[2FC\x1b[2EE", "\nC\n    A\nE", 1, 3},
		{"CHA HPA VPA", 10, 4, "\x1b[5Ga\x1b[3db\x1b[2`c", "    a\n\n c   b", 2, 2},
		{"HPR VPR", 10, 4, "a\x1b[3ab\x1b[2ec", "a   b\n\n     c", 6, 2},
		{"HPR VPR without parameters", 10, 4, "a\x1b[ab\x1b[ec", "a b\n   c", 4, 1},
		{"HPR VPR at the edges", 10, 2, "\x1b[99ab\x1b[99ec", "         b\n         c", 9, 1},
		{"BS stops at the margin", 10, 2, "ab\b\b\b\bc", "cb", 1, 0},
		{"VT FF are LF", 10, 3, "a\vb\fc", "a\n b\n  c", 3, 2},
		{"IND NEL RI", 10, 3, "a\x1bDb\x1bEc\x1bMd", "a\n d\nc", 2, 1},
		{"LNM", 10, 3, "\x1b[20ha\nb\x1b[20l\nc", "a\nb\n c", 2, 2},
		{"IRM", 10, 2, "abc\x1b[2G\x1b[4hXY\x1b[4lZ", "aXYZc", 4, 0},
		{"IRM pushes off the row", 5, 2, "abcde\x1b[2G\x1b[4hXY", "aXYbc", 3, 0},
		{"sequences may hold controls", 10, 2, "ab\x1b[\r2Cx", "abx", 3, 0},
		{"CAN ends a sequence", 10, 2, "ab\x1b[2\x18Cx", "abCx", 4, 0},
		{"ESC begins another", 10, 2, "ab\x1b[2\x1b[Cx", "ab x", 4, 0},
		{"unknown ones are swallowed", 10, 2, "a\x1b[?5;6!~b\x1b[>9;9zc\x1b~d\x1b%Ge\x1b F", "abcde", 5, 0},
		{"negative is no number", 10, 2, "abc\x1b[1G\x1b[-1Px\x1b[-1@y", "xyc", 2, 0},
		{"huge counts", 10, 3, "a\x1b[9223372036854775807Cb\x1b[99999999999999999999Bc", "a        b\n\n         c", 9, 2},
	})
}

func TestTerminalWrap(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"pending", 5, 3, "abcde", "abcde", 4, 0},
		{"wraps", 5, 3, "abcdef", "abcde\nf", 1, 1},
		{"CR ends it", 5, 3, "abcde\rX", "Xbcde", 1, 0},
		{"LF ends it", 5, 3, "abcde\nX", "abcde\n    X", 4, 1},
		{"BS ends it", 5, 3, "abcde\bX", "abcXe", 4, 0},
		{"CUF ends it", 5, 3, "abcde\x1b[CX", "abcdX", 4, 0},
		{"SGR keeps it", 5, 3, "abcde\x1b[1mX", "abcde\nX", 1, 1},
		{"DECRC ends it", 5, 3, "abcde\x1b7\x1b[H\x1b8X", "abcdX", 4, 0},
		{"scrolls at the bottom", 5, 2, "\x1b[2;1Habcdefg", "abcde\nfg", 2, 1},
		{"not without DECAWM", 5, 2, "\x1b[?7labcdefg", "abcdg", 4, 0},
		{"DECAWM again", 5, 2, "\x1b[?7labcdef\x1b[?7h\x1b[1;5HXY", "abcdX\nY", 1, 1},
		{"reverse wrap to the row before", 5, 3, "\x1b[?45habcdefg\b\b\bX", "abcdX\nfg", 4, 0},
		{"reverse wrap with CUB", 5, 3, "\x1b[?45habcdefg\x1b[4DX", "abcXe\nfg", 4, 0},
		{"no reverse wrap without the mode", 5, 3, "abcdefg\b\b\b\bX", "abcde\nXg", 1, 1},
		{"no reverse wrap without DECAWM", 5, 3, "abcdefg\x1b[?45h\x1b[?7l\b\b\b\bX", "abcde\nXg", 1, 1},
		{"wide character", 5, 3, "abcd世e", "abcd\n世e", 3, 1},
		{"wide character without DECAWM stays in the row", 5, 3, "\x1b[?7labc世", "abc世", 4, 0},
		{"mark while pending", 5, 3, "abcde\u0301", "abcde\u0301", 4, 0},
		{"mark behind the wrap", 5, 3, "abcdef\u0301", "abcde\nf\u0301", 1, 1},
	})
}

func TestTerminalTabs(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"every eighth column", 30, 2, "\ta\tb\tc", "        a       b       c", 25, 0},
		{"HT stops in the last column", 10, 2, "\t\t\ta", "         a", 9, 0},
		{"HT keeps what it passes", 20, 2, "abcdefghij\r\tX", "abcdefghXj", 9, 0},
		{"HTS", 30, 2, "\x1b[5G\x1bH\r\ta\tb", "    a   b", 9, 0},
		{"TBC of one", 30, 2, "\x1b[9G\x1b[g\r\ta", "                a", 17, 0},
		{"TBC 0", 30, 2, "\x1b[9G\x1b[0g\r\ta", "                a", 17, 0},
		{"TBC of all", 20, 2, "\x1b[3g\ta", "                   a", 19, 0},
		{"CHT", 40, 2, "\x1b[2Ia\x1b[Ib\x1b[0Ic", "                a       b       c", 33, 0},
		{"CBT", 40, 2, "\x1b[30G\x1b[2Za\x1b[Zb\x1b[9Zc", "c               b", 1, 0},
		{"CHT and CBT beyond the edges", 20, 2, "\x1b[999I\x1b[999Zb\x1b[999Ia", "b                  a", 19, 0},
		{"RIS sets them again", 20, 2, "\x1b[3g\x1bc\ta", "        a", 9, 0},
	})
}

// The graphics are those of the VT100 (DEC STD 070, xterm ctlseqs "Designate G0 Character Set").
func TestTerminalCharsets(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"G0", 30, 2, "\x1b(0lqk\x1b(Bq", "┌─┐q", 4, 0},
		{"all of it", 40, 2, "\x1b(0`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", 31, 0},
		{"capitals and digits stay", 30, 2, "\x1b(0AZ09[]", "AZ09[]", 6, 0},
		{"others stay", 30, 2, "\x1b(0é世", "é世", 3, 0},
		{"G1 by SO and SI", 30, 2, "\x1b)0q\x0eq\x0fq", "q─q", 3, 0},
		{"G2 by SS2", 30, 2, "\x1b*0q\x1bNqq", "q─q", 3, 0},
		{"G3 by SS3", 30, 2, "\x1b+0q\x1bOqq", "q─q", 3, 0},
		{"G2 by LS2", 30, 2, "\x1b*0q\x1bnqq\x0fq", "q──q", 4, 0},
		{"G3 by LS3", 30, 2, "\x1b+0q\x1boqq\x0fq", "q──q", 4, 0},
		{"United Kingdom", 30, 2, "\x1b(A#\x1b(B#", "£#", 2, 0},
		{"DECSC has the set", 30, 2, "\x1b(0\x1b7\x1b(Bq\x1b8q", "─", 1, 0},
		{"DECSC has the shift", 30, 2, "\x1b)0\x0e\x1b7\x0fq\x1b8q", "─", 1, 0},
		{"RIS has none", 30, 2, "\x1b(0\x1b)0\x0e\x1bcq", "q", 1, 0},
		{"DECSTR has none", 30, 2, "\x1b(0\x1b)0\x0e\x1b[!pq", "q", 1, 0},
		{"REP repeats what was seen", 30, 2, "\x1b(0q\x1b[3b", "────", 4, 0},
	})
}

func TestTerminalRepeat(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"REP", 10, 2, "ab\x1b[3bc", "abbbbc", 6, 0},
		{"REP of one", 10, 2, "ab\x1b[bc\x1b[0b", "abbcc", 5, 0},
		{"REP wraps", 5, 2, "a\x1b[6b", "aaaaa\naa", 2, 1},
		{"REP of a wide one", 10, 2, "世\x1b[2b", "世世世", 6, 0},
		{"REP of nothing before it", 10, 2, "a\x1b[1m\x1b[2b", "a", 1, 0},
		{"REP of nothing", 10, 2, "\x1b[3bx", "x", 1, 0},
	})
	s := terminalWith(5, 2, 10, "ab\x1b[999999999b").Snapshot(Visible()) // xterm takes half a minute
	if got := s.Text(0, false); got != "bbbbb" {
		t.Errorf("huge REP: got %q", got)
	}
}

func TestTerminalSavedCursor(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"DECSC DECRC", 10, 4, "\x1b[2;3H\x1b7\x1b[4;5Ha\x1b8b", "\n  b\n\n    a", 3, 1},
		{"more than once", 10, 4, "\x1b[2;3H\x1b7\x1b[4;5Ha\x1b8b\x1b8c", "\n  c\n\n    a", 3, 1},
		{"SCOSC SCORC", 10, 4, "\x1b[2;3H\x1b[s\x1b[4;5Ha\x1b[ub", "\n  b\n\n    a", 3, 1},
		{"1048", 10, 4, "\x1b[2;3H\x1b[?1048h\x1b[4;5Ha\x1b[?1048lb", "\n  b\n\n    a", 3, 1},
		{"without a save", 10, 4, "\x1b[2;3Ha\x1b8b", "b\n  a", 1, 0},
		{"per screen", 10, 4, "\x1b[2;3H\x1b7\x1b[?47h\x1b[4;4H\x1b7\x1b[?47l\x1b[H\x1b8a", "\n  a", 3, 1},
		{"per screen, on the other", 10, 4, "\x1b[2;3H\x1b7\x1b[?47h\x1b[4;4H\x1b7\x1b[H\x1b8a", "\n\n\n   a", 4, 3},
		{"DECOM is saved", 10, 5, "\x1b[2;4r\x1b[?6h\x1b[2;2H\x1b7\x1b[?6l\x1b8\x1b[1;1Ha\x1b[?6l", "\na", 0, 0},
		{"DECOM is restored", 10, 5, "\x1b[2;4r\x1b[3;3H\x1b7\x1b[?6h\x1b8\x1b[1;1Ha", "a", 1, 0},
	})
	for _, test := range []struct{ name, in, want string }{
		{"SGR is saved", "\x1b[1;31m\x1b7\x1b[0m\x1b8a", "b/1/-"},
		{"SGR without a save", "\x1b[1;31m\x1b8a", "/-/-"},
		{"1049 saves SGR", "\x1b[1;31m\x1b[?1049h\x1b[0m\x1b[?1049la", "b/1/-"},
		{"DECSCA is saved", "\x1b[1\"q\x1b7\x1b[0\"q\x1b8a\x1b[1K\x1b[31ma\x1b[?2K", "/-/-"},
	} {
		if got := look(cellOf(terminalWith(10, 3, 0, test.in).Snapshot(Visible()), 0, 0).Style); got != test.want {
			t.Errorf("%s: %q: got %s, want %s", test.name, test.in, got, test.want)
		}
	}
}

// DECALN fills the screen, resets the margins and moves the cursor home (DEC STD 070, VT510 manual).
func TestTerminalAlignment(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"fills", 3, 2, "ab\x1b[2;2H\x1b#8", "EEE\nEEE", 0, 0},
		{"ends the margins", 3, 4, "\x1b[2;3r\x1b#8\x1b[4;1H\nx", "EEE\nEEE\nEEE\nx", 1, 3},
		{"ends DECOM", 3, 4, "\x1b[2;3r\x1b[?6h\x1b#8\x1b[4;1Hx", "EEE\nEEE\nEEE\nxEE", 1, 3},
	})
}
