package commands

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

var shortFlagsFile = filepath.Join("testdata", "short_flags.txt")

const shortFlagsHead = `# The short flags of all commands. "*": a global flag. go test ./commands -run TestShortFlags -update writes it.
`

// otherMeanings lists the short flags that have more than one long name, with all of them. "-": without a long name.
var otherMeanings = map[string][]string{
	"-A": {"-", "--after-context"},             // tmux new-session -A, grep
	"-C": {"-", "--context"},                   // git -C, before the name of the command; grep
	"-N": {"--keep-blanks", "--repeat"},        // tmux capture-pane, tmux send-keys
	"-a": {"--all", "--other"},                 // tmux capture-pane -a shows the other screen
	"-i": {"--idle-limit", "--ignore"},         // asciinema, watchexec
	"-o": {"--export", "--output"},             // the file to write
	"-t": {"-", "--in", "--name", "--session"}, // the session
	"-w": {"--path", "--watch"},                // watchexec; ps --watch is alone in ps
}

// sameName lists the commands with a long flag that has a short form in other commands, and no short form here: it or the short form
// means something else.
var sameName = map[string][]string{
	"--all":        {"kill", "launch", "restart", "run", "send-keys", "wait"}, // all sessions, or all conditions
	"--follow":     {"watch"},                                                 // links
	"--idle-limit": {"launch", "run"},                                         // the time without use of a session
	"--name":       {"launch", "run", "watch"},                                // the name of a new session
	"--timeout":    {"kill"},                                                  // -TERM is a signal
	"--until":      {"history"},                                               // a time
}

// A flagUse is a flag of a command. The command of a global flag is "*".
type flagUse struct{ command, short, long string }

// allFlags returns all visible flags of devtools.
func allFlags(t *testing.T) (uses []flagUse) {
	root := fullRoot(t)
	for _, cmd := range append([]*cli.Command{root}, visible(root)...) {
		name := cmd.Name
		if cmd == root {
			name = "*"
		}
		for _, flag := range cmd.VisibleFlags() {
			short, long := flagNames(flag)
			if cmd == root || long != "--help" {
				uses = append(uses, flagUse{name, short, long})
			}
		}
	}
	return uses
}

// One table holds the short flags of all commands. A short flag means the same everywhere, but for those listed.
func TestShortFlags(t *testing.T) {
	table := map[[2]string][]string{}
	meanings := map[string][]string{}
	for _, use := range allFlags(t) {
		if use.short == "" {
			continue
		}
		row := [2]string{use.short, use.long}
		if use.long == "" {
			row[1] = "-"
		}
		table[row] = append(table[row], use.command)
		if !slices.Contains(meanings[use.short], row[1]) {
			meanings[use.short] = append(meanings[use.short], row[1])
		}
	}
	for short, long := range meanings {
		slices.Sort(long)
		if want := otherMeanings[short]; len(long) > 1 && !slices.Equal(long, want) {
			t.Errorf("%s stands for %q; listed are %q", short, long, want)
		}
	}
	for short, long := range otherMeanings {
		if len(meanings[short]) < 2 {
			t.Errorf("%s has only the meanings %q: the list has %q", short, meanings[short], long)
		}
	}
	var text strings.Builder
	text.WriteString(shortFlagsHead)
	for _, row := range slices.SortedFunc(maps.Keys(table), func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) }) {
		fmt.Fprintf(&text, "%s  %-13s  %s\n", row[0], row[1], strings.Join(slices.Sorted(slices.Values(table[row])), ", "))
	}
	if *update {
		if err := os.WriteFile(shortFlagsFile, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(shortFlagsFile); err != nil || string(have) != text.String() {
		t.Errorf("%s (%v) is\n%s\nit should be\n%s", shortFlagsFile, err, have, text.String())
	}
}

// A long flag with a short form has it in all commands, but for those where one of them means something else.
func TestShortFlagsEverywhere(t *testing.T) {
	shorts := map[string]string{}
	for _, use := range allFlags(t) {
		if use.short != "" && use.long != "" {
			shorts[use.long] = use.short
		}
	}
	for _, use := range allFlags(t) {
		want := shorts[use.long]
		if slices.Contains(sameName[use.long], use.command) {
			want = ""
		}
		if use.long != "" && use.short != want {
			t.Errorf("%s %s has the short form %q, want %q", use.command, use.long, use.short, want)
		}
	}
}

// Other programs' words are never taken apart.
func TestProtect(t *testing.T) {
	for line, want := range map[string]string{
		"log web -n5 -fgx":           "log web -n=5 -f -g=x",
		"log -fn 5 -t web":           "log -f -n 5 -t web",
		"log -tweb -n=5 -tail 3":     "log -t=web -n=5 -tail 3",
		"screen web -S-5 -E - -JN":   "screen web -S=-5 -E - -J -N",
		"ps -aw -xa":                 "ps -a -w -x",
		"-qC / ps -aq":               "-q -C / ps -a -q",
		"-C/tmp -qh":                 "-h", // all but --help is left out
		"run -eA=b -T5m -k2s x -n5":  "run -e=A=b -T=5m -k=2s -- x -n5",
		"run -tweb -- x -af":         "run -t=web -- x -af",
		"start -qr -- x -n5 -- -af":  "start -q -r -- x -n5 -- -af",
		"watch -ipat -wsrc make -n5": "watch -i=pat -w=src -- make -n5",
		"run - -n5":                  "run -- - -n5",
		"kill -9 web":                "kill --signal=9 web",
		"kill web -KILL -k2s":        "kill web --signal=KILL -k=2s",
		"stop -sigkill web":          "stop --signal=sigkill web",
		"kill -s9 -- -9":             "kill -s=9 -- -9",
		"kill -99 web":               "kill --signal=99 web",
		"kill -FOO web":              "kill --signal=FOO web",
		"kill -signal=HUP -label x":  "kill -signal=HUP -label x",
		"kill -K=1 -é":               "kill -K=1 -é",
		"ps -9 -aw":                  "ps -9 -aw",
		"send-keys web -lN5 -- -lN5": "send-keys web -l -N=5 -- -lN5",
		"ps --sort cpu -a=false":     "ps --sort cpu -a=false",
		"ps -aé":                     "ps -a -é",
		"ps -a\xff":                  "ps -a -\xff",
		"schema -af":                 "schema -a", // the command has no such flag, which cli reports
	} {
		args := append([]string{"devtools"}, strings.Fields(line)...)
		got, _, _ := protect(newRoot(nil, nil, nil, named(args)), args)
		if strings.Join(got[1:], " ") != want {
			t.Errorf("%s: %q, want %q", line, got[1:], want)
		}
	}
}
