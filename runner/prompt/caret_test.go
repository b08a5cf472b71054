package prompt

import (
	"testing"

	"devtools/screen"
)

// A caret blinks in one cell. What else changes, and what the terminal's own cursor does, is no blinking.
func TestBlinks(t *testing.T) {
	for name, test := range map[string]struct {
		first, second string
		want          *Caret
	}{
		"reversed":             {"\x1b[?25l> \x1b[7mB\x1b[mob", "\r> Bob", &Caret{0, 2}},
		"a reversed blank":     {"\x1b[?25l> ada\x1b[7m \x1b[m", "\r> ada ", &Caret{0, 5}},
		"a bar":                {"\x1b[?25lName: █", "\b ", &Caret{0, 6}},
		"another background":   {"\x1b[?25l> \x1b[48;5;253m \x1b[m", "\b\x1b[48;5;235m \x1b[m", &Caret{0, 2}},
		"nothing":              {"\x1b[?25l> ", "\r> ", nil},
		"a spinner":            {"\x1b[?25l|", "\b/", nil},
		"a clock":              {"\x1b[?25l12:30:01", "\b2", nil},
		"a light":              {"\x1b[?25l\x1b[31m●", "\b\x1b[32m●", nil},
		"two cells":            {"\x1b[?25l\x1b[7mab\x1b[m", "\rab", nil},
		"two rows":             {"\x1b[?25l\x1b[7ma\x1b[m\r\n\x1b[7mb\x1b[m", "\x1b[Ha\r\nb", nil},
		"the cursor is shown":  {"> \x1b[7mB\x1b[mob", "\r> Bob", nil},
		"the title changes":    {"\x1b[?25l> \x1b[7mB\x1b[mob", "\x1b]2;x\a\r> Bob", nil},
		"the cursor is hidden": {"> \x1b[7mB\x1b[mob", "\x1b[?25l\r> Bob", nil},
	} {
		terminal := screen.New(20, 6, 0)
		_, _ = terminal.Write([]byte(test.first))
		first := terminal.Snapshot(screen.Visible())
		_, _ = terminal.Write([]byte(test.second))
		got := Blinks(first, terminal.Snapshot(screen.Visible()))
		if (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// A placeholder is dim or grey, in whatever way the program says so.
func TestGrey(t *testing.T) {
	for style, want := range map[string]bool{
		"2": true, "90": true, "38;5;8": true, "38;5;59": true, "38;5;102": true, "38;5;145": true, "38;5;240": true, "38;2;120;125;130": true,
		"0": false, "31": false, "38;5;16": false, "38;5;60": false, "38;5;188": false, "38;5;231": false, "38;5;254": false, "38;2;120;20;130": false,
	} {
		terminal := screen.New(20, 1, 0)
		_, _ = terminal.Write([]byte("\x1b[" + style + "mx"))
		for c := range terminal.Snapshot(screen.Visible()).Cells(0) {
			if got := grey(c.Style); c.Text == "x" && got != want {
				t.Errorf("%s: %v", style, got)
			}
		}
	}
}
