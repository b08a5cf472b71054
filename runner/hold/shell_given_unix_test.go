//go:build unix

package hold_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// runWith runs text with variables and a directory of its own, and returns its output.
func runWith(t testing.TB, c *runner.Client, text, cwd string, env ...string) (string, error) {
	t.Helper()
	out := runnertest.NewCollector()
	_, err := c.RunIn(runnertest.WithPatienceOf(t, 20*time.Second), text, runner.RunInOptions{Sink: out.Sink(), Env: env, Cwd: cwd})
	return strings.ReplaceAll(out.Text(transcript.Output), "\r\n", "\n"), err
}

// tellGiven is a command that tells, in every shell, what variable and directory the shell and its children have.
const tellGiven = `printf '[%s|%s]' "$GIVEN" "$PWD"; sh -c 'printf "[%s|%s]" "$GIVEN" "$PWD"' | cat; tell`

// Variables and a directory are for one command alone, also in functions and pipelines, and after an interrupt.
func TestRunInGiven(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		want := func(text, cwd, output string, env ...string) {
			t.Helper()
			if got, err := runWith(t, c, text, cwd, env...); err != nil || got != output {
				t.Errorf("%q in %q with %q: printed %q, %v, want %q\n%s", text, cwd, env, got, err, output, transcriptOf(c))
			}
		}
		want(in(shell, "function tell; echo $GIVEN; end", "tell() { echo $GIVEN; }"), "", "")
		want("cd /usr", "", "")
		none := "[|/usr][|/usr]\n"
		want(tellGiven, "", none)
		want(tellGiven, "/", "[it's a\n\"b\" $x|/][it's a\n\"b\" $x|/]"+in(shell, "it's a\n\"b\" $x\n", map[bool]string{true: "it's a\n\"b\" $x\n", false: "it's a \"b\" $x\n"}[shell == "zsh"]), "GIVEN=it's a\n\"b\" $x")
		want(tellGiven, "", none)
		want("false", "/", "", "GIVEN=x")
		want(in(shell, "echo $status", "echo $?"), "/", "1\n", "GIVEN=x")
		want(in(shell, "set -g GIVEN own", "GIVEN=own"), "", "")
		want(tellGiven, "/", "[x|/][x|/]x\n", "GIVEN=x", "OTHER=y")
		want(tellGiven, "", "[own|/usr][|/usr]own\n")
		want(in(shell, "set -gx GIVEN sent; set -g kept 1; cd /etc", "export GIVEN=changed kept=1; cd /etc"), "/", "", "GIVEN=x")
		want(tellGiven+"; echo $kept", "", "[own|/usr][|/usr]own\n1\n")
		want(in(shell, "set -gx GIVEN sent", "export GIVEN=sent"), "", "")
		want(in(shell, "set -e GIVEN", "unset GIVEN"), "", "")
		want(tellGiven, "", none[:len(none)-1]+"\n")
		r, err := c.RunIn(runnertest.WithPatience(t), "sleep 100", runner.RunInOptions{
			Timeout: time.Second, Interrupt: true, KillAfter: time.Second, Env: []string{"GIVEN=x"}, Cwd: "/",
		})
		if err != nil || r.ExitCode != 130 || r.Cwd != "/usr" {
			t.Errorf("interrupted: %+v, %v", r, err)
		}
		want(tellGiven, "", none)
		want("cd /etc", "", "")
		want("true", "/", "")
		want("cd - >/dev/null; pwd", "", "/usr\n")
	})
}

// What the shell cannot set for one command is refused, and nothing is run.
func TestRunInNotGiven(t *testing.T) {
	special := map[string][]string{
		"bash": {"RO=1", "BASHPID=1", "LIST=1", "NUMBER=x", "PS1=x", "PROMPT_COMMAND=x"},
		"zsh":  {"RO=1", "LIST=1", "NUMBER=x", "status=x"},
		"fish": {"status=x", "PWD=/x"},
		"dash": {"RO=1"},
	}
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		if shell != "fish" {
			wantRunIn(t, c, "readonly RO=0", "", 0)
		}
		if shell == "bash" || shell == "zsh" {
			wantRunIn(t, c, "LIST=(a b); typeset -i NUMBER=3", "", 0)
		}
		for _, pair := range special[shell] {
			out, err := runWith(t, c, "echo run", "/", "GIVEN=x", pair)
			name, _, _ := strings.Cut(pair, "=")
			if !errors.Is(err, wire.ErrNotSet) || !strings.Contains(err.Error(), " "+name+" ") || out != "" {
				t.Errorf("%s: printed %q, %v\n%s", pair, out, err, transcriptOf(c))
			}
			if out, err := runWith(t, c, `echo "<$GIVEN>"`, ""); err != nil || out != "<>\n" {
				t.Errorf("after %s: printed %q, %v\n%s", pair, out, err, transcriptOf(c))
			}
		}
	})
}
