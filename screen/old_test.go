package screen

import (
	"strings"
	"testing"
)

// What a program writes after MarkOld is new: also the same text in the same place, but not text that only moves.
func TestMarkOld(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", "abc", "", "..."},
		{"behind", "abc", "def", "...def"},
		{"in place", "abc", "\rabc", "abc"},
		{"a part", "abc", "\rab", "ab."},
		{"erased and written", "abc", "\x1b[2J\x1b[Habc", "abc"},
		{"scrolled", "1\r\nabc", "\r\n\nx\x1b[2T", "\n\n..."},
		{"inserted before", "abc", "\r\x1b[2@xy", "xy..."},
		{"a blank that nobody wrote", "a\x1b[3Cb", "\rz", "z...."},
		{"wide", "\u4e16", "\u4e16", "...\u4e16"},
		{"in a frame", "abc", "\x1b[?2026hdef\x1b[?2026l", "...def"},
	} {
		term := New(10, 3, 10)
		_, _ = term.Write([]byte(c.before))
		hash := term.Snapshot(Visible()).Hash()
		term.MarkOld()
		s := term.Snapshot(Visible())
		if s.Hash() != hash {
			t.Errorf("%s: the mark changes the hash", c.name)
		}
		if again, err := Decode(s.Encode()); err != nil || again.Hash() != hash {
			t.Errorf("%s: the mark goes over the wire: %v", c.name, err)
		}
		_, _ = term.Write([]byte(c.after))
		s = term.Snapshot(Visible())
		var got []string
		for i := range s.Lines {
			text := []byte(s.Text(i, true))
			old := s.Old(i)
			for k := range text {
				if old[k] {
					text[k] = '.'
				}
			}
			got = append(got, string(text))
		}
		if text := strings.TrimRight(strings.Join(got, "\n"), "\n"); text != c.want {
			t.Errorf("%s: new are %q, want %q", c.name, text, c.want)
		}
	}
}
