package prompt

import (
	"testing"

	"devtools/screen"
)

// What counts as the question after an input in the same row. The settings of the terminal before and after are "line" (canonical with
// echo), "hidden" (canonical), "keys" (echo alone) and "raw".
func TestAskedBehind(t *testing.T) {
	for _, test := range []struct {
		name, question, text string
		settings             string // while the text was typed
		after, then          string // output since, and the settings
		want                 string
		whole                bool // nothing follows the text
	}{
		{"a line behind a key", "Sure? ", "y", "keys", "yName: ", "line", "Name: ", false},
		{"a line behind an unseen key", "Sure? ", "y", "raw", "Name: ", "line", "Name: ", false},
		{"a small letter behind the same unseen key", "Sure? ", "n", "raw", "name: ", "line", "name: ", false},
		{"a small letter behind the same key, which is shown", "Sure? ", "n", "keys", "nname: ", "line", "name: ", false},
		{"a key behind a key", "Sure? ", "y", "raw", "Really? ", "raw", "Really? ", false},
		{"a key behind a key that the program shows", "Sure? ", "y", "raw", "yReally? ", "raw", "Really? ", false},
		{"the same question behind its key", "Sure? ", "y", "raw", "ySure? ", "raw", "Sure? ", false},
		{"words without a sign, and other settings", "Sure? ", "y", "keys", "y your name ", "line", "your name ", false},
		{"words without a sign", "Sure? ", "y", "raw", "yes", "raw", "Sure? yes", false},
		{"words without a sign behind all of an answer", "Sure? ", "y", "raw", "yName ", "raw", "Name ", true},
		{"a completion", "$ scp hos", "\t", "raw", "t:", "raw", "$ scp host:", false},
		{"only the echo of all of an answer", "Sure? ", "y", "raw", "y", "raw", "Sure? y", true},
		{"a line behind a password", "Password: ", "x\r", "hidden", "Name: ", "line", "Name: ", false},
		{"a line behind a line that the program edits", "Name: bob", "\r", "raw", "Port: ", "raw", "Port: ", false},
		{"a whole line in one piece", "Name: ", "bob\r", "raw", "bobPort: ", "raw", "Port: ", false},
		{"of what several questions took, the last question", "Name: ", "Üni", "raw", "Port: nFolder: ", "raw", "nFolder: ", false},
		{"a key with a mark in the next question", "Sure? ", "y", "keys", "yReally? [y/N] ", "keys", "Really? [y/N] ", false},
		{"a wrapped row", "Is it all right? ", "y", "keys", "yWhat now: ", "line", "What now: ", false},

		{"only the echo", "Name: ", "bob", "keys", "bob", "raw", "Name: bob", false},
		{"only the echo, and other settings", "Name: ", "why?", "line", "why?", "raw", "Name: why?", false},
		{"a mask", "PIN: ", "1234", "raw", "****", "line", "PIN: ****", false},
		{"other letters", "Title: ", "ok?", "raw", "OK?", "raw", "Title: OK?", false},
		{"drawn anew", "Sure? ", "y", "raw", "\r\x1b[KSure? y", "raw", "Sure? y", false},
		{"drawn anew with another sign", "- Sure? ", "y", "raw", "\r\x1b[K\\ Sure? yes:", "line", "\\ Sure? yes:", false},
		{"asked again in its place", "Name: ", "x\r", "raw", "\r\x1b[KName: ", "raw", "Name: ", false},
		{"asked again with the text in its field", "Name: bob", "\r", "raw", "\r\x1b[KName: bob", "raw", "Name: bob", false},
		{"an error behind the cursor", "Name: bob", "\r", "raw", " too short\x1b[10D", "raw", "Name: bob too short", false},
		{"in the next row", "Sure? ", "y", "keys", "y\r\nName: ", "line", "Name: ", false},
		{"a hidden cursor", "\x1b[?25lSure? ", "y", "raw", "yReally? ", "raw", "Sure? yReally?", false},
	} {
		terminal := screen.New(20, 6, 100)
		_, _ = terminal.Write([]byte(test.question))
		before := terminal.Snapshot(screen.Visible())
		canonical, echo := settingsOf(test.settings)
		thenCanonical, thenEcho := settingsOf(test.then)
		row := before.Cursor.Row
		typed := &Typed{Row: row, Before: BeforeCursor(before), Text: test.text, Whole: test.whole, Echo: echo}
		typed.Taken = canonical != thenCanonical || echo != thenEcho
		_, _ = terminal.Write([]byte(test.after))
		s := Scene{Picture: terminal.Snapshot(screen.Visible()), Since: row + 1, Typed: typed}
		s.Canonical, s.Echo = thenCanonical, thenEcho
		if q := NewBook(nil).Read(s); q.Text != test.want {
			t.Errorf("%s: it asks %q; want %q", test.name, q.Text, test.want)
		}
	}
}

func settingsOf(name string) (canonical, echo bool) {
	return name == "line" || name == "hidden", name == "line" || name == "keys"
}
