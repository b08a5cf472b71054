package hold

import (
	"testing"

	"devtools/screen/keys"
)

// A text can be typed letter by letter. A key, and what may be one, is never divided, and neither is a paste.
func TestFirstKey(t *testing.T) {
	for _, test := range []struct {
		piece keys.Piece
		want  string
	}{
		{keys.Piece{Data: []byte("abc")}, "a"},
		{keys.Piece{Data: []byte("été")}, "é"},
		{keys.Piece{Data: []byte("\x1b[A")}, "\x1b[A"},
		{keys.Piece{Data: []byte("\x7f\x7f")}, "\x7f\x7f"},
		{keys.Piece{Data: []byte("\xff\xfe")}, "\xff\xfe"},
		{keys.Piece{Data: []byte("abc"), Paste: true}, "abc"},
	} {
		if got := string(firstKey(test.piece)); got != test.want {
			t.Errorf("%+v: %q, want %q", test.piece, got, test.want)
		}
	}
}
