package commands

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/completions"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: strings.Join(completions.Shells, "|"),
		Description: `Prints a script that completes command lines of devtools in this shell.

EXAMPLES:
  source <(devtools completion bash)
  devtools completion fish > ~/.config/fish/completions/devtools.fish`,
		ArgValidator: arguments(1, 1, "the name of a shell ("+orList(completions.Shells)+")"),
		Action:       completion,
	}
}

func completion(_ context.Context, cmd *cli.Command) error {
	script := completions.Script(cmd.Args().First())
	if script == "" {
		return notOneOf("completion: no script for shell", cmd.Args().First(), completions.Shells)
	}
	_, err := io.WriteString(cmd.Root().Writer, script)
	return err
}

// complete answers the script of a shell, which has started devtools with args. It reports no errors: what is typed may not be
// finished.
func complete(shell string, args []string, stdout io.Writer) {
	text := ""
	switch n := len(args) - 1; {
	case n < 1:
	case shell == "bash":
		line := completions.ParseBash(args[1], strings.Join(args[2:min(3, len(args))], ""))
		columns, _ := strconv.Atoi(args[n])
		text = line.Reply(answerAt(line.Words), columns)
	default:
		if shell == "pwsh" {
			args[n] = strings.TrimPrefix(args[n], "=")
		}
		text = answerAt(args).Lines()
	}
	_, _ = io.WriteString(stdout, text)
}

// answerAt returns what can be the last of words.
func answerAt(words []string) completions.Answer {
	last := len(words) - 1
	root := newRoot(nil, nil, nil, named(words[:last]))
	c := newCursor(root, words)
	if c.cmd == nil {
		return completions.Answer{}
	}
	if dir := c.values["C"]; dir != "" && os.Chdir(inHome(dir)) != nil {
		return completions.Answer{}
	}
	return c.answer()
}

// inHome replaces the ~/ at the beginning of a path, as a shell does.
func inHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return home + "/" + rest
		}
	}
	return path
}
