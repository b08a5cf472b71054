package guard

import (
	"slices"
	"strconv"
	"strings"
)

// An Allowance is a rule, or a key of [pty], that allows something.
type Allowance struct {
	Name       string   // name of the rule, or "pty.launch" and the like
	Line       int      // in the policy file; counted from 1
	Calls      []string // kinds of calls that it is about; nil for all
	Conditions []string // what else a command must fulfil, such as `program = ["git"]`; nil: it allows every command
}

// allowances returns what a policy allows, in the order of the file.
func (s *ruleSet) allowances() (list []Allowance) {
	for _, r := range s.rules {
		if r.action == Allow {
			list = append(list, Allowance{r.Name, r.line, r.Calls, r.conditions()})
		}
	}
	for key, r := range s.pty {
		if r.action == Allow {
			calls := slices.DeleteFunc(Kinds(), func(kind string) bool { return ptyKey(kind) != key })
			list = append(list, Allowance{"pty." + key, r.line, calls, nil})
		}
	}
	slices.SortStableFunc(list, func(a, b Allowance) int { return a.Line - b.Line })
	return list
}

// conditions returns the conditions of a rule about commands, as devtools has understood them: text in the file could look like
// conditions and be none. There are none if it holds for all commands.
func (r *rule) conditions() (list []string) {
	var groups []string
	for _, group := range r.AllFlags {
		groups = append(groups, quotedList(group))
	}
	for _, one := range []struct{ key, words string }{
		{"program", quotedList(r.Program)},
		{"subcommand", quotedList(r.Subcommand)},
		{"except", quotedList(r.Except)},
		{"flags", quotedList(r.Flags)},
		{"all_flags", "[" + strings.Join(groups, ", ") + "]"},
		{"paths", quotedList(r.Paths)},
		{"writes", quotedList(r.Writes)},
	} {
		if one.words != "[]" {
			list = append(list, one.key+" = "+one.words)
		}
	}
	if r.ReadsPipe {
		list = append(list, "reads_pipe = true")
	}
	return list
}

// quotedList returns words of a rule in quotes, as a list.
func quotedList(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
