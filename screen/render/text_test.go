package render

import (
	"strings"
	"testing"

	"devtools/screen"
)

// shot returns the picture of a terminal after text whose lines end with \n.
func shot(cols, rows int, text string) *screen.Snapshot {
	t := screen.New(cols, rows, 100)
	t.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	return t.Snapshot(screen.Visible())
}

// scrolled returns all rows that a terminal of 10 columns and 2 rows keeps.
func scrolled(text string) *screen.Snapshot {
	t := screen.New(10, 2, 100)
	t.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	return t.Snapshot(screen.View{First: -100, Last: screen.MaxRows})
}

func TestText(t *testing.T) {
	const wrapped = "0123456   abc\nx"
	for _, test := range []struct {
		name string
		s    *screen.Snapshot
		o    TextOptions
		want string
	}{
		{"rows", shot(10, 4, "one  \n\ntwo"), TextOptions{}, "one\n\ntwo\n\n"},
		{"trim", shot(10, 4, "one\n\n\x1b[41m\x1b[K"), TextOptions{Trim: true}, "one\n"},
		{"trim nothing", shot(10, 2, "one\ntwo"), TextOptions{Trim: true}, "one\ntwo\n"},
		{"trim all", shot(10, 2, ""), TextOptions{Trim: true, Numbers: true}, ""},
		{"keep blanks", shot(10, 2, "one  \n  "), TextOptions{KeepBlanks: true}, "one  \n  \n"},
		{"keep what was written", shot(10, 1, "one\x1b[41m\x1b[K"), TextOptions{KeepBlanks: true}, "one\n"},
		{"blanks between", shot(10, 1, "a\x1b[5Gb"), TextOptions{}, "a   b\n"},
		{"wrapped", shot(10, 3, wrapped), TextOptions{}, "0123456\nabc\nx\n"},
		{"join", shot(10, 3, wrapped), TextOptions{Join: true}, "0123456   abc\nx\n"},
		{"join keeps blanks", shot(10, 1, "a "), TextOptions{Join: true}, "a \n"},
		{"join at the end", shot(4, 2, "abcdefghij"), TextOptions{Join: true}, "efghij\n"},
		{"join before a wide character", shot(3, 2, "ab漢"), TextOptions{Join: true}, "ab漢\n"},
		{"join and numbers", shot(10, 3, wrapped), TextOptions{Join: true, Numbers: true}, "0  0123456   abc\n2  x\n"},
		{"numbers", scrolled("a\nb\nc\nd"), TextOptions{Numbers: true}, "-2  a\n-1  b\n 0  c\n 1  d\n"},
		{"wide", shot(10, 1, "日本 e\u0301"), TextOptions{}, "日本 e\u0301\n"},
		{"no styles", shot(10, 1, "\x1b[1;31mred\x1b]8;;http://x\x1b\\link"), TextOptions{}, "redlink\n"},
	} {
		var b strings.Builder
		if err := Text(&b, test.s, test.o); err != nil || b.String() != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, b.String(), err, test.want)
		}
	}
}

func TestANSI(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain", "a b", "a b"},
		{"reset at the end of the row", "\x1b[31mred\nred\x1b[m black", "\x1b[31mred\x1b[m\n\x1b[31mred\x1b[m black"},
		{"trailing blanks", "\x1b[31mred  \x1b[m  ", "\x1b[31mred\x1b[m"},
		{"coloured blanks", "\x1b[44m\x1b[K", "\x1b[44m" + strings.Repeat(" ", 40) + "\x1b[m"},
		{"underlined blanks", "\x1b[4m  \x1b[m ", "\x1b[4m  \x1b[m"},
		{"only what changes", "\x1b[1;31ma\x1b[4mb\x1b[24;32mc", "\x1b[1;31ma\x1b[4mb\x1b[24;32mc\x1b[m"},
		{"the shorter way", "\x1b[1;3;4;9;31ma\x1b[m\x1b[32mb", "\x1b[1;3;9;4;31ma\x1b[;32mb\x1b[m"},
		{"bold but dim", "\x1b[1;2;4ma\x1b[22;2mb", "\x1b[1;2;4ma\x1b[22;2mb\x1b[m"},
		{"all attributes", "\x1b[1;2;3;5;7;8;9;53ma", "\x1b[1;2;3;5;7;8;9;53ma\x1b[m"},
		{"underlines", "\x1b[4:2ma\x1b[4:3mb\x1b[4:4mc\x1b[4:5md", "\x1b[4:2ma\x1b[4:3mb\x1b[4:4mc\x1b[4:5md\x1b[m"},
		{
			"colours", "\x1b[97;104ma\x1b[38;5;200;48;5;16mb\x1b[38;2;1;2;3;49mc",
			"\x1b[97;104ma\x1b[38;5;200;48;5;16mb\x1b[;38;2;1;2;3mc\x1b[m",
		},
		{"underline colours", "\x1b[4;58:5:9ma\x1b[58:2::1:2:3mb\x1b[59mc", "\x1b[4;58:5:9ma\x1b[58:2::1:2:3mb\x1b[59mc\x1b[m"},
		{
			"links", "a\x1b]8;id=x;http://h/?q=1\x1b\\b\x1b[1mc\x1b]8;;\x1b\\d",
			"a\x1b]8;id=x;http://h/?q=1\x1b\\b\x1b[1mc\x1b]8;;\x1b\\d\x1b[m",
		},
	} {
		var b strings.Builder
		err := ANSI(&b, shot(40, 2, test.text), TextOptions{Trim: true})
		if got := strings.TrimSuffix(b.String(), "\n"); err != nil || got != test.want {
			t.Errorf("%s:\n got %q, %v\nwant %q", test.name, got, err, test.want)
		}
	}
}

// looks describes everything visible of a snapshot's rows.
func looks(s *screen.Snapshot) []string {
	var rows []string
	for i := range s.Lines {
		row := ""
		for c := range s.Cells(i) {
			if blank(c.Text) {
				c.Text = " "
			}
			link, _ := s.Link(c.Style)
			style := c.Style
			row += c.Text + "|" + style.Foreground.String() + "|" + style.Background.String() + "|" +
				style.UnderlineColor.String() + "|" + string('0'+rune(style.Underline)) +
				string(rune(0x4000+int(style.Attributes))) + link.URI + link.ID + "\n"
		}
		rows = append(rows, strings.TrimRight(row, " |0\n\u4000"))
	}
	return rows
}

// The output shows the same in a terminal of the same width.
func TestANSIRoundTrip(t *testing.T) {
	for name, text := range samples() {
		s := shot(40, 12, text)
		for _, o := range []TextOptions{{}, {Join: true}, {KeepBlanks: true}, {Trim: true}} {
			var b strings.Builder
			if err := ANSI(&b, s, o); err != nil {
				t.Fatal(err)
			}
			again := looks(shot(40, 12, "\x1b[?25l"+strings.TrimSuffix(b.String(), "\n")))
			for i, want := range looks(s) {
				if again[i] != want {
					t.Errorf("%s, %+v, row %d:\n got %q\nwant %q", name, o, i, again[i], want)
				}
			}
		}
	}
}

// samples are outputs of at most 12 rows of 40 columns.
func samples() map[string]string {
	var colours strings.Builder
	for i := range 256 {
		colours.WriteString("\x1b[48;5;" + itoa(i) + "m\x1b[38;5;" + itoa(255-i) + "mx")
	}
	return map[string]string{
		"attributes": "\x1b[1mbold\x1b[2mdim\x1b[22;3mitalic\x1b[7mreverse\x1b[27;8mhidden\n\x1b[28;9mstrike\x1b[53mover\x1b[m\x1b[5mblink",
		"underlines": "\x1b[4ma\x1b[4:2mb \x1b[4:3;58:2::9:9:9mc\x1b[59md\x1b[4:4me\x1b[4:5mf \x1b[24mg",
		"colours":    colours.String(),
		"backgrounds": "\x1b[44m\x1b[2J\x1b[Hx\n\x1b[41m\x1b[K\n\x1b[m\x1b[Kplain\n" +
			"\x1b[42mgreen\x1b[K\x1b[m",
		"wrapped": strings.Repeat("0123456789", 9) + "\n" + strings.Repeat(" ", 60) + "x\n" + strings.Repeat("漢字a", 20),
		"links":   "\x1b]8;;http://a\x1b\\a\x1b]8;id=1;http://b\x1b\\b\x1b]8;;\x1b\\c \x1b]8;;x:\x1b\\ d\x1b]8;;\x1b\\",
		"lines":   "┌─┬─┐ ╔═╦═╗ ╭─╮ ┏━┓ \x1b(0lqk\x1b(B\n│ │ │ ░▒▓█▄▀ ⣿⡇ \ue0b0\ue0a0",
		"text":    "日本語 한국어 🚀 👩‍💻 e\u0301 \x1b[1m太字\x1b[m <&>\"' עברית",
		"modes":   "\x1b[?5h\x1b]10;#123456\x07\x1b]11;rgb:ff/ee/dd\x07\x1b]4;1;#abcdef\x07\x1b[31mred\x1b[m\x1b[3 q",
	}
}
