package stack

import (
	"regexp"
	"strings"
	"sync"
)

var (
	makeRule   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z0-9][\w./ -]*?)\s*::?(?:[^=:]|$)`) })
	justRecipe = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@?([A-Za-z_][\w-]*)((?:\s+[^:]+)?)\s*:(?:[^=]|$)`) })
	procLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([\w-]+):\s*(.+)$`) })
)

// makefile reads the targets that people call: no patterns, no files, no variables.
func makefile(b *builder, f file) error {
	var targets []*script
	n := 0
	for line := range strings.Lines(string(f.data)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "\t") {
			if recipe := strings.TrimLeft(strings.TrimSpace(line), "@-+"); recipe != "" {
				for _, t := range targets {
					if t.line != "" {
						t.line += " && "
					}
					t.line += recipe
				}
			}
			continue
		}
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		b.scripts, targets = appendScripts(b.scripts, targets), nil
		m := makeRule().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, name := range strings.Fields(m[1]) {
			if !strings.ContainsAny(name, "./%$") {
				targets = append(targets, &script{from: "make", name: name, argv: []string{"make", name}, source: Evidence{File: f.path, Line: n, Key: name, Rank: Declared}})
			}
		}
	}
	b.scripts = appendScripts(b.scripts, targets)
	return nil
}

func appendScripts(all []script, more []*script) []script {
	for _, s := range more {
		s.line = cutLine(s.line)
		all = append(all, *s)
	}
	return all
}

// mostLine is how much of a command that is written down is kept, in bytes.
const mostLine = 1000

func cutLine(line string) string {
	if len(line) <= mostLine {
		return line
	}
	return strings.ToValidUTF8(line[:mostLine], "") + " …"
}

func justfile(b *builder, f file) error {
	var current *script
	n := 0
	flush := func() {
		if current != nil {
			b.script(*current)
		}
		current = nil
	}
	for line := range strings.Lines(string(f.data)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if current != nil {
				if current.line != "" {
					current.line += " && "
				}
				current.line += strings.TrimLeft(strings.TrimSpace(line), "@-")
			}
			continue
		}
		flush()
		m := justRecipe().FindStringSubmatch(line)
		if m == nil || m[1][0] == '_' || strings.HasPrefix(line, "set ") || strings.HasPrefix(line, "alias ") {
			continue
		}
		current = &script{from: "just", name: m[1], argv: []string{"just", m[1]}, source: Evidence{File: f.path, Line: n, Key: m[1], Rank: Declared}}
	}
	flush()
	return nil
}

func taskfile(b *builder, f file) error {
	m, err := yamlMap(f.data)
	for name, value := range tableIn(m, "tasks") {
		line, _ := value.(string)
		if t, ok := value.(map[string]any); ok {
			if internal, _ := t["internal"].(bool); internal {
				continue
			}
			line = strings.Join(append(textsIn(t, "cmds"), textsIn(t, "cmd")...), " && ")
			if cmd := textIn(t, "cmd"); cmd != "" {
				line = cmd
			}
		}
		b.script(script{from: "task", name: name, line: line, argv: []string{"task", name}, source: f.at(Declared, "tasks."+name, "tasks:", name+":")})
	}
	return err
}

// procfile reads the processes of an application. What starts them all is a command too.
func procfile(b *builder, f file) error {
	n, some := 0, false
	for line := range strings.Lines(string(f.data)) {
		n++
		if m := procLine().FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			some = true
			if words := strings.Fields(m[2]); !strings.ContainsAny(m[2], "$|&;<>()`\\\"'*?[]#~!{}") {
				b.script(script{from: "procfile", name: m[1], line: m[2], argv: words, source: Evidence{File: f.path, Line: n, Key: m[1], Rank: Declared}})
			} else {
				b.script(script{from: "procfile", name: m[1], line: m[2], argv: []string{"sh", "-c", m[2]}, source: Evidence{File: f.path, Line: n, Key: m[1], Rank: Declared}})
			}
		}
	}
	if some && f.base == "Procfile.dev" {
		b.script(script{from: "procfile", name: "all", kind: "dev", argv: []string{"foreman", "start", "-f", f.base}, source: f.at(Declared, "")})
	}
	return nil
}
