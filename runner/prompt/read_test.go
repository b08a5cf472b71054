package prompt

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"devtools/screen"
)

// flags is Question's booleans and the answer of AtPrompt as readings has them.
func flags(q Question, prompt bool) string {
	var all []string
	for _, f := range []struct {
		set  bool
		name string
	}{{q.Known, "known"}, {q.Secret, "secret"}, {prompt, "prompt"}, {q.Drawn, "drawn"}, {q.Above, "above"}} {
		if f.set {
			all = append(all, f.name)
		}
	}
	return strings.Join(all, " ")
}

func TestRead(t *testing.T) {
	b, all := NewBook(nil), recordings(t)
	for _, tt := range readings {
		r, ok := all[tt.name]
		if !ok {
			t.Errorf("%s: there is no such recording", tt.name)
			continue
		}
		delete(all, tt.name)
		s := r.scene()
		q := b.Read(s)
		text := q.Text
		if q.Kind == TUI || q.Kind == Editor {
			text, _, _ = strings.Cut(text, "\n")
		}
		if got := flags(q, b.AtPrompt(s, false)); q.Kind != tt.kind || got != tt.flags || text != tt.text {
			t.Errorf("%s:\n got %s, %q, %q\nwant %s, %q, %q", tt.name, q.Kind, got, text, tt.kind, tt.flags, tt.text)
		}
	}
	for name := range all {
		t.Errorf("%s: nothing is said about this recording", name)
	}
}

// Which rows belong to a question.
func TestReadRows(t *testing.T) {
	tests := []struct {
		name    string
		cols    int
		since   int
		written string
		kind    Kind
		want    string
	}{
		{name: "what is above was answered", since: 1, written: "Are you there?\r\nSure? [y/N] ", kind: Confirm, want: "Sure? [y/N] "},
		{name: "a sentence above belongs to it", written: "This deletes all.\r\nSure? [y/N] ", kind: Confirm, want: "This deletes all.\nSure? [y/N] "},
		{name: "a blank line is a border", written: "This deletes all.\r\n\r\nSure? [y/N] ", kind: Confirm, want: "Sure? [y/N] "},
		{name: "other output does not belong to it", written: "hello\r\nSure? [y/N] ", kind: Confirm, want: "Sure? [y/N] "},
		{
			name: "a list belongs to the line above it", written: "Remove:\r\n  a\r\n  b\r\nSure? [y/N] ",
			kind: Confirm, want: "Remove:\n  a\n  b\nSure? [y/N] ",
		},
		{
			name: "of a long list the end", written: "Remove:\r\n" + strings.Repeat("  a\r\n", 12) + "Sure? [y/N] ",
			kind: Confirm, want: strings.Repeat("  a\n", 8) + "Sure? [y/N] ",
		},
		{
			name: "a list whose lines the terminal broke", cols: 14, written: "Remove:\r\n  a/long/file/name\r\n  b\r\nSure? [y/N] ",
			kind: Confirm, want: "Remove:\n  a/long/file/name\n  b\nSure? [y/N] ",
		},
		{name: "a list without a line above", written: "hello\r\n  a\r\n  b\r\nSure? [y/N] ", kind: Confirm, want: "Sure? [y/N] "},
		{name: "rows that the terminal broke", cols: 10, written: "hello\r\nWhat is your name? ", kind: Line, want: "What is your name? "},
		{name: "up to the last column", cols: 10, written: "Full name:", kind: Line, want: "Full name:"},
		{name: "an answer that is edited", written: "Name: Bob\x1b[3D", kind: Line, want: "Name: Bob"},
		{name: "wide characters", written: "名前は? ", kind: Line, want: "名前は? "},
		{name: "blanks that were not written", written: "Name:\x1b[8G", kind: Line, want: "Name:  "},
		{name: "nothing", written: "", kind: Line, want: ""},
		{name: "only the line above was printed since", since: 1, written: "First?\r\nSecond?\r\n", kind: Line, want: "Second?"},
		{name: "the paragraph above a blank line", written: "Old\r\n\r\nWe need it.\r\nWhat is it?\r\n", kind: Line, want: "We need it.\nWhat is it?"},
		{name: "at most eight rows of it", written: strings.Repeat("row\r\n", 12), kind: Line, want: strings.Repeat("row\n", 7) + "row"},
		{name: "letters of others", written: "Удалить? [д/н] ", kind: Confirm, want: "Удалить? [д/н] "},
		{name: "words of others", written: "Введите пароль: ", kind: Password, want: "Введите пароль: "},
		{name: "a menu without a question", written: "1) a\r\n2) b\r\n> ", kind: Choice, want: "1) a\n2) b\n> "},
		{
			name: "a block with its head", written: "old\r\n\r\nvar.region\r\n  Region to use\r\n\r\n  Enter a value: ",
			kind: Line, want: "var.region\n  Region to use\n\n  Enter a value: ",
		},
		{name: "its head alone", written: "old\r\nvar.region\r\n  Enter a value: ", kind: Line, want: "var.region\n  Enter a value: "},
		{name: "of an answered block nothing", since: 2, written: "a.b\r\n  Text\r\n\r\n  Value: ", kind: Line, want: "  Value: "},
		{name: "a sentence is no head", written: "Press Enter for none\r\n  Value: ", kind: Line, want: "  Value: "},
		{name: "nothing was printed since", since: 1, written: "First?\r\n", kind: Line, want: ""},
		{name: "nothing was, and not even a line was ended", since: 2, written: "First?\r\n", kind: Line, want: ""},
		{name: "nothing was after blank lines", since: 1, written: "First?\r\n\r\n\r\n", kind: Line, want: ""},
		{name: "nothing was after a menu", since: 4, written: "Pick:\r\n1) a\r\n2) b\r\n? 1\r\n", kind: Line, want: ""},
		{name: "the rest of what was typed", since: 1, cols: 10, written: "$ echo Are you sure?; cat\r\n", kind: Line, want: ""},
		{name: "a menu in columns", written: "Pick\r\n1) a  3) c\r\n?# ", kind: Choice, want: "Pick\n1) a  3) c\n?# "},
		{name: "one item is no menu", written: "1) a\r\n> ", kind: Line, want: "1) a\n> "},
		{name: "a question over a mark", written: "Which framework?\r\n> ", kind: Line, want: "Which framework?\n> "},
		{name: "a yes or no over a mark", written: "Delete it? [Y/n]\r\n> ", kind: Confirm, want: "Delete it? [Y/n]\n> "},
		{name: "a default over a mark", written: "Which one? [a]\r\n> ", kind: Line, want: "Which one? [a]\n> "},
		{name: "a default in bars behind a mark", written: "Which one?\r\n> |a b| ", kind: Line, want: "Which one?\n> |a b| "},
		{name: "words that the program broke", cols: 20, written: "old\r\n[1/2] about (A short\r\ndescription.): ", kind: Line, want: "[1/2] about (A short\ndescription.): "},
		{name: "a bracket in a line with room", cols: 20, written: "(see below\r\n1) name: ", kind: Line, want: "1) name: "},
		{name: "results over a mark", written: "one\r\ntwo\r\n> ", kind: Line, want: "> "},
		{name: "a menu that was answered", since: 2, written: "1) a\r\n2) b\r\n> ", kind: Line, want: "> "},
	}
	for _, tt := range tests {
		cols := tt.cols
		if cols == 0 {
			cols = 80
		}
		term := screen.New(cols, 24, 0)
		term.Write([]byte(tt.written))
		q := NewBook(nil).Read(Scene{
			Picture: term.Snapshot(screen.Visible()), Since: tt.since, Command: "installer", Canonical: true, Echo: true,
		})
		if q.Kind != tt.kind || q.Text != tt.want {
			t.Errorf("%s: %s %q, want %s %q", tt.name, q.Kind, q.Text, tt.kind, tt.want)
		}
	}
}

// A program that edits the line itself moves the cursor to the next row when a row is full. Other output may be as wide.
func TestReadFilledRows(t *testing.T) {
	for written, want := range map[string]string{
		"Please say your \r\nname? ":     "Please say your\nname? ",
		"Please say your\r\nname? ":      "Please say your\nname? ",
		"Tell us what nam\r\ne it has? ": "Tell us what nam\ne it has? ",
		"Please say your\r\nName? ":      "Name? ",
		"================\r\nname? ":     "name? ",
		"Please wait\r\nname? ":          "name? ",
	} {
		for _, canonical := range []bool{false, true} {
			term := screen.New(16, 6, 0)
			term.Write([]byte(written))
			q := NewBook(nil).Read(Scene{Picture: term.Snapshot(screen.Visible()), Command: "installer", Canonical: canonical, Echo: canonical})
			if canonical {
				want = want[strings.LastIndexByte(want, '\n')+1:]
			}
			if q.Text != want {
				t.Errorf("%q, canonical %v: %q, want %q", written, canonical, q.Text, want)
			}
		}
	}
}

// The settings of the terminal decide what the text does not.
func TestReadModes(t *testing.T) {
	tests := []struct {
		command, written string
		canonical, echo  bool
		want             string // kind and flags
	}{
		{"x", "Key: ", true, false, "password known secret"},
		{"x", "Say: ", true, false, "password secret"},
		{"x", "Password: ", true, true, "password known secret"},
		{"x", "Password: ", false, false, "password known secret"},
		{"x", "Enter passphrase for key '/root/.ssh/id_rsa' > ", false, false, "password known secret"},
		{"node", "Retype new password > ", false, false, "password known secret"},
		{"node", "Kennwort für den Benutzer müller > ", false, false, "password known secret"},
		{"node", "Passwords> ", false, false, "repl known"},
		{"x", "MariaDB [passwords]> ", false, false, "repl known"},
		{"x", "token> ", false, false, "repl known"},
		{"x", "Choose a password option> ", true, true, "choice known"},
		{"x", "New password policy (1-3) > ", false, false, "choice known"},
		{"x", "Usage: login <password>", true, true, "line known"},
		{"mysql", "mysql> ", false, false, "repl known"},
		{"x", "\x1b[?1049hPassword: ", false, false, "password known secret drawn"},
		{"x", "Password: ", false, true, "key"},
		{"x", "Change the password? [y/N] ", false, false, "confirm known"},
		{"x", "hello", false, true, "key"},
		{"x", "Sure (y/n)? ", false, true, "confirm known"},
		{"x", "\x1b[?1049hhello", false, false, "tui drawn"},
		{"x", "\x1b[?25lhello", false, false, "tui drawn"},
		{"x", "hello\r\n", false, false, "key above"},
		{"x", "hello", true, true, "line"},
		{"x", "hello\r\n", true, true, "line above"},
		{"x", "Name?\r\n", true, true, "line known"},
		{"x", "Name:\r\n\r\n", true, true, "line known"},
		{"x", "Press Enter to go on.\r\n", true, true, "key known"},
		{"x", "Colour?\r\n1) red\r\n2) green\r\n", true, true, "choice known"},
		{"x", "Password: accepted\r\n", true, true, "line above"},
		{"x", "Password: accepted\r\n", true, false, "password known secret above"},
		{"x", "Your PIN:\r\n", true, false, "password known secret"},
		{"x", "Sure? [y/N] y\r\n", true, true, "line above"},
		{"x", "Sure? [y/N]\r\n", true, true, "confirm known"},
		{"x", "[y/N] hello\r\n", false, true, "confirm known"},
		{"x", "\x1b[?1049hName: ", true, true, "line known"},
		{"x", "┌────────────┐\r\n│ Go on?     │\r\n│            │\r\n│ <Yes> <No> │\r\n└────────────┘\x1b[?25l", false, false, "confirm known drawn"},
		{"x", "Your pass:", true, false, "password known secret"},
		{"x", "Pass what?", true, false, "password secret"},
		{"bash", "\x1b[?1049hSure? [y/N] ", true, true, "confirm known"},
		{"bash", "~ ls", false, false, "repl known"},
		{"bash", "edit> ", false, false, "line known"},
		{"bash", "~/src> ", false, false, "repl known"},
		{"bash", "> ", false, false, "repl known"},
		{"fish", "bob@host ~> ", false, false, "repl known"},
		{"sqlite3", "edit> ", false, false, "repl known"},
		{"busybox", "\x1b[24H:", false, false, "pager known drawn"},
		{"busybox", "\x1b[24Ha.txt 12%", false, false, "pager known drawn"},
		{"busybox", "\x1b[24H(END)", false, false, "pager known drawn"},
		{"busybox", "\x1b[24H/ # ", false, false, "repl known"},
		{"busybox", "\x1b[24HSure? [y/N] ", false, false, "confirm known"},
		{"editor", "\x1b[?1049hPress any key", false, false, "editor known drawn"},
		{"bash", "$ echo 'Sure? [y/N]", false, false, "repl known"},
		{"bash", "Sure? [y/N] ", false, false, "confirm known"},
		{"python3.12", ">>> ", false, false, "repl known"},
		{"python3.12", "Sure? [y/N] ", true, true, "confirm known"},
		{"vim.basic", "[y/N] ", false, false, "confirm known drawn"}, // it has left its screen to ask
		{"vim.basic", "\x1b[?1049h[y/N] ", false, false, "editor known drawn"},
		{"less", "Sure? [y/N] ", false, false, "pager known drawn"},
		{"less", "Sure? [y/N] ", true, true, "confirm known"},
		{"pager", ":", false, false, "pager known drawn"},
		{"bash", "\x1b[?1049hbash-5.2# ", false, false, "repl known"}, // in tmux
	}
	for _, tt := range tests {
		term := screen.New(80, 24, 0)
		term.Write([]byte(tt.written))
		q := NewBook(nil).Read(Scene{Picture: term.Snapshot(screen.Visible()), Command: tt.command, Canonical: tt.canonical, Echo: tt.echo})
		if got := strings.TrimSpace(fmt.Sprint(q.Kind, " ", flags(q, false))); got != tt.want {
			t.Errorf("%s, %q, canonical %v, echo %v: %s, want %s", tt.command, tt.written, tt.canonical, tt.echo, got, tt.want)
		}
	}
}

// The page with which GNU screen begins is told with the line that says how it is left.
func TestReadPage(t *testing.T) {
	q := NewBook(nil).Read(recordings(t)["screen-welcome"].scene())
	first, last := "GNU Screen version 4.09.00 (GNU) 30-Jan-22\n", "\n[Press Space for next page; Return to end.]"
	if !strings.HasPrefix(q.Text, first) || !strings.HasSuffix(q.Text, last) || strings.Count(q.Text, "\n") != paragraph-1 {
		t.Errorf("%q", q.Text)
	}
}

func TestReadWithoutPicture(t *testing.T) {
	for want, s := range map[Kind]Scene{
		Line:     {Canonical: true, Echo: true},
		Password: {Canonical: true},
		Key:      {Echo: true},
		Editor:   {Command: "vim"},
		Pager:    {Command: "less"},
		TUI:      {Command: "htop"},
	} {
		if q := NewBook(nil).Read(s); q.Kind != want || q.Text != "" {
			t.Errorf("%+v: %s %q, want %s", s, q.Kind, q.Text, want)
		}
	}
}

func TestReadOwn(t *testing.T) {
	b := NewBook([]Pattern{
		{Choice, regexp.MustCompile(`^Target: $`)},
		{Password, regexp.MustCompile(`(?m)^Vault`)},
		{Line, regexp.MustCompile(`\[y/N\] $`)},
	})
	for written, want := range map[string]Kind{
		"Target: ":         Choice,
		"Vault key, bob: ": Password,
		"Sure? [y/N] ":     Line,
		"Name: ":           Line,
		"Target: x":        Line,
	} {
		term := screen.New(80, 24, 0)
		term.Write([]byte(written))
		s := Scene{Picture: term.Snapshot(screen.Visible()), Canonical: true, Echo: true}
		if q := b.Read(s); q.Kind != want || q.Text != written {
			t.Errorf("%q: %s %q, want %s", written, q.Kind, q.Text, want)
		}
		s.Command, s.Canonical, s.Echo = "vim", false, false
		if q := b.Read(s); want == Choice && q.Kind != Editor {
			t.Errorf("%q in an editor: %s", written, q.Kind)
		}
	}
}

// Any picture can be read, in any mode.
func FuzzRead(f *testing.F) {
	all := recordings(f)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		r := all[name]
		f.Add([]byte(r.Data), r.Command, uint8(i), uint16(r.Cols), uint8(r.Rows), int8(0))
	}
	own := []Pattern{{Choice, regexp.MustCompile(`own`)}, {Confirm, regexp.MustCompile(`ask`)}}
	books := []*Book{NewBook(nil), NewBook(own)}
	f.Fuzz(func(t *testing.T, data []byte, command string, modes uint8, cols uint16, rows uint8, since int8) {
		term := screen.New(int(cols%200), int(rows%60), 10)
		term.Write(data)
		s := Scene{
			Picture: term.Snapshot(screen.View{First: -int(modes >> 4), Last: screen.MaxRows}), Since: int(since),
			Command: command, Canonical: modes&1 != 0, Echo: modes&2 != 0,
		}
		b := books[modes>>2&1]
		q := b.Read(s)
		b.AtPrompt(s, modes&8 != 0)
		if len(q.Text) > most || !utf8.ValidString(q.Text) {
			t.Errorf("%d bytes of text, valid %v", len(q.Text), utf8.ValidString(q.Text))
		}
		if q.Kind == "" || strings.HasSuffix(q.Text, "\n") {
			t.Errorf("%q %q", q.Kind, q.Text)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	all, book := recordings(b), NewBook(nil)
	for _, name := range []string{"bash", "apt-get", "gpg-gen", "inquirer-select", "vim", "dialog-menu", "mc"} {
		s := all[name].scene()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				book.Read(s)
			}
		})
	}
}

func BenchmarkAtPrompt(b *testing.B) {
	all, book := recordings(b), NewBook(nil)
	for _, name := range []string{"bash", "apt-get", "doc-dev-server", "mc", "bash-typed", "doc-login"} {
		s := all[name].scene()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				book.AtPrompt(s, false)
			}
		})
	}
}

// A picture as large as can be, full of what looks like a menu.
func BenchmarkReadLargest(b *testing.B) {
	term := screen.New(screen.MaxCols, screen.MaxRows, 0)
	term.Write([]byte("\x1b[?25l"))
	for range screen.MaxRows {
		term.Write([]byte("\r\n" + strings.Repeat("1) ┌ > [y/n ", 83)))
	}
	book := NewBook(nil)
	for _, command := range []string{"x", "htop", "vim"} {
		s := Scene{Picture: term.Snapshot(screen.Visible()), Command: command}
		b.Run(command, func(b *testing.B) {
			for b.Loop() {
				book.Read(s)
			}
		})
	}
}

// Each pattern has alternatives, and they compile.
func TestPatterns(t *testing.T) {
	for p := range patterns {
		if len(alternatives[p]) == 0 || p.regexp().MatchString("\x00") {
			t.Errorf("pattern %d has no alternatives, or matches nothing in particular", p)
		}
	}
}

// Each pattern is compiled when it is first needed. This is the time for all of them.
func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		for _, each := range alternatives {
			regexp.MustCompile("(?i)" + strings.Join(each, "|"))
		}
	}
}

// The prompt of another system's shell, which a relay shows.
func TestReadRelayed(t *testing.T) {
	terminal := screen.New(80, 24, 0)
	_, _ = terminal.Write([]byte("Microsoft Windows [Version 10.0.20348]\r\n\r\nC:\\Users\\me>"))
	q := NewBook(nil).Read(Scene{Picture: terminal.Snapshot(screen.Visible()), Command: "ssh"})
	if want := `C:\Users\me>`; q.Kind != REPL || q.Text != want || !q.Known {
		t.Errorf("%s, %q, known %v; want repl, %q", q.Kind, q.Text, q.Known, want)
	}
}
