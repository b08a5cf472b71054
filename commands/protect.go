package commands

import (
	"strings"

	"github.com/urfave/cli/v3"
)

// wraps tells the commands whose arguments are somebody else's command line, and whether they start a session at once.
var wraps = map[string]bool{"run": true, "launch": true, "watch": false}

// protect puts "--" in front of the command that a wrapping subcommand is to start, so that all of
// what follows is left alone: cli would take the program's flags for ours, and drop its first "--". It
// also reports whether the subcommand is a wrapping one, which starts a session.
func protect(root *cli.Command, args []string) (protected []string, starts bool) {
	cmd, inside := root, false // inside of a session: none is started
	for i := 1; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return args, starts && !inside
		case strings.HasPrefix(arg, "-") && arg != "-":
			if name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); name == "in" && starts {
				inside = true
			}
			if takesValue(root, cmd, arg) {
				i++
			}
		case cmd == root:
			if cmd = root.Command(arg); cmd == nil {
				return args, false
			}
			var wrapping bool
			if starts, wrapping = wraps[cmd.Name]; !wrapping {
				return args, false
			}
		default:
			protected = append([]string{}, args[:i]...)
			return append(append(protected, "--"), args[i:]...), starts && !inside
		}
	}
	return args, starts && !inside
}

// takesValue reports whether the next argument is the value of the flag arg.
func takesValue(root, cmd *cli.Command, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, c := range []*cli.Command{cmd, root} {
		for _, flag := range c.Flags {
			for _, n := range flag.Names() {
				if n == name {
					value, ok := flag.(cli.DocGenerationFlag)
					return ok && value.TakesValue()
				}
			}
		}
	}
	return false
}
