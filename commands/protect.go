package commands

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"devtools/runner/proc"
)

// wraps lists the commands that take another command line as arguments. The value says whether the command starts a
// session at once.
var wraps = map[string]bool{"run": true, "launch": true, "watch": false}

// protect returns args as cli reads them. It writes joined short flags and attached values apart, and the signal of
// kill -9 as --signal=9. It inserts "--" before the command that a wrapping subcommand starts. So cli leaves everything
// after it alone. Otherwise cli would take the flags of that program for flags of devtools, and drop its first "--".
// starts says whether the subcommand starts a session at once. err is the first fault of a flag that cli would not see, or would
// report in its own words.
func protect(root *cli.Command, args []string) (protected []string, starts bool, err error) {
	cmd, wrapping, inside := root, false, false // inside says that --in is set, so no session is started
	protected = append(make([]string, 0, len(args)+2), args[:min(1, len(args))]...)
	for i := 1; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return append(protected, args[i:]...), starts && !inside, err
		case isSignal(cmd, arg):
			protected = append(protected, "--signal="+arg[1:])
		case isFlag(arg):
			words, last, open := flagWords(root, cmd, arg)
			if i := slices.IndexFunc(words, isHelp); i >= 0 && err == nil {
				return append(helpLine(root, cmd, args), words[i]), false, nil
			}
			protected = append(protected, words...)
			inside = inside || last != nil && last.Names()[0] == "in"
			name, value, given := strings.Cut(strings.TrimLeft(words[len(words)-1], "-"), "=")
			if open && i+1 < len(args) {
				i++
				value, given = args[i], true
				protected = append(protected, value)
			}
			if err == nil {
				err = checkFlag(root, cmd, arg, last, name, value, given, args[i+1:])
			}
		case cmd == root:
			if cmd = root.Command(arg); cmd == nil {
				protected = append(protected, "--") // the flags of a command of another tool are not ours
				return append(protected, args[i:]...), false, err
			}
			starts, wrapping = wraps[cmd.Name]
			protected = append(protected, arg)
		case cmd.Name == "policy" && !wrapping && arg == "check": // the command that it explains follows
			wrapping = true
			protected = append(protected, arg)
		case wrapping:
			return append(append(protected, "--"), args[i:]...), starts && !inside, err
		case strings.HasPrefix(arg, "-") && arg != "-": // such as -5, after which cli looks for no flags
			return append(protected, args[i:]...), false, err
		default:
			protected = append(protected, arg)
		}
	}
	return protected, starts && !inside, err
}

// isHelp reports whether word is the flag --help.
func isHelp(word string) bool { return word == "-h" || word == "--help" }

// helpLine returns the command line to which --help is added, for the help of cmd or of the command that args name. cli takes each
// argument beside --help for the name of a command.
func helpLine(root, cmd *cli.Command, args []string) []string {
	switch name := named(args); {
	case name != "":
		return []string{args[0], name}
	case cmd == root:
		return []string{args[0]}
	}
	return []string{args[0], cmd.Name}
}

// isFlag reports whether cli takes arg for a flag.
func isFlag(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	letter, _ := utf8.DecodeRuneInString(arg[1:])
	return letter == '-' || unicode.IsLetter(letter)
}

// isSignal reports whether arg is the signal of a kill command, as in kill -9, kill -KILL or kill -SIGKILL. A word is
// also a signal if it can be nothing else, so that kill reports the wrong name.
func isSignal(cmd *cli.Command, arg string) bool {
	if cmd.Name != "kill" || len(arg) < 2 || arg[0] != '-' {
		return false
	}
	if strings.Trim(arg[1:], "0123456789") == "" {
		return true // also if there is no such signal: a pid that begins with - comes after --
	}
	if _, err := proc.ParseSignal(arg[1:]); err == nil {
		return true
	}
	first, size := utf8.DecodeRuneInString(arg[1:])
	isName := unicode.IsUpper(first) && len(arg) > 1+size || len(arg) > 3 && strings.EqualFold(arg[1:4], "sig")
	return isName && flagNamed(cmd, cmd, arg[1:]) == nil && !strings.Contains(arg, "=")
}

// flagWords returns the flag or flags in the word arg as cli reads them: -n5 as -n=5, and -af as -a and -f. A long name
// after one dash stays. last is the last of the flags, or nil if there is no such flag. open says that the next word is
// its value.
func flagWords(root, cmd *cli.Command, arg string) (words []string, last cli.Flag, open bool) {
	name, _, attached := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	last = flagNamed(root, cmd, name)
	if last != nil || arg[1] == '-' || utf8.RuneCountInString(name) == 1 {
		return []string{arg}, last, !attached && takesValue(last)
	}
	for rest := arg[1:]; rest != ""; {
		_, size := utf8.DecodeRuneInString(rest)
		letter := rest[:size]
		word := "-" + letter
		last, rest = flagNamed(root, cmd, letter), rest[size:]
		switch {
		case last == nil: // cli reports it
			return append(words, word), nil, false
		case takesValue(last) && rest == "":
			return append(words, word), last, true
		case takesValue(last), strings.HasPrefix(rest, "="):
			return append(words, word+"="+strings.TrimPrefix(rest, "=")), last, false
		}
		words = append(words, word)
	}
	return words, last, false
}

// flagNamed returns the flag of cmd that has the name, also a global one, or nil.
func flagNamed(root, cmd *cli.Command, name string) cli.Flag {
	for _, flag := range slices.Concat(cmd.Flags, root.Flags, []cli.Flag{cli.HelpFlag, cli.VersionFlag}) {
		if slices.Contains(flag.Names(), name) && (cmd == root || !isRootOnly(root, flag)) {
			return flag
		}
	}
	return nil
}

// isRootOnly reports whether a flag is only known before the name of a command.
func isRootOnly(root *cli.Command, flag cli.Flag) bool {
	if flag == cli.VersionFlag {
		return true
	}
	local, ok := flag.(cli.LocalFlag)
	return ok && local.IsLocal() && slices.Contains(root.Flags, flag)
}

func takesValue(flag cli.Flag) bool {
	documented, ok := flag.(cli.DocGenerationFlag)
	return ok && documented.TakesValue()
}
