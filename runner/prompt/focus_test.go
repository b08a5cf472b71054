package prompt

import (
	"strings"
	"testing"

	"devtools/screen"
)

// The keys of a form go to the field with the bar, whatever stands below it.
func TestFocused(t *testing.T) {
	for _, test := range []struct {
		name, written string
		want          Question
	}{
		{
			"a menu above a password", "┃ Which database?\r\n┃ > Graz\r\n┃   yarn\r\n\r\n  Password\r\n  >\r\n\r\nenter select",
			Question{Kind: Choice, Drawn: true, Text: "Which database?"},
		},
		{
			"a yes or no above another one", "┃ Delete it?\r\n┃\r\n┃        Yes     No\r\n\r\n  Use it?\r\n\r\n       Yes     No\r\n",
			Question{Kind: Confirm, Text: "Delete it?"},
		},
	} {
		terminal := screen.New(60, 12, 0)
		_, _ = terminal.Write([]byte("\x1b[?25l" + test.written))
		q := NewBook(nil).Read(Scene{Picture: terminal.Snapshot(screen.Visible()), Command: "form"})
		if q.Kind != test.want.Kind || q.Drawn != test.want.Drawn || !strings.HasPrefix(q.Text, test.want.Text) {
			t.Errorf("%s: %s, drawn %v; want %s, %v\n%s", test.name, q.Kind, q.Drawn, test.want.Kind, test.want.Drawn, q.Text)
		}
	}
}
