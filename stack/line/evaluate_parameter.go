package line

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parameter expands a parameter: $X, ${X:-word}, "$@", ${a[1]}.
func (s *shell) parameter(x *syntax.ParamExp, m mode) []partial {
	s.substitutions(x.Index)
	if x.Slice != nil {
		s.substitutions(x.Slice.Offset)
		s.substitutions(x.Slice.Length)
	}
	if x.Length || x.Width || x.Names != 0 || x.Param == nil {
		return []partial{{last: Names, begun: true}}
	}
	if list, ok := s.listed(x); ok {
		return []partial{s.inserted(list, m, (x.Param.Value == "*" || s.dialect != dialectBash && x.Param.Value != "@" && x.Index == nil) && m != modeWord)}
	}
	values := s.scalar(x.Param.Value)
	if s.dialect == dialectZsh && (x.Index != nil || x.Slice != nil) { // they count from 1, and letters behind : are modifiers
		return []partial{{last: Unknown, begun: true}}
	}
	if x.Index != nil {
		values = s.element(x)
	}
	if x.Excl {
		values = s.indirect(values)
	}
	var all []partial
	for _, value := range values {
		for _, changed := range s.changed(x, value) {
			all = append(all, split(changed, m, s.separators())...)
		}
	}
	if len(all) > mostAlternatives {
		return []partial{{last: Unknown, begun: true}}
	}
	return all
}

// listed returns the values of "$@", $* and ${a[@]}.
func (s *shell) listed(x *syntax.ParamExp) ([]string, bool) {
	if x.Excl || x.Exp != nil || x.Repl != nil {
		return nil, false
	}
	name := x.Param.Value
	all := name == "@" || name == "*"
	list := s.parameters()
	if v := s.vars[s.referred(name)]; s.dialect != dialectBash && x.Index == nil && (v.list || name == "argv") { // $X is "${X[@]}"
		if all = true; name != "argv" {
			list = v.array
		}
	}
	if w, ok := x.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		v := s.vars[s.referred(name)]
		if all, list = true, v.array; !v.list {
			list = s.scalar(name)
		}
	}
	if x.Slice != nil && all {
		from, ok := s.number(x.Slice.Offset)
		length, known := s.number(x.Slice.Length)
		if x.Slice.Length == nil {
			length = len(list)
		}
		switch {
		case from < 0:
			from += len(list)
		case name == "@" || name == "*":
			from--
		}
		if !ok || !known || from < 0 || length < 0 || contains(list, Unknown) {
			return []string{Unknown}, true
		}
		from = min(from, len(list))
		list = list[from:][:min(length, len(list)-from)]
	}
	return list, all
}

// inserted returns a list as a part of a word.
func (s *shell) inserted(list []string, m mode, one bool) partial {
	if one {
		return partial{last: strings.Join(list, " "), begun: true}
	}
	if m == modeQuoted && len(list) > 0 {
		return partial{fields: list[:len(list)-1], last: list[len(list)-1], begun: true}
	}
	var p partial
	for _, text := range list {
		for _, q := range split(text, m, s.separators()) {
			if p.begun {
				p.fields = append(p.fields, p.last)
			}
			if len(q.fields) > 0 && q.fields[0] == "" {
				q.fields = q.fields[1:]
			}
			p.fields, p.last, p.begun = append(p.fields, q.fields...), q.last, q.begun
		}
	}
	return p
}

func (s *shell) parameters() []string {
	if !s.known {
		return []string{Unknown}
	}
	return s.params
}

// scalar returns what $NAME may be.
func (s *shell) scalar(name string) []string {
	name = s.referred(name)
	if v, ok := s.vars[name]; ok {
		if v.list {
			if len(v.array) > 0 {
				return v.array[:1]
			}
			return []string{""}
		}
		return v.values
	}
	return s.environment(name)
}

// environment returns what a variable is that the line does not set.
func (s *shell) environment(name string) []string {
	switch name {
	case "@", "*":
		return []string{strings.Join(s.parameters(), " ")}
	case "0", "BASH":
		return []string{s.name}
	case "PWD":
		return []string{s.dir}
	case "OLDPWD":
		return []string{s.before}
	case "#", "?", "$", "!", "-", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "HOSTNAME", "SHLVL", "EPOCHSECONDS":
		return []string{Names}
	case "IFS":
		return []string{" \t\n"}
	case "_", "REPLY", "FUNCNAME", "BASH_SOURCE", "BASH_COMMAND", "BASH_VERSION", "OSTYPE", "MACHTYPE", "HOSTTYPE", "GROUPS", "DIRSTACK", "PIPESTATUS":
		return []string{Unknown}
	}
	if i, err := strconv.Atoi(name); err == nil {
		if !s.known {
			return []string{Unknown}
		}
		if i < 1 || i > len(s.params) {
			return []string{""}
		}
		return s.params[i-1 : i]
	}
	if s.ev.Env != nil {
		value, set, known := s.ev.Env(name)
		switch {
		case set && !strings.ContainsAny(value, Signs):
			return []string{value}
		case known && !set && !s.ev.opened && s.ev.Scripts == 0 && !ofShell(name):
			return []string{""}
		}
	}
	return []string{Unknown}
}

// ofShell reports whether some shell may set a variable by itself, "Shell Variables" in bash(1), zshparam(1).
func ofShell(name string) bool {
	for _, begin := range []string{"BASH", "COMP", "READLINE", "HIST", "OPT", "PS", "zsh", "ZSH", "_flag_"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	switch name {
	case "PATH", "SHELL", "TERM", "COLUMNS", "LINES", "MAPFILE", "COPROC", "SRANDOM", "EPOCHREALTIME", "SHELLOPTS", "MAIL", "HOST", "USERNAME", "VENDOR",
		"match", "MATCH", "mbegin", "mend", "argv", "status", "pipestatus", "path", "commands", "functions", "aliases", "parameters", "options", "history":
		return true
	}
	return false
}

// one returns what a variable is, Unknown if there are several possibilities.
func (s *shell) one(name string) string {
	if values := s.scalar(name); len(values) == 1 {
		return values[0]
	}
	return Unknown
}

// indirect returns what the variables with these names may be.
func (s *shell) indirect(names []string) (values []string) {
	for _, name := range names {
		if isName(name) {
			values = append(values, s.scalar(name)...)
		} else {
			values = append(values, Unknown)
		}
	}
	return values
}

// changed returns what the operator of ${X…} may make of a value.
func (s *shell) changed(x *syntax.ParamExp, value string) []string {
	unknown := strings.ContainsAny(value, Signs)
	switch {
	case x.Exp != nil:
		return s.operated(x.Exp, x.Param.Value, value, unknown)
	case x.Slice != nil:
		from, ok := s.number(x.Slice.Offset)
		length := len(value)
		if x.Slice.Length != nil {
			var known bool
			length, known = s.number(x.Slice.Length)
			ok = ok && known
		}
		if !ok || unknown {
			return []string{Unknown}
		}
		if from < 0 {
			from = max(from+len(value), 0)
		}
		from = min(from, len(value))
		if length < 0 {
			length = max(len(value)+length-from, 0)
		}
		return []string{value[from:min(from+length, len(value))]}
	case x.Repl != nil:
		if x.Repl.Orig == nil {
			return []string{Unknown}
		}
		pattern, with := s.pattern(x.Repl.Orig), s.only(x.Repl.With, modeQuoted)
		if unknown || pattern == "" || strings.ContainsAny(pattern, Signs+"#%") {
			return []string{Unknown}
		}
		n := 1
		if x.Repl.All {
			n = -1
		}
		if n < 0 && strings.Count(value, pattern)*len(with) > mostText {
			return []string{Unknown}
		}
		return []string{strings.Replace(value, pattern, with, n)}
	}
	return []string{value}
}

// pattern returns a pattern, with signs in the place of what matches several texts.
func (s *shell) pattern(word *syntax.Word) string {
	fields := s.alternatives(word, modeWord)
	if len(fields) != 1 {
		return Unknown
	}
	return strings.Join(fields[0], " ")
}

// operated returns what ${X:-word}, ${X#pattern} and the like may be.
func (s *shell) operated(e *syntax.Expansion, name, value string, unknown bool) []string {
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if value == Unknown && !s.unset(name) {
			return []string{value}
		}
		if value != "" && value != Unknown {
			return []string{value}
		}
		word := s.only(e.Word, modeQuoted)
		if e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull {
			s.put(name, variable{values: []string{word}})
		}
		return []string{word}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if value == "" || s.unset(name) {
			return []string{""}
		}
		if word := s.only(e.Word, modeQuoted); value != Unknown {
			return []string{word}
		}
		return []string{"", s.only(e.Word, modeQuoted)}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if value == "" {
			return []string{Unknown} // the shell ends
		}
		return []string{value}
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return s.removed(e, value, unknown)
	case syntax.OtherParamOps:
		if e.Word.Lit() == "P" && !unknown {
			return []string{s.expanded(value)}
		}
	case syntax.UpperAll, syntax.LowerAll:
		if e.Word == nil && !unknown {
			if e.Op == syntax.UpperAll {
				return []string{strings.ToUpper(value)}
			}
			return []string{strings.ToLower(value)}
		}
	}
	return []string{Unknown}
}

// unset reports whether it is known that nothing sets a variable.
func (s *shell) unset(name string) bool {
	if _, ok := s.vars[name]; ok || s.ev.Env == nil || !isName(name) {
		return false
	}
	_, set, known := s.ev.Env(name)
	return known && !set
}

// removed returns a value without the part that a pattern matches.
func (s *shell) removed(e *syntax.Expansion, value string, unknown bool) []string {
	pattern := s.pattern(e.Word)
	suffix := e.Op == syntax.RemSmallSuffix || e.Op == syntax.RemLargeSuffix
	switch {
	case strings.ContainsAny(pattern, Signs) && !unknown && !strings.ContainsAny(pattern, Unknown+Computed):
		return []string{removeGlob(value, strings.ReplaceAll(pattern, Names, "*"), suffix, e.Op == syntax.RemLargeSuffix || e.Op == syntax.RemLargePrefix)}
	case strings.ContainsAny(pattern, Signs):
		if strings.ContainsAny(value, Unknown+Computed) {
			return []string{Unknown}
		}
		return []string{Names}
	case suffix:
		return []string{strings.TrimSuffix(value, pattern)}
	}
	return []string{strings.TrimPrefix(value, pattern)}
}

// removeGlob removes the shortest or the longest part that fits a pattern.
func removeGlob(value, pattern string, suffix, longest bool) string {
	if len(value) > 1000 {
		return Unknown
	}
	best := value
	for i := 0; i <= len(value); i++ {
		part, rest := value[:i], value[i:]
		if suffix {
			part, rest = value[len(value)-i:], value[:len(value)-i]
		}
		if ok, err := path.Match(strings.ReplaceAll(pattern, "/", ":"), strings.ReplaceAll(part, "/", ":")); err == nil && ok {
			if best = rest; !longest {
				return best
			}
		}
	}
	return best
}
