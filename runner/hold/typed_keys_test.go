package hold

import (
	"testing"
	"unicode/utf8"
)

func TestNextTyped(t *testing.T) {
	for _, c := range []struct {
		data string
		kind typedKind
		n    int
	}{
		{"ab", typedText, 1},
		{"äb", typedText, 2},
		{"日", typedText, 3},
		{"\xe6\x97", typedText, 0},
		{"\xff", typedOther, 1},
		{"\u0085", typedOther, 1},
		{"\r\n", typedEnter, 1},
		{"\x7f", typedErase, 1},
		{"\x15a", typedKill, 1},
		{"\x03", typedCancel, 1},
		{"\t", typedOther, 1},
		{"\x1b", typedLeave, 1},
		{"\x1b[Aa", typedLeave, 3},
		{"\x1b[1;5Da", typedLeave, 6},
		{"\x1bOA", typedLeave, 3},
		{"\x1b[3~a", typedOther, 4},
		{"\x1bb", typedOther, 2},
		{"\x1b[Ia", typedNone, 3},
		{"\x1b[<0;1;1Ma", typedNone, 9},
		{"\x1b]11;rgb:0/0/0\x1b\\a", typedNone, 16},
		{"\x1b]11;rgb:0/0/0\aa", typedNone, 15},
		{"\x1b[200~a", typedNone, 6},
		{"\x1b[2;1Ra", typedNone, 6},
		{"\x1b[1;2Ra", typedOther, 6}, // Shift-F3, or the cursor in the first row
		{"\x1bOMa", typedEnter, 3},    // Enter of the keypad
		{"\x1bORa", typedOther, 3},
		{"\x1bOma", typedOther, 3},
		{"\x1b]a\r", typedOther, 2},
		{"\x1bPa\r", typedOther, 2},
		{"\x1b_a\r", typedOther, 2},
		{"\x1b_a\x1b[A", typedOther, 2},
		{"\x1b[1\ra", typedOther, 2},
	} {
		if kind, n := nextTyped([]byte(c.data), new(bool)); kind != c.kind || n != c.n {
			t.Errorf("%q: kind %d of %d bytes", c.data, kind, n)
		}
	}
}

// Any input is taken apart to its end, or to a character that is not whole.
func FuzzNextTyped(f *testing.F) {
	f.Add([]byte("a\x1b[200~b\r\x1b[201~\x1b]0;x\x1b\\\xe6"))
	f.Fuzz(func(t *testing.T, data []byte) {
		paste := false
		for len(data) > 0 {
			_, n := nextTyped(data, &paste)
			if n > len(data) || n == 0 && utf8.FullRune(data) {
				t.Fatalf("%d of %q", n, data)
			}
			if n == 0 {
				return
			}
			data = data[n:]
		}
	})
}
