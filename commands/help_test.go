package commands

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v3"
)

// The help of a flag fits 60 columns without its default, and begins with a word in lower case or the flag's value.
func TestFlagHelp(t *testing.T) {
	const most = 60
	root := fullRoot(t)
	for _, cmd := range append([]*cli.Command{root}, visible(root)...) {
		for _, flag := range cmd.VisibleFlags() {
			documented, ok := flag.(cli.DocGenerationFlag)
			if !ok {
				continue
			}
			usage := documented.GetUsage()
			text := strings.ReplaceAll(usage, "`", "")
			if n := utf8.RuneCountInString(text); n > most || n == 0 {
				t.Errorf("%s --%s: %d columns: %q", cmd.Name, flag.Names()[0], n, text)
			}
			if first, _ := utf8.DecodeRuneInString(usage); first != '`' && !unicode.IsLower(first) {
				t.Errorf("%s --%s begins with neither a verb nor a noun: %q", cmd.Name, flag.Names()[0], text)
			}
		}
	}
}

// The command is found behind every global flag, with the flag's value left out.
func TestNamed(t *testing.T) {
	root := newRoot(nil, nil, nil, "")
	for _, flag := range root.Flags {
		name := dash(flag.Names()[0])
		args := []string{"devtools", name, "screen", "ps"}
		want := "screen"
		if f, ok := flag.(cli.DocGenerationFlag); ok && f.TakesValue() {
			want = "ps"
		}
		if got := named(args); got != want {
			t.Errorf("%v: %q, want %q", args, got, want)
		}
	}
	for line, want := range map[string]string{
		"devtools": "", "devtools help": "", "devtools help run": "run", "devtools --json help ps": "ps",
		"devtools frob run": "", "devtools ls": "ps", "devtools help stop": "kill", "devtools -qC / start": "launch",
		"devtools -C/ ps": "ps", "devtools -Cq ps": "ps",
	} {
		if got := named(strings.Fields(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// Only the command that nobody types is not listed.
func TestListedCommands(t *testing.T) {
	for _, c := range subcommands {
		if hidden := c.usage == ""; hidden != (c.name == "hold") {
			t.Errorf("%s: hidden is %v", c.name, hidden)
		}
	}
}
