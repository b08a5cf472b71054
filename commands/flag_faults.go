package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
)

// usageFault returns the error for a command line that cli cannot read, in the words of devtools.
func usageFault(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	fault := &usageError{message: err.Error()}
	if _, flag, ok := strings.Cut(fault.message, " for flag -"); ok { // checkValue has seen the value, so the flag is OnlyOnce
		flag, _, _ = strings.Cut(flag, ": ")
		fault.message = dash(flag) + " cannot be given twice"
	}
	if flag, ok := strings.CutPrefix(fault.message, "flag provided but not defined: -"); ok {
		fault = unknownFlag(cmd, flag)
	}
	if cmd != cmd.Root() {
		fault.message = cmd.Name + ": " + fault.message
	}
	return fault
}

// unknownFlag returns the error for a flag that cmd does not have. Its hint names the flags that may be meant.
func unknownFlag(cmd *cli.Command, name string) *usageError {
	flag := dash(name)
	if now := renamedFlag(cmd.Name, flag); now != "" {
		return &usageError{fmt.Sprintf("unknown flag %s: it is %s now", flag, now), helpCommand(cmd) + " shows the options"}
	}
	fault := &usageError{message: "unknown flag " + flag}
	switch {
	case cmd.Name == "send-keys":
		fault.hint = "write -- before a KEY that begins with -; "
	case cmd.Name == "stacks" && cmd.Bool("classify"):
		fault.hint = "write -- before a COMMAND that has flags; "
	}
	switch near := nearFlag(cmd, name); {
	case name == "C":
		fault.hint += "-C comes before the command: devtools -C DIR " + cmd.Name
	case !strings.HasPrefix(flag, "--"):
		fault.hint += "the short flags are " + strings.Join(shortFlags(cmd), ", ")
	case near != "":
		fault.hint += meant(near, helpCommand(cmd)+" shows the options")
	default:
		fault.hint += helpCommand(cmd) + " shows the options"
	}
	return fault
}

// renamedFlag returns the present name of a flag that a command had under another name, or "".
func renamedFlag(command, flag string) string {
	switch command + " " + flag {
	case "kill --grace", "kill-orphans --grace":
		return "--kill-after (-k)"
	case "kill-orphans -n":
		return "--dry-run"
	case "log --lines":
		return "--head"
	}
	return ""
}

// nearFlag returns the long flag that name may stand for, or "".
func nearFlag(cmd *cli.Command, name string) string {
	var names []string
	for _, flag := range flagsOf(cmd) {
		if _, long := flagNames(flag); long != "" {
			names = append(names, strings.TrimPrefix(long, "--"))
		}
	}
	if near := nearest(name, names); near != "" {
		return dash(near)
	}
	return ""
}

// shortFlags returns the short flags of cmd as they are typed, with their long names in brackets.
func shortFlags(cmd *cli.Command) (list []string) {
	for _, flag := range flagsOf(cmd) {
		switch short, long := flagNames(flag); {
		case short == "":
		case long == "":
			list = append(list, short)
		default:
			list = append(list, short+" ("+long+")")
		}
	}
	return list
}

// flagsOf returns the flags that cmd takes: its own, and the global ones that may follow its name.
func flagsOf(cmd *cli.Command) []cli.Flag {
	flags := cmd.VisibleFlags()
	if cmd != cmd.Root() {
		flags = slices.Concat(flags, cmd.VisiblePersistentFlags())
	}
	return flags
}

// flagNames returns the names of a flag as they are typed, "" for one that it does not have.
func flagNames(flag cli.Flag) (short, long string) {
	for _, name := range flag.Names() {
		if len(name) == 1 {
			short = dash(name)
		} else {
			long = dash(name)
		}
	}
	return short, long
}

// helpCommand returns the command line that shows all flags of cmd.
func helpCommand(cmd *cli.Command) string {
	if cmd == cmd.Root() {
		return "devtools help --all"
	}
	return "devtools help --all " + cmd.Name
}

// meantFlag adds a hint to err if what -t takes for a session is the timeout, for which other programs have -t, or the rest of a long
// flag with one dash: -timout is -t imout.
func meantFlag(cmd *cli.Command, err error) error {
	if err == nil || cmd == nil || cmd.String("t") == "" {
		return err
	}
	if fault, ok := errors.AsType[*usageError](err); ok && fault.hint != "" ||
		!ok && !errors.Is(err, ledger.ErrNoSession) && !errors.Is(err, ledger.ErrBadName) {
		return err
	}
	name := cmd.String("t")
	if _, bad := parseDuration(name); bad == nil && flagNamed(cmd.Root(), cmd, "timeout") != nil {
		return &sessionError{err: err, name: name, hint: fmt.Sprintf("-T %s is the timeout; -t names a session", name)}
	}
	if near := nearFlag(cmd, "t"+name); near != "" {
		return &sessionError{err: err, name: name, hint: fmt.Sprintf("did you mean %s? a long flag has two dashes; -t names a session", near)}
	}
	return err
}
