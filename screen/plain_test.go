package screen

import (
	"strings"
	"testing"
)

// plainTests are streams for a terminal of 10x3 and what a person saw.
var plainTests = []struct{ in, want string }{
	// Text is exact.
	{"", ""},
	{"foo", "foo"},
	{"foo\r\n", "foo\n"},
	{"a\r\n\r\n", "a\n\n"},
	{"\r\n\r\n\r\n\r\n\r\n", "\n\n\n\n\n"},
	{"a\tb", "a\tb"},
	{"a\t\r\n", "a\t\n"},
	{"\t\t\tb", "\t\t\tb"},
	{"foo  \r\n  bar  ", "foo  \n  bar  "},
	{"a\r\r\nb\r\r\r\n", "a\nb\n"},
	{"\rfoo\r\n\r\rbar", "foo\nbar"},
	{"0123456789", "0123456789"},
	{"0123456789\r\nx", "0123456789\nx"},
	{"0123456789\tx", "0123456789\tx"},
	{"012345678\tx", "012345678\tx"},
	{"0123456789abcdefghij0123456789abcdefghij012", "0123456789abcdefghij0123456789abcdefghij012"},
	{"nul\x00 bel\a del\x7f enq\x05", "nul bel del enq"},
	{"1\r\n2\r\n3\r\n4\r\n5\r\n6", "1\n2\n3\n4\n5\n6"},

	// Unicode.
	{"größer 日本語のテキスト\r\n", "größer 日本語のテキスト\n"},
	{"e\u0301\u0302x", "e\u0301\u0302x"},
	{"\u0301x\r\n\u0301", "\u0301x\n\u0301"},
	{"012345678日x", "012345678日x"},
	{"👨‍👩‍👧‍👦 ❤️ 🇩🇪", "👨‍👩‍👧‍👦 ❤️ 🇩🇪"},
	{"a\xffb\xe4\xbdc\xf0\x9f\x98", "a\uFFFDb\uFFFDc\uFFFD"},
	{"\xc0\xaf\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
	{"a\u0085b\u009bc", "abc"},
	{"日本\rab", "ab本"},
	{"日本\ra", "a 本"},
	{"日本\r\x1b[Ca", " a本"},
	{"xe\u0301\b\by", "ye\u0301"},
	{"xe\u0301\by", "xy"},

	// Carriage return, backspace, tab over text.
	{"10%\r20%\r100%\r\n", "100%\n"},
	{"100%\r99%\r\n", "99%%\n"},
	{"loading\r       \rdone\r\n", "done\n"},
	{"loading\r       \r       \rdo", "do"},
	{"a b \rx\r\n", "x b \n"},
	{"ab\bc", "ac"},
	{"ab\b \b\b \b", ""},
	{"0123456789\bX", "01234567X9"},
	{"\tb\rxx", "xx      b"},
	{"abcdefgh\r\tX", "abcdefghX"},
	{"ab\r\tX", "ab      X"},
	{"a\nb\nc", "a\n b\n  c"},
	{"\x1b[20ha\nb\nc\n", "a\nb\nc\n"},
	{"a\vb\fc", "a\n b\n  c"},

	// Wrapped lines are joined, until they are no longer one.
	{"0123456789ab\r\x1b[Axy", "xy23456789ab"},
	{"0123456789ab\x1b[A\x1b[2K\r\n", "\nab"},
	{"0123456789ab\x1b[2K\rxy", "0123456789\nxy"},
	{"0123456789\x1b[K", "0123456789"},
	{"0123456789\x1b[Kab", "0123456789ab"},
	{"\x1b[?7l0123456789ab\r\n\x1b[?7hx", "012345678b\nx"},

	// Erasing, inserting, deleting.
	{"abcdef\x1b[3D\x1b[K", "abc"},
	{"abcdef\x1b[3D\x1b[1Kx", "   xef"},
	{"abcdef\x1b[3D\x1b[2Kx", "   x"},
	{"a\r\nb\r\nc\x1b[2Ax\x1b[J", "ax\n"},
	{"a\r\nb\r\nc\x1b[A\x1b[1Jx", "\n x\nc"},
	{"a\r\nb\r\nc\x1b[H\x1b[2Jdone\r\n", "done\n"},
	{"a\r\nb\r\nc\x1b[2J\x1b[Hdone\r\n", "done\n"},
	{"a\r\nb\x1b[3J", "a\nb"},
	{"\u0301\x1b[K", "\u0301"},
	{"\u0301\x1b[2K", ""},
	{"abcdef\r\x1b[2X", "  cdef"},
	{"abcdef\r\x1b[2@", "  abcdef"},
	{"abcdefghij\r\x1b[2@", "  abcdefgh"},
	{"abcdef\r\x1b[2P", "cdef"},
	{"日本語\r\x1b[P", " 本語"},
	{"日本語\r\x1b[C\x1b[@", "   本語"},
	{"abc\r\x1b[4hxy\x1b[4l!", "xy!bc"},
	{"a\r\nb\r\nc\x1b[1;1H\x1b[L", "\na\nb"},
	{"a\r\nb\r\nc\x1b[1;1H\x1b[M", "b\nc"},
	{"a\r\nb\x1b[S", "a\nb"},
	{"a\r\nb\x1b[T", "\na\nb"},
	{"ab\x1b[3bc", "abbbbc"},
	{"ab\r\n\x1b[3bc", "ab\nc"},

	// Moving.
	{"a\r\nb\x1b[Ac", "ac\nb"},
	{"a\x1b[Bb\x1b[Cc", "a\n b c"},
	{"a\x1b[Eb\x1b[Fc", "c\nb"},
	{"abc\x1b[Gx\x1b[3`y", "xby"},
	{"a\x1b[2ab\x1b[2ec", "a  b\n\n    c"},
	{"a\x1b[3dx\x1b[2;5Hy\x1b[fz", "z\n    y\n x"},
	{"ab\x1b7\x1b[3;5Hx\x1b8c", "abc\n\n    x"},
	{"ab\x1b[s\x1b[3;5Hx\x1b[uc", "abc\n\n    x"},
	{"a\x1bDb\x1bEc\x1bMd", "a\n d\nc"},
	{"a\r\n\x1bM\x1bMb", "b\na\n"},
	{"ab\x1b[2IX\x1b[ZY", "ab\tYX"},
	{"ab\x1b[ZX", "Xb"},
	{"\x1b[3g\x1b[4G\x1bH\r\tX", "\tX"},
	{"a\x1b[99;99Hb\x1b[Hc", "c\n\n         b"},

	// The scroll region.
	{"1\r\n2\r\n3\x1b[1;2r\x1b[2;1H\n4", "1\n2\n4\n3"},
	{"1\r\n2\r\n3\x1b[2;3r\x1b[3;1H\n4", "1\n3\n4"},
	{"\x1b[2;3r\x1b[?6h\x1b[Ha\x1b[?6lb", "b\na"},
	{"1\r\n2\x1b[2;2rx", "1\n2x"},

	// Character sets.
	{"\x1b(0lqk\x1b(Bq", "┌─┐q"},
	{"\x1b)0a\x0eq\x0fq", "a─q"},
	{"\x1b)0a\x0eq\x1b[3b\r\n", "a────\n"},
	{"\x1b(A#\x1b(B#", "£#"},

	// Other screens, resets.
	{"a\x1b[?1049hhidden\x1b[?1049lb", "ab"},
	{"a\r\n\x1b[?1049h\x1b[Hvi\r\n~", "a\nvi\n~"},
	{"a\x1b[?1049h\x1b[Hvi", "a\nvi"},
	{"a\x1b[?1049h\x1b[H~     \r\nvi  x  ", "a\n~\nvi  x"},
	{"a\x1b[?1049lb", "b"},
	{"abc\x1bcd", "d"},
	{"\x1b[1;5!p\x1b[>1;2ma", "a"},
	{"a\r\nb\r\nc\x1b[?2Jd", "\n\n d"},
	{"\x1b[4h\x1b[?7l\x1b[!pabc\rx", "xbc"},
	{"a\x1b[?47hb\x1b[?47lc\r\n\x1b[?47h", "a c\n b"},
	{"a\x1b[?1047hb\x1b[?1047l\x1b[?1047h\x1b[?1047lc", "a c"},
	{"\x1b#8\x1b[2J\x1b[Ha", "a"},
	{"\x1b#8\x1b[2;3r\x1b[2S", "EEEEEEEEEE"},

	// What a VT420 has.
	{"\x1b[64;1\"p\x1b[?69h\x1b[3;6s\x1b[1;3Habcdef\r\nx", "  abcd\n  ef\n  x"},
	{"abcdef\r\nabcdef\x1b[64;1\"p\x1b[2;3H\x1b[2'~", "abef\nabef"},
	{"\x1b[64;1\"p\x1b[46;1;1;2;3$x", "...\n..."},

	// Clusters (mode 2027).
	{"\x1b[?2027h👩\u200d🚀x\x1b[3GX", "👩\u200d🚀X"},
	{"\x1b[?45h0123456789ab\b\b\b\bX", "01234567X9ab"},

	// Sequences without visible effect.
	{"\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[4:3m", "red x"},
	{"\x1b]0;title\aa\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"},
	{"a\x1bPq#0;2;0\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e", "abcde"},
	{"a\x1b[?2004h\x1b[?25l\x1b=\x1b>\x1b(B\x1b[>4;2m\x1b[?u\x1b[6n\x1b[cb", "ab"},
	{"a\x1b[12\x18b\x1b]0;x\x1ac", "abc"},
	{"a\x1b[1;éb", "aéb"},
	{"a\x1b[31", "a"},
	{"a\x1b[99999999999999999999Cb\x1b[-1P", "a        b"},
}

func TestPlain(t *testing.T) {
	for _, test := range plainTests {
		checkSplits(t, 10, 3, test.in, test.want)
	}
}

// checkSplits compares the output for a stream, however it is split.
func checkSplits(t *testing.T, cols, rows int, in, want string) {
	t.Helper()
	for n := 1; n <= len(in); n++ {
		for _, cells := range []bool{false, true} {
			if got, _, _ := plainOf(cols, rows, in, n, cells); got != want {
				t.Errorf("%q in steps of %d, cells %v:\n got %q\nwant %q", in, n, cells, got, want)
				return
			}
		}
	}
}

func TestPlainKeepsLongText(t *testing.T) {
	for name, s := range map[string]string{
		"lines":    strings.Repeat("a line of text\n", 20000),
		"giant":    strings.Repeat("0123456789", 50000),
		"blanks":   strings.Repeat(" ", 100000) + "x",
		"tabs":     strings.Repeat("\t", 100000),
		"newlines": strings.Repeat("\n", 100000),
		"wide":     strings.Repeat("日本語", 50000),
		"marks":    "e" + strings.Repeat("\u0301", 100000),
		"joined":   strings.Repeat("👩\u200d", 50000),
	} {
		in := strings.ReplaceAll(s, "\n", "\r\n")
		for _, cells := range []bool{false, true} {
			if got, _, _ := plainOf(80, 24, in, 5000, cells); got != s {
				t.Errorf("%s, cells %v: %d bytes became %d others", name, cells, len(s), len(got))
			}
		}
	}
}
