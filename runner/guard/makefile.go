package guard

import (
	"slices"
	"strings"
)

// A makefile is what a makefile says of its targets. Only what is written plainly counts: see "Recipes" in the manual of GNU make.
type makefile struct {
	first   string
	recipes map[string][]string // lines for a shell by target
	needs   map[string][]string
	vars    map[string]string
	getenv  func(name string) string
	shell   func(text string) string // what a line for a shell prints
	open    bool                     // other files and definitions may set variables
	steps   int                      // variables that were expanded
}

// The most targets of a makefile that are looked at, the most variables that are expanded, and the most bytes of what is in brackets.
const (
	mostTargets   = 200
	mostExpansion = 5000
	mostName      = 1000
)

// recipes returns the commands for the targets that make makes.
func (x *command) recipes() []start {
	if !x.table.Has("makefile") {
		return nil
	}
	j := x.shell.judge
	text := ""
	for _, name := range append(x.values("makefile"), "GNUmakefile", "makefile", "Makefile") {
		if text == "" {
			text = j.text(x.path(name))
		}
	}
	m := makefile{recipes: map[string][]string{}, needs: map[string][]string{}, vars: map[string]string{"CURDIR": x.folder()}}
	m.getenv = func(name string) string {
		value, _ := x.variable(name)
		return value
	}
	m.shell = func(text string) string { return strings.TrimSpace(x.another().text(text, nil)) }
	for _, pair := range x.table.List("sets") {
		name, value, _ := strings.Cut(strings.ReplaceAll(pair, "+", " "), "=")
		if m.getenv(name) == "" {
			m.vars[name] = value
		}
	}
	m.parse(text)
	var targets []string
	for _, operand := range x.args {
		if name, value, ok := strings.Cut(operand, "="); ok {
			m.vars[name] = value
		} else {
			targets = append(targets, operand)
		}
	}
	return x.each(m.lines(targets))
}

// parse reads the rules and variables of a makefile.
func (m *makefile) parse(text string) {
	var targets []string
	for l := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		if recipe, ok := strings.CutPrefix(l, "\t"); ok {
			m.add(targets, recipe)
			continue
		}
		l, _, _ = strings.Cut(l, "#")
		word, _, _ := strings.Cut(l, " ")
		m.open = m.open || slices.Contains([]string{"include", "-include", "sinclude", "define"}, word)
		i := strings.IndexAny(l, ":=")
		switch {
		case i <= 0:
		case l[i] == '=' || strings.HasPrefix(l[i:], ":=") || strings.HasPrefix(l[i:], "::="):
			value := strings.TrimSpace(strings.TrimLeft(l[i:], ":="))
			if l[i] == ':' {
				value = m.expand(value)
			}
			m.variable(strings.TrimSpace(strings.TrimPrefix(l[:i], "export ")), value)
		default:
			var recipe string
			l, recipe, _ = strings.Cut(l, ";")
			names, needs, _ := strings.Cut(l, ":")
			if name, value, ok := strings.Cut(needs, "="); ok { // a variable of a target
				m.variable(strings.TrimSpace(strings.TrimRight(name, ":")), strings.TrimSpace(value))
				continue
			}
			targets = strings.Fields(m.expand(names))
			for _, target := range targets {
				if m.first == "" && !strings.HasPrefix(target, ".") {
					m.first = target
				}
				m.needs[target] = append(m.needs[target], strings.Fields(m.expand(strings.TrimLeft(needs, ":")))...)
			}
			if recipe != "" {
				m.add(targets, recipe)
			}
		}
	}
}

func (m *makefile) add(targets []string, recipe string) {
	for _, target := range targets {
		m.recipes[target] = append(m.recipes[target], recipe)
	}
}

// variable sets a variable: the sign before = is still at the end of the name.
func (m *makefile) variable(name, value string) {
	switch bare := strings.TrimSpace(strings.TrimRight(name, "?+!")); {
	case strings.HasSuffix(name, "+"):
		m.vars[bare] = strings.TrimSpace(m.vars[bare] + " " + value)
	case strings.HasSuffix(name, "!"):
		m.vars[bare] = "$(shell " + value + ")"
	case !strings.HasSuffix(name, "?") || m.vars[bare] == "" && m.getenv(bare) == "":
		m.vars[bare] = value
	}
}

// lines returns the lines for a shell that make executes for some targets, and for those that they need.
func (m *makefile) lines(targets []string) (lines []string) {
	if len(targets) == 0 {
		targets = []string{m.first}
	}
	for i := 0; i < len(targets) && i < mostTargets; i++ {
		for _, need := range m.needs[targets[i]] {
			if !slices.Contains(targets, need) {
				targets = append(targets, need)
			}
		}
		for _, l := range m.recipes[targets[i]] { // each is a line for a shell of its own
			m.vars["@"] = targets[i]
			lines = append(lines, strings.TrimLeft(m.expand(l), "@-+ \t"))
		}
	}
	return lines
}

// expand returns a text with the values of variables in place of $(NAME). What make would have to compute is unknown.
func (m *makefile) expand(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "$")
		b.WriteString(before)
		if m.steps++; !ok || rest == "" || m.steps > mostExpansion {
			return b.String()
		}
		name := rest[:1]
		switch text = rest[1:]; name {
		case "$":
			b.WriteString("$")
			continue
		case "(", "{":
			closing, end := map[string]string{"(": ")", "{": "}"}[name], 1
			for end < min(len(rest), mostName) && strings.Count(rest[:end+1], name) > strings.Count(rest[:end+1], closing) {
				end++
			}
			name, text = rest[1:end], rest[min(end+1, len(rest)):]
		}
		value, set := m.vars[name]
		command, isShell := strings.CutPrefix(name, "shell ")
		switch {
		case set:
			delete(m.vars, name) // it may name itself
			b.WriteString(m.expand(value))
			m.vars[name] = value
		case isShell:
			b.WriteString(m.shell(m.expand(command)))
		case strings.ContainsAny(name[:1], "@<^?*+|%"): // names of targets and of what they need
			b.WriteString(anyName)
		case strings.ContainsAny(name, " :$,"): // a function of names
			if name = m.expand(name); strings.Contains(name, "..") || strings.ContainsAny(name, "~"+unknown) || strings.Contains(name, " /") {
				b.WriteString(unknown)
			} else {
				b.WriteString(anyName)
			}
		case m.getenv(name) == "" && m.open:
			b.WriteString(unknown)
		default:
			b.WriteString(m.getenv(name))
		}
	}
}
