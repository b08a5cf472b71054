package commands

import (
	"context"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"devtools/runner/runnertest"
	"devtools/runner/runnertest/leftover"
)

// An example is a command in a page, and what it prints.
type example struct {
	command string // one line, or several
	output  []string
}

// examplesOf returns the examples in the section EXAMPLES of a page. A line that begins with "$ " begins a command, and
// lines after it that begin with "> " continue it. The other lines are output.
func examplesOf(t *testing.T, lines []manualLine) (examples []example) {
	t.Helper()
	command := false // the last line was of a command
	for _, line := range lines {
		if line.section != "EXAMPLES" || !line.example {
			continue
		}
		if first, ok := strings.CutPrefix(line.text, "$ "); ok {
			examples = append(examples, example{command: first})
			command = true
			continue
		}
		if len(examples) == 0 {
			t.Fatalf("EXAMPLES begins with output: %s", line.text)
		}
		last := &examples[len(examples)-1]
		next, ok := strings.CutPrefix(line.text+" ", "> ")
		if command = command && ok; command {
			last.command += "\n" + strings.TrimSuffix(next, " ")
			continue
		}
		last.output = append(last.output, line.text)
	}
	return examples
}

// exampleEnd is printed after each command of a page.
const exampleEnd = "\x1e"

// TestManualExamples runs the examples of each page, one after the other in one bash and one folder, and compares what
// they print. In the output of a page, a line "..." stands for any lines, and "..." in a line for any text.
func TestManualExamples(t *testing.T) {
	bash := runnertest.Need(t, "bash")
	for _, program := range []string{"git", "python3"} {
		runnertest.Need(t, program)
	}
	for file, lines := range manualPages(t) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			examples := examplesOf(t, lines)
			if len(examples) == 0 {
				t.Fatal("no example")
			}
			for i, got := range runExamples(t, bash, examples) {
				if !matchesExample(examples[i].output, got) {
					t.Errorf("$ %s\nprints:\n%s\nthe page has:\n%s", examples[i].command, got, strings.Join(examples[i].output, "\n"))
				}
			}
		})
	}
}

// matchesExample compares the output in a page with that of a run. It ignores blanks and carriage returns at the ends of
// lines.
func matchesExample(want []string, got string) bool {
	var pattern strings.Builder
	for _, line := range want {
		if line == "..." {
			pattern.WriteString(`(?:\n.*)*`)
			continue
		}
		pattern.WriteString(`\n` + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, " ")), `\.\.\.`, `.*`))
	}
	var lines strings.Builder
	for line := range strings.Lines(got) {
		lines.WriteString("\n" + strings.TrimRight(line, " \r\n"))
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(lines.String())
}

// runExamples returns the output of each example.
func runExamples(t *testing.T, bash string, examples []example) (outputs []string) {
	t.Helper()
	top := t.TempDir()
	home, project, output := filepath.Join(top, "home"), filepath.Join(top, "project"), filepath.Join(top, "output")
	for _, dir := range []string{home, project} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	settings := "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	script := "end() { set -- $?; printf '" + exampleEnd + "'; return $1; }\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n"
	for _, e := range examples {
		script += e.command + "\nend\n"
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, bash, "--noprofile", "--norc", "-c", script)
	run.Dir = project
	run.Env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=" + bash, "TERM=xterm-256color", "LANG=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "GORACE=atexit_sleep_ms=0",
		"GOCOVERDIR=" + os.Getenv("GOCOVERDIR"), leftover.Variable + "=" + os.Getenv(leftover.Variable),
	}
	printed, err := os.OpenFile(output, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer printed.Close()
	run.Stdout, run.Stderr = printed, printed
	t.Cleanup(func() { endExamples(t, top, run.Env) })
	_ = run.Run() // its exit code is that of the last example
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	outputs = strings.Split(string(text), exampleEnd)
	if len(outputs) != len(examples)+1 {
		t.Fatalf("%d of %d examples came to their end; %v\n%s", len(outputs)-1, len(examples), ctx.Err(), text)
	}
	return outputs[:len(examples)]
}

// endExamples ends the sessions in all state folders below the folder of a page's examples, and removes the folder.
func endExamples(t *testing.T, top string, env []string) {
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != ".devtools" {
			return nil // a file may be gone in the meantime
		}
		for _, args := range [][]string{{"kill", "--all", "--signal", "KILL"}, {"kill-orphans", "--signal", "KILL"}} {
			end := exec.Command("devtools", append([]string{"--dir", path}, args...)...)
			end.Env = env
			if out, err := end.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", strings.Join(args, " "), err, out)
			}
		}
		return filepath.SkipDir
	})
	if err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if err := os.RemoveAll(top); err == nil {
			return // otherwise a holder says that its session has ended, and then writes that down
		}
	}
}

// freePort returns a TCP port on which nothing listens.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
