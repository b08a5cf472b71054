package stack

import (
	"path/filepath"
	"slices"
	"strings"
)

// A makeText is what is understood of a Makefile: enough to know what a target runs.
type makeText struct {
	rules     map[string]*makeTarget
	variables map[string]string
	first     string // the target that make makes by default
}

type makeTarget struct {
	needs  []string
	recipe []string
}

// readMakefile reads the rules of a Makefile. Conditions count as true, and what other files have is left out.
func readMakefile(text string) *makeText {
	m := &makeText{rules: map[string]*makeTarget{}, variables: map[string]string{"MAKE": "make"}}
	var current []*makeTarget
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", "\\\x00")
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if recipe, ok := strings.CutPrefix(l, "\t"); ok {
			for _, r := range current {
				r.recipe = append(r.recipe, strings.ReplaceAll(recipe, "\\\x00", "\\\n"))
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
			current = m.rule(names, rest)
		}
	}
	return m
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

func (m *makeText) rule(names, rest string) []*makeTarget {
	var made []*makeTarget
	rest = strings.TrimPrefix(rest, ":")
	needs, recipe, hasRecipe := strings.Cut(rest, ";")
	needs = strings.ReplaceAll(needs, "|", " ")
	for _, name := range strings.Fields(m.expand(names, 0)) {
		if name == ".DEFAULT_GOAL" || len(m.rules) > 5000 {
			continue
		}
		if m.first == "" && name[0] != '.' && !strings.Contains(name, "%") {
			m.first = name
		}
		r := m.rules[name]
		if r == nil {
			r = &makeTarget{}
			m.rules[name] = r
		}
		if !strings.Contains(needs, "=") {
			r.needs = append(r.needs, strings.Fields(m.expand(needs, 0))...)
		}
		if hasRecipe {
			r.recipe = append(r.recipe, strings.TrimSpace(recipe))
		}
		made = append(made, r)
	}
	return made
}

// expand puts simple variables in; what it does not know stays, as a variable of the shell.
func (m *makeText) expand(text string, depth int) string {
	if !strings.Contains(text, "$") || depth > 8 || len(text) > mostCode {
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

// makefile classifies the targets that make is called with.
func (j *judge) makefile(in *invocation, at spot) finding {
	dir := within(at.dir, in.value("-C", "--directory"))
	names := []string{"GNUmakefile", "makefile", "Makefile"}
	if file := in.value("-f", "--file", "--makefile"); file != "" {
		names = []string{file}
	}
	var targets []string
	for _, i := range in.operands {
		if !strings.Contains(in.args[i].Text, "=") {
			targets = append(targets, in.args[i].Text)
		}
	}
	var text []byte
	if dir != "" {
		for _, name := range names {
			if text = j.read(filepath.Join(dir, name), mostManifest); text != nil {
				break
			}
		}
	}
	if text == nil {
		if len(targets) == 0 {
			return finding{class: Build, confidence: Low, reason: quoted(at.text) + " builds, as make does by default; there is no Makefile"}
		}
		var findings []finding
		for _, target := range targets {
			findings = append(findings, j.guess(target, "there is no Makefile", at))
		}
		return all(findings)
	}
	m := readMakefile(string(text))
	if len(targets) == 0 {
		if goal := m.variables[".DEFAULT_GOAL"]; goal != "" {
			m.first = goal
		}
		targets = []string{m.first}
	}
	var findings []finding
	seen := map[string]bool{}
	for _, target := range targets {
		if m.rules[target] == nil {
			findings = append(findings, unknown(quoted(at.text)+": the Makefile has no target "+target))
			continue
		}
		findings = append(findings, j.target(m, target, dir, at, seen)...)
	}
	if len(findings) == 0 {
		return finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + ": the target runs nothing", resolved: true}
	}
	f := named(all(findings), targets[len(targets)-1], at)
	f.bounded = ""
	return f
}

// target classifies what a target and those that it needs run.
func (j *judge) target(m *makeText, name, dir string, at spot, seen map[string]bool) []finding {
	r := m.rules[name]
	if r == nil || seen[name] || len(seen) > 100 {
		return nil
	}
	seen[name] = true
	var findings []finding
	for _, need := range r.needs {
		for _, f := range j.target(m, need, dir, at, seen) {
			findings = append(findings, waited(f, need))
		}
	}
	for i, l := range r.recipe {
		l = strings.TrimLeft(m.expand(l, 0), "@-+ \t")
		if l == "" || l[0] == '#' {
			continue
		}
		f := j.follow(dir+" make "+name+" "+l, l, dir, at)
		if i < len(r.recipe)-1 {
			f = waited(f, name)
		}
		findings = append(findings, f)
	}
	return findings
}

// waited is a finding of something whose end something waits for.
func waited(f finding, name string) finding {
	if f.class == Unknown {
		f.class, f.confidence = Oneshot, Low
		f.reason += ", but something in " + name + " waits for its end"
	}
	return f
}

// A recipe of a justfile.
type recipe struct {
	needs []string
	lines []string
}

// readJustfile reads the recipes of a justfile.
func readJustfile(text string) (recipes map[string]*recipe, first string) {
	recipes = map[string]*recipe{}
	variables := map[string]string{}
	var current *recipe
	for l := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		l = strings.TrimRight(l, "\n")
		if strings.HasPrefix(l, " ") || strings.HasPrefix(l, "\t") {
			if current != nil {
				current.lines = append(current.lines, interpolated(strings.TrimSpace(l), variables))
			}
			continue
		}
		if strings.TrimSpace(l) == "" {
			continue
		}
		current = nil
		if strings.ContainsAny(l[:1], "#[") || len(recipes) > 5000 {
			continue
		}
		if alias, ok := strings.CutPrefix(l, "alias "); ok {
			if name, target, ok := strings.Cut(alias, ":="); ok {
				recipes[strings.TrimSpace(name)] = &recipe{needs: []string{strings.TrimSpace(target)}}
			}
			continue
		}
		if name, value, ok := strings.Cut(l, ":="); ok && !strings.HasPrefix(l, "set ") {
			variables[strings.TrimSpace(strings.TrimPrefix(name, "export "))] = strings.Trim(strings.TrimSpace(value), `"'`)
			continue
		}
		head, needs, ok := strings.Cut(l, ":")
		words := strings.Fields(strings.TrimLeft(head, "@_"))
		if !ok || len(words) == 0 || strings.HasPrefix(l, "set ") {
			continue
		}
		needs, _, _ = strings.Cut(needs, "#")
		current = &recipe{needs: strings.FieldsFunc(needs, func(r rune) bool { return strings.ContainsRune(" &()", r) })}
		if recipes[words[0]] = current; first == "" {
			first = words[0]
		}
	}
	return recipes, first
}

// interpolated puts the variables of a justfile in.
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

// justfile classifies a recipe.
func (j *judge) justfile(name, dir string, recipes map[string]*recipe, at spot, seen []string) finding {
	r := recipes[name]
	if r == nil || slices.Contains(seen, name) || len(seen) > 50 {
		return unknown(quoted(at.text) + ": the justfile has no recipe " + name)
	}
	seen = append(seen, name)
	var findings []finding
	for i, need := range r.needs {
		if recipes[need] == nil {
			continue
		}
		f := j.justfile(need, dir, recipes, at, seen)
		if i < len(r.needs)-1 || len(r.lines) > 0 {
			f = waited(f, name)
		}
		findings = append(findings, f)
	}
	switch script := len(r.lines) > 0 && strings.HasPrefix(r.lines[0], "#!"); {
	case script && !strings.Contains(r.lines[0], "sh"):
		findings = append(findings, unknown(quoted(at.text)+": the recipe is no shell script"))
	case script:
		findings = append(findings, j.follow(dir+" just "+name, strings.Join(r.lines[1:], "\n"), dir, at))
	default:
		for i, l := range r.lines {
			if l = strings.TrimLeft(l, "@-"); l == "" {
				continue
			}
			f := j.follow(dir+" just "+name+" "+l, l, dir, at)
			if i < len(r.lines)-1 {
				f = waited(f, name)
			}
			findings = append(findings, f)
		}
	}
	if len(findings) == 0 {
		return finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + ": the recipe runs nothing", resolved: true}
	}
	f := named(all(findings), name, at)
	f.bounded = ""
	return f
}
