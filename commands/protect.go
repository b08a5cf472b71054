package commands

import (
	"strings"

	"github.com/urfave/cli/v3"
)

// wraps lists the commands that take another command line as arguments. The value says whether the command starts a
// session at once.
var wraps = map[string]bool{"run": true, "launch": true, "watch": false}

// protect inserts "--" before the command that a wrapping subcommand starts. So cli leaves everything after it alone.
// Otherwise cli would take the flags of that program for flags of devtools, and drop its first "--". starts says
// whether the subcommand starts a session at once.
func protect(root *cli.Command, args []string) (protected []string, starts bool) {
	cmd, inside := root, false // inside says that --in is set, so no session is started
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
