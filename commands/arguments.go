package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// noArguments is the ArgValidator of a command without arguments.
func noArguments(_ context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() > 0 {
		return &usageError{fmt.Sprintf("%s takes no argument %q", cmd.Name, cmd.Args().First()), meantFor(cmd)}
	}
	return nil
}

// arguments returns an ArgValidator for at least low and at most high arguments. The text what describes them.
func arguments(low, high int, what string) cli.ArgValidatorFunc {
	return func(_ context.Context, cmd *cli.Command) error {
		switch n := cmd.Args().Len(); {
		case n < low:
			return usagef("%s: %s is missing", cmd.Name, what)
		case n > high:
			return &usageError{fmt.Sprintf("%s: %q is one argument too many", cmd.Name, cmd.Args().Get(high)), meantFor(cmd)}
		}
		return nil
	}
}

// meantFor returns a hint with the flag that takes what people give as an argument, or else how the command is called.
func meantFor(cmd *cli.Command) string {
	switch cmd.Name {
	case "history":
		return "--session NAME (-t) shows one session"
	case "kill-orphans":
		return "--name NAME (-t) ends the orphans of one session"
	case "ask":
		return "--message TEXT (-m) says what the person must do"
	case "capture":
		return "--output FILE (-o) names the file"
	case "resize":
		return "the size is one argument: COLSxROWS, such as 80x24"
	}
	if cmd.ArgsUsage == "" {
		return "" // the usual hint names the page with the options
	}
	return "use devtools " + cmd.Name + " " + cmd.ArgsUsage
}

// noName returns a usage error if a session is named beside a flag that says which ones are meant.
func noName(cmd *cli.Command, flag string) error {
	if name := cmd.Args().First(); name != "" {
		return usagef("%s: %s cannot be used with the argument %q", cmd.Name, dash(flag), name)
	}
	return nil
}

// refuseOdd makes cmd refuse empty arguments, and read whole numbers as decimal ones: 010 is ten.
func refuseOdd(cmd *cli.Command) {
	if !slices.Contains(anyArguments, cmd.Name) {
		cmd.ArgValidator = fullArguments(cmd.ArgValidator)
	}
	for _, flag := range cmd.Flags {
		if number, ok := flag.(*cli.IntFlag); ok {
			number.Config.Base = 10
		}
	}
}

// anyArguments lists the commands whose arguments may be empty: they are those of a program, or what is typed.
var anyArguments = []string{"run", "launch", "watch", "send-keys"}

// fullArguments returns an ArgValidator that also refuses an empty argument: "$NAME" is one where the variable is not set.
func fullArguments(others cli.ArgValidatorFunc) cli.ArgValidatorFunc {
	return func(ctx context.Context, cmd *cli.Command) error {
		if i := slices.Index(cmd.Args().Slice(), ""); i >= 0 && !cmd.Bool("classify") {
			return usagef("%s: argument %d is empty: use %s", cmd.Name, i+1, strings.TrimSpace(cmd.Name+" "+cmd.ArgsUsage))
		}
		return others(ctx, cmd)
	}
}

// target returns the session that a command is about: its first argument, or -t.
func target(cmd *cli.Command) string {
	if name := cmd.String("t"); name != "" {
		return name
	}
	return cmd.Args().First()
}

// targetFlag is the other way to name a session.
func targetFlag() cli.Flag {
	return &cli.StringFlag{Name: "t", Usage: "session `NAME`, in place of the argument"}
}

// oneSession is the ArgValidator of a command about one session.
func oneSession(ctx context.Context, cmd *cli.Command) error {
	if cmd.String("t") != "" {
		return noName(cmd, "t")
	}
	return arguments(1, 1, "the name of a session")(ctx, cmd)
}
