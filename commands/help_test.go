package commands

import (
	"regexp"
	"slices"
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

// helpOf returns the lines that a command line of help prints, and checks their width.
func helpOf(t *testing.T, args ...string) []string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(printedBy(t, args...)), "\n"), "\n")
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > helpColumns {
			t.Errorf("devtools %s: %d columns: %s", strings.Join(args, " "), n, line)
		}
	}
	return lines
}

// The help fits a terminal of 80x24, with at most ten options. With --all it has each option with its text, and each command.
// No page of the manual is wider.
func TestHelpFits(t *testing.T) {
	root := fullRoot(t)
	for _, cmd := range append([]*cli.Command{root}, visible(root)...) {
		short, all := []string{cmd.Name, "--help"}, []string{"help", "--all", cmd.Name}
		if cmd == root {
			short, all = short[1:], all[:2]
		}
		lines := helpOf(t, short...)
		if len(lines) > helpRows {
			t.Errorf("%s: %d lines", cmd.Name, len(lines))
		}
		if n := countOptions(lines); n > 10 {
			t.Errorf("%s: %d options are not of daily use", cmd.Name, n)
		}
		text := strings.Join(strings.Fields(strings.Join(helpOf(t, all...), " ")), " ")
		for _, row := range flagRows(cmd.VisibleFlags(), true) {
			if want := strings.TrimSpace(row[0]) + " " + row[1]; !strings.Contains(text, want) {
				t.Errorf("devtools %s does not have %s", strings.Join(all, " "), want)
			}
		}
		helpOf(t, "help", cmd.Name)
	}
	for _, topic := range topics() {
		helpOf(t, "help", topic)
	}
	text := string(printedBy(t, "help", "--all")) + string(printedBy(t, "help"))
	for _, cmd := range visible(root) {
		if strings.Count(text, cmd.Name) < 2 {
			t.Errorf("devtools help or help --all does not have %s", cmd.Name)
		}
	}
}

// The groups name flags that the command has.
func TestOptionGroups(t *testing.T) {
	root := fullRoot(t)
	for _, cmd := range append([]*cli.Command{root}, visible(root)...) {
		if groups := optionGroups(cmd, true); cmd.CustomHelpTemplate != "" {
			for _, flag := range groups[len(groups)-1].flags {
				if name := flag.Names()[0]; groups[len(groups)-1].heading == "OTHER OPTIONS" && !slices.Contains([]string{"help", "version"}, name) {
					t.Errorf("%s: %s is in no group", cmd.Name, dash(name))
				}
			}
		}
		for line := range strings.Lines(cmd.CustomHelpTemplate) {
			_, names, ok := strings.Cut(line, ":")
			if !ok {
				t.Errorf("%s: no heading in %q", cmd.Name, line)
			}
			for _, name := range strings.Fields(names) {
				if name != "|" && !slices.ContainsFunc(cmd.VisibleFlags(), func(f cli.Flag) bool { return f.Names()[0] == name }) {
					t.Errorf("%s has no flag %q", cmd.Name, name)
				}
			}
		}
	}
}

func countOptions(lines []string) (n int) {
	for _, line := range lines {
		if strings.HasPrefix(line, "  -") || strings.HasPrefix(line, "      --") {
			n++
		}
	}
	return n
}

// The value of a flag is in capitals, and not the word of its default.
func TestHelpValues(t *testing.T) {
	value := regexp.MustCompile(`^(?:\[?[A-Z]+\]?[=|]?|COLSxROWS)+$`)
	root := fullRoot(t)
	for _, cmd := range append([]*cli.Command{root}, visible(root)...) {
		for _, flag := range cmd.VisibleFlags() {
			about, ok := flag.(cli.DocGenerationFlag)
			if !ok || !about.TakesValue() {
				continue
			}
			_, word, _ := strings.Cut(about.GetUsage(), "`")
			word, _, _ = strings.Cut(word, "`")
			if !value.MatchString(word) || strings.EqualFold(word, about.GetValue()) {
				t.Errorf("%s --%s: the value is called %q", cmd.Name, flag.Names()[0], word)
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
