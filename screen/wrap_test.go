package screen

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text    string
		columns int
		want    string
	}{
		{"", 10, ""},
		{"one two three", 10, "one two|three"},
		{"one two", 7, "one two"},
		{"  blanks   between ", 20, "blanks between"},
		{"two\nlines", 20, "two|lines"},
		{"a\n\nb", 20, "a||b"},
		{"abcdefghijkl mn", 5, "abcde|fghij|kl mn"},
		{"x abcdefgh", 5, "x|abcde|fgh"},
		{"漢字漢字", 5, "漢字|漢字"},
		{"漢字", 1, "漢|字"},
	} {
		if got := strings.Join(Wrap(test.text, test.columns), "|"); got != test.want {
			t.Errorf("%q in %d columns: %q, want %q", test.text, test.columns, got, test.want)
		}
	}
}
