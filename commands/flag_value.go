package commands

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"
)

// meantEmpty lists the flags for which an empty value says something: with -C it is the working directory, as for git, and with
// --title the session has none. For the other flags an empty value is a fault: "$NAME" is empty where the variable is not set.
var meantEmpty = []string{"C", "title"}

// checkFlag returns a usage error for the flag in the word arg, which is the last one if arg joins several. rest are the words
// after the flag and its value. What is wrong with a flag alone is said here, before cli reads the command line.
func checkFlag(root, cmd *cli.Command, arg string, flag cli.Flag, name, value string, given bool, rest []string) error {
	if err := checkDashes(root, cmd, arg, flag); err != nil {
		return err
	}
	if flag == nil && cmd == root {
		return checkPlace(root, name, rest)
	}
	return checkValue(flag, name, value, given)
}

// checkValue returns a usage error for a value that no flag of this kind takes. given is false if the command line ends before
// the value. A nil flag is one that cli does not know, and reports.
func checkValue(flag cli.Flag, name, value string, given bool) error {
	switch _, number := flag.(*cli.IntFlag); {
	case flag == nil:
		return nil
	case !takesValue(flag):
		if _, err := strconv.ParseBool(value); given && err != nil {
			return usagef("%s takes no value: leave out %q", dash(name), "="+value)
		}
		return nil
	case !given:
		return &usageError{fmt.Sprintf("%s: %s is missing", dash(name), placeholderOf(flag)), aboutFlag(flag, name)}
	case number:
		return checkNumber(name, value)
	case value == "" && placeholderOf(flag) != "CONDITION" && !slices.ContainsFunc(flag.Names(), isMeantEmpty):
		return &usageError{fmt.Sprintf("%s: %s is empty", dash(name), placeholderOf(flag)), aboutFlag(flag, name)}
	}
	return nil
}

func isMeantEmpty(name string) bool { return slices.Contains(meantEmpty, name) }

// checkNumber returns a usage error for a value that is not a whole number in decimal digits. 010 is 10.
func checkNumber(name, value string) error {
	digits := strings.TrimPrefix(value, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return badValue(name, value, "a whole number, in decimal digits")
	}
	if _, err := strconv.Atoi(value); errors.Is(err, strconv.ErrRange) {
		return usagef("%s: the number %s is too large", dash(name), value)
	}
	return nil
}

// placeholderOf returns what stands for the value of a flag in its usage, such as NAME, or "".
func placeholderOf(flag cli.Flag) string {
	about, ok := flag.(cli.DocGenerationFlag)
	if !ok {
		return ""
	}
	_, rest, _ := strings.Cut(about.GetUsage(), "`")
	placeholder, _, _ := strings.Cut(rest, "`")
	return placeholder
}

// aboutFlag returns what the help says about a flag.
func aboutFlag(flag cli.Flag, name string) string {
	usage, value := flagUsage(flag), placeholderOf(flag)
	if strings.HasPrefix(usage, value) {
		return dash(name) + " " + usage
	}
	return dash(name) + " " + value + ": " + usage
}

// checkDashes returns a usage error for a long flag after one dash, as -timeout, or for one that is misspelt and can be nothing else.
// -timout is -t imout: see meantFlag.
func checkDashes(root, cmd *cli.Command, arg string, flag cli.Flag) error {
	name, _, _ := strings.Cut(arg[1:], "=")
	if strings.HasPrefix(name, "-") || utf8.RuneCountInString(name) < 2 {
		return nil
	}
	meant := name
	if flagNamed(root, cmd, name) == nil {
		if flag != nil { // these are short flags, the last one with its value
			return nil
		}
		if meant = strings.TrimPrefix(nearFlag(cmd, name), "--"); meant == "" {
			return nil
		}
	}
	return &usageError{"unknown flag -" + name, fmt.Sprintf("did you mean %s? a long flag has two dashes", dash(meant))}
}

// checkPlace returns a usage error for a flag before the name of the command that has it. rest are the words after the flag.
func checkPlace(root *cli.Command, name string, rest []string) error {
	for _, word := range rest {
		i := slices.IndexFunc(subcommands, func(c subcommand) bool { return c.name == commandOf(word) })
		if i >= 0 && flagNamed(root, subcommands[i].make(), name) != nil {
			command := subcommands[i].name
			return &usageError{
				fmt.Sprintf("unknown flag %s: it is a flag of %s", dash(name), command),
				fmt.Sprintf("it comes after the command: devtools %s %s", command, dash(name)),
			}
		}
	}
	return nil
}
