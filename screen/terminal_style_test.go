package screen

import "testing"

func TestTerminalSGR(t *testing.T) {
	all := Style{Attributes: Bold | Dim | Italic | Blink | Reverse | Hidden | Strike | Overline, Underline: SingleUnderline}
	for _, test := range []struct {
		in   string
		want Style
	}{
		{"", Style{}},
		{"\x1b[1;2;3;4;5;7;8;9;53m", all},
		{"\x1b[1;2;3;4;5;7;8;9;53m\x1b[m", Style{}},
		{"\x1b[1;2;3;4;5;7;8;9;53m\x1b[0m", Style{}},
		{"\x1b[1;2;3;4;5;7;8;9;53m\x1b[22;23;24;25;27;28;29;55m", Style{}},
		{"\x1b[1;2m\x1b[22m", Style{}},
		{"\x1b[6m", Style{Attributes: Blink}},
		{"\x1b[31;42m", Style{Foreground: Indexed(1), Background: Indexed(2)}},
		{"\x1b[37;47m", Style{Foreground: Indexed(7), Background: Indexed(7)}},
		{"\x1b[90;107m", Style{Foreground: Indexed(8), Background: Indexed(15)}},
		{"\x1b[31;42;39;49m", Style{}},
		{"\x1b[1;34m", Style{Foreground: Indexed(4), Attributes: Bold}},
		{"\x1b[38;5;196;48;5;21m", Style{Foreground: Indexed(196), Background: Indexed(21)}},
		{"\x1b[38;2;1;2;3;48;2;4;5;6m", Style{Foreground: RGB(1, 2, 3), Background: RGB(4, 5, 6)}},
		{"\x1b[38;2;0;0;0m", Style{Foreground: RGB(0, 0, 0)}},
		{"\x1b[38:5:196;48:5:21m", Style{Foreground: Indexed(196), Background: Indexed(21)}},
		{"\x1b[38:2::1:2:3;48:2::4:5:6m", Style{Foreground: RGB(1, 2, 3), Background: RGB(4, 5, 6)}}, // ECMA-48: with a colour space
		{"\x1b[38:2:0:1:2:3m", Style{Foreground: RGB(1, 2, 3)}},
		{"\x1b[38:2:1:2:3m", Style{Foreground: RGB(1, 2, 3)}}, // as KDE and xterm had it, without one
		{"\x1b[38:2::1:2:3::0:1m", Style{Foreground: RGB(1, 2, 3)}},
		{"\x1b[38;5;1;1m", Style{Foreground: Indexed(1), Attributes: Bold}},
		{"\x1b[38:5:1;1m", Style{Foreground: Indexed(1), Attributes: Bold}},
		{"\x1b[1;38;2;1;2;3;3m", Style{Foreground: RGB(1, 2, 3), Attributes: Bold | Italic}},
		{"\x1b[4;58;5;9m", Style{Underline: SingleUnderline, UnderlineColor: Indexed(9)}},
		{"\x1b[58:5:9m", Style{UnderlineColor: Indexed(9)}},
		{"\x1b[58;2;1;2;3m", Style{UnderlineColor: RGB(1, 2, 3)}},
		{"\x1b[58:2::1:2:3m", Style{UnderlineColor: RGB(1, 2, 3)}},
		{"\x1b[58;5;9;59m", Style{}},
		{"\x1b[4:0m", Style{}},
		{"\x1b[4m\x1b[4:0m", Style{}},
		{"\x1b[4:1m", Style{Underline: SingleUnderline}},
		{"\x1b[4:2m", Style{Underline: DoubleUnderline}},
		{"\x1b[4:3m", Style{Underline: CurlyUnderline}},
		{"\x1b[4:4m", Style{Underline: DottedUnderline}},
		{"\x1b[4:5m", Style{Underline: DashedUnderline}},
		{"\x1b[4:3;1m", Style{Underline: CurlyUnderline, Attributes: Bold}},
		{"\x1b[21m", Style{Underline: DoubleUnderline}},
		{"\x1b[21;24m", Style{}},
		{"\x1b[1;;3m", Style{Attributes: Italic}}, // an empty one is 0
		{"\x1b[;1m", Style{Attributes: Bold}},
		{"\x1b[1;m", Style{}},
		{"\x1b[1;38;5m", Style{Attributes: Bold}}, // cut short
		{"\x1b[1m\x1b[38;2;1;2m", Style{Attributes: Bold}},
		{"\x1b[1m\x1b[>4;2m", Style{Attributes: Bold}}, // XTMODKEYS
		{"\x1b[1m\x1b[>4m", Style{Attributes: Bold}},
		{"\x1b[1m\x1b[?4m", Style{Attributes: Bold}},
		{"\x1b[1m\x1b[10;77;200m", Style{Attributes: Bold}},
	} {
		s := terminalWith(10, 2, 0, test.in+"x").Snapshot(Visible())
		if got := cellOf(s, 0, 0).Style; got != test.want {
			t.Errorf("%q: got %+v, want %+v", test.in, got, test.want)
		}
	}
}

func TestTerminalLinks(t *testing.T) {
	for _, test := range []struct {
		in   string
		want [3]Link // of the first cells
	}{
		{"\x1b]8;;http://a/\x1b\\xy\x1b]8;;\x1b\\z", [3]Link{{URI: "http://a/"}, {URI: "http://a/"}}},
		{"\x1b]8;;http://a/\axy\x1b]8;;\az", [3]Link{{URI: "http://a/"}, {URI: "http://a/"}}},
		{"\x1b]8;id=1;http://a/\ax\x1b]8;id=2;http://a/\ay\x1b]8;;\az", [3]Link{{"http://a/", "1"}, {"http://a/", "2"}}},
		{"\x1b]8;foo=1:id=x:bar=2;http://a/\ax", [3]Link{{"http://a/", "x"}}},
		{"\x1b]8;;http://a/;b?c;d\ax", [3]Link{{URI: "http://a/;b?c;d"}}},
		{"\x1b]8;;http://a/\ax\x1b[1;31my\x1b[mz", [3]Link{{URI: "http://a/"}, {URI: "http://a/"}, {URI: "http://a/"}}},
		{"\x1b]8;;http://a/\a\x1bcx", [3]Link{}},
		{"\x1b]8;;http://a/\ax\x1b]8;;http://b/\ay", [3]Link{{URI: "http://a/"}, {URI: "http://b/"}}},
		{"\x1b]8;;http://a/\axyz\x1b[1;2HX\x1b]8;;\a\x1b[1;1HX", [3]Link{{}, {URI: "http://a/"}, {URI: "http://a/"}}},
	} {
		s := terminalWith(10, 2, 0, test.in).Snapshot(Visible())
		for i, want := range test.want {
			if got, ok := s.Link(cellOf(s, i, 0).Style); got != want || ok != (want.URI != "") {
				t.Errorf("%q: cell %d links to %+v, want %+v", test.in, i, got, want)
			}
		}
	}
}

func TestTerminalPalette(t *testing.T) {
	red, blue := RGB(255, 0, 0), RGB(0, 0, 255)
	for _, test := range []struct {
		in   string
		want [5]Color // foreground, background, cursor, 1, 2; 0 where not set
	}{
		{"\x1b]4;1;rgb:ff/00/00\a", [5]Color{3: red}},
		{"\x1b]4;1;rgb:ffff/0000/0000\x1b\\", [5]Color{3: red}},
		{"\x1b]4;1;rgb:f/0/0\a", [5]Color{3: red}},
		{"\x1b]4;1;#ff0000\a", [5]Color{3: red}},
		{"\x1b]4;1;rgb:ff/00/00;2;rgb:00/00/ff\a", [5]Color{3: red, 4: blue}},
		{"\x1b]4;1;rgb:ff/00/00;2;rgb:00/00/ff\a\x1b]104;1\a", [5]Color{4: blue}},
		{"\x1b]4;1;rgb:ff/00/00;2;rgb:00/00/ff\a\x1b]104;1;2\a", [5]Color{}},
		{"\x1b]4;1;rgb:ff/00/00;2;rgb:00/00/ff\a\x1b]104\a", [5]Color{}},
		{"\x1b]4;1;rgb:ff/00/00\a\x1bc", [5]Color{}},
		{"\x1b]4;1;#f00\a", [5]Color{3: RGB(0xf0, 0, 0)}}, // XParseColor: the high digits
		{"\x1b]4;1;#ffff00000000\a", [5]Color{3: red}},
		{"\x1b]4;1;nonsense\a\x1b]4;256;rgb:ff/00/00\a\x1b]4;-1;rgb:ff/00/00\a\x1b]4;1\a\x1b]4\a", [5]Color{}},
		{"\x1b]10;rgb:ff/00/00\a", [5]Color{0: red}},
		{"\x1b]11;rgb:ff/00/00\a", [5]Color{1: red}},
		{"\x1b]12;rgb:ff/00/00\a", [5]Color{2: red}},
		{"\x1b]10;rgb:ff/00/00;rgb:00/00/ff;#ff0000\a", [5]Color{red, blue, red}},
		{"\x1b]10;#ff0000\a\x1b]11;#ff0000\a\x1b]12;#ff0000\a\x1b]110\a\x1b]111\a\x1b]112\a", [5]Color{}},
		{"\x1b]10;#ff0000\a\x1b]11;#0000ff\a\x1b]111\a", [5]Color{0: red}},
	} {
		s := terminalWith(10, 2, 0, test.in).Snapshot(Visible())
		got := [5]Color{s.Palette.Foreground, s.Palette.Background, s.Palette.Cursor}
		for i := range uint8(2) {
			if c := s.Palette.Entry(i + 1); c != (Palette{}).Entry(i+1) {
				got[3+i] = c
			}
		}
		if got != test.want {
			t.Errorf("%q: got %v, want %v", test.in, got, test.want)
		}
	}
	for i, want := range map[uint8]Color{
		16: RGB(0, 0, 0),
		21: RGB(0, 0, 255), 196: red, 231: RGB(255, 255, 255), 232: RGB(8, 8, 8), 255: RGB(0xee, 0xee, 0xee),
	} {
		if got := (Palette{}).Entry(i); got != want {
			t.Errorf("entry %d: got %v, want %v", i, got, want)
		}
	}
}
