//go:build unix

package programtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc64"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"devtools/runner"
	"devtools/runner/runnertest"
)

// A talker is a program in testdata/dialogues that asks questions one after the other. It takes them as JSON, a shell takes
// the kind and the text of each.
type talker struct {
	program []string
	shell   bool
	kinds   []string // of its questions, in any order
	check   []string // fails where the library is missing
	env     []string
}

// debianNode is where Debian has the packages of Node.
const debianNode = "/usr/share/nodejs"

var talkers = map[string]talker{
	"prompts":  {program: []string{"node", "prompts.js"}, kinds: []string{"key", "line", "password"}, check: []string{"node", "-e", `require("prompts")`}},
	"enquirer": {program: []string{"node", "enquirer.js"}, kinds: []string{"key", "line", "password"}, check: []string{"node", "-e", `require("enquirer")`}},
	"readline": {program: []string{"node", "readline.js"}, kinds: []string{"key", "line"}, check: []string{"node", "-v"}},
	"toolkit":  {program: []string{"/usr/bin/python3", "toolkit.py"}, kinds: []string{"key", "line", "password"}, check: []string{"/usr/bin/python3", "-c", "import prompt_toolkit"}},
	"python":   {program: []string{"python3", "lines.py"}, kinds: []string{"key", "line", "password"}, check: []string{"python3", "-V"}},
	"bash":     {program: []string{"bash", "lines.sh"}, shell: true, kinds: []string{"key", "line", "edit", "password"}, check: []string{"bash", "--version"}},
	"zsh":      {program: []string{"zsh", "lines.zsh"}, shell: true, kinds: []string{"key", "edit", "password"}, check: []string{"zsh", "--version"}},
	"dash":     {program: []string{"dash", "lines.dash"}, shell: true, kinds: []string{"line", "password"}, check: []string{"dash", "-c", ":"}},
}

// A dialogueQuestion is a question, and the answer that is to arrive.
type dialogueQuestion struct {
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Value string `json:"value"`
}

// In dialogues of keys, lines and passwords no answer arrives at a wrong question. The next question would take an Enter
// too many for its default.
func TestDialogues(t *testing.T) {
	t.Parallel()
	talk(t, 2, 1)
}

// The same 512 times, half of it while all processors are busy.
func TestStressDialogues(t *testing.T) {
	runnertest.NeedStress(t)
	t.Run("idle", func(t *testing.T) { talk(t, 32, 2) })
	var stop atomic.Bool
	defer stop.Store(true)
	for range runtime.NumCPU() {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	t.Run("busy", func(t *testing.T) { talk(t, 32, 3) })
}

// talk has each talker hold so many dialogues.
func talk(t *testing.T, rounds int, seed uint64) {
	for name, program := range talkers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program.env = append(os.Environ(), "DEVTOOLS_DIR="+runnertest.NewState(t), "NODE_PATH="+debianNode, "LC_ALL=C.UTF-8")
			program.need(t)
			random := rand.New(rand.NewPCG(seed, crc64.Checksum([]byte(name), crc64.MakeTable(crc64.ISO))))
			right := 0
			for range rounds {
				if program.hold(t, program.questions(random)) {
					right++
				}
			}
			t.Logf("%d of %d dialogues got every answer", right, rounds)
			if right == 0 || rounds >= 20 && right*100 < rounds*95 {
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
	for range 2 + random.IntN(5) {
		q := dialogueQuestion{Kind: p.kinds[random.IntN(len(p.kinds))]}
		texts, values := []string{"Region:", "Name", "Wie heißt das?"}, []string{"blue", "dark blue", "größer", "x", "a-rather-long-name.example.org"}
		switch q.Kind {
		case "key":
			texts, values = []string{"Deploy now?", "Really? [y/N]"}, []string{"y", "n"}
		case "password":
			texts = []string{"Password:", "Kennwort?"}
		}
		q.Text, q.Value = texts[random.IntN(len(texts))], values[random.IntN(len(values))]
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
	if p.shell {
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
	trace := filepath.Join(t.TempDir(), "trace")
	p.env = append(p.env, "TRACE="+trace)
	out, err := p.run("devtools", args...)
	var result struct {
		Name, Status string
		Answers      []runner.AnswerReport
	}
	if json.Unmarshal(out, &result) != nil {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
	got := traced(t, trace)
	if len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
		t.Errorf("%v: got %q: %s", list, got, out)
	}
	if len(got) == len(want) {
		return true
	}
	if slices.IndexFunc(result.Answers, func(r runner.AnswerReport) bool { return !r.Entered && r.Reason != "" }) < 0 {
		t.Errorf("%v: it was left without a reason: %s", list, out)
	}
	t.Logf("left: %s", bytes.TrimSpace(out))
	if _, err := p.run("devtools", "kill", result.Name); err != nil {
		t.Errorf("kill %s: %v", result.Name, err)
	}
	return false
}

// traced returns the answers that a program has got.
func traced(t *testing.T, path string) (got []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var answer string
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, answer)
	}
	return got
}
