package commands

import (
	"testing"

	"devtools/runner/wire"
)

// The message names the line that asks, never the kind. What an editor shows, and an empty prompt, are no question.
func TestWaitingText(t *testing.T) {
	for _, c := range []struct {
		waiting wire.Waiting
		want    string
	}{
		{wire.Waiting{Kind: "line", Prompt: "Project name: "}, `sh (pid 1) waits for input: "Project name:"`},
		{wire.Waiting{Kind: "line"}, `sh (pid 1) waits for input`},
		{wire.Waiting{Kind: "password", Secret: true, Prompt: "Password: "}, `sh (pid 1) waits for input: "Password:"`},
		{wire.Waiting{Kind: "choice", Prompt: "1) red\n2) green\nWhich one? "}, `sh (pid 1) waits for input: "Which one?"`},
		{wire.Waiting{Kind: "choice", Drawn: true, Prompt: "? Pick a color › - Return to submit.\n❯ red\ngreen"}, `sh (pid 1) waits for input: "? Pick a color › - Return to submit."`},
		{wire.Waiting{Kind: "choice", Drawn: true, Prompt: "Size\nWhich size do you want?\n(*) small\n<Ok> <Cancel>"}, `sh (pid 1) waits for input: "Which size do you want?"`},
		{wire.Waiting{Kind: "confirm", Drawn: true, Prompt: "Delete it all?\n<Yes> <No>"}, `sh (pid 1) waits for input: "Delete it all?"`},
		{wire.Waiting{Kind: "choice", Prompt: "Which colour?\n1) red\n2) green\n#? "}, `sh (pid 1) waits for input: "Which colour?"`},
		{wire.Waiting{Kind: "line", Prompt: "Enter the value\n> "}, `sh (pid 1) waits for input: "Enter the value"`},
		{wire.Waiting{Kind: "confirm", Prompt: "◆  Install dependencies?\n● Yes / ○ No"}, `sh (pid 1) waits for input: "◆  Install dependencies?"`},
		{wire.Waiting{Kind: "repl", Prompt: ">>> "}, `sh (pid 1) waits for input: ">>>"`},
		{wire.Waiting{Kind: "line", Prompt: " \n"}, `sh (pid 1) waits for input`},
		{wire.Waiting{Kind: "pager", Prompt: "long.txt"}, `sh (pid 1) waits for input: "long.txt"`},
		{wire.Waiting{Kind: "editor", Drawn: true, Prompt: "1\n2\n8"}, `sh (pid 1) waits for input`},
		{wire.Waiting{Kind: "tui", Drawn: true, Confidence: "heuristic", Prompt: "Mail\nInbox 3"}, `sh (pid 1) seems to wait for input: "Mail"`},
	} {
		c.waiting.Command, c.waiting.PID = "sh", 1
		if got := waitingText(c.waiting); got != c.want {
			t.Errorf("%s, %q:\ngot  %s\nwant %s", c.waiting.Kind, c.waiting.Prompt, got, c.want)
		}
	}
}
