package hold

import (
	"testing"

	"devtools/runner/prompt"
	"devtools/screen"
)

// A line in which a program has asked holds while the cursor is behind its text, and not on another line or hidden.
func TestAskedLine(t *testing.T) {
	term := screen.New(20, 5, 0)
	draw := func(text string) *screen.Snapshot {
		term.Write([]byte(text))
		return term.Snapshot(screen.Visible())
	}
	var asked askedLine
	if asked.holds(draw("hello")) {
		t.Error("it holds before anything was asked")
	}
	asked.waitedIn(draw("\r\nName (a or b)? "), prompt.Answer)
	for _, step := range []struct {
		text string
		want bool
	}{
		{"a", true}, {" long answer in two rows", true}, {"\r\nmaking it", false}, {"\x1b[2J\x1b[2;1HName (a or b)? x", true}, {"\x1b[?25l", false}, {"\x1b[?25h", true},
	} {
		picture := draw(step.text)
		if got := asked.holds(picture); got != step.want {
			t.Errorf("after %q: %v, want %v", step.text, got, step.want)
		}
		if step.want {
			asked.waitedIn(picture, prompt.Command) // with a part of the answer
			if asked.made != prompt.Answer {
				t.Errorf("after %q: the question has become %d", step.text, asked.made)
			}
		}
	}
}
