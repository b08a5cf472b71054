package keys

import (
	"slices"
	"strings"
	"testing"
)

func text(s string) Stroke { return Stroke{text: s} }
func bare(s string) Stroke { return Stroke{text: s, raw: true} }
func one(k key) Stroke     { return Stroke{key: k} }
func with(m mods, k key) Stroke {
	return Stroke{key: k, mods: m}
}

var parseTests = []struct {
	args []string
	want []Stroke
}{
	// Whole arguments.
	{[]string{"Up", "Down", "Left", "Right"}, []Stroke{one(up), one(down), one(left), one(right)}},
	{[]string{"Home", "End", "PageUp", "PgUp", "PPage"}, []Stroke{one(home), one(end), one(pageUp), one(pageUp), one(pageUp)}},
	{[]string{"PageDown", "PgDn", "NPage"}, []Stroke{one(pageDown), one(pageDown), one(pageDown)}},
	{[]string{"Insert", "IC", "Delete", "DC"}, []Stroke{one(insert), one(insert), one(del), one(del)}},
	{[]string{"BSpace", "Backspace", "Tab", "BTab"}, []Stroke{one(backspace), one(backspace), one(tab), with(shift, tab)}},
	{[]string{"Enter", "Escape", "Esc", "Space"}, []Stroke{one(enter), one(escape), one(escape), text(" ")}},
	{[]string{"F1", "F9", "F12", "F24"}, []Stroke{one(f1), one(f1 + 8), one(f1 + 11), one(f24)}},
	{[]string{"KP0", "KP9", "KPEnter", "KP+", "KP-", "KP*", "KP/", "KP.", "KP=", "KP,"}, []Stroke{
		one(kp0), one(kp9), one(kpEnter), one(kpAdd), one(kpSubtract), one(kpMultiply), one(kpDivide), one(kpPoint), one(kpEqual), one(kpSeparator),
	}},
	{[]string{"C-c", "Ctrl+C", "Ctrl-c", "Ctl-c", "^C", "^c", "C-C"}, slices.Repeat([]Stroke{with(ctrl, 'c')}, 7)},
	{[]string{"M-x", "Alt+x", "Meta-x"}, slices.Repeat([]Stroke{with(alt, 'x')}, 3)},
	{[]string{"M-X", "M-S-x", "Alt+Shift+x"}, slices.Repeat([]Stroke{with(alt, 'X')}, 3)},
	{[]string{"S-Up", "Shift+Tab", "S-Tab"}, []Stroke{with(shift, up), with(shift, tab), with(shift, tab)}},
	{[]string{"C-M-Left", "Ctrl+Alt+Left", "M-C-Left", "^Left"}, []Stroke{
		with(ctrl|alt, left), with(ctrl|alt, left), with(ctrl|alt, left), with(ctrl, left),
	}},
	{[]string{"C--", "Ctrl++", "C-[", "C-]", "M-<", `C-\`, "^^"}, []Stroke{
		with(ctrl, '-'), with(ctrl, '+'), with(ctrl, '['), with(ctrl, ']'), with(alt, '<'), with(ctrl, '\\'), text("^"),
	}},
	{[]string{"M-é", "C-é", "S-é", "S-a"}, []Stroke{with(alt, 'é'), with(ctrl, 'é'), text("ÉA")}},
	{[]string{"C-Space", "C-@", "C-?"}, []Stroke{with(ctrl, ' '), with(ctrl, '@'), with(ctrl, '?')}},
	{[]string{"up", "END", "F0", "F01", "KP10", "C-", "c-1", "s-x", "a-x", "bs", "spc", "a-b", "S-expression", "^", "C-style casts", "delete", "space", "home"}, []Stroke{
		text("upENDF0F01KP10C-c-1s-xa-xbsspca-bS-expression^C-style castsdeletespacehome"),
	}},
	{[]string{"enter", "ENTER", "Return", "return", "CR", "cr"}, slices.Repeat([]Stroke{one(enter)}, 6)},
	{[]string{"Pageup", "PAGEUP", "pgup", "page_up", "ppage", "Page-Up"}, slices.Repeat([]Stroke{one(pageUp)}, 6)},
	{[]string{"esc", "ESC", "tab", "TAB", "bspace", "backspace", "BackSpace", "Del", "del", "dc", "ic", "Ins", "btab", "npage", "PgDown"}, []Stroke{
		one(escape), one(escape), one(tab), one(tab), one(backspace), one(backspace), one(backspace),
		one(del), one(del), one(del), one(insert), one(insert), with(shift, tab), one(pageDown), one(pageDown),
	}},
	{[]string{"ArrowUp", "KP_Enter", "C-return", "Ctrl+enter", "M-del", "C-left", "^left", "S-tab", "Ctrl-PAGEUP", "C-f5"}, []Stroke{
		one(up), one(kpEnter), with(ctrl, enter), with(ctrl, enter), with(alt, del), with(ctrl, left), with(ctrl, left), with(shift, tab),
		with(ctrl, pageUp), with(ctrl, f1+4),
	}},
	{[]string{"BS", "SPC", "Spacebar", "ISO_Left_Tab", "Option+x", "option+left"}, []Stroke{
		one(backspace), text("  "), with(shift, tab), with(alt, 'x'), with(alt, left),
	}},
	{[]string{"ls", "-l"}, []Stroke{text("ls-l")}},
	{[]string{"ls -l", "Enter"}, []Stroke{text("ls -l"), one(enter)}},
	{[]string{"", "Up", ""}, []Stroke{one(up)}},
	{[]string{"Dawn", "Spare", "Enters", "Deleted", "entr", "Entr y"}, []Stroke{text("DawnSpareEntersDeletedentrEntr y")}},

	// Inside of an argument.
	{[]string{"a[UP]b[up]"}, []Stroke{text("a"), one(up), text("b"), one(up)}},
	{[]string{"[ENTER][F1][C-c][CTRL+C][M-x][ctrl-shift-left]"}, []Stroke{
		one(enter), one(f1), with(ctrl, 'c'), with(ctrl, 'c'), with(alt, 'x'), with(ctrl|shift, left),
	}},
	{[]string{"[Page Up][PAGE_DOWN][page-up][Arrow Up][DEL][INS][Return][KP_ENTER][KP-][KP_0][KP_ADD]"}, []Stroke{
		one(pageUp), one(pageDown), one(pageUp), one(up), one(del), one(insert), one(enter), one(kpEnter), one(kpSubtract), one(kp0), one(kpAdd),
	}},
	{[]string{"[C-]][C-[][M-]][C--][C-^]"}, []Stroke{with(ctrl, ']'), with(ctrl, '['), with(alt, ']'), with(ctrl, '-'), with(ctrl, '^')}},
	{[]string{"<CR><Esc><C-c><c-w><F5><S-Tab><A-x><M-<><BS><Del><k0><kPlus><lt><Bar><Bslash><Nul>"}, []Stroke{
		one(enter), one(escape), with(ctrl, 'c'), with(ctrl, 'w'), one(f1 + 4), with(shift, tab), with(alt, 'x'), with(alt, '<'),
		one(backspace), one(del), one(kp0), one(kpAdd), text(`<|\`), with(ctrl, ' '),
	}},
	{[]string{"</b> <stdio.h> <<EOF a<b a>b <C- <b c> <> <1>"}, []Stroke{text("</b> <stdio.h> <<EOF a<b a>b <C- <b c> <> <1>")}},
	{[]string{"<lt>html><del>"}, []Stroke{text("<html>"), one(del)}},
	{[]string{"a^C^[b^?^@"}, []Stroke{text("a"), with(ctrl, 'c'), with(ctrl, '['), text("b"), with(ctrl, '?'), with(ctrl, '@')}},
	{[]string{"git diff HEAD^ HEAD~2^"}, []Stroke{text("git diff HEAD^ HEAD~2^")}},
	{[]string{"x^^2", "[[UP]", "[[[UP]", `\\n`}, []Stroke{text("x^2[UP]["), one(up), text(`\n`)}},
	{[]string{"^[[A"}, []Stroke{with(ctrl, '['), text("[A")}},
	{[]string{"if [ -f x ]; then", "a[0] {} [] ['x'] [a.b] ]"}, []Stroke{text("if [ -f x ]; thena[0] {} [] ['x'] [a.b] ]")}},
	{[]string{"[[[[ -f x ]]"}, []Stroke{text("[[ -f x ]]")}},
	{[]string{`a\nb\rc\td\\`}, []Stroke{text("a"), one(enter), text("b"), one(enter), text("c"), one(tab), text(`d\`)}},
	{[]string{`\e[A\x03\xff\u00e9\U0001f600\u0003`}, []Stroke{bare("\x1b"), text("[A"), bare("\x03\xff"), text("é😀"), bare("\x03")}},
	{[]string{"a\nb\r\nc\rd\te\x1bf\xffg"}, []Stroke{
		text("a"), one(enter), text("b"), one(enter), text("c"), one(enter), text("d"), one(tab), text("e"), bare("\x1b"), text("f"), bare("\xff"), text("g"),
	}},
	{nil, nil},
}

func TestParse(t *testing.T) {
	for _, test := range parseTests {
		got, err := Parse(test.args)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("Parse(%q) = %v, %v, want %v", test.args, got, err, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ arg, want string }{
		{"[PAGEDWON]", "[PAGEDWON] is not a key (nearest: PageDown): type it as text with [[PAGEDWON] or -l"},
		{"a[ENTR]b", "[ENTR] is not a key (nearest: Enter): type it as text with [[ENTR] or -l"},
		{"[C-Entr]", "[C-Entr] is not a key (nearest: C-Enter): type it as text with [[C-Entr] or -l"},
		{"[F25]", "[F25] is not a key (nearest: F2, F5, F15): type it as text with [[F25] or -l"},
		{"F25", "F25 is not a key: there are F1 to F24; type it as text with -l"},
		{"<Entr>", "<Entr> is not a key (nearest: Enter): type it as text with <lt>Entr> or -l"},
		{"a<html>", "<html> is not a key: type it as text with <lt>html> or -l"},
		{"<C-foo>", "<C-foo> is not a key: type it as text with <lt>C-foo> or -l"},
		{"Entr", "Entr is not a key (nearest: Enter): type it as text with -l"},
		{"Enetr", "Enetr is not a key (nearest: Enter): type it as text with -l"},
		{"PageDwn", "PageDwn is not a key (nearest: PageDown): type it as text with -l"},
		{"C-Entr", "C-Entr is not a key (nearest: C-Enter): type it as text with -l"},
		{"c-c", "c-c may be text or a key: write C-c for the key, or type it as text with -l"},
		{"A-x", "A-x may be text or a key: write M-x for the key, or type it as text with -l"},
		{"C-xyz", "C-xyz is not a key: type it as text with -l"},
		{"M-[1;5A", "M-[1;5A is not a key: type it as text with -l"},
		{"C-x C-s", "C-x C-s is not a key: write each key as an argument of its own, or type it as text with -l"},
		{"M-Enter now", "M-Enter now is not a key: write each key as an argument of its own, or type it as text with -l"},
		{"^Entr", "^Entr is not a key (nearest: C-Enter): write [C-e]ntr for the key and text, or type it as text with -l"},
		{"x[i]", "[i] is not a key: type it as text with [[i] or -l"},
		{"[hello world]", "[hello world] is not a key: type it as text with [[hello world] or -l"},
		{"[DOWN 3]", "[DOWN 3] is not a key (nearest: Down): type it as text with [[DOWN 3] or -l"},
		{"[C-]", "[C-] is not a key: type it as text with [[C-] or -l"},
		{"[C-ab]", "[C-ab] is not a key (nearest: C-Tab): type it as text with [[C-ab] or -l"},
		{"Ctrl+Entr", "Ctrl+Entr is not a key (nearest: C-Enter): type it as text with -l"},
		{"[[ -f x ]]", "[[ before a blank is not clear: write [ for one bracket and [[[[ for two, or type the text with -l"},
		{"^1", "^1 is not a control character: type it as text with ^^1 or -l"},
		{"2^10", "^1 is not a control character: type it as text with ^^1 or -l"},
		{"^é", "^é is not a control character: type it as text with ^^é or -l"},
		{"grep '^foo'", "^f in text may be text or a key: write ^^f for the text, or ^F for the key"},
		{"[^A-Z]", "[^A may be text or a key: write [^^A for the text, or [[^A for the key after a ["},
		{`a\`, `a \ at the end is not an escape: type it as text with \\ or -l`},
		{`\q`, `\q is not an escape: type it as text with \\q or -l`},
		{"\\\x01", `\U+0001 is not an escape: type it as text with \\U+0001 or -l`},
		{`\x1`, `\x needs 2 hexadecimal digits: type it as text with \\x or -l`},
		{`\xg0`, `\x needs 2 hexadecimal digits: type it as text with \\x or -l`},
		{`\u12`, `\u needs 4 hexadecimal digits: type it as text with \\u or -l`},
		{`\ud83d`, `\ud83d is not a character: write one beyond \uffff with eight digits, as in \U0001f600`},
		{`\Uffffffff`, `\Uffffffff is not a character: write one beyond \uffff with eight digits, as in \U0001f600`},
	} {
		got, err := Parse([]string{"a", test.arg})
		if err == nil || err.Error() != test.want {
			t.Errorf("Parse(%q) = %v, error\n\t%v, want\n\t%v", test.arg, got, err, test.want)
		}
	}
}

func TestHex(t *testing.T) {
	for _, args := range [][]string{{"1b", "5b", "41"}, {"1b5b41"}, {"1b 5b", "0x41"}, {"0x1B5B41"}, {"0X1b", "5b41"}} {
		if got, err := Hex(args); err != nil || !slices.Equal(got, []Stroke{bare("\x1b[A")}) {
			t.Errorf("Hex(%q) = %v, %v", args, got, err)
		}
	}
	if got, err := Hex([]string{"3", "0"}); err != nil || !slices.Equal(got, []Stroke{bare("\x03\x00")}) {
		t.Errorf("single digits: %v, %v", got, err)
	}
	for _, test := range []struct{ arg, want string }{
		{"1b5", `"1b5" is not hexadecimal: write two digits for each byte, as in 1b5b41`},
		{"0x", `"0x" is not hexadecimal: write two digits for each byte, as in 1b5b41`},
		{"1g", `"1g" is not hexadecimal: write digits from 0 to 9 and a to f`},
		{"é", `"é" is not hexadecimal: write digits from 0 to 9 and a to f`},
	} {
		if got, err := Hex([]string{test.arg}); err == nil || err.Error() != test.want {
			t.Errorf("Hex(%q) = %v, %v, want %v", test.arg, got, err, test.want)
		}
	}
}

func TestString(t *testing.T) {
	for want, s := range map[string]Stroke{
		"[C-M-Left]": with(ctrl|alt, left), "[S-Tab]": with(shift, tab), "[F13]": one(f1 + 12), "[KP+]": one(kpAdd), "[KP7]": one(kp0 + 7),
		"[C-Space]": with(ctrl, ' '), "[M-é]": with(alt, 'é'), "[C-]]": with(ctrl, ']'),
		"ls -l": text("ls -l"), "[[UP]": text("[UP]"), "x^^2": text("x^2"), `\\n`: text(`\n`), "[ -f x ]": text("[ -f x ]"), "[[[[ x": text("[[ x"),
		"<lt>CR>": text("<CR>"), "<lt>b>": text("<b>"), "</b>": text("</b>"), `\u0065nter`: text("enter"), `\u0055p`: text("Up"), `\u0043-c`: text("C-c"), "Up!": text("Up!"), `\u00a0`: text("\u00a0"),
		`\x1b\xff`: bare("\x1b\xff"),
	} {
		if got := s.String(); got != want {
			t.Errorf("%#v is written %s, want %s", s, got, want)
		}
	}
}

// Every name in the table is its key as a whole argument, in brackets, in angles, and with modifiers.
func TestNames(t *testing.T) {
	all := []string{"BTab"}
	for _, n := range names {
		all = append(all, strings.Fields(n.list)...)
	}
	for k := f1; k <= f24; k++ {
		all = append(all, k.name())
	}
	for k := kp0; k <= kp9; k++ {
		all = append(all, k.name())
	}
	for _, name := range all {
		want, more, ok := named(name)
		if !ok {
			t.Errorf("%s is not known", name)
		}
		for _, arg := range []string{name, "[" + name + "]", "[" + strings.ToUpper(name) + "]", "<" + strings.ToLower(name) + ">"} {
			if got, err := Parse([]string{arg}); err != nil || !slices.Equal(got, []Stroke{press(want, more)}) {
				t.Errorf("Parse(%q) = %v, %v", arg, got, err)
			}
		}
		for _, arg := range []string{"C-" + name, "Ctrl+" + name, "[ctrl-" + name + "]", "<c-" + name + ">"} {
			if got, err := Parse([]string{arg}); err != nil || !slices.Equal(got, []Stroke{press(want, more|ctrl)}) {
				t.Errorf("Parse(%q) = %v, %v", arg, got, err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, test := range parseTests {
		f.Add(strings.Join(test.args, " "), 1, true, 0)
	}
	f.Fuzz(func(t *testing.T, arg string, cut int, paste bool, kitty int) {
		cut = max(0, min(cut, len(arg)))
		strokes, err := Parse([]string{arg[:cut], arg[cut:]})
		if err != nil && strokes != nil {
			t.Errorf("strokes beside error %v", err)
		}
		for _, s := range append(strokes, Literal([]string{arg})...) {
			back, err := Parse([]string{s.String()})
			if err != nil || !slices.Equal(back, []Stroke{s}) {
				t.Errorf("%#v is written %q, which is %#v, %v", s, s.String(), back, err)
			}
		}
		for _, m := range []Modes{{}, {ApplicationCursor: true, ApplicationKeypad: true, NewLine: true, BracketedPaste: true, Kitty: kitty}} {
			pieces, err := Encode(strokes, m, paste)
			if err != nil && pieces != nil {
				t.Errorf("pieces beside error %v", err)
			}
			for _, p := range pieces {
				if len(p.Data) == 0 {
					t.Error("an empty piece")
				}
			}
		}
		if _, err := Hex([]string{arg}); err == nil && strings.Trim(arg, "0123456789abcdefABCDEFxX \t\n\v\f\r\u0085\u00a0") != "" && !strings.ContainsFunc(arg, func(r rune) bool { return r > 127 }) {
			t.Errorf("Hex(%q) is no error", arg)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	arg := strings.Repeat("the quick brown fox <jumps.h> over [[the] lazy dog\n", 20000)
	b.SetBytes(int64(len(arg)))
	for b.Loop() {
		if _, err := Parse([]string{arg}); err != nil {
			b.Fatal(err)
		}
	}
}
