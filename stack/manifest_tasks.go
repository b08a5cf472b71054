package stack

import (
	"path/filepath"
	"strings"
)

// tasks reads the tasks of a file, for the project and for the command lines that are classified in
// it.
func (b *builder) tasks(f file, parse taskParser) (*taskFile, error) {
	t, err := parse(f.data)
	b.d.classifier.addTasks(filepath.Join(b.d.root, filepath.FromSlash(f.path)), t)
	return t, err
}

// scriptsOf adds the tasks of a file to the scripts of the project.
func (b *builder) scriptsOf(f file, t *taskFile, from string) {
	for _, l := range t.lists {
		for _, one := range l.tasks {
			if one.hidden {
				continue
			}
			s := script{from: from, name: one.name, line: one.commands()}
			if l.argv != nil {
				s.argv = append(l.argv[:len(l.argv):len(l.argv)], one.name)
			}
			switch section := l.section; {
			case one.line > 0:
				s.source = Evidence{File: f.path, Line: one.line, Key: one.name, Rank: Declared}
			case t.object != nil:
				s.source = f.at(Declared, section+"."+one.name, `"`+section+`"`, `"`+one.name+`"`)
			default:
				s.source = f.at(Declared, section+"."+one.name, section, one.name)
			}
			b.addScript(s)
		}
	}
}

// makefile reads the targets that people call: no patterns, files or variables.
func makefile(b *builder, f file) error {
	t, err := b.tasks(f, parseMakefile)
	b.scriptsOf(f, t, "make")
	return err
}

func justfile(b *builder, f file) error {
	t, err := b.tasks(f, parseJustfile)
	b.scriptsOf(f, t, "just")
	return err
}

func taskfile(b *builder, f file) error {
	t, err := b.tasks(f, parseTaskfile)
	if t != nil {
		b.scriptsOf(f, t, "task")
	}
	return err
}

// procfile reads the processes of an application. A further command starts all of them.
func procfile(b *builder, f file) error {
	t, err := b.tasks(f, parseProcfile)
	for _, one := range t.main().tasks {
		line := one.commands()
		argv := []string{"sh", "-c", line}
		if !strings.ContainsAny(line, "$|&;<>()`\\\"'*?[]#~!{}") {
			argv = strings.Fields(line)
		}
		b.addScript(script{from: "procfile", name: one.name, line: line, argv: argv, source: Evidence{File: f.path, Line: one.line, Key: one.name, Rank: Declared}})
	}
	if len(t.main().tasks) > 0 && f.base == "Procfile.dev" {
		b.addScript(script{from: "procfile", name: "all", kind: "dev", argv: []string{"foreman", "start", "-f", f.base}, source: f.at(Declared, "")})
	}
	return err
}

// mostLine is how many bytes of a command in a file are kept.
const mostLine = 1000

func cutLine(line string) string {
	if len(line) <= mostLine {
		return line
	}
	return strings.ToValidUTF8(line[:mostLine], "") + " …"
}
