package programtest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"devtools/runner/runnertest"
)

// A specimen is a program of the corpus: one that waits for input, or seems to.
type specimen struct {
	set, name string
	class     string        // what is to be said of it: wait, no or accepts
	limit     time.Duration // within it is found waiting, or is not for as long
	command   string        // in the syntax of a shell; with a leading ! it is a shell's line
	keys      string        // what is typed first, for send-keys
	setup     string        // what a shell does before
	after     string        // and afterwards
	needs     []string      // programs
}

// The sets of the whole corpus, without their endings.
const (
	waitSet   = "wait"    // must be found waiting
	noSet     = "no"      // must never be
	mixedSet  = "amb"     // what is to be said of them is documented
	normalSet = "nonroot" // run by a user who is not root
	fastSet   = "fast"    // those of all sets that every test run can do
)

// never are programs of the sets that cannot be asked, and why.
var never = map[string]string{
	"wait/su":      "root is not asked for a password: see nonroot/su",
	"wait/sudo-pw": "root is not asked for a password: see nonroot/sudo-pw",
}

// documented is what is to be said of those of which the class of the corpus says something else.
var documented = map[string]string{
	"bg-sigttin":        "no", // a job in the background that is stopped for reading waits for fg, not for input
	"node-work-raw":     "accepts or wait",
	"fzf-producer":      "accepts or wait",
	"less-pipe-stalled": "no",
	"vim-shell-sleep":   "no",
	"sudo-then-sleep":   "unknown", // the kernel does not let us look: only that it does not wait can be said
	"su-then-sleep":     "unknown",
	"ping-suid":         "unknown",
}

// finite are the programs that may end within their time.
var finite = []string{
	"apt-progress",
	"gcc-compile", "go-build-cold", "go-test-sleep", "npm-install-real", "apt-update", "apt-install-y", "git-clone-blackhole", "bash-script-mixed",
	"ftp-like-telnet",
}

// The confidences, the least first.
var confidences = []string{"heuristic", "medium", "high", "certain"}

// weaker has the confidence that is enough, where it is not high.
var weaker = map[string]string{
	"bash-read-t": "medium", "python-select-loop": "medium", "node-repl": "medium", "ruby-irb": "medium",
	"git-commit-vim": "medium", "git-rebase-i": "medium", "vim": "medium",
	"fzf": "medium", "fzf-find": "medium", "fzf-producer": "medium", // it has a timer
	"npm-init": "heuristic", "npx-confirm": "heuristic", // they keep a connection to the registry
	"dialog-timeout": "medium", "top": "medium", "htop": "medium", "gpg-pinentry": "medium", "gpg-agent-fresh": "medium",
	"gpg-agent": "medium", "go-bubbletea": "medium", "node-work-raw": "medium", "crontab-e": "medium",
	"ssh-remote-read": "heuristic", "ssh-shell": "heuristic",
	"su-then-read": "heuristic", "su-then-shell": "heuristic", "sudo-then-read": "heuristic", "sudo-then-apt": "heuristic",
	"sudo-then-vim": "heuristic",
}

// readCorpus reads a set.
func readCorpus(t *testing.T, set, path string) []specimen {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []specimen
	for line := range strings.Lines(string(text)) {
		fields := slices.Concat(strings.Split(strings.TrimRight(line, "\n"), "\t"), make([]string, 4))
		seconds, err := strconv.Atoi(fields[2])
		if err != nil || fields[3] == "" {
			t.Fatalf("%s: not a program: %q", path, line)
		}
		s := specimen{
			set: set, name: fields[0], class: fields[1], limit: time.Duration(seconds) * time.Second,
			command: fields[3], keys: fields[4], setup: fields[5], after: fields[6], needs: strings.Fields(fields[7]),
		}
		s.class = cmp.Or(documented[s.name], s.class)
		list = append(list, s)
	}
	return list
}

func (s specimen) id() string { return s.set + "/" + s.name }

// An outlook is what devtools says of a session in JSON, where it does.
type outlook struct {
	Waiting      struct{ Kind, Prompt, Confidence string }
	AcceptsInput bool
	Reason       string `json:"inputReason"` // is there whenever the others are
}

// An answer is what devtools said of a specimen.
type answer struct {
	State string        // waiting, running or ended
	Took  time.Duration // from the last output to the answer that it waits
	outlook
}

// wrong returns what is wrong with the answer, or "".
func (s specimen) wrong(a answer) string {
	may := strings.Split(s.class, " or ")
	switch a.State {
	case "waiting":
		if !slices.Contains(may, "wait") {
			return "it does not wait"
		}
		least := cmp.Or(weaker[s.name], "high")
		if a.Waiting.Confidence != "" && slices.Index(confidences, a.Waiting.Confidence) < slices.Index(confidences, least) {
			return "a confidence of " + a.Waiting.Confidence + ", want " + least
		}
	case "running":
		switch {
		case s.class == "wait":
			return "it waits, and was not found to"
		case a.AcceptsInput && s.class == "no":
			return "it does not read the terminal"
		case a.Reason != "" && !a.AcceptsInput && may[0] == "accepts":
			return "it reads the terminal, which was not seen"
		}
	case "ended":
		if s.class == "wait" || !slices.Contains(finite, s.name) {
			return "it ended"
		}
	}
	return ""
}

// TestCorpus runs programs that wait for input, or seem to, under devtools. With DEVTOOLS_CORPUS=all it runs all
// that are known, and prints a table.
func TestCorpus(t *testing.T) {
	if os.Getenv("DEVTOOLS_CORPUS") != "all" {
		lab := newLab(t, filepath.Join("testdata", "corpus", "helpers"))
		lab.examine(t, readCorpus(t, fastSet, filepath.Join("testdata", "corpus", "fast.tsv")), 8)
		return
	}
	folder := filepath.Join("..", "..", "..", "shared", "corpora", "waiting")
	if _, err := os.Stat(folder); err != nil {
		skipLoudly(t, fmt.Sprintf("the whole corpus is not there: %v", err))
	}
	if os.Getuid() != 0 {
		skipLoudly(t, "the whole corpus needs root, who makes users and starts sshd")
	}
	lab := newLab(t, filepath.Join(folder, "helpers"))
	lab.furnish(t)
	var list []specimen
	for _, set := range []string{waitSet, noSet, mixedSet, normalSet} {
		list = append(list, readCorpus(t, set, filepath.Join(folder, set+".tsv"))...)
	}
	lab.table = true
	lab.examine(t, list, 4)
}

// skipLoudly skips a test that somebody has asked for.
func skipLoudly(t *testing.T, why string) {
	t.Helper()
	fmt.Println(why)
	t.Skip(why)
}

// examine runs each specimen as a test of its own, so many at a time: most of them sleep.
func (l *lab) examine(t *testing.T, list []specimen, atOnce int) {
	l.row("%-34s %-9s %-10s %-32s %6s  %-10s %s\n", "program", "verdict", "confidence", "reason", "ms", "kind", "prompt")
	work := make(chan specimen)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for s := range work {
				t.Run(s.id(), func(t *testing.T) { l.try(t, s) })
			}
		})
	}
	for _, s := range list {
		work <- s
	}
	close(work)
	workers.Wait()
}

// row prints a line of the table, if there is to be one.
func (l *lab) row(format string, args ...any) {
	if l.table {
		l.mu.Lock()
		defer l.mu.Unlock()
		fmt.Printf(format, args...)
	}
}

// try runs one specimen and judges the answer.
func (l *lab) try(t *testing.T, s specimen) {
	if why := never[s.id()]; why != "" {
		l.row("%-34s skipped: %s\n", s.id(), why)
		t.Skip(why)
	}
	for _, program := range s.needs {
		runnertest.Need(t, program)
	}
	defer l.alone(s)()
	b := l.stand(t, s)
	defer b.clear(t)
	a, err := b.ask(t.Context())
	if err != nil {
		l.row("%-34s FAILED: %v\n", s.id(), err)
		t.Fatalf("%v\n%s", err, b.evidence())
	}
	state, took := a.State, "-"
	if a.State == "running" && a.AcceptsInput {
		state = "accepts"
	}
	if a.State == "waiting" {
		took = fmt.Sprint(a.Took.Milliseconds())
	}
	wrong := s.wrong(a)
	mark := ""
	if wrong != "" {
		mark = "   WRONG: " + wrong
	}
	l.row("%-34s %-9s %-10s %-32s %6s  %-10s %.60q%s\n", s.id(), state, a.Waiting.Confidence, a.Reason, took, a.Waiting.Kind, a.Waiting.Prompt, mark)
	if wrong != "" {
		t.Errorf("%s: %s: %+v\n%s", s.command, wrong, a, b.evidence())
	}
}

// patience is how long a call of devtools may take beyond what it is asked to wait.
const patience = 30 * time.Second

func withPatience(ctx context.Context, more time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience+more)
}
