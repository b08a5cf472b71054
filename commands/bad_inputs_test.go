package commands

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestBadInputs gives devtools the command lines of testdata/bad_inputs.txt, and holds the exit codes and messages beside the table.
// Those without a character for a shell run in this process.
func TestBadInputs(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "bad_inputs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), ".devtools")
	t.Chdir(filepath.Dir(state))
	t.Setenv("DEVTOOLS_DIR", state)
	self := os.Args[0]
	os.Args[0] = "devtools" // TestMain makes of a holder that this process starts what it should be
	t.Cleanup(func() { os.Args[0] = self })
	prepare(t)
	seen := map[string]bool{}
	for n, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c, ok := parseBadInput(line)
		if !ok {
			t.Fatalf("line %d is no case: %s", n+1, line)
		}
		if seen[c.command] {
			t.Errorf("line %d: the command line is there twice", n+1)
		}
		seen[c.command] = true
		code, printed := c.run(t)
		for _, fault := range c.faults(code, printed) {
			t.Errorf("line %d: %s: %s\n%s", n+1, c.command, fault, printed)
		}
	}
	if len(seen) < 200 {
		t.Errorf("there are %d cases", len(seen))
	}
}

// prepare makes the sessions and files of the table: web runs, fin has ended.
func prepare(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"text": "hello\n", "plain.sh": "#!/bin/sh\n", "lost.sh": "#!/nosuch/interpreter\n", "empty.cast": "", "open.answers": "a=b\n",
		"bad.cast": "{\"version\":2,\"width\":80,\"height\":24}\nnonsense\n", "huge.cast": "{\"version\":2,\"width\":-5,\"height\":24}\n[0.1,\"o\",\"x\"]\n",
		"foreign": "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00\x01\x00\x00\x00" + strings.Repeat("\x00", 64),
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"lost.sh", "foreign"} {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"launch --name web --ready stable:0.1 -- cat", "run --name fin -- echo ended"} {
		if out, err := exec.Command("devtools", strings.Fields(line)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	t.Cleanup(func() {
		_ = exec.Command("devtools", "--dir", os.Getenv("DEVTOOLS_DIR"), "kill", "--all", "-k", "0.1").Run()
	})
}

// A badInput is a line of the table.
type badInput struct {
	command string
	code    int
	says    []string // what message and hint have, in this order
}

// parseBadInput parses COMMAND | CODE | TEXT … TEXT. A command may have pipes.
func parseBadInput(line string) (c badInput, ok bool) {
	columns := strings.Split(line, " | ")
	n := len(columns)
	if n < 3 {
		return c, false
	}
	code, err := strconv.Atoi(strings.TrimSpace(columns[n-2]))
	c = badInput{strings.TrimSpace(strings.Join(columns[:n-2], " | ")), code, strings.Split(strings.TrimSpace(columns[n-1]), " … ")}
	return c, err == nil && c.says[0] != ""
}

// run runs the command line. It returns what it prints on standard error.
func (c badInput) run(t *testing.T) (code int, printed string) {
	t.Helper()
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if args, ok := plainWords(c.command); ok && args[0] == "devtools" {
		code = Main(args, null, null, stderr)
	} else {
		shell := exec.Command("bash", "-c", c.command)
		shell.Stderr = stderr
		_ = shell.Run() // the code tells
		code = shell.ProcessState.ExitCode()
	}
	text, err := os.ReadFile(stderr.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, string(text)
}

// plainWords returns the words of a command line that needs no shell: it has blanks and quotes alone.
func plainWords(line string) (words []string, ok bool) {
	word, begun, quote := "", false, rune(0)
	for _, c := range line + " " {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
			word += string(c)
		case strings.ContainsRune("$`\\", c), quote == 0 && strings.ContainsRune("|<>;&*?()~", c):
			return nil, false
		case quote != 0:
			word += string(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c != ' ':
			word, begun = word+string(c), true
		case begun:
			words, word, begun = append(words, word), "", false
		}
	}
	return words, quote == 0 && len(words) > 0
}

// raw finds words of libraries and of the system that must not stand in a message.
var raw = regexp.MustCompile(`(?m)strconv|invalid syntax|value out of range|context deadline|context canceled|panic:|runtime error|\.go:\d|` +
	`error parsing regexp|flag provided but not defined|flag needs an argument|No help topic|Incorrect Usage|cannot unmarshal|%!|<nil>|fork/exec|` +
	`unexpected EOF|toml: toml|^(devtools: )?(open|stat|lstat|mkdir|chdir|read|write|readlink|connect|dial|exec|rename) \S*: [a-z ]+$|bad file descriptor$`)

// faults returns what is wrong with the exit code and with the text on standard error.
func (c badInput) faults(code int, printed string) (faults []string) {
	if code != c.code {
		faults = append(faults, fmt.Sprintf("exit code %d, want %d", code, c.code))
	}
	if !strings.Contains(printed, "devtools: ") && !strings.HasPrefix(printed, `{"error":`) {
		faults = append(faults, "no message")
	}
	rest := printed
	for _, text := range c.says {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			faults = append(faults, fmt.Sprintf("it does not say %q", text))
			continue
		}
		rest = after
	}
	if text := raw.FindString(printed); text != "" {
		faults = append(faults, "it has raw text: "+text)
	}
	return faults
}
