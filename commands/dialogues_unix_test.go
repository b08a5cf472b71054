//go:build unix

package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"devtools/runner"
)

// A talker is a program in testdata/dialogues that asks questions one after the other.
type talker struct {
	program []string
	kinds   []string // of its questions, in any order
	check   []string // fails where the library is missing
	env     []string
}

// debianNode is where Debian has the packages of Node.
const debianNode = "/usr/share/nodejs"

var talkers = map[string]talker{
	"prompts":  {[]string{"node", "prompts.js"}, []string{"key", "line", "password"}, []string{"node", "-e", `require("prompts")`}, nil},
	"enquirer": {[]string{"node", "enquirer.js"}, []string{"key", "line", "password"}, []string{"node", "-e", `require("enquirer")`}, nil},
	"toolkit":  {[]string{"/usr/bin/python3", "toolkit.py"}, []string{"key", "line", "password"}, []string{"/usr/bin/python3", "-c", "import prompt_toolkit"}, nil},
	"python":   {[]string{"python3", "lines.py"}, []string{"key", "line", "password"}, []string{"python3", "-V"}, nil},
	"bash":     {[]string{"bash", "lines.sh"}, []string{"key", "line", "edit", "password"}, []string{"bash", "--version"}, nil},
}

// A dialogueQuestion is a question, and the answer that is to arrive.
type dialogueQuestion struct {
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Value string `json:"value"`
}

// In dialogues of keys, lines and passwords no answer arrives at a wrong question. The next question would take an Enter
// too many for its default.
func TestDialogues(t *testing.T) { talk(t, 2) }

// The same 500 times, half of it while all processors are busy.
func TestStressDialogues(t *testing.T) {
	if os.Getenv("DEVTOOLS_STRESS") != "1" {
		t.Skip("takes long: DEVTOOLS_STRESS=1 runs it")
	}
	t.Run("idle", func(t *testing.T) { talk(t, 50) })
	stop := make(chan struct{})
	defer close(stop)
	for range runtime.NumCPU() {
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
	}
	t.Run("busy", func(t *testing.T) { talk(t, 50) })
}

func talk(t *testing.T, rounds int) {
	for name, program := range talkers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program.env = append(os.Environ(), "DEVTOOLS_DIR="+filepath.Join(t.TempDir(), ".devtools"), "NODE_PATH="+debianNode, "LC_ALL=C.UTF-8")
			program.need(t)
			random := rand.New(rand.NewPCG(uint64(rounds), uint64(len(name))))
			right := 0
			for range rounds {
				if program.hold(t, program.questions(random)) {
					right++
				}
			}
			t.Logf("%d of %d dialogues got every answer", right, rounds)
			if right*100 < rounds*95 {
				t.Errorf("only %d of %d dialogues got every answer", right, rounds)
			}
		})
	}
}

// need skips the test where the program or its library is missing. On CI it fails then.
func (p talker) need(t *testing.T) {
	t.Helper()
	_, err := p.run(p.check[0], p.check[1:]...)
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("%q: %v, see .ci/run", p.check, err)
	case err != nil:
		t.Skipf("%q: %v", p.check, err)
	}
}

// run returns what a command prints.
func (p talker) run(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = p.env
	return cmd.Output()
}

// questions returns from two to six questions, some of which ask the same.
func (p talker) questions(random *rand.Rand) (list []dialogueQuestion) {
	texts := []string{"Deploy now?", "Region:", "Name", "Really? [y/N]", "Wie heißt das?"}
	for range 2 + random.IntN(5) {
		q := dialogueQuestion{Kind: p.kinds[random.IntN(len(p.kinds))], Text: texts[random.IntN(len(texts))]}
		values := []string{"blue", "dark blue", "größer", "x", "a-rather-long-name.example.org"}
		if q.Kind == "key" {
			values = []string{"y", "n"}
		}
		q.Value = values[random.IntN(len(values))]
		list = append(list, q)
	}
	return list
}

// hold has the program ask and devtools answer, and reports whether every answer has arrived. That none arrived at another
// question is checked, and that what did not is reported.
func (p talker) hold(t *testing.T, list []dialogueQuestion) bool {
	t.Helper()
	args := []string{"run", "--json", "--timeout", "60s"}
	var want []string
	for _, q := range list {
		args = append(args, "--answer", regexp.QuoteMeta(q.Text)+"="+q.Value)
		want = append(want, q.Value)
	}
	args = append(append(args, "--"), p.program[0], filepath.Join("testdata", "dialogues", p.program[1]))
	if p.program[0] == "bash" {
		for _, q := range list {
			args = append(args, q.Kind, q.Text)
		}
	} else {
		spec, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, string(spec))
	}
	out, err := p.run("devtools", args...)
	var result struct {
		Name, Output string
		Answers      []runner.AnswerReport
	}
	if json.Unmarshal(out, &result) != nil {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
	if _, printed, done := strings.Cut(result.Output, "GOT "); done {
		var got []string
		if err := json.NewDecoder(strings.NewReader(printed)).Decode(&got); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q: %+v", fmt.Sprint(list), got, want, result.Answers)
		}
		return true
	}
	if slices.IndexFunc(result.Answers, func(r runner.AnswerReport) bool { return !r.Entered && r.Reason != "" }) < 0 {
		t.Errorf("%v: it was left without a reason: %s", list, out)
	}
	if _, err := p.run("devtools", "kill", result.Name); err != nil {
		t.Error(err)
	}
	t.Logf("left: %s", bytes.TrimSpace(out))
	return false
}
