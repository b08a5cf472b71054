package stack

import "strings"

// A makeText is the part of a Makefile that tells what a target runs.
type makeText struct {
	list      *taskList
	variables map[string]string
	left      int // how many bytes variables may still expand to
}

// parseMakefile reads the rules of a Makefile. Conditions count as true. Included files are not
// read.
func parseMakefile(data []byte) (*taskFile, error) {
	m := &makeText{list: newList("target", "", "make"), variables: map[string]string{"MAKE": "make"}, left: 1 << 20}
	var current []*task
	text := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\\\n", "\\\x00")
	n := 0
	for l := range strings.Lines(text) {
		n++
		at := n
		n += strings.Count(l, "\\\x00")
		l = strings.TrimSuffix(l, "\n")
		if recipe, ok := strings.CutPrefix(l, "\t"); ok {
			for _, t := range current {
				t.recipe(strings.ReplaceAll(recipe, "\\\x00", "\\\n"))
			}
			continue
		}
		l, _, _ = strings.Cut(strings.ReplaceAll(l, "\\\x00", " "), " #")
		trimmed := strings.TrimSpace(l)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if name, value, ok := assignment(trimmed); ok {
			m.variables[name] = value
			current = nil
			continue
		}
		if names, rest, ok := strings.Cut(l, ":"); ok {
			current = m.rule(names, rest, at)
		}
	}
	if goal := m.variables[".DEFAULT_GOAL"]; goal != "" {
		m.list.first = goal
	}
	for _, t := range m.list.tasks {
		for i := range t.steps {
			t.steps[i].line = strings.TrimLeft(m.expand(t.steps[i].line, 0), "@-+ \t")
		}
	}
	m.list.prune()
	return &taskFile{lists: []*taskList{m.list}}, nil
}

// recipe adds a line of a recipe.
func (t *task) recipe(l string) {
	if l = strings.TrimLeft(l, "@-+ \t"); l != "" && l[0] != '#' && len(t.steps) < mostSteps {
		t.steps = append(t.steps, step{line: l})
	}
}

// assignment splits the line of a variable.
func assignment(l string) (name, value string, ok bool) {
	for _, word := range []string{"export ", "override "} {
		l = strings.TrimPrefix(l, word)
	}
	name, value, ok = strings.Cut(l, "=")
	name = strings.TrimSpace(strings.TrimRight(name, ":?+! "))
	if !ok || name == "" || strings.ContainsAny(name, " \t:") {
		return "", "", false
	}
	return name, strings.TrimSpace(value), true
}

// rule adds the targets of a rule, or adds the rule to its targets.
func (m *makeText) rule(names, rest string, line int) []*task {
	var targets []*task
	rest = strings.TrimPrefix(rest, ":")
	needs, recipe, hasRecipe := strings.Cut(rest, ";")
	needs = strings.ReplaceAll(needs, "|", " ")
	for _, name := range strings.Fields(m.expand(names, 0)) {
		if name == ".DEFAULT_GOAL" || len(targets) > 100 {
			continue
		}
		if m.list.first == "" && name[0] != '.' && !strings.Contains(name, "%") {
			m.list.first = name
		}
		t := m.list.byName[name]
		if t == nil {
			t = &task{name: name, line: line, hidden: !plainName(name) || strings.ContainsAny(name[:1], "_-")}
			m.list.add(t)
		}
		if !strings.Contains(needs, "=") && len(t.steps) < mostSteps {
			var before []step
			for _, need := range strings.Fields(m.expand(needs, 0)) {
				before = append(before, step{task: need})
			}
			t.steps = append(before, t.steps...)
		}
		if hasRecipe {
			t.recipe(recipe)
		}
		targets = append(targets, t)
	}
	return targets
}

// expand replaces simple variables by their values. Unknown variables become variables of the shell.
func (m *makeText) expand(text string, depth int) string {
	switch {
	case depth > 8 || depth > 0 && m.left < len(text):
		return "${DEEP}"
	case depth > 0:
		m.left -= len(text)
	}
	if !strings.Contains(text, "$") || len(text) > mostCode {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		closing := map[byte]byte{'(': ')', '{': '}'}[text[i]]
		if closing == 0 {
			if text[i] == '$' {
				b.WriteByte('$')
			} else {
				b.WriteString("${AUTOMATIC}") // $@, $<
			}
			continue
		}
		end := strings.IndexByte(text[i:], closing)
		if end < 0 {
			return b.String()
		}
		name := text[i+1 : i+end]
		i += end
		if value, ok := m.variables[name]; ok {
			b.WriteString(m.expand(value, depth+1))
		} else if strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == "" {
			b.WriteString("${" + name + "}")
		} else {
			b.WriteString("${FUNCTION}")
		}
	}
	return b.String()
}

// parseJustfile reads the recipes of a justfile.
func parseJustfile(data []byte) (*taskFile, error) {
	list, variables := newList("recipe", "", "just"), map[string]string{}
	var current *task
	private, n := false, 0
	for l := range strings.Lines(strings.ReplaceAll(string(data), "\r\n", "\n")) {
		n++
		l = strings.TrimRight(l, "\n")
		switch {
		case strings.TrimSpace(l) == "":
		case l[0] == ' ' || l[0] == '\t':
			if current != nil {
				current.justLine(interpolated(strings.TrimSpace(l), variables))
			}
		case l[0] == '[':
			current, private = nil, private || strings.Contains(l, "private")
		case l[0] == '#':
			current = nil
		default:
			if current = justHead(l, n, list, variables); current != nil {
				current.hidden = private || current.name[0] == '_'
				list.add(current)
				if list.first == "" || current.name == "default" {
					list.first = current.name
				}
			}
			private = false
		}
	}
	for _, t := range list.tasks {
		t.justScript()
	}
	list.prune()
	return &taskFile{lists: []*taskList{list}}, nil
}

// justHead reads a line of a justfile outside a recipe. It returns the recipe that begins there, or
// nil.
func justHead(l string, n int, list *taskList, variables map[string]string) *task {
	if alias, ok := strings.CutPrefix(l, "alias "); ok {
		if name, target, ok := strings.Cut(alias, ":="); ok {
			list.add(&task{name: strings.TrimSpace(name), line: n, steps: []step{{task: strings.TrimSpace(target)}}, hidden: true})
		}
		return nil
	}
	if strings.HasPrefix(l, "set ") {
		return nil
	}
	if name, value, ok := strings.Cut(l, ":="); ok {
		variables[strings.TrimSpace(strings.TrimPrefix(name, "export "))] = strings.Trim(strings.TrimSpace(value), `"'`)
		return nil
	}
	head, needs, ok := strings.Cut(l, ":")
	words := strings.Fields(strings.TrimPrefix(head, "@"))
	if !ok || len(words) == 0 || !plainName(words[0]) {
		return nil
	}
	t := &task{name: words[0], line: n}
	needs, _, _ = strings.Cut(needs, "#")
	for _, need := range strings.FieldsFunc(needs, func(r rune) bool { return strings.ContainsRune(" &()", r) }) {
		t.steps = append(t.steps, step{task: need})
	}
	return t
}

// justLine adds a line of a recipe, which may continue the line before it.
func (t *task) justLine(l string) {
	if len(t.steps) >= mostSteps {
		return
	}
	if last := len(t.steps) - 1; last >= 0 {
		if before, ok := strings.CutSuffix(t.steps[last].line, "\\"); ok {
			t.steps[last].line = before + l
			return
		}
	}
	t.steps = append(t.steps, step{line: l})
}

// justScript makes one step of a recipe whose first line makes it a script. In other recipes it
// removes the marks before the lines.
func (t *task) justScript() {
	for i, s := range t.steps {
		if !strings.HasPrefix(s.line, "#!") {
			t.steps[i].line = strings.TrimLeft(s.line, "@-")
			continue
		}
		var script strings.Builder
		for _, s := range t.steps[i+1:] {
			script.WriteString(s.line + "\n")
		}
		t.steps = append(t.steps[:i], step{foreign: "a script of another language"})
		if strings.Contains(s.line, "sh") {
			t.steps[i] = step{line: script.String()}
		}
		return
	}
}

// interpolated replaces the variables of a justfile by their values.
func interpolated(l string, variables map[string]string) string {
	for range 20 {
		before, rest, ok := strings.Cut(l, "{{")
		name, after, closed := strings.Cut(rest, "}}")
		if !ok || !closed {
			break
		}
		value, known := variables[strings.TrimSpace(name)]
		if !known {
			value = "${" + "PARAMETER}"
		}
		l = before + value + after
	}
	return l
}
