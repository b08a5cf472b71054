package guard

import (
	"path"
	"slices"
	"strings"

	"devtools/stack/line"
)

// A makefile is what a makefile says of its targets.
type makefile struct {
	first   string
	recipes map[string][]recipe // by target
	needs   map[string][]string
	fits    []string // targets with a %, such as %.o
	vars    map[string]string
	shells  []string // lines of $(shell …) and != that were expanded
	steps   int      // variables that were expanded
}

// A recipe is a line for a shell.
type recipe struct {
	text   string
	always bool // it is executed by make -n too, "Instead of Execution" in the manual of GNU make
}

// The most targets of a makefile that are looked at, and the most variables and lines of $(shell …) that are expanded.
const (
	mostTargets   = 200
	mostExpansion = 20000
	mostShells    = 100
)

// recipes returns the commands for the targets that make makes.
func (x *invocation) recipes() (starts []start) {
	names := x.values("makefile")
	if len(names) == 0 {
		names = []string{"GNUmakefile", "makefile", "Makefile"}
	}
	for _, name := range names {
		text, made, ok := x.makefileText(name)
		switch {
		case !ok:
		case made && !x.dry():
			x.feed(text)
			return append(starts, x.code("make", text))
		default:
			return append(starts, x.recipesOf(text, made)...)
		}
	}
	return x.recipesOf("", false)
}

// recipesOf returns the commands for the targets of a makefile. made says that the line itself has made it.
func (x *invocation) recipesOf(text string, made bool) []start {
	lines := x.targets(text)
	if len(lines) == 0 {
		return nil
	}
	run := func() string {
		for _, one := range lines {
			x.lineOf(one, nil, nil)()
		}
		return line.Unknown
	}
	if !made {
		run = x.fromDisk(run)
	}
	return []start{run}
}

// makefileText returns the text of a makefile. made says that the line itself has made it.
func (x *invocation) makefileText(name string) (text string, made, ok bool) {
	if input := x.command.Input; input != nil && (name == "-" || slices.Contains(inputs, name)) {
		return input.Text, true, true
	}
	full := path.Join(x.inFolder(), name)
	if !x.command.Made(full) {
		full = x.judge.onDiskAs(full)
	}
	if x.command.Made(full) {
		return x.command.Text(full), true, true
	}
	text, ok = x.judge.text(full)
	return text, false, ok
}

// dry reports whether make only prints its commands, or only touches or checks its targets. An option in a variable of the shell
// does not count: make gets it only if the variable is exported.
func (x *invocation) dry() bool {
	options := x.options
	exported := func(name string) bool {
		return slices.ContainsFunc(x.command.Env, func(one string) bool { return strings.HasPrefix(one, name+"=") })
	}
	if !slices.ContainsFunc(x.table.lists["options"], exported) {
		options, _ = x.table.split(x.command.Words)
	}
	return slices.ContainsFunc(options, func(o option) bool { return x.table.names("dry", o.name) })
}

// targets returns the lines for a shell that make executes for its targets.
func (x *invocation) targets(text string) (lines []string) {
	given := map[string]string{"MAKE": "make"}
	if x.dry() {
		given["MAKE"] = "make -n"
	}
	var targets []string
	for _, operand := range x.operands {
		if key, value, set := strings.Cut(operand, "="); set {
			given[strings.TrimRight(key, "?+!:")] = value
		} else {
			targets = append(targets, operand)
		}
	}
	m := parseMakefile(strings.Join(append(x.values("code"), text), "\n"), given)
	for _, value := range given { // make gives these to its commands, in their environment
		m.expand(value, 0)
	}
	if len(targets) == 0 {
		targets = []string{m.first}
	}
	for i := 0; i < len(targets) && i < mostTargets; i++ {
		m.fit(targets[i])
		for _, need := range m.needs[targets[i]] {
			if !slices.Contains(targets, need) {
				targets = append(targets, need)
			}
		}
		for _, r := range m.recipes[targets[i]] {
			one := m.expand(r.text, 0)
			plain := strings.TrimLeft(one, prefixes)
			if r.always || !x.dry() || strings.Contains(one[:len(one)-len(plain)], "+") {
				lines = append(lines, plain)
			}
		}
	}
	return append(lines, m.shells...)
}

// parseMakefile reads the rules and variables of a makefile, as far as they are plain. given are the variables of the
// command line, which win.
func parseMakefile(text string, given map[string]string) *makefile {
	m := &makefile{recipes: map[string][]recipe{}, needs: map[string][]string{}, vars: given}
	own := map[string]bool{}
	for name := range given {
		own[name] = true
	}
	var targets []string
	for l := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		if text, ok := strings.CutPrefix(l, "\t"); ok && targets != nil {
			m.add(targets, text)
			continue
		}
		if l, _, _ = strings.Cut(l, "#"); strings.TrimSpace(l) == "" {
			continue
		}
		if i := strings.IndexAny(l, ":="); i > 0 && (l[i] == '=' || strings.HasPrefix(l[i:], ":=") || strings.HasPrefix(l[i:], "::=")) {
			m.variable(l[:i], l[i:], own)
			continue
		}
		before, after, ok := strings.Cut(l, ":")
		if m.expand(l, 0); !ok {
			targets = nil
			continue
		}
		targets = m.rule(before, after)
	}
	return m
}

// variable reads a line that sets a variable: what stands before its operator, and what follows.
func (m *makefile) variable(before, after string, own map[string]bool) {
	_, value, _ := strings.Cut(after, "=")
	value = strings.TrimSpace(value)
	words := strings.Fields(strings.TrimRight(before, "?+!: \t"))
	if len(words) == 0 {
		return
	}
	name := words[len(words)-1] // behind export or override
	switch {
	case strings.HasSuffix(strings.TrimSpace(before), "!"):
		m.started(m.expand(value, 0))
		value = line.Unknown
	case after[0] == ':':
		m.expand(value, 0)
	}
	if !own[name] {
		m.vars[name] = value
	}
}

// rule reads a line with targets, what they need, and perhaps a recipe. It returns the targets.
func (m *makefile) rule(before, after string) (targets []string) {
	needs, text, has := strings.Cut(strings.TrimPrefix(after, ":"), ";")
	for _, target := range strings.Fields(before) {
		targets = append(targets, target)
		m.needs[target] = append(m.needs[target], strings.Fields(needs)...)
		if strings.Contains(target, "%") {
			m.fits = append(m.fits, target)
		}
		if m.first == "" && target[0] != '.' && !strings.Contains(target, "%") {
			m.first = target
		}
	}
	if has {
		m.add(targets, text)
	}
	return targets
}

// fit gives a target what the targets with a % say that it fits: "Pattern Rules" in the manual of GNU make.
func (m *makefile) fit(target string) {
	for _, one := range m.fits {
		before, after, _ := strings.Cut(one, "%")
		stem, begins := strings.CutPrefix(target, before)
		stem, ends := strings.CutSuffix(stem, after)
		if target == one || !begins || !ends {
			continue
		}
		for _, need := range m.needs[one] {
			m.needs[target] = append(m.needs[target], strings.Replace(need, "%", stem, 1))
		}
		m.recipes[target] = append(m.recipes[target], m.recipes[one]...)
	}
}

// prefixes are what a line of a recipe may begin with, also after its variables are expanded.
const prefixes = "@-+ \t"

// add adds a line to the recipes of targets.
func (m *makefile) add(targets []string, text string) {
	plain := strings.TrimLeft(text, prefixes)
	always := strings.Contains(text[:len(text)-len(plain)], "+") || strings.Contains(text, "$(MAKE)") || strings.Contains(text, "${MAKE}")
	for _, target := range targets {
		m.recipes[target] = append(m.recipes[target], recipe{plain, always})
	}
}

// started keeps a line that make gives to a shell while it reads or expands.
func (m *makefile) started(text string) {
	if len(m.shells) < mostShells {
		m.shells = append(m.shells, text)
	}
}

// expand replaces the variables of make in a line. What is not known becomes a sign.
func (m *makefile) expand(text string, depth int) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		name := text[i : i+1]
		switch text[i] {
		case '$':
			b.WriteByte('$')
			continue
		case '(', '{':
			end := closing(text[i:])
			if end < 0 {
				return b.String() + line.Unknown
			}
			name = text[i+1 : i+end]
			i += end
		}
		b.WriteString(m.value(name, depth))
		if m.steps > mostExpansion || b.Len() > mostScript {
			return line.Unknown
		}
	}
	return b.String()
}

// value returns what $(NAME) becomes. The name may be a call of a function: only that of shell does more than to return a text.
func (m *makefile) value(name string, depth int) string {
	if m.steps++; m.steps > mostExpansion || depth > 5 {
		return line.Unknown
	}
	if function, rest, ok := strings.Cut(strings.TrimLeft(name, " "), " "); ok {
		text := m.expand(rest, depth+1)
		switch called, _, _ := strings.Cut(rest, ","); function {
		case "shell":
			m.started(text)
		case "call":
			m.value(strings.TrimSpace(called), depth+1)
		}
		return line.Unknown
	}
	value, ok := m.vars[name]
	if !ok || len(value) > 1000 {
		return line.Unknown
	}
	return m.expand(value, depth+1)
}

// closing returns the place of the bracket that closes the one at the beginning of a text, -1 if there is none.
func closing(text string) int {
	open, end, depth := text[0], map[byte]byte{'(': ')', '{': '}'}[text[0]], 0
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
