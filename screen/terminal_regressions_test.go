package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A soft wrap ends where a scroll cuts the line.
func TestTerminalWrapsEnd(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"SU in a region", "aaaaabbbbbccccc\x1b[1;2r\x1b[S", "bbbbb||ccccc"},
		{"DL", "aaaaabbbbbccccc\x1b[1;3r\x1b[1;1H\x1b[M", "bbbbb>ccccc|"},
		{"SU", "\x1b[2;1Haaaaabbbbb\x1b[S", "aaaaa>bbbbb|"},
		{"the wrap's own scroll", "\x1b[3;1Haaaaabbbbbccccc", "aaaaa>bbbbb>ccccc"},
		{"a region of one row on the alternate screen", "\x1b[?1049h\x1b[2;3r\x1b[3;1Haaaaabbbbbccccc", "|bbbbb>ccccc"},
		{"LF", "aaaaabb\x1b[1;1H\nx", "aaaaa|xb|"},
		{"EL", "aaaaabb\x1b[1;3H\x1b[K", "aa|bb|"},
	} {
		term := New(5, 3, 0)
		_, _ = term.Write([]byte(test.in))
		s := term.Snapshot(Visible())
		var rows strings.Builder
		for i, line := range s.Lines {
			rows.WriteString(s.Text(i, false))
			if line.Wrapped {
				rows.WriteByte('>')
			} else if i+1 < len(s.Lines) {
				rows.WriteByte('|')
			}
		}
		if got := rows.String(); got != test.want && strings.TrimRight(got, "|") != strings.TrimRight(test.want, "|") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// The saved cursor moves with its text, as the cursor does.
func TestTerminalSavedCursorMoves(t *testing.T) {
	for _, test := range []struct {
		name, in   string
		cols, rows int
		want       string
	}{
		{"narrower", "abcdefghijklmno\r\n$ \x1b7", 10, 4, "$ X"},
		{"lower", "1\r\n2\r\n3\r\n4\x1b7", 20, 2, "4X"},
		{"higher", "1\r\n2\r\n3\r\n4\r\n5\r\n6\x1b7", 20, 6, "6X"},
		{"behind the alternate screen", "abcdefghijklmno\r\n$ \x1b[?1049h", 10, 4, "$ X"},
	} {
		term := New(20, 4, 10)
		_, _ = term.Write([]byte(test.in))
		term.Resize(test.cols, test.rows)
		_, _ = term.Write([]byte("\x1b[?1049l\x1b8X"))
		if got := rowsOf(term.Snapshot(Visible())); !strings.Contains("\n"+got+"\n", "\n"+test.want+"\n") {
			t.Errorf("%s: %q has no row %q", test.name, got, test.want)
		}
	}
}

// A reflow needs no more memory than its result.
func TestTerminalReflowBounded(t *testing.T) {
	term := New(1000, 24, DefaultScrollback)
	line := []byte(strings.Repeat("x", 999) + "\r\n")
	for range DefaultScrollback + 24 {
		_, _ = term.Write(line)
	}
	for _, cols := range []int{1, 1000, 2, 1000} {
		term.Resize(cols, 24)
		if got := term.Snapshot(Visible()).History; got > roomFor(cols) {
			t.Errorf("%d rows of scrollback at %d columns", got, cols)
		}
	}
	_, _ = term.Write([]byte("\x1b[24;1H\n"))
	if got := term.Snapshot(Visible()).History; got > DefaultScrollback {
		t.Errorf("%d rows of scrollback", got)
	}
}

// A screen can be made narrow and wide again.
func TestTerminalThereAndBack(t *testing.T) {
	term := New(80, 24, 1000)
	for i := range 900 {
		fmt.Fprintf(term, "line %d of those that are to be there afterwards\r\n", i)
	}
	want := historyOf(term)
	term.Resize(2, 2)
	term.Resize(80, 24)
	if got := historyOf(term); !slices.Equal(got, want) {
		t.Errorf("%d rows of scrollback, there were %d", len(got), len(want))
	}
}

// A frame that follows another is a new one, and the picture says that the program draws one.
func TestTerminalFrames(t *testing.T) {
	term := New(10, 2, 0)
	var before int
	for i := range 3 {
		_, _ = term.Write([]byte("\x1b[?2026h\x1b[Hnew"))
		number, drawing := term.Drawing()
		if !drawing || i > 0 && number == before {
			t.Errorf("frame %d is number %d after %d, %v", i, number, before, drawing)
		}
		before = number
		if !term.Snapshot(Visible()).Modes.Synchronized {
			t.Error("the picture before the frame does not tell of it")
		}
		_, _ = term.Write([]byte("\x1b[?2026l"))
	}
}

func TestTerminalRegressions(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"DECCRA leaves its source alone", "\x1b[64;1\"p中b\x1b[1;2;1;3;1;1;8;1$v", "中b     b"},
		{"SS2 is for the next character whatever it is", "\x1b+0\x1bOéq", "éq"},
		{"XTRESTORE of what was not saved", "\x1b[?7r\x1b[?25r1234567890ab", "1234567890\nab"},
		{"XTRESTORE", "\x1b[?7l\x1b[?7s\x1b[?7h\x1b[?7r1234567890ab", "123456789b"},
		{"REP wraps", "a\x1b[12b", "aaaaaaaaaa\naaa"},
	} {
		term := New(10, 3, 0)
		_, _ = term.Write([]byte(test.in))
		if got := rowsOf(term.Snapshot(Visible())); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
