//go:build unix

package hold_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// theShells are those that are integrated.
var theShells = []string{"bash", "zsh", "fish", "dash"}

// shellSession starts an integrated shell with a home folder of its own, in which rc is its start file.
func shellSession(t testing.TB, rc string, command ...string) *runner.Client {
	t.Helper()
	runnertest.Need(t, command[0])
	spec := runnertest.SpecFor(t, runnertest.NewState(t), command...)
	home := t.TempDir()
	names := map[string]string{"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish", "dash": ".shrc", "sh": ".shrc", "cat": ".rc", "env": ".rc"}
	path := filepath.Join(home, names[command[0]])
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(rc), 0o600); err != nil {
		t.Fatal(err)
	}
	spec.Env = slices.DeleteFunc(spec.Env, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains([]string{"HOME", "ZDOTDIR", "ENV", "XDG_CONFIG_HOME", "PROMPT_COMMAND", "PS1"}, name)
	})
	spec.Env = append(spec.Env, "HOME="+home, "LC_ALL=C.UTF-8")
	if wire.ShellKinds[command[0]] == wire.ShellPOSIX {
		spec.Env = append(spec.Env, "ENV="+path)
	}
	spec.Shell, spec.Foreground = true, false
	return runnertest.Begin(t, spec)
}

// runIn runs text and returns its output and what became of it.
func runIn(t testing.TB, c *runner.Client, text string) (string, runner.RunInResult) {
	t.Helper()
	out, result, err := tryRunIn(t, c, text)
	if err != nil {
		t.Fatalf("run %q: %v\n%s", text, err, transcriptOf(c))
	}
	return out, result
}

func tryRunIn(t testing.TB, c *runner.Client, text string) (string, runner.RunInResult, error) {
	t.Helper()
	out := runnertest.NewCollector()
	result, err := c.RunIn(runnertest.WithPatienceOf(t, 20*time.Second), text, runner.RunInOptions{Sink: out.Sink()})
	return out.Text(transcript.Output), result, err
}

// transcriptOf returns the end of all that the session has printed.
func transcriptOf(c *runner.Client) string {
	data, _ := os.ReadFile(filepath.Join(c.Dir.SessionFolder(c.Session.ID), "output.0"))
	if len(data) > 500 {
		data = data[len(data)-500:]
	}
	return fmt.Sprintf("%q", data)
}

// wantRunIn runs text and wants the output, in which \n is a line's end, and the exit code.
func wantRunIn(t testing.TB, c *runner.Client, text, output string, code int) runner.RunInResult {
	t.Helper()
	got, result := runIn(t, c, text)
	if want := strings.ReplaceAll(output, "\n", "\r\n"); got != want || result.ExitCode != code {
		t.Errorf("%s: %q: printed %q, code %d, want %q, code %d\n%s", c.Session.Command[0], text, got, result.ExitCode, want, code, transcriptOf(c))
	}
	return result
}

// eachShell runs the test in every shell.
func eachShell(t *testing.T, test func(t *testing.T, shell string, c *runner.Client)) {
	for _, shell := range theShells {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			test(t, shell, shellSession(t, "", shell))
		})
	}
}

// in returns the line of a shell, where the syntax differs: fish's, or that of the others.
func in(shell, fish, others string) string {
	if shell == "fish" {
		return fish
	}
	return others
}

func TestRunIn(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		wantRunIn(t, c, "echo hello", "hello\n", 0)
		wantRunIn(t, c, "false", "", 1)
		wantRunIn(t, c, in(shell, "echo $status", "echo $?"), "1\n", 0)
		wantRunIn(t, c, "false", "", 1)
		wantRunIn(t, c, in(shell, "echo $status\necho two", "echo $?\necho two"), "1\ntwo\n", 0)
		wantRunIn(t, c, in(shell, "set -gx FOO bar", "export FOO=bar"), "", 0)
		wantRunIn(t, c, "echo $FOO; sh -c 'echo $FOO'", "bar\nbar\n", 0)
		wantRunIn(t, c, in(shell, "function f; echo in f $argv; return 7; end", "f() { echo in f \"$@\"; return 7; }"), "", 0)
		wantRunIn(t, c, "f 1 2", "in f 1 2\n", 7)
		wantRunIn(t, c, "alias say='echo said'", "", 0)
		wantRunIn(t, c, "say it", "said it\n", 0)
		wantRunIn(t, c, "cd /usr/share", "", 0)
		wantRunIn(t, c, "pwd", "/usr/share\n", 0)
		if r := wantRunIn(t, c, "cd /", "", 0); r.Cwd != "/" {
			t.Errorf("the working directory is %q", r.Cwd)
		}
		wantRunIn(t, c, "printf abc", "abc", 0)
		wantRunIn(t, c, "printf 'a\\nb'; sh -c 'exit 12'", "a\nb", 12)
		wantRunIn(t, c, "echo 'wow!' # a comment !", "wow!\n", 0)
		wantRunIn(t, c, `echo "a!b" '!!' '#' %s 100%`, "a!b !! # %s 100%\n", 0)
		wantRunIn(t, c, "echo one\necho two\n\necho 'three\nfour'", "one\ntwo\nthree\nfour\n", 0)
		wantRunIn(t, c, "echo äöü €uro 日本 🎉", "äöü €uro 日本 🎉\n", 0)
		wantRunIn(t, c, "  echo   leading ", "leading\n", 0)
		wantRunIn(t, c, "echo a\tb", "a b\n", 0)
		wantRunIn(t, c, "printf '\\033]133;D;3\\a\\033]133;A\\a'; sh -c 'exit 9'", "\x1b]133;D;3\a\x1b]133;A\a", 9)
		wantRunIn(t, c, "sh -c 'kill -9 $$'", map[string]string{"fish": "fish: Job 1, 'sh -c 'kill -9 $$'' terminated by signal SIGKILL (Forced quit)\n", "dash": "Killed\n", "bash": "Killed\n", "zsh": "zsh: killed     sh -c 'kill -9 $$'\n"}[shell], 137)
		if shell != "fish" {
			wantRunIn(t, c, "cat <<EOF\nit's \"$FOO\" !x #\nEOF", "it's \"bar\" !x #\n", 0)
			wantRunIn(t, c, "for i in 1 2; do\n  echo $i # !!\ndone", "1\n2\n", 0)
			wantRunIn(t, c, "# only a comment", "", 0)
		}
	})
}

func TestRunInPipelines(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			c := shellSession(t, "", shell)
			for _, test := range []struct {
				text string
				code int
				want []int
			}{
				{"false | true", 0, []int{1, 0}},
				{"sh -c 'exit 3' | sh -c 'exit 4' | sh -c 'exit 5'", 5, []int{3, 4, 5}},
				{"true", 0, nil},
				{"false | true", 0, []int{1, 0}},
				{in(shell, "set x 1", "x=1"), 0, nil},
				{"false | sh -c 'cat; exit 2' '#!' | false", 1, []int{1, 2, 1}},
			} {
				_, r := runIn(t, c, test.text)
				if r.ExitCode != test.code || !slices.Equal(r.Pipeline, test.want) {
					t.Errorf("%q: code %d, stages %v, want %d, %v", test.text, r.ExitCode, r.Pipeline, test.code, test.want)
				}
			}
		})
	}
}

func TestRunInRefuses(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		incomplete := []string{"echo 'abc", `echo "abc`, "if true", "echo (", "while true"}
		if shell != "fish" {
			incomplete = []string{"echo 'abc", `echo "abc`, "if true; then", "echo $(", "while true; do", "f() {", "echo a |", "echo a &&", "echo \\", "if true; then for i in 1; do"}
		}
		if shell == "bash" {
			incomplete = append(incomplete, "cat <<EOF\nabc")
		}
		if shell == "zsh" {
			incomplete = slices.DeleteFunc(incomplete, func(s string) bool { return s == "echo a &&" }) // is complete
		}
		for _, text := range incomplete {
			_, r, err := tryRunIn(t, c, text)
			if shell == "dash" {
				if err != nil || r.ExitCode == 0 && text != "echo \\" {
					t.Errorf("%q: %v, code %d, want a syntax error", text, err, r.ExitCode)
				}
			} else if !errors.Is(err, wire.ErrIncomplete) {
				t.Errorf("%q: %v, code %d, want %v\n%s", text, err, r.ExitCode, wire.ErrIncomplete, transcriptOf(c))
			}
		}
		wantRunIn(t, c, "echo still here", "still here\n", 0)
		for _, text := range []string{"echo )", "fi", "end", "| x"} {
			if shell != "fish" && text == "end" {
				continue
			}
			if out, r := runIn(t, c, text); r.ExitCode == 0 || out == "" {
				t.Errorf("%q: printed %q, code %d", text, out, r.ExitCode)
			}
		}
		wantRunIn(t, c, "echo still here", "still here\n", 0)
	})
}

func TestRunInBusy(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		wantRunIn(t, c, "echo hello", "hello\n", 0)
		ctx := runnertest.WithPatience(t)
		out := runnertest.NewCollector()
		go func() { _, _, _ = c.Follow(ctx, 0, out.Sink()) }()
		r, err := c.RunIn(ctx, "sh -c 'echo be''gun; exec cat'", runner.RunInOptions{Background: true})
		if err != nil || r.Status != runner.Running {
			t.Fatal(r, err)
		}
		out.Await(t, "begun")
		if _, _, err := tryRunIn(t, c, "echo no"); !isBusy(err) || !strings.Contains(err.Error(), "another run --in") {
			t.Errorf("beside another command: %v", err)
		}
		if known, at, err := c.AtPrompt(ctx); !known || at || err != nil {
			t.Errorf("while a command runs: at the prompt: %v, %v, %v", known, at, err)
		}
		typeIn(t, c, "\x03")
		awaitRunIn(t, c, "echo yes", "yes\n")

		typeIn(t, c, "cat\n")
		awaitBusy(t, c, "cat runs in front (pid ")
		typeIn(t, c, "\x03")
		awaitRunIn(t, c, "echo again", "again\n")
		typeIn(t, c, "half a li")
		awaitBusy(t, c, "half typed")
		typeIn(t, c, "ne\r")
		out.Await(t, in(shell, "nknown command", "not found"))
	})
}

// typeIn types as a client does.
func typeIn(t testing.TB, c *runner.Client, keys string) {
	t.Helper()
	if _, err := c.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpInput, Data: []byte(keys)}); err != nil {
		t.Fatal(err)
	}
}

// isBusy reports whether the shell could not take a command because of something else at its prompt.
func isBusy(err error) bool { return errors.Is(err, wire.ErrBusy) || errors.Is(err, wire.ErrHalfTyped) }

// awaitRunIn runs text as soon as the shell is not busy any more.
func awaitRunIn(t testing.TB, c *runner.Client, text, output string) {
	t.Helper()
	for deadline := time.Now().Add(runnertest.Patience); ; {
		got, r, err := tryRunIn(t, c, text)
		if err == nil && got == strings.ReplaceAll(output, "\n", "\r\n") && r.ExitCode == 0 {
			return
		}
		if !isBusy(err) || time.Now().After(deadline) {
			t.Fatalf("%q: printed %q, %v\n%s", text, got, err, transcriptOf(c))
		}
	}
}

// awaitBusy wants the shell to be busy, in a moment, for the reason.
func awaitBusy(t testing.TB, c *runner.Client, reason string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		_, _, err := tryRunIn(t, c, "echo no")
		if isBusy(err) && strings.Contains(err.Error(), reason) {
			return
		}
		if err != nil && !isBusy(err) || time.Now().After(deadline) {
			t.Fatalf("busy: %v, want it to say %q\n%s", err, reason, transcriptOf(c))
		}
	}
}

// What a command does to the shell's hooks, its prompt or its files must not hide the end of it.
func TestRunInHostile(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		lines := map[string][]string{
			"bash": {
				"PROMPT_COMMAND='echo from the prompt'", "unset PROMPT_COMMAND", "PS1='$(echo x)> '", "unset PS1", "PROMPT_COMMAND=(': a' ': b')",
				"PS0='starting\\n'", "PS0=", "PS2=", "set -o vi", "set -o emacs", "set +o history", "set -u", "set +u",
				"set -x", "set +x", "shopt -s extglob", "trap 'true' DEBUG", "trap - DEBUG", "alias printf=false local=false builtin=false",
				"IFS=0123456789", "unset IFS", "set -f", "set +f", "set -C", "LC_ALL=C", "PS1='\\u@\\h \\[\\e[1m\\]$ '", "set -o posix", "set +o posix",
				"printf() { echo fake; }", "unset -f printf", "shopt -s nocasematch", "set -T", "set +T", "histchars='@^#'", "PROMPT_COMMAND+=(': c')",
			},
			"zsh": {
				"precmd() { echo from the prompt }", "unfunction precmd", "precmd_functions=()", "preexec_functions=()", "PS1='%F{red}%~%f $(echo x) > '", "unset PS1", "PROMPT_EOL_MARK=", "unset PROMPT_EOL_MARK",
				"setopt prompt_subst no_prompt_sp", "setopt prompt_sp", "bindkey -v", "bindkey -e", "setopt ksh_arrays", "unsetopt ksh_arrays", "setopt sh_word_split", "setopt no_unset", "unsetopt no_unset",
				"setopt xtrace", "unsetopt xtrace", "setopt no_bang_hist", "setopt bang_hist", "setopt interactive_comments", "setopt no_clobber", "setopt no_glob", "setopt glob",
				"alias -g foo=bar print=false", "setopt err_return", "unsetopt err_return", "histchars='@^#'", "setopt extended_glob", "emulate sh", "emulate zsh", "setopt noprompt_cr", "setopt local_options", "setopt warn_create_global",
			},
			"fish": {
				"function fish_prompt; echo from the prompt; end", "function fish_prompt; end", "function fish_title; end", "fish_vi_key_bindings", "fish_default_key_bindings",
				"set -g fish_greeting x", "function fish_right_prompt; echo right; end", "abbr -a say echo abbreviated", "functions -e fish_prompt", "set -U fish_color_command red",
			},
			"dash": {
				"PS1='x> '", "unset PS1", "PS1='$ '", "set -u", "set +u", "set -x", "set +x", "PS2=", "alias printf=false", "unalias printf", "IFS=0123456789", "unset IFS", "set -f", "set +f", "set -C", "set +C", "set -o vi", "PS4='++'",
			},
		}[shell]
		for i, line := range lines {
			if out, r := runIn(t, c, line); r.ExitCode != 0 && (shell != "fish" || line[:3] != "set") || out != "" && !strings.HasPrefix(out, "+") {
				t.Errorf("%s: %q: printed %q, code %d", shell, line, out, r.ExitCode)
			}
			want := fmt.Sprintf("x %d!\r\n", i)
			if out, r := runIn(t, c, fmt.Sprintf("echo 'x %d!' # y", i)); !strings.HasSuffix(out, want) || out != want && !strings.HasPrefix(out, "+") && line != "PS0='starting\\n'" || r.ExitCode != 0 {
				t.Errorf("%s: after %q: printed %q, code %d\n%s", shell, line, out, r.ExitCode, transcriptOf(c))
			}
			if out, r := runIn(t, c, "sh -c 'exit 7'"); r.ExitCode != 7 {
				t.Errorf("%s: after %q: printed %q, code %d", shell, line, out, r.ExitCode)
			}
		}
	})
}

func TestRunInAtTheShellsEnd(t *testing.T) {
	for _, shell := range theShells {
		for text, code := range map[string]int{"exit 3": 3, "exec sh -c 'echo out; exit 4'": 4, "kill -9 PID": 137, "set -e; false": 1} {
			if shell == "fish" && text[0] == 's' {
				continue
			}
			t.Run(shell+"/"+text[:4], func(t *testing.T) {
				t.Parallel()
				c := shellSession(t, "", shell)
				wantRunIn(t, c, "echo hello", "hello\n", 0)
				out, r := runIn(t, c, strings.ReplaceAll(text, "PID", fmt.Sprint(c.Session.Main.PID)))
				if r.ExitCode != code || !r.Ended && shell+text != "fishexit 3" { // which says that exit has ended, and ends
					t.Errorf("%q: printed %q, code %d, ended %v, want %d", text, out, r.ExitCode, r.Ended, code)
				}
				if strings.HasPrefix(text, "exec") && out != "out\r\n" {
					t.Errorf("%q printed %q", text, out)
				}
				if _, _, err := tryRunIn(t, c, "echo no"); !errors.Is(err, wire.ErrEnded) && !errors.Is(err, wire.ErrHolderGone) {
					t.Errorf("after the end: %v", err)
				}
			})
		}
	}
}

func TestStressRunInOdd(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		dir := t.TempDir()
		wantRunIn(t, c, "mkdir "+dir+"/gone; cd "+dir+"/gone; rmdir ../gone", "", 0)
		wantRunIn(t, c, "echo in it", "in it\n", 0)
		wantRunIn(t, c, "cd /", "", 0)
		if shell != "fish" {
			wantRunIn(t, c, "exec 3>&1 >"+dir+"/out; echo to the file", "", 0)
			wantRunIn(t, c, "echo more", "", 0)
			wantRunIn(t, c, "exec 1>&3 3>&-; grep -c -e 'to the file' -e more "+dir+"/out", "2\n", 0)
			wantRunIn(t, c, "trap 'echo int' INT; (exit 4)", "", 4)
			wantRunIn(t, c, "trap - INT", "", 0)
			if out, r := runIn(t, c, "(sleep 0.01; echo late) & wait $!"); r.ExitCode != 0 || !strings.Contains(out, "late\r\n") {
				t.Errorf("a job in the background: printed %q, code %d", out, r.ExitCode)
			}
		}
		wantRunIn(t, c, "stty -echo; stty echo", "", 0)
		text := "echo " + strings.Repeat("0123456789", 2000)
		wantRunIn(t, c, text, strings.Repeat("0123456789", 2000)+"\n", 0)
		if shell != "fish" {
			body := strings.Repeat("a line of a long here-document, which is typed nowhere\n", 4000)
			wantRunIn(t, c, "cat <<'E'\n"+body+"E", body, 0)
		}
		out, _ := runIn(t, c, "seq 1 "+fmt.Sprint(runnertest.Rounds(200_000, 6_000_000)))
		if n := strings.Count(out, "\n"); n != runnertest.Rounds(200_000, 6_000_000) {
			t.Errorf("%d lines", n)
		}
		ctx := runnertest.WithPatience(t)
		collected := runnertest.NewCollector()
		done := make(chan string, 1)
		go func() {
			r, err := c.RunIn(ctx, in(shell, "read -P 'name? ' x; echo got $x", "printf 'name? '; read x; echo got $x"), runner.RunInOptions{Sink: collected.Sink()})
			done <- fmt.Sprint(r.ExitCode, err)
		}()
		collected.Await(t, "name? ")
		typeIn(t, c, "me\n")
		if got := <-done; got != "0 <nil>" || !strings.Contains(collected.Text(transcript.Output), "got me\r\n") {
			t.Errorf("%s %q", got, collected.Text(transcript.Output))
		}
	})
}

func TestRunInTimeLimit(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		ctx := runnertest.WithPatience(t)
		wantRunIn(t, c, "echo hello", "hello\n", 0)
		r, err := c.RunIn(ctx, "sleep 100", runner.RunInOptions{Timeout: time.Second, // in which the shell has put it in front
			Interrupt: true, KillAfter: 10 * time.Second})
		if err != nil || r.Status != runner.TimedOut || r.ExitCode != 130 {
			t.Errorf("sleep: %+v, %v", r, err)
		}
		r, err = c.RunIn(ctx, `sh -c 'trap "" INT; sleep 100; sleep 100'`, runner.RunInOptions{Timeout: time.Second, // as above, and it has come to ignore the signal
			Interrupt: true, KillAfter: 50 * time.Millisecond})
		if err != nil || r.Status != runner.TimedOut || r.ExitCode != 137 {
			t.Errorf("sleep that ignores INT: %+v, %v", r, err)
		}
		r, err = c.RunIn(ctx, in(shell, "while true; end", "while :; do :; done"), runner.RunInOptions{Timeout: time.Second, Interrupt: true, KillAfter: 10 * time.Second})
		if err != nil || r.Status != runner.TimedOut || r.ExitCode != 130 && shell != "fish" && shell != "zsh" {
			t.Errorf("loop: %+v, %v", r, err)
		}
		wantRunIn(t, c, "echo hello", "hello\n", 0)
		collected := runnertest.NewCollector()
		r, err = c.RunIn(ctx, "sh -c 'echo in front; sleep 100'", runner.RunInOptions{Sink: collected.Sink(), Timeout: time.Second}) // in which the shell takes it
		if err != nil || r.Status != runner.TimedOut || r.Finished {
			t.Errorf("kept: %+v, %v", r, err)
		}
		go func() { _, _, _ = c.Follow(ctx, r.Offset, collected.Sink()) }()
		collected.Await(t, "in front\r\n")
		var pressed time.Time
		for {
			if time.Since(pressed) > 5*time.Second { // zsh may not have put the job in front yet, and take the key itself
				typeIn(t, c, "\x03")
				pressed = time.Now()
			}
			got, _, err := tryRunIn(t, c, "echo hello")
			if err == nil && got == "hello\r\n" {
				break
			}
			if !isBusy(err) || ctx.Err() != nil {
				t.Fatalf("after ^C: %q, %v\n%s", got, err, transcriptOf(c))
			}
		}
	})
}

// userFiles are start files that do what popular prompts do: the exit code in a prompt that is made anew each
// time, escapes, a title, something printed before each prompt, hooks of all kinds, a prompt that is drawn
// anew when a line is accepted.
var userFiles = map[string]string{
	"bash": `
alias ll='echo listed'
HISTCONTROL=ignoreboth
user_precmd() { local s=$?; PS1="\[\e]0;\w\a\]\n\[\e[1;32m\]\u\[\e[0m\] on \[\e[35m\] main\[\e[0m\] [s$s] \$(echo sub)\n\[\e[1;31m\]❯\[\e[0m\] "; history -a; }
user_preexec() { [[ $BASH_COMMAND == user_* ]] || LAST=$BASH_COMMAND; }
trap user_preexec DEBUG
PROMPT_COMMAND="user_precmd"
PS0='\e[0m${TIMER:$((TIMER=SECONDS,1)):0}'
PS2='∙ '
shopt -s histappend checkwinsize extglob
set -o vi
`,
	"zsh": `
alias ll='echo listed'
setopt prompt_subst extended_glob share_history no_beep auto_cd correct 2>/dev/null
unsetopt correct
HISTFILE=~/.history HISTSIZE=1000 SAVEHIST=1000
precmd() { local s=$?; print; print -Pn '\e]0;%~\a'; PROMPT="%F{4}%~%f %{\e[1m%}[s$s]%{\e[0m%} \$(echo sub)"$'\n'"%(?.%F{green}.%F{red})❯%f " }
preexec() { print -Pn '\e]0;run\a' }
user_hook() { true }
precmd_functions+=(user_hook) preexec_functions+=(user_hook)
RPROMPT='%F{8}%*%f'
function zle-line-init zle-keymap-select { zle reset-prompt }
function zle-line-finish { zle reset-prompt }
zle -N zle-line-init; zle -N zle-keymap-select; zle -N zle-line-finish
bindkey -v
accept() { zle .accept-line }; zle -N accept-line accept
`,
	"fish": `
alias ll 'echo listed'
function fish_prompt; set -l s $status; printf '\n%s[s%s] ❯ %s' (set_color green) $s (set_color normal); end
function fish_right_prompt; date +%H:%M; end
function user_pre --on-event fish_preexec; set -g last $argv; end
function user_post --on-event fish_postexec; set -g last; end
function fish_title; echo title; end
fish_vi_key_bindings
`,
	"dash": `
alias ll='echo listed'
PS1='$(printf "\033[1m")[s$?]$(printf "\033[0m") $PWD ❯ '
`,
}

func TestRunInWithAPersonsFiles(t *testing.T) {
	for _, shell := range theShells {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			c := shellSession(t, userFiles[shell], shell)
			out := runnertest.NewCollector()
			go func() { _, _, _ = c.Follow(runnertest.WithPatience(t), 0, out.Sink()) }()
			for i := range 5 {
				wantRunIn(t, c, "ll it", "listed it\n", 0)
				wantRunIn(t, c, "printf abc", "abc", 0)
				wantRunIn(t, c, "sh -c 'exit 42'", "", 42)
				wantRunIn(t, c, fmt.Sprintf("echo 'it is %d!' # x", i), fmt.Sprintf("it is %d!\n", i), 0)
				wantRunIn(t, c, "echo a\necho b", "a\nb\n", 0)
			}
			out.Await(t, "[s42]")
			wantRunIn(t, c, "env | grep -c -e '^DEVTOOLS_SESSION='", "1\n", 0)
			wantRunIn(t, c, "env | grep -e _devtools_ -e '^ZDOTDIR' | grep -v -e '^PWD=' -e '^OLDPWD=' -e '^_='", "", 1)
			if shell == "dash" {
				wantRunIn(t, c, "test -f $ENV; echo ${ENV##*/}", ".shrc\n", 0)
			}
			typeIn(t, c, "echo 4''2 typed by a person\r")
			out.Await(t, "42 typed by a person\r\n")
			awaitRunIn(t, c, "echo after", "after\n")
		})
	}
}

func TestRunInLoginShells(t *testing.T) {
	for _, command := range [][]string{{"bash", "-l"}, {"bash", "--login", "-i"}, {"zsh", "-l"}, {"zsh", "-i"}, {"fish", "-l"}, {"dash", "-l"}, {"dash", "-i"}, {"sh"}} {
		t.Run(strings.Join(command, ""), func(t *testing.T) {
			t.Parallel()
			c := shellSession(t, "", command...)
			wantRunIn(t, c, "echo hello", "hello\n", 0)
			wantRunIn(t, c, "false", "", 1)
			if command[0] == "zsh" && command[1] == "-l" {
				wantRunIn(t, c, "[[ -o login ]]", "", 0)
			}
		})
	}
}

// bash as sh, with its line editor, in which only the marks of the prompt are.
func TestRunInBashAsSh(t *testing.T) {
	bash := runnertest.Need(t, "bash")
	dir := t.TempDir()
	if err := os.Symlink(bash, dir+"/sh"); err != nil {
		t.Fatal(err)
	}
	spec := runnertest.SpecFor(t, runnertest.NewState(t), dir+"/sh")
	spec.Shell = true
	c := runnertest.Begin(t, spec)
	wantRunIn(t, c, "echo hello", "hello\n", 0)
	wantRunIn(t, c, "echo $BASH; (exit 3)", dir+"/sh\n", 3)
	if _, r := runIn(t, c, "echo 'abc"); r.ExitCode == 0 {
		t.Error("an open quote has no error")
	}
	wantRunIn(t, c, "echo hello", "hello\n", 0)
}

// A shell with other arguments is as good as any other: without the user's own files, or started by env.
func TestRunInBareShell(t *testing.T) {
	for line, files := range map[string]string{ // which of the user's files it reads; @ is the home folder
		"bash --norc": "", "bash --norc --noprofile -i": "", "bash -il": "login", "env FILES=env bash": "envrc", "env -i HOME=@ bash": "rc",
		"zsh -f": "", "zsh -fi": "", "zsh --no-rcs": "", "env FILES=env zsh -d": "envzshenvrc", "env -i HOME=@ zsh": "zshenvrc", "env ZDOTDIR=@ zsh -f": "",
		"fish --no-config": "", "fish -iN": "", "env FILES=env fish": "envrc", "env ENV=@/.bashrc dash": "rc", "env -i dash": "",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			for name, text := range map[string]string{
				".bashrc": "FILES=$FILES'rc'", ".bash_profile": "FILES=$FILES'login'", ".zshenv": "FILES=$FILES'zshenv'", ".zshrc": "FILES=$FILES'rc'",
				".config/fish/config.fish": "set -g FILES $FILES'rc'",
			} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(home, name), []byte(text+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			command := strings.Fields(strings.ReplaceAll(line, "@", home))
			kind, _, _ := wire.ShellOf(command)
			runnertest.Need(t, in(kind, "fish", map[bool]string{true: "dash", false: kind}[kind == wire.ShellPOSIX]))
			spec := runnertest.SpecFor(t, runnertest.NewState(t), command...)
			spec.Shell = true
			spec.Env = append(slices.DeleteFunc(spec.Env, func(pair string) bool {
				name, _, _ := strings.Cut(pair, "=")
				return slices.Contains([]string{"HOME", "ZDOTDIR", "ENV", "XDG_CONFIG_HOME"}, name)
			}), "HOME="+home)
			c := runnertest.Begin(t, spec)
			wantRunIn(t, c, `echo "<$FILES>"; sh -c 'exit 3'`, "<"+files+">\n", 3)
			zdotdir := ""
			if strings.Contains(line, "ZDOTDIR") {
				zdotdir = home
			}
			wantRunIn(t, c, `sh -c 'echo "<$ZDOTDIR>"'`, "<"+zdotdir+">\n", 0)
			if strings.Contains(line, "-f") || strings.Contains(line, "rcs") {
				wantRunIn(t, c, "[[ ! -o rcs ]]", "", 0)
			}
		})
	}
}

func TestNoShell(t *testing.T) {
	for _, command := range [][]string{{"cat"}, {"bash", "--posix"}, {"sh", "-c", "cat"}, {"env", "-S", "bash"}, {"env", "bash", "-c", "cat"}, {"bash", "-"}} {
		c := shellSession(t, "", command...)
		if _, err := c.RunIn(runnertest.WithPatience(t), "true", runner.RunInOptions{}); !errors.Is(err, wire.ErrNoShell) {
			t.Errorf("%v: %v", command, err)
		}
	}
	spec := runnertest.SpecFor(t, runnertest.NewState(t), "sh")
	c := runnertest.Begin(t, spec)
	if _, err := c.RunIn(runnertest.WithPatience(t), "true", runner.RunInOptions{}); !errors.Is(err, wire.ErrNoShell) {
		t.Errorf("a shell that was not to be integrated: %v", err)
	}
}

// A command that takes away all by which the shell tells of its end.
func TestRunInWithoutHooks(t *testing.T) {
	for shell, text := range map[string]string{
		"bash": "unset PROMPT_COMMAND; PS1='> '; PS0=; PS2=; (exit 5)",
		"zsh":  "precmd_functions=(); preexec_functions=(); PROMPT_EOL_MARK=; sh -c 'exit 5'",
		"dash": "PS1='> '; unset -f __devtools_end; sh -c 'exit 5'",
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			c := shellSession(t, "", shell)
			file := t.TempDir() + "/file"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if shell != "dash" { // which has nothing left to tell with
				if out, r := runIn(t, c, ". "+file); r.ExitCode != 5 {
					t.Errorf("printed %q, code %d\n%s", out, r.ExitCode, transcriptOf(c))
				}
			}
			wantRunIn(t, c, "echo hello", "hello\n", 0)
			wantRunIn(t, c, "sh -c 'exit 6'", "", 6)
			if shell == "bash" {
				out := runnertest.NewCollector()
				done := make(chan int, 1)
				go func() {
					r, _ := c.RunIn(runnertest.WithPatience(t), "read -e -p 'name? ' x; echo got $x; (exit 3)", runner.RunInOptions{Sink: out.Sink()})
					done <- r.ExitCode
				}()
				out.Await(t, "name? ")
				out.Await(t, "\x1b[K\rname? ") // it was looked at whether the end is lost, which draws the line anew
				typeIn(t, c, "me\r")
				if code := <-done; code != 3 || !strings.Contains(out.Text(transcript.Output), "got me\r\n") {
					t.Errorf("read -e: code %d, %q", code, out.Text(transcript.Output))
				}
			}
		})
	}
}

func TestRunInSmallTerminals(t *testing.T) {
	for _, shell := range theShells {
		for _, size := range []ledger.Size{{Cols: 10, Rows: 3}, {Cols: 1, Rows: 1}} {
			t.Run(fmt.Sprint(shell, size.Cols), func(t *testing.T) {
				t.Parallel()
				c := shellSession(t, "", shell)
				if _, err := c.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpResize, Size: size}); err != nil {
					t.Fatal(err)
				}
				if (shell == "zsh" || shell == "bash") && size.Cols == 1 {
					if _, _, err := tryRunIn(t, c, "true"); err == nil || !strings.Contains(err.Error(), "too narrow") {
						t.Errorf("one column: %v", err)
					}
					return
				}
				for range 3 {
					wantRunIn(t, c, "echo 'a longer line'; echo \"than the terminal's\"", "a longer line\nthan the terminal's\n", 0)
					wantRunIn(t, c, "false", "", 1)
				}
			})
		}
	}
}

// Of those who come at once one runs, and the others hear that it does.
func TestRunInAtOnce(t *testing.T) {
	eachShell(t, func(t *testing.T, _ string, c *runner.Client) {
		codes := make(chan error, 20)
		for range cap(codes) {
			go func() {
				out := runnertest.NewCollector()
				r, err := c.RunIn(runnertest.WithPatience(t), "sh -c 'sleep 0.2; echo one; exit 4'", runner.RunInOptions{Sink: out.Sink()})
				if err == nil && (r.ExitCode != 4 || out.Text(transcript.Output) != "one\r\n") {
					err = fmt.Errorf("code %d, %q", r.ExitCode, out.Text(transcript.Output))
				}
				codes <- err
			}()
		}
		ran := 0
		for range cap(codes) {
			if err := <-codes; err == nil {
				ran++
			} else if !isBusy(err) {
				t.Error(err)
			}
		}
		if ran == 0 {
			t.Error("none ran")
		}
	})
}

// Under set -e what is ours must not end the shell.
func TestRunInWithErrexit(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "dash"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			c := shellSession(t, "", shell)
			wantRunIn(t, c, "sh -c 'exit 3'", "", 3)
			wantRunIn(t, c, "set -e", "", 0)
			for range 3 {
				wantRunIn(t, c, "echo hello", "hello\n", 0)
				if shell != "dash" { // whose . it ends the shell
					wantRunIn(t, c, "false && true", "", 1)
				}
				wantRunIn(t, c, "echo hello\necho 'again !'", "hello\nagain !\n", 0)
				if _, _, err := tryRunIn(t, c, "if true; then"); shell != "dash" && !errors.Is(err, wire.ErrIncomplete) {
					t.Errorf("incomplete: %v", err)
				} else if shell == "dash" {
					break // a syntax error ends it
				}
			}
		})
	}
}

func TestRunInOfAFullScreenProgram(t *testing.T) {
	runnertest.Need(t, "vim")
	eachShell(t, func(t *testing.T, _ string, c *runner.Client) {
		file := t.TempDir() + "/file"
		out := runnertest.NewCollector()
		done := make(chan runner.RunInResult, 1)
		go func() {
			r, _ := c.RunIn(runnertest.WithPatience(t), "vim -u NONE -i NONE -n "+file, runner.RunInOptions{Sink: out.Sink()})
			done <- r
		}()
		out.Await(t, "\x1b[?1049h")
		out.Await(t, "[New")
		typeIn(t, c, "ihello\x1b")
		typeIn(t, c, ":wq\r")
		if r := <-done; r.ExitCode != 0 || r.Status != runner.Completed {
			t.Errorf("%+v", r)
		}
		wantRunIn(t, c, "cat "+file, "hello\n", 0)
	})
}
