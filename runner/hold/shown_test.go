package hold

import (
	"strings"
	"testing"

	"devtools/ledger"
	"devtools/runner/wire"
	"devtools/screen"
)

// shownRows returns what a terminal of 10x4 shows after output.
func shownRows(t *screen.Terminal, output string) rowsPicture {
	_, _ = t.Write([]byte(output)) // never fails
	s := t.Snapshot(screen.View{First: -100, Last: screen.MaxRows})
	return rowsPicture{s, t.Scrolled() + s.First}
}

func TestShownAt(t *testing.T) {
	for _, c := range []struct {
		name, before, after, text string
		want                      bool
	}{
		{"an echo", "> ", "ls -la", "ls -la", true},
		{"an echo and output after it", "> ", "ls\r\na b", "ls", true},
		{"no echo", "> ", "", "ls", false},
		{"a part of it", "> ", "ls -l", "ls -la", false},
		{"a mask", "> ", "******", "secret", false},
		{"a mask with the last character", "> ", "*****t", "secret", false},
		{"blanks", "> ", "a  b", "a  b", true},
		{"blanks at the end", "> ", "a ", "a  ", true},
		{"nothing but blanks", "> ", "   ", "   ", false},
		{"elsewhere", "> ", "\r\nls", "ls", false},
		{"later in its row", "> ", "\x1b[1Cls", "ls", false},
		{"there already", "> ls\x1b[2D", "", "ls", false},
		{"drawn again over itself", "> ls\x1b[2D", "ls", "ls", false},
		{"one of its characters there already", "> lx\x1b[2D", "ls", "ls", false},
		{"inserted before text", "> cat\x1b[3D", "the cat", "the ", true},
		{"broken at the margin", "> ", "abcdefghijkl", "abcdefghijkl", true},
		{"from the last column on", "123456789", "abc", "abc", true},
		{"behind the last column", "1234567890", "abc", "abc", true},
		{"wide characters", "> ", "größe 日本", "größe 日本", true},
		{"a wide character that does not fit", "> ", "abcdefg日本", "abcdefg日本", true},
		{"with a combining mark", "> ", "e\u0301a", "e\u0301a", true},
		{"scrolled away", "\r\n\r\n\r\n> ", "ls\r\n1\r\n2\r\n3\r\n4\r\n5\r\n", "ls", true},
		{"erased", "> ", "ls\b\b\x1b[K", "ls", false},
		{"the beginning of a word", "> ", "admin", "adm", false},
		{"the beginning of a word that is broken at the margin", "12345", "abcdefgh", "abcde", false},
		{"before the blank in it", "> ", "ls -la", "ls", true},
		{"inserted in a word", "> lsl\x1b[2D", "x\x1b[Ksl\x1b[2D", "x", true},
		{"another text in its place", "> ", "ls\r> pwd", "ls", false},
	} {
		terminal := wire.NewTerminal(ledger.Size{Cols: 10, Rows: 4}, 100)
		before := shownRows(terminal, c.before)
		at := place{terminal.Scrolled() + before.Cursor.Row, before.Cursor.Col}
		if before.Cursor.Pending {
			at.col++
		}
		if got := shownAt(shownRows(terminal, c.after), before, at, c.text); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestShownBefore(t *testing.T) {
	for _, c := range []struct{ name, before, after, text, want string }{
		{"a command and its text", "~\r", "hello", "ihello", "hello"},
		{"all of it, elsewhere", "~\r", "\x1b[4;1H:wq", ":wq", ":wq"},
		{"a mask", "> ", "*****", "secret", ""},
		{"the last character of a mask", "> ", "*****t", "secret", "t"},
		{"there already", "> lo", "", "hello", ""},
		{"broken at the margin", "> ", "abcdefghijkl", "iabcdefghijkl", "abcdefghijkl"},
		{"at the top left", "\x1b[H", "", "x", ""},
	} {
		terminal := wire.NewTerminal(ledger.Size{Cols: 10, Rows: 4}, 100)
		before := shownRows(terminal, c.before)
		after := shownRows(terminal, c.after)
		at := place{terminal.Scrolled() + after.Cursor.Row, after.Cursor.Col}
		if got := shownBefore(after, before, at, c.text); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// Hidden input counts as shown only if the picture has all of it: a password that the program does not print never does.
func FuzzShown(f *testing.F) {
	f.Add("> ", "ls -la", "ls -la", 0)
	f.Add("Password: ", "\r\n******", "secret", 0)
	f.Add("世\x1b[2;2H", "界\x1b[31ma\r\nb", "界a\nb", -1)
	f.Add("\x1b[4;9Hab", "c\x1b[2J\x1bM", "bc", 2)
	f.Fuzz(func(t *testing.T, prints, after, text string, back int) {
		terminal := wire.NewTerminal(ledger.Size{Cols: 10, Rows: 4}, 100)
		before := shownRows(terminal, prints)
		at := place{terminal.Scrolled() + before.Cursor.Row, max(0, min(10, before.Cursor.Col-back%10))}
		now := shownRows(terminal, after)
		var picture strings.Builder
		for row := range now.Lines {
			picture.WriteString(strings.Join(now.cells(now.top+row), ""))
		}
		has := func(part string) bool {
			drop := strings.NewReplacer(" ", "", "\r", "", "\n", "")
			return strings.Contains(drop.Replace(picture.String()), drop.Replace(part))
		}
		if shownAt(now, before, at, text) && !has(text) {
			t.Errorf("%q counts as shown in %q", text, picture.String())
		}
		if end := shownBefore(now, before, at, text); !strings.HasSuffix(text, end) || !has(end) {
			t.Errorf("of %q, %q counts as shown in %q", text, end, picture.String())
		}
	})
}
