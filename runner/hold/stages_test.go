package hold

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The exit codes of stages count if the file fits the line and its exit code: the program may have written it.
func TestStagesFile(t *testing.T) {
	c := newCore(t)
	c.spec.Stages = 2
	code := 7
	c.session.ExitCode = &code
	write := func(text string) {
		t.Helper()
		c.session.Pipeline = nil
		if err := os.WriteFile(c.stagesFile(".stages"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string][]int{
		"2,7,":   {2, 7},
		"255,7,": {255, 7},
		"":       nil, "2,": nil, "2,7,7,": nil, "7,2,": nil, "256,7,": nil, "-1,7,": nil, "2,7,\n": nil, "x,7,": nil, "2 7": nil,
		strings.Repeat("0", 1<<20) + ",7,": nil,
	} {
		write(text)
		if c.readStages(); !slices.Equal(c.session.Pipeline, want) {
			t.Errorf("%.20q: %v, want %v", text, c.session.Pipeline, want)
		}
		if _, err := os.Lstat(c.stagesFile(".stages")); err == nil {
			t.Errorf("%.20q: the file is still there", text)
		}
	}
	write("2,7,")
	c.session.Signal = "SIGTERM"
	if c.readStages(); c.session.Pipeline != nil {
		t.Errorf("%v after a signal", c.session.Pipeline)
	}
	c.session.Signal = ""
	write("2,7,")
	if err := os.Rename(c.stagesFile(".stages"), c.stagesFile("other")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", c.stagesFile(".stages")); err != nil {
		t.Skip("this system makes no links: ", err)
	}
	if c.readStages(); c.session.Pipeline != nil {
		t.Errorf("%v through a link", c.session.Pipeline)
	}
}
