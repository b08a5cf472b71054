package guard

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"devtools/stack/line"
)

// tasks returns the commands of scripts in package.json and of targets in a makefile.
func (x *invocation) tasks() []start {
	switch x.names[0] {
	case "npm", "pnpm", "yarn", "bun":
		return x.packageScripts()
	case "make", "gmake":
		return x.recipes()
	}
	return nil
}

// packageScripts returns the scripts of package.json that a package manager runs.
func (x *invocation) packageScripts() (starts []start) {
	if len(x.operands) == 0 {
		return nil
	}
	name, rest := x.operands[0], x.operands[1:]
	var names []string
	switch {
	case (name == "run" || name == "run-script") && len(rest) > 0:
		name, rest = rest[0], rest[1:]
		names = []string{"pre" + name, name, "post" + name}
	case name == "install" || name == "i" || name == "ci":
		names = []string{"preinstall", "install", "postinstall", "prepare"}
	default:
		names = []string{"pre" + name, name, "post" + name}
	}
	text, ok := readText(x.judge.onDiskAs(path.Join(x.inFolder(), "package.json")))
	if !ok {
		return nil
	}
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(text), &file) != nil {
		return nil
	}
	for _, one := range names {
		script := file.Scripts[one]
		if script == "" {
			continue
		}
		if one == name {
			script += " " + line.Quote(rest)
		}
		starts = append(starts, x.fromDisk(x.lineOf(script, nil, nil)))
	}
	return starts
}

// inFolder returns the folder in which a command starts others, from the root.
func (x *invocation) inFolder() string { return x.command.Absolute(x.folder()) }

// A makefile is what a makefile says of its targets.
type makefile struct {
	first   string
	recipes map[string][]string // lines for a shell, by target
	needs   map[string][]string
	vars    map[string]string
}

// mostTargets is the most targets of a makefile that are looked at.
const mostTargets = 200

// recipes returns the commands for the targets that make makes.
func (x *invocation) recipes() (starts []start) {
	names := x.values("from")
	if len(names) == 0 {
		names = []string{"GNUmakefile", "makefile", "Makefile"}
	}
	for _, name := range names {
		text, ok := readText(x.judge.onDiskAs(path.Join(x.inFolder(), name)))
		if !ok {
			continue
		}
		m := parseMakefile(text)
		var targets []string
		for _, operand := range x.operands {
			if key, value, set := strings.Cut(operand, "="); set {
				m.vars[key] = value
			} else {
				targets = append(targets, operand)
			}
		}
		if len(targets) == 0 {
			targets = []string{m.first}
		}
		for i := 0; i < len(targets) && i < mostTargets; i++ {
			for _, need := range m.needs[targets[i]] {
				if !slices.Contains(targets, need) {
					targets = append(targets, need)
				}
			}
			for _, recipe := range m.recipes[targets[i]] {
				starts = append(starts, x.fromDisk(x.lineOf(m.expand(recipe, 0), nil, nil)))
			}
		}
		break
	}
	return starts
}

// parseMakefile reads the rules and variables of a makefile, as far as they are plain.
func parseMakefile(text string) *makefile {
	m := &makefile{recipes: map[string][]string{}, needs: map[string][]string{}, vars: map[string]string{}}
	var targets []string
	for l := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		if recipe, ok := strings.CutPrefix(l, "\t"); ok {
			for _, target := range targets {
				m.recipes[target] = append(m.recipes[target], strings.TrimLeft(recipe, "@-+ \t"))
			}
			continue
		}
		if l, _, _ = strings.Cut(l, "#"); strings.TrimSpace(l) == "" {
			continue
		}
		if i := strings.IndexAny(l, ":="); i > 0 && (l[i] == '=' || strings.HasPrefix(l[i:], ":=") || strings.HasPrefix(l[i:], "::=")) {
			_, value, _ := strings.Cut(l, "=")
			m.vars[strings.TrimSpace(strings.TrimRight(l[:i], "?+!:"))] = strings.TrimSpace(value)
			continue
		}
		before, after, ok := strings.Cut(l, ":")
		if targets = nil; !ok {
			continue
		}
		needs, recipe, has := strings.Cut(strings.TrimPrefix(after, ":"), ";")
		for _, target := range strings.Fields(before) {
			targets = append(targets, target)
			m.needs[target] = append(m.needs[target], strings.Fields(needs)...)
			if has {
				m.recipes[target] = append(m.recipes[target], strings.TrimSpace(recipe))
			}
			if m.first == "" && target[0] != '.' {
				m.first = target
			}
		}
	}
	return m
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
			end := strings.IndexByte(text[i:], map[byte]byte{'(': ')', '{': '}'}[text[i]])
			if end < 0 {
				return b.String() + line.Unknown
			}
			name = text[i+1 : i+end]
			i += end
		}
		value, ok := m.vars[name]
		switch {
		case name == "MAKE":
			b.WriteString("make")
		case !ok || depth > 5 || len(value) > 1000:
			b.WriteString(line.Unknown)
		default:
			b.WriteString(m.expand(value, depth+1))
		}
		if b.Len() > mostScript {
			return line.Unknown
		}
	}
	return b.String()
}
