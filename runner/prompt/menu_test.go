package prompt

import (
	"strings"
	"testing"

	"devtools/screen"
)

// Menus for the arrow keys, and lists that are none.
func TestMenus(t *testing.T) {
	for _, tt := range []struct {
		name, written string
		kind          Kind
		known         bool
		text          string
	}{
		{"no item selected yet", "? Deploy to ›\n  Staging\n  Production\n", Choice, true, "? Deploy to ›\nStaging\nProduction"},
		{"no mark of a library", "Deploy to:\n  Staging\n  Production\n", Choice, false, "Deploy to:\nStaging\nProduction"},
		{"work on a list", "Installing:\n  Staging\n  Production\n", TUI, false, "Installing:\nStaging\nProduction"},
		{"boxes under an angle", "Features:\n> [ ] Staging\n  [ ] Production\n", Choice, true, "Features:\n> [ ] Staging\n[ ] Production"},
		{"lines of a quotation", "He said\n> Staging\n> Production\n", Line, true, "> Staging\n> Production"},
	} {
		terminal := screen.New(80, 24, 0)
		_, _ = terminal.Write([]byte(strings.ReplaceAll("\x1b[?25l"+tt.written, "\n", "\r\n")))
		q := NewBook(nil).Read(Scene{Picture: terminal.Snapshot(screen.Visible()), Command: "d"})
		if q.Kind != tt.kind || q.Known != tt.known || q.Text != tt.text {
			t.Errorf("%s: %s, known %v, %q; want %s, %v, %q", tt.name, q.Kind, q.Known, q.Text, tt.kind, tt.known, tt.text)
		}
	}
}
