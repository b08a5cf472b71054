package commands

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"
)

// A flagRule says with which other flags the flags of a command can be used.
type flagRule struct {
	flags   []string // the rule is for each of these
	without []string // none of these may be given too
	needs   []string // one of these must be given too
	reason  string   // what the message says in addition
}

// checkFlags returns a usage error for the first rule that the command line breaks, or nil.
func checkFlags(cmd *cli.Command, rules []flagRule) error {
	given := givenFlags(cmd)
	for _, rule := range rules {
		flag := firstOf(given, rule.flags)
		if flag == "" {
			continue
		}
		text := ""
		if other := firstOf(given, rule.without); other != "" {
			text = fmt.Sprintf("%s: %s cannot be used with %s", cmd.Name, dash(flag), dash(other))
		} else if len(rule.needs) > 0 && firstOf(given, rule.needs) == "" {
			text = fmt.Sprintf("%s: %s needs %s", cmd.Name, dash(flag), dashAll(rule.needs))
		}
		switch {
		case text == "":
		case rule.reason == "":
			return usagef("%s", text)
		default:
			return usagef("%s: %s", text, rule.reason)
		}
	}
	return nil
}

// firstGiven returns the first of the flags that the command line has, or "".
func firstGiven(cmd *cli.Command, flags []string) string { return firstOf(givenFlags(cmd), flags) }

// firstOf returns the first of the flags that is among those given, or "".
func firstOf(given, flags []string) string {
	for _, flag := range flags {
		if slices.Contains(given, flag) {
			return flag
		}
	}
	return ""
}

// givenFlags returns the names of the flags that the command line has. --paste=false and --head 0 do not count. Asking cli
// about one flag after another would look through all of them each time.
func givenFlags(cmd *cli.Command) (names []string) {
	for _, c := range cmd.Lineage() {
		for _, flag := range c.Flags {
			if value := flag.Get(); flag.IsSet() && value != false && value != 0 {
				names = append(names, flag.Names()...)
			}
		}
	}
	return names
}

// dash returns the name of a flag as it is typed.
func dash(flag string) string {
	if utf8.RuneCountInString(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// dashAll returns the names of flags, one of which is enough.
func dashAll(flags []string) string {
	var names []string
	for _, flag := range flags {
		names = append(names, dash(flag))
	}
	return strings.Join(names, " or ")
}
