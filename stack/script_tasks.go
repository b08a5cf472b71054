package stack

import (
	"path/filepath"
	"slices"
	"strings"

	"devtools/stack/line"
)

// task classifies a task of a file that lists tasks by name.
func (cl *classifier) task(kind, name string, in *invocation, args []line.Word, next int, at location) finding {
	switch kind {
	case "just":
		at.dir = within(at.dir, in.value("-d", "--working-directory"))
		return cl.nearest(name, at, parseJustfile, "justfile", "Justfile", ".justfile")
	case "task":
		at.dir = within(at.dir, in.value("-d", "--dir"))
		return cl.nearest(name, at, parseTaskfile, "Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml")
	case "mise":
		return cl.nearest(name, at, parseMise, "mise.toml", ".mise.toml", "mise/config.toml", ".config/mise.toml")
	case "cargo":
		if strings.HasPrefix(name, "+") {
			return cl.call(args, next, at, "cargo")
		}
		return cl.nearest(name, at, parseCargo, ".cargo/config.toml", ".cargo/config")
	case "devbox":
		if f := cl.tasks(cl.upward(at.dir, "devbox.json"), parseDevbox); f != nil && f.get(name) == nil && next < len(args) {
			return cl.call(args, next, at, "")
		}
		return cl.nearest(name, at, parseDevbox, "devbox.json")
	case "composer":
		return cl.nearest(name, at, parseComposer, "composer.json")
	}
	return cl.pythonTask(name, in, args, next, at)
}

// nearest classifies a task in the nearest of some files. Without a name it is the first task.
func (cl *classifier) nearest(name string, at location, parse taskParser, files ...string) finding {
	f := cl.tasks(cl.upward(at.dir, files...), parse)
	if f == nil {
		return cl.guess(name, "there is no "+files[0]+" that can be read", at)
	}
	if name == "" {
		name = f.main().first
	}
	return cl.listed(f, f.main(), name, f.dir(), at, map[string]bool{})
}

// dir returns the folder in which the tasks of a file run.
func (f *taskFile) dir() string {
	dir := filepath.Dir(f.path)
	switch filepath.Base(dir) {
	case ".cargo", ".config", "mise":
		return filepath.Dir(dir)
	}
	return dir
}

// listed classifies a task with the tasks that it runs. seen holds the tasks that were already
// classified for the same command line.
func (cl *classifier) listed(f *taskFile, l *taskList, name, dir string, at location, seen map[string]bool) finding {
	t := l.byName[name]
	switch {
	case t == nil:
		return named(unknown(quoted(at.text)+": "+cl.below(f.path)+" has no "+l.what+" "+shorten(name)), name, at)
	case seen[name] || len(seen) > 100:
		return unknown(quoted(at.text) + ": the " + l.what + " " + shorten(name) + " runs itself")
	}
	seen[name] = true
	var findings []finding
	if t.declared != "" {
		findings = append(findings, finding{class: t.declared, confidence: High, reason: quoted(at.text) + " is declared to keep running in " + cl.below(f.path)})
	}
	for i, s := range t.steps {
		var one finding
		switch {
		case s.task != "" && seen[s.task]:
			continue // its finding is among the others, or it has none
		case s.task != "":
			one = cl.listed(f, l, s.task, dir, at, seen)
		case s.foreign != "" && s.does != "" && s.does != Unknown:
			one = finding{class: s.does, confidence: s.sure, reason: quoted(at.text) + " " + s.does.description() + ", as it calls " + shorten(s.foreign)}
		case s.foreign != "":
			one = unknown(quoted(at.text) + " runs " + shorten(s.foreign))
		default:
			one = cl.followScript(f.path+" "+name+" "+s.line, withoutTemplates(s.line), dir, at)
		}
		if i < len(t.steps)-1 && one.class == Unknown {
			one.class, one.confidence = Oneshot, Low
			one.reason += ", but something in " + shorten(name) + " waits for its end"
		}
		findings = append(findings, one)
	}
	switch {
	case len(t.steps) == 0 && len(findings) == 0:
		return finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + ": the " + l.what + " runs nothing", resolved: true}
	case len(findings) == 0:
		return unknown(quoted(at.text) + ": the " + l.what + " " + shorten(name) + " runs itself")
	}
	merged := named(all(findings), name, at)
	merged.bounded = ""
	return merged
}

// withoutTemplates replaces each template of a task runner by a variable.
func withoutTemplates(text string) string {
	for range 50 {
		before, rest, ok := strings.Cut(text, "{{")
		_, after, closed := strings.Cut(rest, "}}")
		if !ok || !closed {
			break
		}
		text = before + "${TEMPLATE}" + after
	}
	return text
}

// makefile classifies the targets in the arguments of make.
func (cl *classifier) makefile(in *invocation, at location) finding {
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
	var f *taskFile
	for _, name := range names {
		if f == nil && dir != "" {
			f = cl.tasks(filepath.Join(dir, name), parseMakefile)
		}
	}
	if f == nil && len(targets) == 0 {
		return finding{class: Build, confidence: Low, reason: quoted(at.text) + " builds, as make does by default; there is no Makefile"}
	}
	if f != nil && len(targets) == 0 {
		targets = []string{f.main().first}
	}
	var findings []finding
	seen := map[string]bool{}
	for _, target := range targets {
		if f == nil {
			findings = append(findings, cl.guess(target, "there is no Makefile", at))
		} else if !seen[target] {
			findings = append(findings, cl.listed(f, f.main(), target, dir, at, seen))
		}
	}
	merged := all(findings)
	merged.bounded = ""
	return merged
}

// pythonTask classifies the argument of poe, pdm, hatch, taskipy, pipenv or uv: a task of the
// project, otherwise a program.
func (cl *classifier) pythonTask(name string, in *invocation, args []line.Word, next int, at location) finding {
	project := cl.tasks(cl.upward(at.dir, "pyproject.toml"), parsePython)
	found := []*taskFile{project}
	switch in.name {
	case "pipenv-run":
		found = append(found, cl.tasks(cl.upward(at.dir, "Pipfile"), parsePipfile))
	case "hatch-run":
		found = append(found, cl.tasks(cl.upward(at.dir, "hatch.toml"), parseHatch))
	}
	tool, _ := strings.CutSuffix(in.name, "-run")
	ofOwn := tool == "hatch" || tool == "pixi" || tool == "pipenv" // they do not know the tasks of other tools
	for _, f := range found {
		if f == nil {
			continue
		}
		for _, l := range f.lists {
			if l.byName[name] != nil && !(ofOwn && l.argv[0] != tool) {
				return cl.listed(f, l, name, f.dir(), at, map[string]bool{})
			}
		}
	}
	if in.name == "poe" || in.name == "poethepoet" || in.name == "taskipy" {
		if project != nil {
			return unknown(quoted(at.text) + ": " + cl.below(project.path) + " has no task " + shorten(name))
		}
		return cl.guess(name, "there is no pyproject.toml", at)
	}
	if slices.Contains([]string{"test", "install", "copy", "sync", "reset", "export"}, name) { // nobody means the shell's program of this name
		return cl.guess(name, "no file that is read has a task of this name", at)
	}
	return cl.call(args, next, at, "")
}

// procfile classifies the processes of a Procfile.
func (cl *classifier) procfile(in *invocation, names []line.Word, at location) finding {
	file := in.value("-f", "--procfile")
	if file == "" {
		file = "Procfile"
	}
	dir := within(at.dir, in.value("-d", "--root"))
	declared := finding{class: Server, confidence: Medium, reason: quoted(at.text) + " starts what its file lists, and stays with it", port: in.port()}
	if dir == "" || !slices.Contains([]string{"foreman", "overmind", "hivemind", "honcho", "goreman", "nf", "shoreman", "forego"}, in.name) {
		return declared
	}
	f := cl.tasks(filepath.Join(dir, file), parseProcfile)
	if f == nil {
		return declared
	}
	var findings []finding
	for _, t := range f.main().tasks[:min(len(f.main().tasks), 50)] {
		if len(names) == 0 || slices.ContainsFunc(names, func(w line.Word) bool { return w.Text == t.name }) {
			findings = append(findings, cl.followScript(f.path+" "+t.name, t.commands(), dir, at))
		}
	}
	if len(findings) == 0 {
		return declared
	}
	if f := all(findings); f.class == Server || f.class == Watcher {
		f.confidence = max(f.confidence, Medium)
		f.bounded = ""
		return f
	}
	return declared
}
