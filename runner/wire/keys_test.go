package wire

import (
	"errors"
	"strings"
	"testing"

	"devtools/screen"
)

// The text of each argument is a piece of its own, but not of a paste or of bytes.
func TestKeysApart(t *testing.T) {
	for _, test := range []struct {
		keys Keys
		want string
	}{
		{Keys{Args: []string{"a", "bc", "Enter", "d"}}, "a|bc|\r|d"},
		{Keys{Args: []string{"a", "b"}, Repeat: 2, Enter: true}, "a|b|a|b|\r"},
		{Keys{Args: []string{"ab"}, Repeat: 2}, "abab"},
		{Keys{Args: []string{"^C", "b"}, Form: Literal}, "^C|b"},
		{Keys{Args: []string{"a", "b"}, Paste: true}, "ab"},
		{Keys{Args: []string{"1b", "5b", "41"}, Form: Hex}, "\x1b[A"},
		{Keys{Args: []string{"a\nb"}, Form: Bytes}, "a\nb"},
	} {
		strokes, err := test.keys.Strokes()
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := test.keys.Pieces(strokes, screen.Modes{})
		var got []string
		for _, p := range pieces {
			got = append(got, string(p.Data))
		}
		if all := strings.Join(got, "|"); err != nil || all != test.want {
			t.Errorf("%+v: %q, %v, want %q", test.keys, all, err, test.want)
		}
	}
}

// Bytes are not taken apart into keys, which would take many times their memory. In a pipe, Enter is a line feed.
func TestKeysBytes(t *testing.T) {
	k := Keys{Args: []string{"a\xff\r\x00", "b"}, Form: Bytes, Repeat: 2, Enter: true}
	strokes, err := k.Strokes()
	if err != nil || len(strokes) > 1 {
		t.Errorf("%d keys, %v", len(strokes), err)
	}
	if data, err := k.Piped(strokes); err != nil || string(data) != "a\xff\r\x00ba\xff\r\x00b\n" {
		t.Errorf("%q, %v", data, err)
	}
	strokes, _ = Keys{Args: []string{"a", "C-c"}}.Strokes()
	if _, err := (Keys{}).Piped(strokes); !errors.Is(err, ErrNotPiped) {
		t.Errorf("a key for a terminal: %v", err)
	}
}
