package runner

import (
	"strings"
	"testing"
	"unicode/utf8"

	"devtools/ledger"
)

func TestPreview(t *testing.T) {
	for _, test := range []struct {
		budget     int
		lines      int
		text       string
		head, tail string
		left       int64
	}{
		{0, 0, "abc", "abc", "", 0},
		{4, 0, "abc", "abc", "", 0},
		{4, 0, "abcd", "abcd", "", 0},
		{4, 0, "abcdefgh", "ab", "gh", 4},
		{5, 0, "abcdefgh", "ab", "fgh", 3},
		{1, 0, "abc", "", "c", 2},
		{8, 0, "a\nb\nc\nd\ne\nf\n", "a\nb\n", "e\nf\n", 4},
		{8, 0, "ä€𝄞ä€𝄞", "ä", "𝄞", 12},
		{99, 4, "a\nb\nc\nd\n", "a\nb\nc\nd\n", "", 0},
		{99, 4, "a\nb\nc\nd\ne", "a\nb\n", "d\ne", 2},
		{99, 3, "a\nb\nc\nd\ne\n", "a\n", "d\ne\n", 4},
		{99, 1, "a\nb\nc\n", "", "c\n", 4},
		{99, 1, "abc", "abc", "", 0},
		{9, 4, "long line\nb\nc\nd\n", "long", "b\nc\nd\n"[2:], 8},
		{12, 9, "a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\n", "f\ng\n", 4},
	} {
		p := NewPreview(test.budget, test.lines)
		for i := range len(test.text) {
			_, _ = p.Write([]byte(test.text[i : i+1])) // never fails
		}
		head, tail, left := p.Parts(true)
		if string(head) != test.head || string(tail) != test.tail || left != test.left {
			t.Errorf("%d bytes, %d lines of %q: %q %q, %d left out; want %q %q, %d", test.budget, test.lines, test.text, head, tail, left, test.head, test.tail, test.left)
		}
	}
}

// However the text is cut into writes, the preview has its two ends, stays within the budget, and counts the missing
// bytes.
func FuzzPreview(f *testing.F) {
	f.Add(uint8(10), uint8(0), "0123456789abcdef\nghij€", uint8(3))
	f.Add(uint8(99), uint8(3), "a\nb\nc\nd\ne", uint8(1))
	f.Fuzz(func(t *testing.T, budget, lines uint8, text string, piece uint8) {
		if budget == 0 {
			lines = 0
		}
		p := NewPreview(int(budget), int(lines))
		for rest := []byte(text); len(rest) > 0; {
			n := min(int(piece)+1, len(rest))
			if m, err := p.Write(rest[:n]); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		for _, characters := range []bool{false, true} {
			head, tail, left := p.Parts(characters)
			if int64(len(head)+len(tail))+left != int64(len(text)) || left < 0 {
				t.Errorf("%d + %d + %d is not %d", len(head), len(tail), left, len(text))
			}
			if !strings.HasPrefix(text, string(head)) || !strings.HasSuffix(text, string(tail)) {
				t.Errorf("%q and %q are not the ends of %q", head, tail, text)
			}
			if budget > 0 && len(head)+len(tail) > int(budget) {
				t.Errorf("%d bytes in a budget of %d", len(head)+len(tail), budget)
			}
			if n := strings.Count(string(head)+string(tail), "\n"); lines > 0 && n > int(lines) {
				t.Errorf("%d lines, at most %d are wanted", n, lines)
			}
			if characters && utf8.ValidString(text) && (!utf8.Valid(head) || !utf8.Valid(tail)) {
				t.Errorf("%q or %q is cut within a character", head, tail)
			}
		}
	})
}

func TestCut(t *testing.T) {
	for text, want := range map[string]int{
		"":                                 0,
		"abc":                              3,
		"abc\r":                            3,
		"abc\r\n":                          5,
		"abc\xe2\x82":                      3,
		"abc€":                             6,
		"abc\xff":                          4,
		"abc\x1b":                          3,
		"abc\x1b[3":                        3,
		"abc\x1b[31m":                      8,
		"abc\x1b[31mx":                     9,
		"abc\x1b]0;tit":                    3,
		"abc\x1b]0;t\a":                    9,
		"abc\x1b(":                         3,
		"abc\x1b(B":                        6,
		"abc\x1bM":                         5,
		"\x1b[" + strings.Repeat("1", 300): 302, // no sequence is that long
	} {
		if got := cut([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]bool{
		"web": true, "a.b_c-1": true, "1a": true, "": false, "12": false, "-a": false, ".a": false, "a b": false, "ü": false, "a/b": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		if err := ledger.CheckName(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, test := range []struct{ command, want string }{
		{"/usr/bin/npm run dev", "npm"}, {"sh -c make;ls", "make"}, {"./1 x", "session"}, {"... x", "session"}, {"node.exe x", "node"},
	} {
		if got := ledger.NameFor(strings.SplitN(test.command, " ", 3)); got != test.want {
			t.Errorf("%s: %s, want %s", test.command, got, test.want)
		}
	}
}
