package screen

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// plainOf returns the output of a Plain for stream, and the final place of the cursor. It writes the
// stream in steps of n bytes. With cells, the Plain never holds the screen as text: that compares
// the fast way with the slow one.
func plainOf(cols, rows int, stream string, n int, cells bool) (text string, col, row int) {
	var out bytes.Buffer
	p := NewPlain(&out, cols, rows)
	for b := []byte(stream); len(b) > 0; b = b[min(n, len(b)):] {
		if cells {
			p.toScreen()
		}
		p.Write(b[:min(n, len(b))])
	}
	col, row = p.Cursor()
	p.Close()
	return out.String(), col, row
}

// Cursor returns the place of the cursor as a cursor position report has it (CPR, ECMA-48 8.3.14),
// but counted from 0.
func (p *Plain) Cursor() (col, row int) {
	if p.flat {
		p.text.layOut(p.term.cols, p.term.rows)
		if !p.cr {
			col = p.text.col
		}
		return min(col, p.term.cols-1), min(len(p.text.starts), p.term.rows) - 1
	}
	return p.term.position()
}

// Any split of a stream gives the same text and cursor, and so does a screen of cells. Text with
// whole line ends and no other controls comes out unchanged.
func FuzzPlain(f *testing.F) {
	for _, s := range recordings {
		f.Add(s.in, byte(80), byte(24), 7)
	}
	for _, s := range plainTests {
		f.Add(s.in, byte(10), byte(3), 1)
	}
	f.Fuzz(func(t *testing.T, stream string, cols, rows byte, n int) {
		size := [2]int{1 + int(cols)%90, 1 + int(rows)%30}
		n = 1 + max(n, 0)%64
		want, col, row := plainOf(size[0], size[1], stream, 1<<20, false)
		for _, step := range []int{1, n} {
			for _, cells := range []bool{false, true} {
				if got, c, r := plainOf(size[0], size[1], stream, step, cells); got != want || c != col || r != row {
					t.Errorf("%q at %v in steps of %d, cells %v: %q at %d,%d, at once %q at %d,%d",
						stream, size, step, cells, got, c, r, want, col, row)
				}
			}
		}
		if exact, ok := textOnly(stream); ok && want != exact {
			t.Errorf("%q at %v: got %q, want %q", stream, size, want, exact)
		}
	})
}

// textOnly returns the expected output for stream, if its only controls are \r\n and tabs.
func textOnly(stream string) (text string, ok bool) {
	text = strings.ReplaceAll(stream, "\r\n", "\n")
	for _, r := range text {
		if r < ' ' && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0 {
			return "", false
		}
	}
	for i := range len(stream) { // a bare line feed does not end a line
		if stream[i] == '\n' && (i == 0 || stream[i-1] != '\r') {
			return "", false
		}
	}
	if !utf8.ValidString(text) {
		return replaceMalformed(text), true
	}
	return text, true
}

// replaceMalformed replaces each maximal subpart by U+FFFD, as the WHATWG encoding standard decodes
// bytes. It does not look ahead.
func replaceMalformed(s string) string {
	var out []rune
	var point rune
	need, low, high := 0, byte(0x80), byte(0xbf)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if need > 0 {
			if c < low || c > high {
				out = append(out, '\uFFFD')
				need, low, high = 0, 0x80, 0xbf
				i--
				continue
			}
			low, high = 0x80, 0xbf
			point = point<<6 | rune(c&0x3f)
			if need--; need == 0 {
				out = append(out, point)
			}
			continue
		}
		switch {
		case c < 0x80:
			out = append(out, rune(c))
		case c >= 0xc2 && c <= 0xdf:
			need, point = 1, rune(c&0x1f)
		case c >= 0xe0 && c <= 0xef:
			if c == 0xe0 {
				low = 0xa0
			} else if c == 0xed {
				high = 0x9f
			}
			need, point = 2, rune(c&0xf)
		case c >= 0xf0 && c <= 0xf4:
			if c == 0xf0 {
				low = 0x90
			} else if c == 0xf4 {
				high = 0x8f
			}
			need, point = 3, rune(c&7)
		default:
			out = append(out, '\uFFFD')
		}
	}
	if need > 0 {
		out = append(out, '\uFFFD')
	}
	return string(out)
}
