//go:build unix

package programtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"devtools/runner/runnertest"
)

// A completed line is what a shell makes of the text when Tab is pressed. The x that is typed afterwards shows whether a blank is
// behind the word.
type completedLine struct{ typed, want string }

// completedLines are completed in the same way by each shell.
var completedLines = []completedLine{
	{"devtools att", "devtools attach x"},
	{"devtools log we", "devtools log web x"},
	{"devtools kill bui", "devtools kill buix"}, // it has ended
	{"devtools log bui", "devtools log built x"},
	{"devtools log web --gr", "devtools log web --grep x"},
	{"devtools screen -t we", "devtools screen -t web x"},
	{"devtools screen -twe", "devtools screen -tweb x"},
	{"devtools wait web --until chan", "devtools wait web --until change x"},
	{"devtools wait web --until te", "devtools wait web --until text:x"},
	{"devtools wait web --until=go", "devtools wait web --until=gone:x"},
	{"devtools wait web --until stable:500", "devtools wait web --until stable:500ms x"},
	{"devtools wait web --until=file:fold", "devtools wait web --until=file:folder/x"},
	{"devtools run --cwd fo", "devtools run --cwd folder/x"},
	{"devtools run --cwd=fo", "devtools run --cwd=folder/x"},
	{"devtools run --on-timeout=ke", "devtools run --on-timeout=keep x"},
	{"devtools kill web -s TER", "devtools kill web -s TERM x"},
	{"devtools kill -TER", "devtools kill -TERM x"},
	{"devtools send-keys web -- PageU", "devtools send-keys web -- PageUp x"},
	{"devtools log web --fields name,nextOf", "devtools log web --fields name,nextOffset x"},
	{"devtools log web --grep fo", "devtools log web --grep fox"}, // no file
	{"devtools replay rec", "devtools replay recording x"},
	{"devtools help capt", "devtools help capture x"},
	{"devtools kill web --label app=sh", "devtools kill web --label app=shop x"},
	{"devtools run --env DEVTOOLS_TEST_VARI", "devtools run --env DEVTOOLS_TEST_VARIABLE=x"},
	{"devtools run -- ls fold", "devtools run -- ls folder/x"},
	{"devtools run ls fold", "devtools run ls folder/x"},
	{"devtools run -- special-progr", "devtools run -- special-program x"},
	{`devtools log "we`, `devtools log "web" x`},
}

// completingShells says how each shell is started, and what it completes for a command line of another program.
var completingShells = map[string]struct {
	argv  []string
	files map[string]string
	more  []completedLine
	list  string // of devtools log, with Tab pressed twice
}{
	"bash": {
		[]string{"bash", "--rcfile", "bashrc"},
		map[string]string{"bashrc": "PS1='$ '; _special() { COMPREPLY=($(compgen -W 'special-word' -- \"$2\")); }; complete -F _special special-program\n" +
			"source <(devtools completion bash)\n"},
		[]completedLine{{"devtools run special-program spec", "devtools run special-program special-word x"}},
		`web +\(running: sleep 1000\)`,
	},
	"bash-completion": {
		[]string{"bash", "--rcfile", "bashrc"},
		map[string]string{"bashrc": "PS1='$ '; . " + bashCompletion + "\nsource <(devtools completion bash)\n"},
		[]completedLine{{"devtools run --env A=b -- git --no-pag", "devtools run --env A=b -- git --no-pager x"}},
		`web +\(running: sleep 1000\)`,
	},
	"zsh": { // without compinit, as without a .zshrc of the distribution
		[]string{"zsh", "-d"},
		map[string]string{".zshrc": "PS1='$ '; unsetopt beep; source <(devtools completion zsh); compdef '_values special special-word' special-program\n"},
		[]completedLine{{"devtools run special-program spec", "devtools run special-program special-word x"}},
		`web +-- running: sleep 1000`,
	},
	"fish": {
		[]string{"fish"},
		map[string]string{"fish/config.fish": "function fish_prompt; echo '$ '; end; set -g fish_greeting; set -g fish_autosuggestion_enabled 0\n" +
			"devtools completion fish | source; complete -c special-program -f -a special-word\n"},
		[]completedLine{{"devtools run special-program spec", "devtools run special-program special-word x"}},
		`web +\(running: sleep 1000\)`,
	},
}

// bashCompletion is the file of Debian's bash-completion.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// In a terminal, Tab completes each kind of word, in each shell.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	for name, shell := range completingShells {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runnertest.Need(t, shell.argv[0])
			if _, err := os.Stat(bashCompletion); name == "bash-completion" && err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			d := newDesk(t)
			for file, text := range shell.files {
				d.write(t, file, text, 0o600)
			}
			d.do(t, slices.Concat([]string{"launch", "--name", "shell", "--size", "120x40", "--ready", `text:^\$ *$`, "--timeout", "1m", "--"}, shell.argv)...)
			for _, line := range slices.Concat(completedLines, shell.more) {
				d.press(t, line.typed, `^\$ `+regexp.QuoteMeta(line.want)+" *$", "Tab", "x")
			}
			d.press(t, "devtools log ", shell.list, "Tab", "Tab")
		})
	}
}

// A desk is a folder with two sessions, one of which has ended, where a shell completes command lines.
type desk struct {
	folder string
	env    []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	folder := t.TempDir()
	d := &desk{folder, append(os.Environ(), "HOME="+folder, "ZDOTDIR="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder, "XDG_CACHE_HOME="+folder,
		"DEVTOOLS_DIR="+filepath.Join(folder, ".devtools"), "DEVTOOLS_TEST_VARIABLE=1", "LANG=C.UTF-8", "INPUTRC=/dev/null",
		"PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))}
	d.write(t, "bin/special-program", "#!/bin/sh\n", 0o700)
	d.write(t, "folder/one", "", 0o600)
	d.write(t, "fish/generated_completions/none", "", 0o600) // or fish makes them, in the background
	d.write(t, "recording", "", 0o600)
	d.do(t, "run", "--name", "built", "--", "true")
	t.Cleanup(func() { d.do(t, "kill", "--all", "--signal", "KILL", "--kill-after", "0") })
	d.do(t, "launch", "--name", "web", "--label", "app=shop", "--", "sleep", "1000")
	return d
}

func (d *desk) write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(d.folder, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// call runs devtools at the desk, and returns what it prints.
func (d *desk) call(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "devtools", args...)
	cmd.Dir, cmd.Env = d.folder, d.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// do is call for what must succeed.
func (d *desk) do(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
	defer cancel()
	out, err := d.call(ctx, args...)
	if err != nil {
		t.Fatalf("devtools %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// press clears the line of the shell, types the text and the keys, and waits until the screen shows what is wanted.
func (d *desk) press(t *testing.T, text, want string, keys ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if out, err := d.call(ctx, slices.Concat([]string{"send-keys", "shell", "--quiet", "--no-wait", "--wait", "text:" + want, "--timeout", "20s", "--", "C-u", "C-l", text}, keys)...); err != nil {
		t.Errorf("%s: not %s: %v\n%s\n%s", text, want, err, out, strings.TrimSpace(d.do(t, "screen", "shell")))
	}
}
