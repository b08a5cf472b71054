package commands

import (
	"context"
	"io"
	"slices"
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

// completionArgs returns the words before the cursor, changed so that cli completes them correctly. A last flag whose
// value is a session goes, and cmd completes sessions: cli would take the flag for the beginning of another. A last
// --stack gets an empty value, to be completed. A - that is not finished is the beginning of a flag. After help the commands are completed.
func completionArgs(cmd *cli.Command, args []string) []string {
	n := len(args)
	if n == 3 && args[1] == "help" {
		return []string{args[0], args[2]}
	}
	if n < 3 || cmd == nil {
		return args
	}
	switch last := args[n-2]; {
	case last == "-" && args[n-3] == "--": // by protect: the scripts do not ask for the words after a typed --
		return append(args[:n-3:n-3], args[n-2:]...)
	case slices.Contains([]string{"-t", "--in", "--resume", "--session"}, last),
		last == "--name" && cmd.Name == "kill-orphans":
		cmd.ShellComplete = completeSessions
		return append(args[:n-2:n-2], args[n-1])
	case last == "--stack":
		return append(args[:n-1:n-1], "", args[n-1])
	}
	return args
}

// completeCommands completes the first word: the name or alias of a command, or a global flag.
func completeCommands(ctx context.Context, cmd *cli.Command) {
	completeFlags(ctx, cmd)
	if cmd.Args().Present() {
		return
	}
	for _, c := range cmd.VisibleCommands() {
		for _, name := range c.Names() {
			offer(cmd, name, c.Usage)
		}
	}
	offer(cmd, "help", helpUsage)
}

// completeFlags completes the short and long names of flags, if the last word begins with a dash.
func completeFlags(_ context.Context, cmd *cli.Command) {
	args := cmd.Args().Slice()
	if len(args) == 0 || !strings.HasPrefix(args[len(args)-1], "-") {
		return
	}
	for _, flag := range flagsOf(cmd) {
		for _, name := range flag.Names() {
			if word := dash(name); strings.HasPrefix(word, args[len(args)-1]) && word != args[len(args)-1] {
				offer(cmd, word, flagUsage(flag))
			}
		}
	}
}

// offer prints a word that can come next, with an explanation or "". Completion scripts take a colon as the beginning of
// the explanation, so offer escapes colons.
func offer(cmd *cli.Command, word, usage string) {
	line := strings.ReplaceAll(word, ":", `\:`)
	if usage != "" {
		line += ":" + usage
	}
	_, _ = io.WriteString(cmd.Root().Writer, line+"\n")
}
