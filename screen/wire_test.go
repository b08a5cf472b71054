package screen

import (
	"fmt"
	"testing"
)

// wireStreams leave something in every part of a Snapshot.
var wireStreams = []string{
	"",
	"plain\r\n\x1b[1;31mred\x1b[m \x1b[4:3;58:2::1:2:3mcurly\x1b[m",
	"世界 e\u0301 👩‍👧 \x1b[44m\x1b[K\x1b[3;5H",
	"\x1b]8;id=1;http://example.com\x07link\x1b]8;;\x07 \x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;D;7\x07",
	"\x1b]0;title\x07\x1b]1;icon\x07\x1b]7;file://h/p\x07\x1b]52;c;YQpi\x07\x1b]4;1;#123456\x07\x1b]11;#000001\x07",
	"\x1b]133;D;4294967296\x07\x1b]133;D;2147483647\x07\x1b]133;D;-1\x07",
	"\x1b[?1h\x1b[?1049h\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[?5h\x1b[4h\x1b[>5u\x1b[5 q\x1b[?25l\x1b[?2027halt",
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
}

func TestWire(t *testing.T) {
	for _, stream := range wireStreams {
		term := New(20, 4, 10)
		_, _ = term.Write([]byte(stream))
		for _, view := range []View{Visible(), {First: -10, Last: MaxRows}, {First: 2, Last: 1}, {First: 0, Last: 3, Other: true}} {
			s := term.Snapshot(view)
			again, err := Decode(s.Encode())
			if err != nil {
				t.Fatalf("%q: %v", stream, err)
			}
			if got, want := describe(again), describe(s); got != want {
				t.Errorf("%q: after the wire\n%s\nbefore\n%s", stream, got, want)
			}
		}
	}
}

// describe returns everything about a Snapshot that its users can see.
func describe(s *Snapshot) string { return fmt.Sprint(dump(s), s.Clipboard, s.Hash(), s.RowHashes()) }

func FuzzDecode(f *testing.F) {
	for _, stream := range wireStreams {
		term := New(20, 4, 10)
		_, _ = term.Write([]byte(stream))
		f.Add(term.Snapshot(View{First: -10, Last: MaxRows}).Encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Decode(s.Encode())
		if err != nil || describe(again) != describe(s) {
			t.Errorf("%x: %v", data, err)
		}
	})
}

func TestHash(t *testing.T) {
	hash := func(stream string) string {
		term := New(20, 4, 10)
		_, _ = term.Write([]byte(stream))
		return term.Snapshot(Visible()).Hash()
	}
	for _, equal := range [][2]string{
		{"one\r\ntwo", "\x1b[2;1Htwo\x1b[1;1Hone\x1b[2;4H"},
		{"one ", "one\x1b[C"},
		{"one", "\x1b[1;31m\x1b[mone"},
		{"\x1b[31mone\x1b[32m ", "\x1b[31mone\x1b[m "},
		{"one\x1b[?25l\x1b[9;9H", "one\x1b[?25l"},
		{"x\x1b[2J\x1b[H", "\x1b]0;title\x07"},
		{"1\r\n2\r\n3\r\n4\r\n5", "2\r\n3\r\n4\r\n5"},
		{"\x1b[31ma b", "\x1b[31ma\x1b[m \x1b[31mb"},
		{"\x1b[58;5;3ma", "a"},
		{"\x1b[1;3ma ", "\x1b[1;3ma\x1b[C"},
		{"\x1b]4;9;#f14c4c\x07a", "a"},
		{"\x1b[1\"qa", "a"},
		{"e\u0301\x1b[1;5H", "a\x1b[1;1He\u0301\x1b[1;5H"},
	} {
		if hash(equal[0]) != hash(equal[1]) {
			t.Errorf("%q and %q show the same and have two hashes", equal[0], equal[1])
		}
	}
	seen := map[string]string{}
	for _, stream := range []string{
		"", "one", "one\r\n", "one\x1b[1;1H", "\x1b[31mone", "\x1b[1mone", "\x1b[4mone", "\x1b[7mone", "\x1b[41mone", " one", "oen",
		"one\x1b[?25l", "one\x1b[?5h", "one\x1b[3 q", "\x1b]8;;http://x\x07one", "\x1b]8;;http://y\x07one", "e\u0301", "e\u0300",
		"\x1b]11;#112233\x07one", "\x1b]4;1;#112233\x07one", "\x1b[1;4r\x1b[3;1Hone\x1b[1;1H", "世", "\x1b[44m\x1b[Kone",
	} {
		h := hash(stream)
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q show two things and have one hash", other, stream)
		}
		if len(h) != 16 {
			t.Errorf("%q: the hash is %q", stream, h)
		}
		seen[h] = stream
	}
}
