//go:build unix

package commands

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"devtools/runner/runnertest"
)

// documentSetup makes the workspace in which the examples of a document run: programs that stand in for those that the
// reader's own workspace has, and those that no test may really run. PORT1 and PORT2 are free ports.
const documentSetup = `
set -o pipefail
mkdir .bin .person web .devtools
export PATH=$PWD/.bin:$PATH EDITOR=vim PS1='$ '
stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$1"; chmod +x "$1"; }
stand_in server 'exec python3 -u -m http.server PORT1'
stand_in setup 'read -rp "Name? " name; read -rp "Are you sure? " sure; [ "$name $sure" = "demo yes" ]'
stand_in deploy 'read -rsp "Password: "; echo'
stand_in notify 'exit 0'
stand_in app 'echo ERROR; exec sleep 1000'
stand_in .bin/npm 'exit 0'
stand_in .bin/sudo 'exec "$@"'
stand_in .bin/go 'if [ "$1 $2" = "run ." ]; then shift 2; exec devtools "$@"; fi'
printf 'all test install:\n\t@echo $@\n' >Makefile
printf '{"scripts": {"dev": "python3 -u -m http.server PORT2"}}' >package.json
git init -q && git commit -q --allow-empty -m begun && touch file && git add file
`

// documentBeside has, by how an example begins, what goes on beside it or has gone before.
var documentBeside = map[string]string{
	"devtools launch --stack dev": "devtools kill -q web >/dev/null; printf '#!/bin/bash\nexec python3 -u -m http.server PORT2' >.bin/npm",
	"devtools wait a b c":         "for name in a b c; do devtools launch --name $name -- 'sleep 0.3' >/dev/null; done",
	"devtools log web --json":     "devtools launch --name web --ready port:PORT1 -- ./server >/dev/null; next=$(devtools log web --fields next | cut -d '\"' -f 4)",
	"devtools ask sh":             "person sh &",
	"devtools run --name deploy":  "person deploy &",
}

// documentPerson is a person who waits for a request in a session, attaches to it, presses Enter there, and detaches.
const documentPerson = `
person() {
	until devtools ps "$1" --json 2>/dev/null | grep -qE '"message":"(type the password|Password:)'; do sleep 0.05; done
	devtools --dir .person/.devtools launch --name person -- devtools attach "$1" >/dev/null
	devtools --dir .person/.devtools send-keys person Space Enter 'C-\' >/dev/null 2>&1
}
`

// TestDocumentExamples runs the examples of the documents for users: in a block of sh each line, which must end with exit
// code 0, and in a block of console each line that begins with "$ ", which must also print what stands below it.
func TestDocumentExamples(t *testing.T) {
	for _, program := range []string{"git", "make", "python3", "vim"} {
		runnertest.Need(t, program)
	}
	bash := runnertest.Need(t, "bash")
	for _, file := range []string{agentsFile, readmeFile} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			own := freePort(t)
			adapt := strings.NewReplacer("PORT1", own, "PORT2", freePort(t), "port:3000", "port:"+own, "6akrqmv06z:18231", "$next")
			examples := []example{{command: documentSetup + documentPerson}}
			for _, e := range documentExamples(t, file) {
				for begin, beside := range documentBeside {
					if strings.HasPrefix(e.command, begin) {
						examples = append(examples, example{command: beside})
					}
				}
				examples = append(examples, e)
			}
			for i := range examples {
				examples[i].command = adapt.Replace(examples[i].command)
			}
			for i, got := range runExamples(t, bash, examples) {
				if !matchesExample(examples[i].output, got) {
					t.Errorf("$ %s\nprints:\n%s\nthe document has:\n%s", examples[i].command, got, strings.Join(examples[i].output, "\n"))
				}
			}
		})
	}
}

// codeBlock is a block of code in Markdown: its language and its text.
var codeBlock = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// documentExamples returns the examples of a document.
func documentExamples(t *testing.T, file string) (examples []example) {
	t.Helper()
	for _, block := range codeBlock.FindAllStringSubmatch(readDocument(t, file), -1) {
		for line := range strings.Lines(block[2]) {
			line = strings.TrimSuffix(line, "\n")
			first, isCommand := strings.CutPrefix(line, "$ ")
			switch {
			case block[1] == "sh":
				examples = append(examples, example{line + "\necho \"exit code $?\"", []string{"...", "exit code 0"}})
			case block[1] != "console":
				t.Fatalf("%s has a block of %q: use sh, or console for one with output", file, block[1])
			case isCommand:
				examples = append(examples, example{command: first})
			default:
				last := &examples[len(examples)-1]
				last.output = append(last.output, regexp.MustCompile(`\(pid \d+\)`).ReplaceAllString(line, "(pid ...)"))
			}
		}
	}
	if len(examples) == 0 {
		t.Fatalf("%s has no example", file)
	}
	return examples
}

// codeSpan is a code span in Markdown.
var codeSpan = regexp.MustCompile("`([^`\n]+)`")

// The command line takes the calls in the text of the page for agents, which no other test runs. Two words may be missing
// there: devtools, and what NAME, NEXT and such stand for.
func TestCallsInText(t *testing.T) {
	bash := runnertest.Need(t, "bash")
	text := codeBlock.ReplaceAllString(readDocument(t, agentsFile), "")
	root, found := fullRoot(t), 0
	for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
		line := strings.TrimPrefix(span[1], "devtools ")
		name, rest, _ := strings.Cut(line, " ")
		if rest == "" || rest == "--until" || root.Command(name) == nil {
			continue
		}
		found++
		t.Run(line, func(t *testing.T) { parseExample(t, bash, "devtools "+line) })
	}
	if found < 8 {
		t.Errorf("only %d calls found", found)
	}
}
