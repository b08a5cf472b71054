package screen

import (
	"slices"
	"strings"
	"testing"
)

func TestTerminalModes(t *testing.T) {
	view := View{Last: MaxRows, Unfinished: true}
	for _, test := range []struct {
		set, reset string
		change     func(*Modes)
	}{
		{"\x1b[?47h", "\x1b[?47l", func(m *Modes) { m.Alternate = true }},
		{"\x1b[?1047h", "\x1b[?1047l", func(m *Modes) { m.Alternate = true }},
		{"\x1b[?1049h", "\x1b[?1049l", func(m *Modes) { m.Alternate = true }},
		{"\x1b[?1h", "\x1b[?1l", func(m *Modes) { m.ApplicationCursor = true }},
		{"\x1b[?66h", "\x1b[?66l", func(m *Modes) { m.ApplicationKeypad = true }},
		{"\x1b=", "\x1b>", func(m *Modes) { m.ApplicationKeypad = true }},
		{"\x1b[?2004h", "\x1b[?2004l", func(m *Modes) { m.BracketedPaste = true }},
		{"\x1b[?1004h", "\x1b[?1004l", func(m *Modes) { m.Focus = true }},
		{"\x1b[?9h", "\x1b[?9l", func(m *Modes) { m.Mouse = MouseX10 }},
		{"\x1b[?1000h", "\x1b[?1000l", func(m *Modes) { m.Mouse = MouseNormal }},
		{"\x1b[?1002h", "\x1b[?1002l", func(m *Modes) { m.Mouse = MouseButton }},
		{"\x1b[?1003h", "\x1b[?1003l", func(m *Modes) { m.Mouse = MouseAny }},
		{"\x1b[?1000;1003h", "\x1b[?1003l", func(m *Modes) { m.Mouse = MouseAny }},
		{"\x1b[?1005h", "\x1b[?1005l", func(m *Modes) { m.MouseEncoding = "utf8" }},
		{"\x1b[?1006h", "\x1b[?1006l", func(m *Modes) { m.MouseEncoding = "sgr" }},
		{"\x1b[?1015h", "\x1b[?1015l", func(m *Modes) { m.MouseEncoding = "urxvt" }},
		{"\x1b[?1016h", "\x1b[?1016l", func(m *Modes) { m.MouseEncoding = "sgr-pixels" }},
		{"\x1b[?1002;1006h", "\x1b[?1002;1006l", func(m *Modes) { m.Mouse, m.MouseEncoding = MouseButton, "sgr" }},
		{"\x1b[?2026h", "\x1b[?2026l", func(m *Modes) { m.Synchronized = true }},
		{"\x1b[?5h", "\x1b[?5l", func(m *Modes) { m.ReverseVideo = true }},
		{"\x1b[4h", "\x1b[4l", func(m *Modes) { m.Insert = true }},
		{"\x1b[?6h", "\x1b[?6l", func(m *Modes) { m.Origin = true }},
		{"\x1b[?7l", "\x1b[?7h", func(m *Modes) { m.AutoWrap = false }},
		{"\x1b[20h", "\x1b[20l", func(m *Modes) { m.LineFeedNewLine = true }},
		{"\x1b[>1u", "\x1b[<u", func(m *Modes) { m.Keyboard = 1 }},
	} {
		want := New(10, 5, 0).Snapshot(view).Modes
		if !want.AutoWrap || want.Alternate || want.Mouse != NoMouse || want.MouseEncoding != "" {
			t.Fatalf("a new terminal has %+v", want)
		}
		for _, reset := range []string{test.reset, "\x1bc"} {
			if got := terminalWith(10, 5, 0, test.set+reset).Snapshot(view).Modes; got != want {
				t.Errorf("after %q and %q: %+v", test.set, reset, got)
			}
		}
		test.change(&want)
		if got := terminalWith(10, 5, 0, test.set).Snapshot(view).Modes; got != want {
			t.Errorf("after %q: got %+v, want %+v", test.set, got, want)
		}
	}
	for _, graphemes := range []string{"h", "l"} {
		if got := terminalWith(10, 5, 0, "\x1b[?2027"+graphemes).Snapshot(Visible()).Modes.Graphemes; got != (graphemes == "h") {
			t.Errorf("Graphemes is %v after mode 2027 %s", got, graphemes)
		}
	}
}

func TestTerminalCursorLook(t *testing.T) {
	for _, test := range []struct {
		in       string
		shape    CursorShape
		blinking bool
		visible  bool
	}{
		{"\x1b[1 q", Block, true, true},
		{"\x1b[2 q", Block, false, true},
		{"\x1b[3 q", UnderlineShape, true, true},
		{"\x1b[4 q", UnderlineShape, false, true},
		{"\x1b[5 q", Bar, true, true},
		{"\x1b[6 q", Bar, false, true},
		{"\x1b[6 q\x1b[?12h", Bar, true, true},
		{"\x1b[5 q\x1b[?12l", Bar, false, true},
		{"\x1b[2 q\x1b[?25l", Block, false, false},
		{"\x1b[2 q\x1b[?25l\x1b[?25h", Block, false, true},
		{"\x1b[2 q\x1b[?25l\x1b[!p\x1b[2 q", Block, false, true},
	} {
		c := terminalWith(10, 5, 0, test.in).Snapshot(Visible()).Cursor
		if c.Shape != test.shape || c.Blinking != test.blinking || c.Visible != test.visible {
			t.Errorf("%q: got %+v", test.in, c)
		}
	}
	if c := terminalWith(5, 2, 0, "abcde").Snapshot(Visible()).Cursor; !c.Pending || c.Col != 4 {
		t.Errorf("behind the last column: %+v", c)
	}
	if c := terminalWith(5, 2, 0, "abcde\b").Snapshot(Visible()).Cursor; c.Pending {
		t.Errorf("before the last column: %+v", c)
	}
}

func TestTerminalAlternate(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"1049", 10, 3, "main\x1b[?1049h", "", 4, 0},
		{"1049 and back", 10, 3, "main\x1b[?1049h\x1b[2;2Halt\x1b[?1049lx", "mainx", 5, 0},
		{"1049 clears", 10, 3, "\x1b[?1049halt\x1b[?1049l\x1b[?1049h", "", 0, 0},
		{"1049 twice", 10, 3, "main\x1b[?1049h\x1b[2;2Halt\x1b[?1049h\x1b[?1049lx", "mainx", 5, 0},
		{"1047", 10, 3, "main\x1b[?1047h\x1b[2;2Halt", "\n alt", 4, 1},
		{"1047 and back", 10, 3, "main\x1b[?1047h\x1b[2;2Halt\x1b[?1047lx", "main\n    x", 5, 1},
		{"1047 clears", 10, 3, "\x1b[?1047halt\x1b[?1047l\x1b[?1047h", "", 3, 0},
		{"47 and back", 10, 3, "main\x1b[?47h\x1b[2;2Halt\x1b[?47lx", "main\n    x", 5, 1},
		{"47 does not clear", 10, 3, "\x1b[?47halt\x1b[?47l\x1b[?47h", "alt", 3, 0},
		{"47l on the main screen", 10, 3, "main\x1b[?47lx", "mainx", 5, 0},
		{"1047l on the main screen", 10, 3, "main\x1b[?1047lx", "mainx", 5, 0},
		{"1048", 10, 3, "\x1b[2;2H\x1b[?1048h\x1b[H\x1b[?1048lx", "\n x", 2, 1},
		{"RIS goes to the main one", 10, 3, "main\x1b[?1049halt\x1bcx", "x", 1, 0},
		{"DECSTR does not", 10, 3, "main\x1b[?47h\x1b[2;2Halt\x1b[!p", "\n alt", 4, 1},
	})
	term := terminalWith(10, 2, 100, "1\r\n2\r\n3\x1b[?1049h\x1b[Ha\r\nb\r\nc\r\nd")
	if got := rowsOf(term.Snapshot(View{First: 0, Last: MaxRows, Other: true})); got != "2\n3" {
		t.Errorf("the other screen shows %q", got)
	}
	term.Write([]byte("\x1b[?1049l"))
	if got := historyOf(term); !slices.Equal(got, []string{"1"}) {
		t.Errorf("scrollback is %q after the alternate screen", got)
	}
}

// A frame becomes visible when it is complete (contour's "synchronized output").
func TestTerminalSynchronized(t *testing.T) {
	term := terminalWith(10, 2, 0, "before")
	term.Write([]byte("\x1b[?2026h\x1b[H\x1b[2Jafter"))
	if got := rowsOf(term.Snapshot(Visible())); got != "before" {
		t.Errorf("half a frame: %q", got)
	}
	term.Write([]byte("\x1b[?2026l"))
	if got := rowsOf(term.Snapshot(Visible())); got != "after" {
		t.Errorf("a whole frame: %q", got)
	}
	term.Write([]byte("\x1b[?2026h\x1bcreset"))
	if got := rowsOf(term.Snapshot(Visible())); got != "reset" {
		t.Errorf("after RIS: %q", got)
	}
	term.Write([]byte("\x1b[?2026hx"))
	term.Resize(5, 4)
	if s := term.Snapshot(Visible()); s.Cols != 5 || s.Rows != 4 || len(s.Lines) != 4 {
		t.Errorf("a resize within a frame: %dx%d with %d lines", s.Cols, s.Rows, len(s.Lines))
	}
}

func TestTerminalResets(t *testing.T) {
	runScreenTests(t, []screenTest{
		{"DECSTR keeps the screen", 10, 5, five + "\x1b[2;3H\x1b[!pX", "abcdefghij\nklXnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 3, 1},
		{"DECSTR ends the region", 10, 5, five + "\x1b[2;4r\x1b[!p\x1b[5;1H\n", "klmnopqrst\nABCDEFGHIJ\nKLMNOPQRST\n0123456789", 0, 4},
		{"DECSTR ends IRM and DECOM", 10, 5, "abc\x1b[4h\x1b[2;4r\x1b[?6h\x1b[!p\x1b[1;1HX", "Xbc", 1, 0},
		{"DECSTR forgets the saved cursor", 10, 5, "\x1b[3;3H\x1b7\x1b[!p\x1b[4;4H\x1b8X", "X", 1, 0},
		{"RIS", 10, 5, five + "\x1b[2;4r\x1b[?6h\x1b[4h\x1b[3;3H\x1bcX", "X", 1, 0},
		{"RIS ends the region", 10, 3, "\x1b[1;2r\x1bca\r\nb\r\nc\r\nd", "b\nc\nd", 1, 2},
		{"RIS forgets the saved cursor", 10, 5, "\x1b[3;3H\x1b7\x1bc\x1b[4;4H\x1b8X", "X", 1, 0},
	})
	for _, reset := range []string{"\x1b[!p", "\x1bc"} {
		if got := look(cellOf(terminalWith(10, 5, 0, "\x1b[1;4;31;42m"+reset+"\x1b[HX").Snapshot(Visible()), 0, 0).Style); got != "/-/-" {
			t.Errorf("style after %q is %s", reset, got)
		}
	}
}

func TestTerminalTitles(t *testing.T) {
	for _, test := range []struct{ in, title, icon string }{
		{"\x1b]0;a\a", "a", "a"},
		{"\x1b]1;a\a", "", "a"},
		{"\x1b]2;a\a", "a", ""},
		{"\x1b]2;a;b;c\x1b\\", "a;b;c", ""},
		{"\x1b]2;a\a\x1b]2;\a", "", ""},
		{"\x1b]2;größer 日本\a", "größer 日本", ""},
		{"\x1b]2;a\a\x1b]2;b\x18", "a", ""},
		{"\x1b]0;a\a\x1b[22;0t\x1b]0;b\a\x1b[23;0t", "a", "a"},
		{"\x1b]0;a\a\x1b[22t\x1b]0;b\a\x1b[23t", "a", "a"},
		{"\x1b]0;a\a\x1b[22;2t\x1b]0;b\a\x1b[23;2t", "a", "b"},
		{"\x1b]0;a\a\x1b[22;1t\x1b]0;b\a\x1b[23;1t", "b", "a"},
		{"\x1b]2;a\a\x1b[22;2t\x1b]2;b\a\x1b[22;2t\x1b]2;c\a\x1b[23;2t", "b", ""},
		{"\x1b]2;a\a\x1b[22;2t\x1b]2;b\a\x1b[22;2t\x1b]2;c\a\x1b[23;2t\x1b[23;2t", "a", ""},
		{"\x1b]2;a\a\x1b[23;2t", "a", ""},
		{"\x1b]2;a\a" + strings.Repeat("\x1b[22;2t", 1000) + "\x1b]2;b\a\x1b[23;2t", "a", ""},
	} {
		if s := terminalWith(10, 5, 0, test.in).Snapshot(Visible()); s.Title != test.title || s.Icon != test.icon {
			t.Errorf("%.60q: title %q and icon %q, want %q and %q", test.in, s.Title, s.Icon, test.title, test.icon)
		}
	}
	if got := terminalWith(10, 5, 0, "\x1b]7;file://host/tmp/x%20y\x1b\\").Snapshot(Visible()).Cwd; got != "file://host/tmp/x%20y" {
		t.Errorf("OSC 7: got %q", got)
	}
}

func TestTerminalMarks(t *testing.T) {
	const session = "\x1b]133;A\a$ \x1b]133;B\als\r\n\x1b]133;C\aout\r\n\x1b]133;D;7\x1b\\"
	type place struct {
		row int
		Mark
	}
	for _, test := range []struct {
		name, in string
		want     []place
	}{
		{"session", session, []place{{0, Mark{0, 'A', -1}}, {0, Mark{2, 'B', -1}}, {1, Mark{0, 'C', -1}}, {2, Mark{0, 'D', 7}}}},
		{"scrolled", session + "\r\n\n", []place{{-2, Mark{0, 'A', -1}}, {-2, Mark{2, 'B', -1}}, {-1, Mark{0, 'C', -1}}, {0, Mark{0, 'D', 7}}}},
		{"more behind it", "\x1b]133;A;aid=1;cl=m\a\r\n\x1b]133;D;0;aid=1\a", []place{{0, Mark{0, 'A', -1}}, {1, Mark{0, 'D', 0}}}},
		{"no exit code", "\x1b]133;D\a\r\n\x1b]133;D;x\a", []place{{0, Mark{0, 'D', -1}}, {1, Mark{0, 'D', -1}}}},
		{"others", "\x1b]133\a\x1b]133;\a\x1b]133;?\a\x1b]1337;A\a\x1b]133;AA\a", nil},
	} {
		s := terminalWith(10, 3, 100, test.in).Snapshot(everything)
		var got []place
		for i, line := range s.Lines {
			for _, m := range line.Marks {
				if m.Kind != 'D' {
					m.ExitCode = -1
				}
				got = append(got, place{s.First + i, m})
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}
