package stack

import (
	"slices"
	"strings"
	"testing"
)

var taskParsers = map[string]taskParser{
	"package.json": parsePackage, "deno.json": parseDeno, "composer.json": parseComposer, "devbox.json": parseDevbox, "project.json": parseNx,
	"Taskfile.yml": parseTaskfile, "mise.toml": parseMise, ".cargo/config.toml": parseCargo, "pyproject.toml": parsePython, "Pipfile": parsePipfile,
	"Procfile": parseProcfile, "Makefile": parseMakefile, "justfile": parseJustfile,
}

// brief writes the tasks of a file as text for a table.
func brief(f *taskFile) string {
	var all []string
	for _, l := range f.lists {
		for _, t := range l.tasks {
			text := t.name + ":"
			if t.hidden {
				text = "(" + t.name + "):"
			}
			if t.declared != "" {
				text += " " + string(t.declared) + "!"
			}
			for _, s := range t.steps {
				switch {
				case s.task != "":
					text += " ->" + s.task
				case s.foreign != "":
					text += " ?" + s.foreign
				default:
					text += " [" + s.line + "]"
				}
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

func TestTaskFiles(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"package.json", `{"scripts": {"b": "x", "a": "wireit", "c": 7, "d": ""}, "wireit": {"a": {"command": "y", "service": true}}}`, "b: [x]; a: server! [y]"},
		{"deno.json", `{"tasks": {"a": "x", "b": {"command": "y", "dependencies": ["a"]}}}`, "a: [x]; b: ->a [y]"},
		{"composer.json", `{"scripts": {"a": ["@b", "@php x", "A::c"], "b": "y", "post-install-cmd": "z"}}`, "a: ->b [php x] ?A::c; b: [y]; (post-install-cmd): [z]"},
		{"Taskfile.yml", "tasks:\n  a: {deps: [b], cmds: [x, {task: b}], watch: true}\n  b: y\n  c: {internal: true, cmd: z}\n", "a: watcher! ->b [x] ->b; b: [y]; (c): [z]"},
		{"mise.toml", "[tasks.a]\nrun = ['x', 'y']\ndepends = ['b']\n[tasks]\nb = 'z'\n", "a: ->b [x] [y]; b: [z]"},
		{".cargo/config.toml", "[alias]\na = 'run x'\nb = ['test', '-q']\n", "a: [cargo run x]; b: [cargo test -q]"},
		{"pyproject.toml", "[tool.poe.tasks]\na = 'x'\nb = ['a', 'y']\nc = {script = 'p:f'}\n[tool.hatch.envs.e.scripts]\nd = 'z'\n", "a: [x]; b: ->a [y]; c: ?the function p:f; e:d: [z]"},
		{"Pipfile", "[scripts]\na = 'x'\n", "a: [x]"},
		{"Procfile", "web: x -p 1\n# no: y\nworker: z\n", "web: [x -p 1]; worker: [z]"},
		{"Makefile", "V = x\n.PHONY: a\na: b c.o\n\t@$(V) $(W)\n\nb:; y \\\n  z\n%.o: %.c\n\tcc\n", "(.PHONY): ->a; a: ->b [x ${W}]; b: [y    z]; (%.o): [cc]"},
		{"justfile", "v := 'x'\nalias q := a\n# doc\na p='1': b\n  @{{v}} {{p}} \\\n    y\n[private]\nb:\n  #!/usr/bin/env python\n  print()\n_c:\n  z\n", "(q): ->a; a: ->b [x ${PARAMETER} y]; (b): ?a script of another language; (_c): [z]"},
		{"project.json", `{"targets": {"a": {"command": "x"}, "b": {"executor": "@nx/js:node"}, "c": {"continuous": true}}}`, "a: [x]; b: ?the executor @nx/js:node; c: server!"},
		{"devbox.json", `{"shell": {"scripts": {"a": ["x", "y"]}}}`, "a: [x] [y]"},
	} {
		f, err := taskParsers[test.file]([]byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		if got := brief(f); got != test.want {
			t.Errorf("%s: %s\nwanted %s", test.file, got, test.want)
		}
	}
}

// Any text is read or refused, quickly, and each task is found by its name.
func FuzzTaskFiles(f *testing.F) {
	for _, text := range []string{
		`{"scripts": {"a": "b"}, "tasks": {"a": {"command": "x"}}}`, "a: b\n\tc\n", "x := 'y'\na b='c': d\n  {{x}}\n", "tasks: {a: {cmds: [b]}}", "[tasks]\na = ['b']\n[alias]\nc = 'd'\n",
		"[tool.poe.tasks]\na = {sequence = ['b']}\n", "web: x\n", "A = $(A)$(A)\na: $(A)\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, parse := range taskParsers {
			file, _ := parse([]byte(text))
			if file == nil {
				continue
			}
			for _, l := range file.lists {
				for _, one := range l.tasks {
					if l.byName[one.name] != one || len(one.steps) > 2*mostSteps && name != "package.json" {
						t.Errorf("%s: %q has %d steps, and is %v by its name", name, one.name, len(one.steps), l.byName[one.name] == one)
					}
				}
				if l.first != "" && l.first != "default" && name == "Makefile" && !strings.Contains(text, l.first) && !strings.Contains(text, "$") {
					t.Errorf("%s: the first task %q does not stand in it", name, l.first)
				}
				if len(l.byName) != len(l.tasks) || slices.Contains(l.tasks, nil) {
					t.Errorf("%s: %d tasks, %d by their names", name, len(l.tasks), len(l.byName))
				}
			}
		}
	})
}
