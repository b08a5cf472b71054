package commands

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/completions"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/proc"
	"devtools/screen/keys"
)

// The value of each flag, and each argument, has a placeholder in the usage that says how it is completed.
func TestValuesAreCompleted(t *testing.T) {
	root := fullRoot(t)
	for _, cmd := range append([]*cli.Command{root}, visible(root)...) {
		c := &cursor{root: root, cmd: cmd}
		for _, flag := range cmd.Flags {
			if !takesValue(flag) {
				continue
			}
			if c.flag = flag; placeholderOf(flag) == "" {
				t.Errorf("%s %s: the usage has no word in backquotes for the value", cmd.Name, dash(flag.Names()[0]))
			}
			checkPlaceholder(t, c, placeholderOf(flag))
		}
		c.flag = nil
		if _, wraps := wraps[cmd.Name]; wraps || cmd == root {
			continue // the shell completes the command line of another program
		}
		for _, kind := range argumentKinds(cmd) {
			checkPlaceholder(t, c, kind)
		}
	}
}

func checkPlaceholder(t *testing.T, c *cursor, placeholder string) {
	t.Helper()
	for part := range strings.SplitSeq(strings.TrimSuffix(placeholder, "…"), "|") {
		if c.completer(part) == nil {
			t.Errorf("%s: nobody knows how %s is completed (of flag %v): add it to completer in completion_values.go", c.cmd.Name, part, c.flag)
		}
	}
}

// The fixed values that are offered are valid.
func TestOfferedValuesAreValid(t *testing.T) {
	root := newRoot(nil, nil, nil, allCommands)
	offered := func(kind string) (words []string) {
		t.Helper()
		a := completions.Answer{}
		c := &cursor{root: root, cmd: root.Command("send-keys")}
		c.complete(kind, &a)
		for _, w := range a.Words {
			words = append(words, w.Text)
		}
		if len(words) == 0 {
			t.Errorf("nothing is offered for %s", kind)
		}
		return words
	}
	for kind, parse := range map[string]func(text string) error{
		"DURATION":  func(text string) error { _, err := parseDuration(text); return err },
		"BYTES":     func(text string) error { _, err := parseBytes(text); return err },
		"COLSxROWS": func(text string) error { _, err := parseSize("--size", text); return err },
		"SIGNAL":    func(text string) error { _, err := proc.ParseSignal(text); return err },
	} {
		for _, word := range offered(kind) {
			if err := parse(word); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
	for _, word := range offered("KEY") {
		if strokes, err := keys.Parse([]string{word}); err != nil || len(strokes) != 1 || strokes[0].String() == word && len(word) == 1 {
			t.Errorf("key %s: %v, %v", word, strokes, err)
		}
	}
	for _, word := range offered("CONDITION") {
		if strings.HasSuffix(word, ":") {
			word += map[string]string{"stable:": "1", "exit:": "0", "port:": "80", "open:": "80", "http:": "//localhost", "text:": "x", "gone:": "x", "file:": "x"}[word]
		}
		if _, err := condition.ParseCondition(word, "/"); err != nil {
			t.Error(err)
		}
	}
	at := root.Command("history")
	for _, word := range offered("TIME") {
		if err := at.Set("since", word); err != nil {
			t.Fatal(err)
		}
		if _, err := pastTime(at, "since", time.Now()); err != nil {
			t.Error(err)
		}
	}
}

// What is offered for a time within a session is one.
func TestOfferedMomentsAreValid(t *testing.T) {
	root := newRoot(nil, nil, nil, allCommands)
	for _, word := range usualWords("MOMENT") {
		at, from := root.Command("screen"), root.Command("replay")
		if err := errors.Join(at.Set("at", word), from.Set("from", word), from.Set("to", word)); err != nil {
			t.Fatal(err)
		}
		_, errFrom := readMoment(from, "from")
		_, errTo := readMoment(from, "to")
		if err := errors.Join(readAt(at, &runner.Look{}), errFrom, errTo); err != nil {
			t.Error(err)
		}
	}
}

// Behind a colon, each word is completed by what it takes.
func TestWordsBehindAColon(t *testing.T) {
	for line, want := range map[string]string{
		"run --wait background:":     "background:5s",
		"watch --on-busy signal:":    "signal:TERM",
		"watch --on-busy signal:SIG": "signal:SIGTERM",
	} {
		a := answerAt(strings.Split("devtools "+line, " "))
		if !slices.ContainsFunc(a.Words, func(w completions.Word) bool { return w.Text == want }) {
			t.Errorf("%s: %v, want %s", line, a.Words, want)
		}
		if strings.HasPrefix(want, "background") && slices.ContainsFunc(a.Words, func(w completions.Word) bool { return strings.HasSuffix(w.Text, ":TERM") }) {
			t.Errorf("%s: a signal is offered", line)
		}
	}
}

// choice refuses each value that is not offered, and the default is one of those that are.
func TestChoicesHaveTheirDefault(t *testing.T) {
	root := newRoot(nil, nil, nil, allCommands)
	for _, cmd := range append([]*cli.Command{root}, root.Commands...) {
		for _, flag := range cmd.Flags {
			if f, ok := flag.(*choiceFlag); ok && f.Value != "" && !slices.Contains(f.words, f.Value) {
				t.Errorf("%s %s: the default %q is none of %q", cmd.Name, dash(f.Name), f.Value, f.words)
			}
		}
	}
}

// A command line as people type it, and what is found at its end.
func TestCursor(t *testing.T) {
	for line, want := range map[string]completions.Answer{
		"run -- ":                  {Left: completions.Command, At: 3},
		"run ls ":                  {Left: completions.Command, At: 2},
		"run l":                    {Left: completions.Command, At: 2},
		"run --timeout 5 -- ls -":  {Left: completions.Command, At: 5},
		"run -qT5 ls -":            {Left: completions.Command, At: 3},
		"run --in web -- ":         {Left: completions.Command, At: 5},
		"stacks --classify np":     {Left: completions.Command, At: 3},
		"watch --build ma":         {Left: completions.Command, At: 3},
		"run --cwd ":               {Left: completions.Folders},
		"run --cwd=":               {Left: completions.Folders, At: 6},
		"run --answer-file=x":      {Left: completions.Files, At: 14},
		"watch -w":                 {},
		"watch -wsr":               {Left: completions.Files, At: 2},
		"watch -w=sr":              {Left: completions.Files, At: 3},
		"wait web -u file:":        {Left: completions.Files, At: 5},
		"wait web --until=file:":   {Left: completions.Files, At: 13},
		"log web --grep ":          {},
		"log web extra ":           {},
		"frob ":                    {},
		"stacks ":                  {Left: completions.Folders},
		"replay ":                  {Left: completions.Files},
		"run --lang python ":       {Left: completions.Files},
		"--dir /nosuch --color no": {},
	} {
		words := strings.Split("devtools "+line, " ")
		got := answerAt(words)
		if got.Left != want.Left || got.Left != "" && got.At != want.At {
			t.Errorf("%s: %q at %d, want %q at %d", line, got.Left, got.At, want.Left, want.At)
		}
	}
}
