package commands

import (
	"context"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/completions"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage:    "SHELL",
		Description:  "Prints a script that completes commands, flags and names of sessions in SHELL.\n\nExample: source <(devtools completion bash)",
		ArgValidator: arguments(1, 1, "the name of a shell"),
		ShellComplete: func(_ context.Context, cmd *cli.Command) {
			_, _ = io.WriteString(cmd.Root().Writer, strings.Join(completions.Shells, "\n")+"\n")
		},
		Action: completion,
	}
}

func completion(_ context.Context, cmd *cli.Command) error {
	script := completions.Script(cmd.Args().First())
	if script == "" {
		return usagef("completion: no script for shell %q: use %s", cmd.Args().First(), orList(completions.Shells))
	}
	_, err := io.WriteString(cmd.Root().Writer, script)
	return err
}

// completionArgs returns the words before the cursor, changed so that cli completes them correctly. It removes a last
// -t, because a session name comes next, which cli would take for the beginning of a flag. It adds an empty value
// after a last --stack, to be completed.
func completionArgs(args []string) []string {
	if n := len(args); n > 2 {
		switch args[n-2] {
		case "-t":
			return append(args[:n-2:n-2], args[n-1])
		case "--stack":
			return append(args[:n-1:n-1], "", args[n-1])
		}
	}
	return args
}

// offer prints a word that can come next. Completion scripts take a colon as the beginning of the word's explanation,
// so offer escapes colons.
func offer(cmd *cli.Command, word string) {
	_, _ = io.WriteString(cmd.Root().Writer, strings.ReplaceAll(word, ":", `\:`)+"\n")
}
