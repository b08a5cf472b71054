//go:build unix

package programtest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"devtools/runner/runnertest"
	"devtools/runner/runnertest/leftover"
)

var update = flag.Bool("update", false, "write the figures of the jobs anew")

// jobNeeds lists the programs that a job needs besides bash and tmux.
var jobNeeds = map[string][]string{
	"build":    {"make"},
	"commit":   {"git", "vim"},
	"fzf":      {"fzf", "vim"},
	"password": {"stty"},
	"pdb":      {"python3"},
	"pytest":   {"pytest", "python3"},
	"rebase":   {"git", "vim"},
	"repl":     {"python3"},
	"server":   {"node", "curl"},
	"ssh-key":  {"ssh-keygen"},
}

// A job is what an agent is to do. It can do it in two ways.
type job struct {
	setup, check string              // scripts of bash, run before the first turn and after the last one
	reads        []reading           // what the agent must find in the answers, in both ways
	turns        map[string][]string // by way: the command lines that the agent gives to its shell
	person       map[string]string   // by way: a script of bash that runs beside the turns
}

// A reading is what the agent must find in the answer of a turn.
type reading struct {
	turn    int // from 1; 0: any turn
	pattern *regexp.Regexp
}

// A cost is what the calls of one way took.
type cost struct {
	calls int // of the program
	bytes int // that the agent read
}

// TestJobs does the work of an agent in two ways: with devtools, as the skill tells it, and with tmux. The files in
// testdata/jobs have both. The agent has nothing but a shell: in each turn it gives it a command line, and reads what that
// prints.
//
// The cost of a way is the number of calls, and the bytes of all that reaches the agent: standard output and standard error of
// its command lines. Nothing else is counted: not other programs, not how long it takes, and not the text of the command lines.
//
// A call is one start of devtools or tmux, wherever the agent's command lines have it, also within a session. It is not a turn: a
// turn ends where the agent has to read before it goes on, and that is so at the same places with every program. Each call is
// what it has to know and write, and one more that can fail. In both ways && and ; join calls in a turn as they like.
//
// The way with tmux is that of an agent that knows tmux well:
//   - It starts the program itself as the session, without a shell where it needs none.
//   - A chain of tmux's commands (\;) is one call, and it chains what it can.
//   - Where it has to wait for a text, a loop looks for a pattern in the same turn. However often that looks, it is one call, and
//     the look that finds the pattern is also the one that is read.
//   - Where it waits for the end of a command line that it writes itself, that line ends with tmux wait-for -S, and a chain goes
//     on at wait-for. That is one call in place of a loop.
//   - It waits by another program, such as curl, where it needs that anyway.
//   - It reads the screen, or its last lines, only where it must know what is there. It knows prompts, names and ports before.
//   - It types ahead where the program takes that.
//
// A job takes at most half of the calls with devtools, and no more bytes. Only the server has another limit, in testdata/jobs.txt:
// two calls start and stop it in both ways.
//
// In both ways the outcome is the same, and checked: by what the agent must have found in the answers, and by a script. No session
// is left.
func TestJobs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "jobs", "*.txtar"))
	if err != nil || len(files) != len(jobNeeds) {
		t.Fatalf("%d files, %d jobs are known: %v", len(files), len(jobNeeds), err)
	}
	figures := readFigures(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			for _, program := range append([]string{"bash", "tmux"}, jobNeeds[name]...) {
				runnertest.Need(t, program)
			}
			j := readJob(t, file)
			got := map[string]cost{}
			for _, way := range []string{"devtools", "tmux"} {
				t.Run(way, func(t *testing.T) { got[way] = j.do(t, way) })
			}
			if !t.Failed() {
				figures.compare(t, name, got["devtools"], got["tmux"])
			}
		})
	}
	if *update && !t.Failed() {
		figures.write(t)
	}
}

// readJob reads the file of a job. Its sections are setup and check, reads with a regular expression a line, or "reads N" for
// those of the turn N, one for each way, and the person's part in a way. In the section of a way, a line that begins with "$ " begins a turn, and lines after it that
// begin with "> " continue it.
func readJob(t *testing.T, file string) job {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	j := job{turns: map[string][]string{}, person: map[string]string{}}
	for _, section := range archive.Files {
		text := string(section.Data)
		name, number, _ := strings.Cut(section.Name, " ")
		switch way, person := strings.CutSuffix(section.Name, " person"); {
		case section.Name == "setup":
			j.setup = text
		case section.Name == "check":
			j.check = text
		case name == "reads":
			turn, _ := strconv.Atoi(number)
			for line := range strings.Lines(text) {
				j.reads = append(j.reads, reading{turn, regexp.MustCompile("(?m)" + strings.TrimSuffix(line, "\n"))})
			}
		case person:
			j.person[way] = text
		default:
			turns := strings.Split("\n"+strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n> ", "\n"), "\n$ ")
			j.turns[way] = turns[1:]
		}
	}
	return j
}

// do does the job in one way, in a folder of its own, and returns what it cost.
func (j job) do(t *testing.T, way string) (c cost) {
	w := newWorkplace(t)
	w.script(t, "setup", j.setup)
	if script := j.person[way]; script != "" {
		person := w.bash(t.Context(), w.path, script)
		var said bytes.Buffer
		person.Stdout, person.Stderr = &said, &said
		if err := person.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := person.Wait(); err != nil {
				t.Errorf("the person: %v\n%s", err, said.String())
			}
		}()
	}
	var answers [][]byte
	for _, line := range j.turns[way] {
		answer := w.turn(t, line)
		t.Logf("$ %s\n%s", line, answer)
		answers = append(answers, answer)
	}
	read := bytes.Join(answers, nil)
	for _, r := range j.reads {
		found := read
		if r.turn > 0 {
			found = answers[r.turn-1]
		}
		if !r.pattern.Match(found) {
			t.Errorf("the agent does not read %s in turn %d", r.pattern, r.turn)
		}
	}
	c.bytes = len(read)
	c.calls = w.counted(t, way)
	w.script(t, "check", j.check)
	w.script(t, "nothing is left", nothingLeft)
	return c
}

// nothingLeft checks that no session of the agent is left. One whose last command has just said that it ends may need a moment.
const nothingLeft = `
	for i in {1..50}; do
		left=$(tmux ls 2>/dev/null; devtools ps --fields sessions | grep -v '\[\]') || true
		test -n "$left" || exit 0
		sleep .1
	done
	echo "$left"; exit 1`

// A workplace is the folder in which a job is done, and what its programs know of the world.
type workplace struct {
	dir  string
	path string // PATH, with the programs themselves
	log  string // each call of devtools and tmux, a line each
	bin  string // devtools and tmux that write the log
}

// newWorkplace makes a folder. Its sessions end with the test.
func newWorkplace(t *testing.T) workplace {
	t.Helper()
	top := filepath.Join(os.TempDir(), fmt.Sprintf("devtools-jobs-%07d", os.Getpid())) // some programs print it: its length counts
	w := workplace{dir: filepath.Join(top, "work"), path: os.Getenv("PATH"), log: filepath.Join(top, "calls"), bin: filepath.Join(top, "bin")}
	for _, dir := range []string{top, w.dir, w.bin, filepath.Join(w.dir, ".devtools")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"devtools", "tmux"} {
		counting := fmt.Sprintf("#!/bin/bash\necho %s \"${*@Q}\" >>%q\nexec %q \"$@\"\n", program, w.log, runnertest.Need(t, program))
		if err := os.WriteFile(filepath.Join(w.bin, program), []byte(counting), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		end := w.bash(context.Background(), w.path, `
			tmux kill-server; tmux -L person kill-server
			devtools kill --all --signal KILL; devtools --dir .person kill --all --signal KILL
			cd /; until rm -rf "$TMUX_TMPDIR" 2>/dev/null; do :; done`) // a holder may still be writing its last file
		if out, err := end.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return w
}

// bash returns a shell that runs a script in the workplace.
func (w workplace) bash(ctx context.Context, path, script string) *exec.Cmd {
	shell := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", script)
	shell.Dir = w.dir
	shell.Env = []string{
		"HOME=" + w.dir, "PATH=" + path, "TMUX_TMPDIR=" + filepath.Dir(w.dir), "SHELL=/bin/bash", "TERM=xterm-256color", "LANG=C.UTF-8",
		"EDITOR=vim", "PS1=$ ", "GIT_CONFIG_NOSYSTEM=1", "PYTHONDONTWRITEBYTECODE=1", "GORACE=atexit_sleep_ms=0",
		"GOCOVERDIR=" + os.Getenv("GOCOVERDIR"), leftover.Variable + "=" + os.Getenv(leftover.Variable),
	}
	return shell
}

// script runs a part of the job that is not the agent's.
func (w workplace) script(t *testing.T, name, script string) {
	t.Helper()
	if out, err := w.bash(t.Context(), w.path, "set -e\n"+script).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// note writes a line into the log of calls.
func (w workplace) note(t *testing.T, line string) {
	t.Helper()
	log, err := os.OpenFile(w.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// turn runs a command line of the agent, and returns what the agent reads. It may fail: the agent sees that.
func (w workplace) turn(t *testing.T, line string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w.note(t, "turn")
	answer, _ := w.bash(ctx, w.bin+":"+w.path, line).CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("$ %s\nhas not ended in a minute. It printed:\n%s", line, answer)
	}
	return answer
}

// counted returns how often a program was called. Equal calls one after the other in a turn are a loop that looks for something:
// they count as one.
func (w workplace) counted(t *testing.T, program string) int {
	t.Helper()
	text, err := os.ReadFile(w.log)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range slices.Compact(strings.Split(string(text), "\n")) {
		if strings.HasPrefix(line, program+" ") {
			n++
		}
	}
	return n
}
