package screen

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// repliesTo returns the answers of a terminal of 10x5 to in.
func repliesTo(in string) string {
	var b strings.Builder
	term := New(10, 5, 100)
	term.OnReply(func(answer []byte) { b.Write(answer) })
	term.Write([]byte(in))
	return b.String()
}

// A replyTest is a stream and a pattern for all answers.
type replyTest struct{ in, want string }

// runReplyTests writes each stream at once and in single bytes.
func runReplyTests(t *testing.T, tests []replyTest) {
	for _, test := range tests {
		got := repliesTo(test.in)
		if !regexp.MustCompile("^(?:" + test.want + ")$").MatchString(got) {
			t.Errorf("%q: answered %q, want %s", test.in, got, test.want)
		}
		var split strings.Builder
		term := New(10, 5, 100)
		term.OnReply(func(answer []byte) { split.Write(answer) })
		for i := range len(test.in) {
			term.Write([]byte(test.in[i : i+1]))
		}
		if split.String() != got {
			t.Errorf("%q: answered %q when it came in single bytes, %q at once", test.in, split.String(), got)
		}
	}
}

func TestTerminalReports(t *testing.T) {
	const primary = `\x1b\[\?6[2-5](;\d+)*c`
	runReplyTests(t, []replyTest{
		{"text\r\n\t\x1b[1m\x1b]0;title\a", ""},
		{"\x05", ""}, // ENQ: no answerback
		{"\x1b[c", primary},
		{"\x1b[0c", primary},
		{"\x1bZ", primary},
		{"\x1b[1c", ""},
		{"\x1b[c\x1b[c", primary + primary},
		{"\x1b[>c", `\x1b\[>\d+;\d+;\d+c`},
		{"\x1b[>0c", `\x1b\[>\d+;\d+;\d+c`},
		{"\x1b[=c", `\x1bP!\|[0-9A-F]{8}\x1b\\`},
		{"\x1b[5n", `\x1b\[0n`},
		{"\x1b[6n", `\x1b\[1;1R`},
		{"\x1b[2;3H\x1b[6n", `\x1b\[2;3R`},
		{"0123456789\x1b[6n", `\x1b\[1;10R`}, // pending wrap: the last column
		{"世\x1b[6n", `\x1b\[1;3R`},
		{"㊗㊙\x1b[6n", `\x1b\[1;5R`},
		{"\x1b[2;4r\x1b[?6h\x1b[2;3H\x1b[6n", `\x1b\[2;3R`},
		{vt420 + "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[?6h\x1b[2;3H\x1b[6n", `\x1b\[2;3R`},
		{"\x1b[2;3H\x1b[?6n", `\x1b\[\?2;3(;1)?R`}, // DECXCPR has a page
		{"\x1b[99n\x1b[?99n\x1b[n", ""},
		{"\x1b[>q", `\x1bP>\|[!-~][ -~]*\x1b\\`},
		{"\x1b[>0q", `\x1bP>\|[!-~][ -~]*\x1b\\`},
		{"\x1b[>1q", ""},
		{"\x1b[14t", `\x1b\[4;\d+;\d+t`},
		{"\x1b[16t", `\x1b\[6;\d+;\d+t`},
		{"\x1b[18t", `\x1b\[8;5;10t`},
		{"\x1b[19t", `\x1b\[9;\d+;\d+t`},
		{"\x1b]2;a b\a\x1b[21t", `\x1b\]l(a b)?\x1b\\`}, // a terminal may hide the title
		{"\x1b[21t", `\x1b\]l\x1b\\`},
		{"\x1b]52;c;?\a", `|\x1b\]52;c?;\x1b\\|\x1b\]52;c?;\x07`}, // the clipboard is not read
		{"\x1b[?1$p\x18", `\x1b\[\?1;2\$y`},
		{"\x1b[6\x18n", ""},
	})
}

// The pixels of the screen are those of a cell times the number of cells.
func TestTerminalPixels(t *testing.T) {
	var cellHeight, cellWidth, height, width int
	if _, err := fmt.Sscanf(repliesTo("\x1b[16t\x1b[14t"), "\x1b[6;%d;%dt\x1b[4;%d;%dt", &cellHeight, &cellWidth, &height, &width); err != nil {
		t.Fatal(err)
	}
	if cellHeight < 1 || cellWidth < 1 || height != 5*cellHeight || width != 10*cellWidth {
		t.Errorf("cells of %dx%d pixels, a screen of %dx%d", cellWidth, cellHeight, width, height)
	}
}

// DECRQM: 1 is set, 2 reset, 3 permanently set, 4 permanently reset, 0 unknown (xterm ctlseqs).
func TestTerminalModeReports(t *testing.T) {
	for _, mode := range []string{
		"?1", "?5", "?6", "?7", "?25", "?45", "?66", "?69", "?9", "?1000", "?1002", "?1003", "?1004", "?1005", "?1006",
		"?1015", "?1016", "?47", "?1047", "?1049", "?2004", "?2026", "?2027", "4", "20",
	} {
		query := "\x1b[" + mode + "$p"
		name := regexp.QuoteMeta("\x1b[" + mode + ";")
		runReplyTests(t, []replyTest{
			{vt420 + "\x1b[" + mode + "h" + query, name + `[13]\$y`},
			{vt420 + "\x1b[" + mode + "h\x1b[" + mode + "l" + query, name + `[24]\$y`},
		})
	}
	runReplyTests(t, []replyTest{
		{"\x1b[?7$p", `\x1b\[\?7;1\$y`},
		{"\x1b[?25$p", `\x1b\[\?25;1\$y`},
		{"\x1b[?6$p", `\x1b\[\?6;2\$y`},
		{"\x1b[?9999$p", `\x1b\[\?9999;0\$y`},
		{"\x1b[99$p", `\x1b\[99;0\$y`},
		{"\x1b[?2004$p\x1b[4$p", `\x1b\[\?2004;2\$y\x1b\[4;2\$y`},
		{"\x1b[?1049h\x1bc\x1b[?1049$p", `\x1b\[\?1049;2\$y`},
		{"\x1b[?2004h\x1bc\x1b[?2004$p", `\x1b\[\?2004;2\$y`},
	})
}

// DECRQSS: xterm answers 1 for a setting that it knows, and 0 for others.
func TestTerminalSettingReports(t *testing.T) {
	query := func(setting string) string { return "\x1bP$q" + setting + "\x1b\\" }
	is := func(value string) string { return `\x1bP1\$r` + value + `\x1b\\` }
	const none = `\x1bP0\$r[ -~]*\x1b\\`
	runReplyTests(t, []replyTest{
		{query("m"), is(`0?m`)},
		{"\x1b[1;31m" + query("m"), is(`(0;)?1;31m`)},
		{"\x1b[94;101m" + query("m"), is(`(0;)?94;101m`)},
		{"\x1b[4;7m" + query("m"), is(`(0;)?(4;7|7;4)m`)},
		{"\x1b[4:3m" + query("m"), is(`(0;)?4:3m`)},
		{"\x1b[38;5;196m" + query("m"), is(`(0;)?38[:;]5[:;]196m`)},
		{"\x1b[48;2;1;2;3m" + query("m"), is(`(0;)?48([:;]2|:2:)[:;]1[:;]2[:;]3m`)},
		{query("r"), is(`1;5r`)},
		{"\x1b[2;4r" + query("r"), is(`2;4r`)},
		{vt420 + query("s"), is(`1;10s`)},
		{vt420 + "\x1b[?69h\x1b[3;6s" + query("s"), is(`3;6s`)},
		{"\x1b[4 q" + query(" q"), is(`4 q`)},
		{"\x1b[6 q" + query(" q"), is(`6 q`)},
		{query(" q"), is(`[0-6] q`)},
		{query("\"p"), is(`6[1-5](;[012])?"p`)},
		{vt420 + query("\"p"), is(`64;1"p`)},
		{query("\"q"), is(`[02]"q`)},
		{"\x1b[1\"q" + query("\"q"), is(`1"q`)},
		{query("x"), none},
		{query(""), none},
		{query("echo owned"), `\x1bP0\$r\x1b\\`}, // input is never sent back
		{"\x1bP$qm\x18", ""},
	})
}

// The checksum of DECRQCRA is the negated sum of the characters, as in the VT420 and xterm. xterm
// adds weights for the attributes.
func TestTerminalChecksum(t *testing.T) {
	runReplyTests(t, []replyTest{
		{vt420 + "A\x1b[1;1;1;1;1;1*y", `\x1bP1!~FFBF\x1b\\`},
		{vt420 + "AB\x1b[7;1;1;1;1;2*y", `\x1bP7!~FF7D\x1b\\`},
		{vt420 + "ab\r\ncd\x1b[1;1;2;2;2;2*y", `\x1bP1!~FF9C\x1b\\`},
		{vt420 + "A\x1b[1;1;1;50;9;60*y", `\x1bP1!~0000\x1b\\`}, // outside the screen
		{vt420 + "A\x1b[1;1;9;9;1;1*y", `\x1bP1!~[0-9A-F]{4}\x1b\\`},
		{vt420 + "A\x1b[1*y", `\x1bP1!~[0-9A-F]{4}\x1b\\`},
	})
}

// The keyboard protocol of kitty pushes, pops and sets flags, separately for each screen.
func TestTerminalKeyboard(t *testing.T) {
	flags := func(n int) string { return fmt.Sprintf(`\x1b\[\?%du`, n) }
	runReplyTests(t, []replyTest{
		{"\x1b[?u", flags(0)},
		{"\x1b[>5u\x1b[?u", flags(5)},
		{"\x1b[>1u\x1b[>3u\x1b[<u\x1b[?u", flags(1)},
		{"\x1b[>1u\x1b[<9u\x1b[?u", flags(0)},
		{"\x1b[=5u\x1b[?u", flags(5)},
		{"\x1b[=5;1u\x1b[=2;2u\x1b[?u", flags(7)},
		{"\x1b[=7;1u\x1b[=2;3u\x1b[?u", flags(5)},
		{"\x1b[>1u\x1b[?1049h\x1b[?u\x1b[>2u\x1b[?u\x1b[?1049l\x1b[?u", flags(0) + flags(2) + flags(1)},
		{"\x1b[>1u\x1bc\x1b[?u", flags(0)},
		{strings.Repeat("\x1b[>1u", 1000) + "\x1b[<9999u\x1b[?u", flags(0)},
	})
	if got := terminalWith(10, 5, 0, "\x1b[>5u").Snapshot(Visible()).Modes.Keyboard; got != 5 {
		t.Errorf("the snapshot has keyboard flags %d, want 5", got)
	}
}

// The answer ends in the same way as the query (xterm ctlseqs, "OSC").
func TestTerminalColourReports(t *testing.T) {
	rgb := func(c Color) string {
		r, g, b, _ := c.RGB()
		return fmt.Sprintf("rgb:%02[1]x%02[1]x/%02[2]x%02[2]x/%02[3]x%02[3]x", r, g, b)
	}
	first, second := rgb(Palette{}.Entry(1)), rgb(Palette{}.Entry(2))
	foreground, background := rgb(DefaultForeground), rgb(DefaultBackground)
	runReplyTests(t, []replyTest{
		{"\x1b]4;1;?\x1b\\", `\x1b\]4;1;` + first + `\x1b\\`},
		{"\x1b]4;1;?\a", `\x1b\]4;1;` + first + `\x07`},
		{"\x1b]4;1;rgb:12/34/56\a\x1b]4;1;?\a", `\x1b\]4;1;rgb:1212/3434/5656\x07`},
		{"\x1b]4;1;?;2;?\a", `\x1b\]4;1;` + first + `\x07\x1b\]4;2;` + second + `\x07`},
		{"\x1b]4;255;?\a", `\x1b\]4;255;rgb:eeee/eeee/eeee\x07`},
		{"\x1b]4;256;?\a\x1b]4;x;?\a", ""},
		{"\x1b]10;?\a", `\x1b\]10;` + foreground + `\x07`},
		{"\x1b]11;?\x1b\\", `\x1b\]11;` + background + `\x1b\\`},
		{"\x1b]11;#123456\a\x1b]11;?\a", `\x1b\]11;rgb:1212/3434/5656\x07`},
		{"\x1b]12;#123456\a\x1b]12;?\a", `\x1b\]12;rgb:1212/3434/5656\x07`},
		{"\x1b]12;?\a", `\x1b\]12;rgb:[0-9a-f]{4}/[0-9a-f]{4}/[0-9a-f]{4}\x07`},
		{"\x1b]10;?;?\a", `\x1b\]10;` + foreground + `\x07\x1b\]11;` + background + `\x07`},
		{"\x1b]10;#123456\a\x1b]110\a\x1b]10;?\a", `\x1b\]10;` + foreground + `\x07`},
	})
}
