//go:build unix

package programtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"devtools/runner"
	"devtools/runner/runnertest"
)

// Programs that print no line feed behind a key or a password ask the next question in the same row. Each question gets its answer, and
// the second answer for a question that does not come again stays unused.
func TestStressOneRow(t *testing.T) {
	t.Parallel()
	for _, program := range []talker{
		{program: []string{"bash", "row.sh"}, kinds: []string{"key", "unseen", "line", "edit", "password"}, check: []string{"bash", "--version"}},
		{program: []string{"python3", "row.py"}, kinds: []string{"key", "raw", "line", "password"}, check: []string{"python3", "-V"}},
	} {
		t.Run(program.program[0], func(t *testing.T) {
			t.Parallel()
			program.env = append(os.Environ(), "DEVTOOLS_DIR="+runnertest.NewState(t), "LC_ALL=C.UTF-8")
			program.need(t)
			random := rand.New(rand.NewPCG(1, 2))
			rounds, right := runnertest.Rounds(4, 250), 0
			for range rounds {
				if program.inOneRow(t, random) {
					right++
				}
			}
			t.Logf("%d of %d dialogues got every answer", right, rounds)
			if right < rounds-1-rounds/20 {
				t.Errorf("only %d of %d dialogues got every answer", right, rounds)
			}
		})
	}
}

// inOneRow holds a dialogue of two to five questions, and reports whether every answer has arrived. That none arrived at another question
// is checked.
func (p talker) inOneRow(t *testing.T, random *rand.Rand) bool {
	t.Helper()
	var answers, asked, want []string
	spare := map[int]bool{} // of the answers
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for i := range 2 + random.IntN(4) {
		kind, text := p.kinds[random.IntN(len(p.kinds))], fmt.Sprintf(pick("Overwrite %d?", "really %d:", "Name %d", "yes or no %d?", "number %d:"), i)
		value := pick("bob", "dark blue", "x", "n")
		typed := value
		if kind != "line" && kind != "edit" && kind != "password" {
			value = pick("y", "n")
			typed = fmt.Sprintf(pick("%s", "%s", "keys:%s", `%s\c`), value)
			text += pick("", " [y/N]", ":", "?")
		}
		asked = append(asked, kind, text, pick("", "", `\n`, " ", "... "))
		want = append(want, value)
		word, _, _ := strings.Cut(text, " ")
		pattern := fmt.Sprintf("%s.*%d=", word, i)
		answers = append(answers, "--answer", pattern+typed)
		if random.IntN(2) == 0 {
			spare[len(answers)/2] = true
			answers = append(answers, "--answer", pattern+pick("n", "spare", "keys:s"))
		}
	}
	args := slices.Concat([]string{"run", "--json", "--timeout", "60s"}, answers, []string{"--", p.program[0], filepath.Join("testdata", "dialogues", p.program[1])}, asked)
	trace := filepath.Join(t.TempDir(), "trace")
	p.env = append(p.env, "TRACE="+trace)
	out, err := p.run("devtools", args...)
	var result struct {
		Name    string
		Answers []runner.AnswerReport
	}
	if json.Unmarshal(out, &result) != nil {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
	got := traced(t, trace)
	if len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
		t.Errorf("%q: got %q: %s", args, got, out)
	}
	for i, r := range result.Answers {
		if spare[i] && r.Typed {
			t.Errorf("%q: %s was typed again: %s", args, r.Pattern, out)
		}
	}
	if len(got) == len(want) {
		return true
	}
	t.Logf("%q: left: %s", args, out)
	if _, err := p.run("devtools", "kill", result.Name); err != nil {
		t.Errorf("kill %s: %v", result.Name, err)
	}
	return false
}
