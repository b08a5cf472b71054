package commands

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"devtools/runner/runnertest"
)

// exampleFolder is what the examples of the help refer to: files, and a session that answers each line.
const exampleFolder = `
mkdir -p ~/.config/fish/completions .git
printf 'test:\n\t@echo ok\ndev:\n\t@exec python3 -m http.server $$(shuf -i 20000-30000 -n 1)\n' > Makefile
printf '#!/bin/sh\nprintf "Name:"; read name\n' > setup
printf '#!/bin/sh\necho ready to accept; exec cat\n' > start-db
chmod +x setup start-db
devtools launch --name web --label app=shop --label tier=front -- \
	sh -c 'trap "echo config reloaded" HUP; echo error; while read line || test $? -gt 128; do echo "Tests: $line"; done'
`

// exampleNeeds has what an example needs besides. The key is the example without "devtools ".
var exampleNeeds = map[string]string{
	"ask deploy --message 'log in' --done-when 'text:Welcome'": `devtools launch --name deploy -- sh -c 'echo Welcome; exec cat'`,
	"capture stop web":                          "devtools capture start web",
	"send-keys editor Escape :wq Enter":         "devtools launch --name editor -- cat",
	"rename bash deploy":                        "devtools launch --name bash -- cat",
	"wait mirror1 mirror2 --any --until exit:0": "devtools launch --name mirror1 -- true; devtools launch --name mirror2 -- cat",
}

// unending lists examples that are only parsed: they go on until somebody ends them, or need a person or a terminal.
var unending = []string{
	"devtools ask deploy --message 'type the one-time password'",
	"devtools attach web",
	"devtools attach web --detach-keys ctrl-p,ctrl-q",
	"devtools history --follow --json",
	"devtools log --all --follow",
	"devtools log web --tail 20 --follow",
	"devtools watch --build 'go build -o server .' -- ./server",
	"devtools watch --ext py --ready port:8000 -- python3 app.py",
}

// helpExamples returns the examples of a command's help.
func helpExamples(cmd *cli.Command) []string {
	_, text, _ := strings.Cut(cmd.Description, "\n\nEXAMPLES:\n")
	text, _, _ = strings.Cut(text, "\n\n")
	var examples []string
	for line := range strings.Lines(text) {
		examples = append(examples, strings.TrimSpace(line))
	}
	return examples
}

// Each command has one to three examples, each one line. The command line takes it, and what ends by itself is run.
func TestHelpExamples(t *testing.T) {
	bash := runnertest.Need(t, "bash")
	for _, program := range []string{"make", "python3"} {
		runnertest.Need(t, program)
	}
	for _, cmd := range visible(fullRoot(t)) {
		examples := helpExamples(cmd)
		if len(examples) < 1 || len(examples) > 3 {
			t.Errorf("%s has %d examples", cmd.Name, len(examples))
		}
		for _, line := range examples {
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				parseExample(t, bash, line)
				if slices.Contains(unending, line) {
					return
				}
				folder := exampleFolder + exampleNeeds[strings.TrimPrefix(line, "devtools ")]
				if strings.Contains(line, "port:3000") {
					port := freePort(t)
					line = strings.ReplaceAll(line, "port:3000", "port:"+port)
					folder += "devtools kill web; devtools launch --name web -- python3 -m http.server " + port
				}
				outputs := runExamples(t, bash, []example{{command: folder}, {command: line + "\necho code $?"}})
				if !strings.HasSuffix(outputs[1], "code 0\n") {
					t.Errorf("%s%s", outputs[0], outputs[1])
				}
			})
		}
	}
}

// parseExample checks that the command line of devtools takes an example.
func parseExample(t *testing.T, bash, line string) {
	t.Helper()
	words := filepath.Join(t.TempDir(), "words")
	shell := exec.Command(bash, "-c", `devtools() { printf '%s\0' devtools "$@" >&3; }; exec 3>"$1"`+"\n"+line, bash, words)
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "HOME="+shell.Dir)
	if err := os.MkdirAll(filepath.Join(shell.Dir, ".config", "fish", "completions"), 0o755); err != nil {
		t.Fatal(err)
	}
	_ = shell.Run() // of what reads its output, nothing is needed
	args := strings.Split(strings.TrimSuffix(readDocument(t, words), "\x00"), "\x00")
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	root := newRoot(null, null, null, allCommands)
	called := false
	for _, cmd := range root.Commands {
		cmd.Action = func(context.Context, *cli.Command) error { called = true; return nil }
	}
	protected, _, err := protect(root, args)
	if err = errors.Join(err, root.Run(t.Context(), protected)); err != nil || !called {
		t.Errorf("%q is no command line of devtools: %v", args, err)
	}
}
