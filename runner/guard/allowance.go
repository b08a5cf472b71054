package guard

import (
	"fmt"
	"slices"
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
		if r.Action.Action == Allow {
			list = append(list, Allowance{r.Name, r.line, r.kinds(), r.conditions()})
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

// kinds returns the kinds of calls that a rule names.
func (r *rule) kinds() (names []string) {
	for _, k := range r.Calls {
		names = append(names, k.name)
	}
	return names
}

// conditions returns the conditions of a rule about commands, as devtools has understood them: text in the file could look like
// conditions and be none.
func (r *rule) conditions() (list []string) {
	add := func(key string, words []string) {
		if len(words) > 0 {
			list = append(list, fmt.Sprintf("%s = [%s]", key, strings.Join(words, ", ")))
		}
	}
	add("program", quotedWords(r.Program, func(g glob) string { return g.pattern }))
	add("subcommand", quotedWords(r.Subcommand, func(s string) string { return s }))
	add("flags", quotedWords(r.Flags, func(f flag) string { return f.word }))
	var groups []string
	for _, group := range r.AllFlags {
		groups = append(groups, "["+strings.Join(quotedWords(group, func(f flag) string { return f.word }), ", ")+"]")
	}
	add("all_flags", groups)
	add("paths", quotedWords(r.Paths, func(p place) string { return p.word }))
	add("writes", quotedWords(r.Writes, func(t target) string { return t.word }))
	if r.ReadsPipe {
		list = append(list, "reads_pipe = true")
	}
	return list
}

// quotedWords returns words of a rule in quotes.
func quotedWords[T any](words []T, text func(T) string) (list []string) {
	for _, word := range words {
		list = append(list, fmt.Sprintf("%q", text(word)))
	}
	return list
}
