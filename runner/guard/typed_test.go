package guard

import (
	"strings"
	"testing"
)

// An interpreter without a program asks for lines; one with a program, and other programs, do not.
func TestInterpreter(t *testing.T) {
	for command, want := range map[string]bool{
		"python3 -q": true, "/usr/bin/node --inspect": true, "node": true, "irb": true, "python3 -c x": false, "python3 -m http.server": false,
		"node server.js": false, "bash": false, "cat": false, "": false,
	} {
		if got := Interpreter(strings.Fields(command)); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

// Typed text that has not ended is judged as what a shell reads: the text of a here-document, not commands. Of another program nobody
// knows that.
func TestTyped(t *testing.T) {
	rules, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shell, text, unknown string
		reason               string // contained in that of a confirmation; "": it is free
	}{
		{"bash", "cat > f <<E\nit's\nsudo id", "", ""},
		{"bash", "cat > f <<E\n$(sudo id)", "", "another user"},
		{"bash", "cat > f <<'E'\n$(sudo id)", "", ""},
		{"bash", "sh <<E\nsudo id", "", "another user"},
		{"bash", "if true; then cat <<E\nit's", "", ""},
		{"bash", "x=$(cat <<E\nit's", "", ""},
		{"another program", "cat > f <<E\nsudo id", "", "another user"},
		{"fish", "true; and sudo id", "", "another user"},
		{"fish", "for i in a b", "", ""},
		{"fish", "for i in (sudo id)", "", "another user"},
		{"fish", "if not sudo id", "", "another user"},
		{"fish", "end", "", ""},
		{"fish", "else", "", ""},
		{"fish", "echo 'it\\'s", "", ""},
		{"zsh", "repeat 1 sudo id", "", "another user"},
		{"zsh", "=sudo id", "", "another user"},
		{"zsh", "echo # ; sudo id", "", "another user"},
		{"zsh", "# make all", "", ""},
		{"bash", "echo # ; sudo id", "", ""},
		{"bash", "ls", "nobody knows it", "nobody knows it"},
		{"python3", "ls", "nobody knows it", "nobody knows it"},
	} {
		got := rules.Judge(Call{Kind: KindSendKeys, Line: c.text, Shell: c.shell, Unknown: c.unknown, Dir: "/w", Workspace: "/w"})
		if (got.Action == Confirm) != (c.reason != "") || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%q for %s: %+v, want %q", c.text, c.shell, got, c.reason)
		}
		if c.unknown != "" && got.Rule+got.Command != "" {
			t.Errorf("%q for %s: %+v", c.text, c.shell, got)
		}
	}
}
