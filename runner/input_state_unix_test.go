//go:build unix

package runner_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// awaitInput waits until the program waits for input and returns what is known about that.
func awaitInput(t *testing.T, c *runner.Client) *wire.Waiting {
	t.Helper()
	waited := runnertest.Met(t, c, "input")
	if waited.Input.Waiting == nil {
		t.Fatalf("it waits for input, but its input state is %+v", waited.Input)
	}
	return waited.Input.Waiting
}

func TestInputState(t *testing.T) {
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), `echo hello; printf 'Sure? [y/N] '; read x; stty -echo; printf 'Password: '; read x; exec sleep 1000`))
	w := awaitInput(t, c)
	if w.Kind != "confirm" || w.Prompt != "Sure? [y/N] " || w.PID != c.Session.Main.PID || w.Command != "sh" || !w.Echo || !w.Canonical || w.Secret || w.Confidence != "certain" {
		t.Errorf("a question: %+v", w)
	}
	runnertest.TypeInto(t, c, "y", "Enter")
	if w = awaitInput(t, c); w.Kind != "password" || w.Prompt != "Password: " || w.Echo || !w.Secret {
		t.Errorf("a password: %+v", w)
	}
	runnertest.TypeInto(t, c, "secret", "Enter")
	waited := runnertest.Until(t, c, runner.Wait{Timeout: 300 * time.Millisecond}, "input")
	if o := waited.Input; !waited.TimedOut || o.Waiting != nil || o.AcceptsInput || o.Reason != "not_reading" {
		t.Errorf("sleep: %+v", waited)
	}
	if o, err := c.InputState(runnertest.WithPatience(t)); err != nil || o.Reason != "not_reading" {
		t.Errorf("%+v, %v", o, err)
	}
}

// standing reports whether the program waits for the answer to the question with the number.
func standing(t *testing.T, c *runner.Client, number int) bool {
	t.Helper()
	resp, err := c.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpInputState, Question: number})
	return err == nil && resp.Stands
}

// TestQuestionsDiffer asks with the same prompt twice. A client that knows the first question gets only the second.
func TestQuestionsDiffer(t *testing.T) {
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), `while printf '\033[2J\033[HAgain? '; read x; do :; done`))
	known := 0
	for range 20 {
		resp, err := c.Await(runnertest.WithPatience(t), c.Send(wire.Request{Op: wire.OpQuestion, Question: known}))
		if err != nil || resp.InputState == nil || resp.InputState.Waiting == nil || resp.Question == known {
			t.Fatalf("after question %d: %+v, %v", known, resp, err)
		}
		if !standing(t, c, resp.Question) {
			t.Fatalf("question %d does not stand", resp.Question)
		}
		if standing(t, c, resp.Question+1) {
			t.Fatalf("the question after %d stands already", resp.Question)
		}
		known = resp.Question
		runnertest.TypeInto(t, c, "Enter")
	}
}

// TestTerminalAnswers runs a program that waits for answers of the terminal. It does not count as waiting for input.
func TestTerminalAnswers(t *testing.T) {
	runnertest.Need(t, "bash")
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), `exec bash -c 'stty raw -echo; for i in $(seq 200); do printf "\033[6n"; read -rs -d R x; printf "\033[c"; read -rs -d c x; done; echo all answered; exec sleep 1000'`))
	if waited := runnertest.Until(t, c, runner.Wait{Timeout: runnertest.Patience}, "input", "text:all answered"); len(waited.Met) != 1 || waited.Met[0] == "input" {
		t.Fatalf("%+v", waited)
	}
}

func TestAnswersAreTypedOnce(t *testing.T) {
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), `stty -echo; for i in 1 2 3; do printf "Password: "; read x; echo "($x)"; done`))
	answers := []runner.Answer{{Pattern: regexp.MustCompile("word"), Text: "first"}, {Pattern: regexp.MustCompile("^Password: $"), Text: "second"}}
	out := runnertest.NewCollector()
	result, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: out.Sink(), Input: runner.InputOptions{OnInput: runner.OnInputReturn, Answers: answers}})
	if err != nil || result.Status != runner.WaitingForInput || result.Input.Waiting == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	if want := "Password: (first)\r\nPassword: (second)\r\nPassword: "; out.Kinds[transcript.Output].String() != want {
		t.Errorf("the output is %q, want %q", out.Kinds[transcript.Output].String(), want)
	}
	files, err := filepath.Glob(filepath.Join(c.Dir.SessionFolder(c.Session.ID), "timing*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no timing: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(data), "first") {
			t.Errorf("%s has the input: %s, %v", file, data, err)
		}
	}
}

// TestAnswerComesLate answers a question after the program has asked the next one. The next one gets no answer.
func TestAnswerComesLate(t *testing.T) {
	runnertest.Need(t, "perl")
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), `exec perl -MTime::HiRes=ualarm -e '
$| = 1;
print "first? ";
eval { local $SIG{ALRM} = sub { die }; ualarm(500_000); <STDIN> };
print "second? ";
my $x = <STDIN>;
chomp $x;
print "($x)"'`))
	resp, err := c.Await(runnertest.WithPatience(t), c.Send(wire.Request{Op: wire.OpQuestion}))
	if err != nil || resp.InputState == nil || resp.InputState.Waiting.Prompt != "first? " {
		t.Fatalf("%+v, %v", resp, err)
	}
	runnertest.Met(t, c, "text:second")
	late := &wire.TypeRequest{Args: [][]byte{[]byte("late")}, Question: resp.Question}
	late.Form, late.Enter = wire.Literal, true
	if _, err := c.Await(runnertest.WithPatience(t), c.Send(wire.Request{Op: wire.OpType, Type: late})); !errors.Is(err, wire.ErrAnswered) {
		t.Fatalf("a late answer: %v", err)
	}
	runnertest.Met(t, c, "input")
	runnertest.TypeInto(t, c, "right", "Enter")
	runnertest.Met(t, c, `text:\(right\)`)
}

// TestSomebodyElseAnswers has another client answer each question before Run reports it. Run reports none of them.
func TestSomebodyElseAnswers(t *testing.T) {
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), `i=0; while [ $i -lt 30 ]; do i=$((i+1)); printf "$i? "; read x; done; exit 3`))
	other, err := runner.Dial(c.Dir, c.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	answered := 0
	sink := wire.Sink{Write: func(p []byte, _ transcript.Kind, _ int64) error {
		for range bytes.Count(p, []byte("? ")) {
			runnertest.Met(t, other, "input")
			runnertest.TypeInto(t, other, "Enter")
			answered++
		}
		return nil
	}}
	result, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: sink, Input: runner.InputOptions{OnInput: runner.OnInputReturn}})
	if err != nil || result.Status != runner.Completed || *result.Session.ExitCode != 3 || answered != 30 {
		t.Errorf("%s after %d answers, %+v, %v", result.Status, answered, result.Input.Waiting, err)
	}
}

// TestAnswerCannotBeTyped types an answer that is too long for its program to read whole.
func TestAnswerCannotBeTyped(t *testing.T) {
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), `printf "Name: "; read x`))
	var failed error
	result, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: runnertest.NewCollector().Sink(), Input: runner.InputOptions{
		OnInput: runner.OnInputReturn,
		Answers: []runner.Answer{{Pattern: regexp.MustCompile("Name"), Text: strings.Repeat("x", 4096)}},
		Failed:  func(err error) { failed = err },
	}})
	if err != nil || result.Status != runner.WaitingForInput || !errors.Is(failed, wire.ErrNotTyped) {
		t.Errorf("%s, %v; failed: %v", result.Status, err, failed)
	}
}

// TestOwnPrompts gives the workspace patterns of its own. The journal names a prompt that no pattern knows.
func TestOwnPrompts(t *testing.T) {
	dir := runnertest.NewState(t)
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "prompts.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask := func() *wire.Waiting {
		t.Helper()
		c := runnertest.Begin(t, runnertest.Shell(t, dir, `printf 'deploy to mars '; read x`))
		return awaitInput(t, c)
	}
	if w := ask(); w.Kind != "line" {
		t.Errorf("%+v", w)
	}
	write("[[prompt]]\npattern = '^deploy to \\w+ $'\nkind = 'confirm'\n")
	if w := ask(); w.Kind != "confirm" {
		t.Errorf("with a pattern: %+v", w)
	}
	write("[[prompt]]\npattern = '('\nkind = 'confirm'\n")
	if w := ask(); w.Kind != "line" || !strings.Contains(strings.Join(w.Evidence, "\n"), "prompts.toml is ignored: prompt 1: error parsing regexp") {
		t.Errorf("with a broken pattern: %+v", w)
	}
	data, err := os.ReadFile(filepath.Join(dir, "prompts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var note ledger.PromptNote
	if err := json.Unmarshal([]byte(lines[0]), &note); err != nil || len(lines) != 2 || note.Prompt != "deploy to mars " || note.Known || note.Kind != "line" {
		t.Errorf("the journal: %s, %v", data, err)
	}
}
