//go:build unix

package hold_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// A randomCommand is a command of a shell, with what it must print and its exit code.
type randomCommand struct {
	text, output string
	code         int
	stages       []int // of the last pipeline, where it is one and the shell can tell
}

// randomText is text that shells have their ways with.
func randomText(r *rand.Rand) string {
	pieces := []string{
		"a", "Word", " ", "  ", "!", "!!", "!$", "^x^y^", "#", " # ", "%", "%s", "%%", "$", "$HOME", "${x}", "`", "``", "$(echo)", "'", "''", `"`, `\`, `\n`, `\\`,
		"*", "?", "[a]", "~", "{1..3}", ";", "&", "&&", "|", "||", "<", ">", "(", ")", "=", "@", "-n", "--", "é", "日本", "🎉", "e\u0301", "\u200d", "0", "\t", "EOF", "fi", "done", "end", "}", "]]",
	}
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func newRandomCommand(r *rand.Rand, shell string) randomCommand {
	kind := wire.ShellKinds[shell]
	var c randomCommand
	q := func(s string) string { return wire.QuoteFor(kind, s) }
	says := func(s string) string { c.output += s; return "printf %s " + q(s) }
	end := func() string {
		c.code = r.IntN(4) * r.IntN(64)
		return "sh -c 'exit " + fmt.Sprint(c.code) + "'"
	}
	line := randomText(r) + []string{"\n", ""}[r.IntN(2)]
	comment := []string{"", "", " # it's a \"comment\" !x `"}[r.IntN(3)]
	switch n := r.IntN(9); {
	case n == 0:
		c.text = says(line) + "; " + end() + comment
	case n == 1:
		c.text = says(line) + comment + "\n" + says(randomText(r)+"\n") + "\n\n" + end()
	case n == 2: // a pipeline
		first := r.IntN(3)
		c.text = fmt.Sprintf("sh -c 'printf %%s \"$1\"; exit %d' sh %s | cat | sh -c 'cat; exit 5'", first, q(line)) + comment
		c.output, c.code, c.stages = line, 5, []int{first, 0, 5}
	case n == 3 && shell != "fish":
		body := strings.ReplaceAll(randomText(r), "EOF", "eof") + "\nit's !x \"$HOME\" # $(\n"
		c.text = "cat <<'EOF'\n" + body + "EOF\n" + end()
		c.output = body
	case n == 4 && shell != "fish":
		c.text = "for i in 1 2 3; do\n\techo $i # !!\ndone; " + end()
		c.output = "1\n2\n3\n"
	case n == 5 && shell != "fish":
		c.code = 1 + r.IntN(255)
		c.text = "f() { " + says(line) + "; return " + fmt.Sprint(c.code) + "; }; f"
	case n == 6 && shell != "fish":
		c.code = r.IntN(256)
		c.text = says(line) + "; (exit " + fmt.Sprint(c.code) + ")"
	case n == 7:
		c.text = "seq 1 " + fmt.Sprint(1+r.IntN(3000)) + "; " + end()
		var last int
		_, _ = fmt.Sscanf(c.text, "seq 1 %d", &last)
		for i := range last {
			c.output += fmt.Sprintln(i + 1)
		}
	default:
		c.text = "printf '%s\\n' " + q(line) + comment
		c.output = line + "\n"
	}
	return c
}

// A thousand commands with DEVTOOLS_STRESS=1, in each shell: every exit code and every byte is exact.
func TestStressRunInRandom(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range runnertest.Rounds(50, 1000) {
			cmd := newRandomCommand(r, shell)
			out, result := runIn(t, c, cmd.text)
			if want := strings.ReplaceAll(cmd.output, "\n", "\r\n"); out != want || result.ExitCode != cmd.code {
				t.Fatalf("seed %d, command %d: %q: printed %q, code %d, want %q, code %d\n%s", seed, i, cmd.text, out, result.ExitCode, want, cmd.code, transcriptOf(c))
			}
			if known := shell != "dash" && (shell != "zsh" || !strings.Contains(cmd.text, "\n")); cmd.stages != nil && known && fmt.Sprint(result.Pipeline) != fmt.Sprint(cmd.stages) {
				t.Fatalf("%q: stages %v, want %v", cmd.text, result.Pipeline, cmd.stages)
			}
		}
	})
}

// What run --in costs over the time that the shell needs itself.
func BenchmarkRunIn(b *testing.B) {
	for _, shell := range theShells {
		b.Run(shell, func(b *testing.B) {
			c := shellSession(b, "", shell)
			runIn(b, c, "true")
			for b.Loop() {
				if _, err := c.RunIn(b.Context(), "true", runner.RunInOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
