package stack

import (
	"cmp"
	"regexp"
	"slices"
)

// commandKinds are the kinds of commands, in the order in which they are listed.
var commandKinds = []string{"dev", "start", "build", "test", "lint", "other"}

// findCommands lists the commands of the project: those that people wrote down, and the usual ones
// of each stack.
func (b *builder) findCommands() {
	sortBy(b.scripts, func(x, y script) int {
		return cmp.Or(compareFolders(x.source.File, y.source.File), cmp.Compare(x.source.Line, y.source.Line), cmp.Compare(x.name, y.name))
	})
	var all []Command
	for _, s := range b.scripts {
		if s.from == "entry" && len(b.runWords()) == 0 {
			continue // nothing tells where it is installed
		}
		all = append(all, b.written(s))
	}
	all = append(all, b.usualCommands(all)...)
	sortBy(all, func(x, y Command) int {
		return cmp.Compare(slices.Index(commandKinds, x.Kind), slices.Index(commandKinds, y.Kind))
	})
	p := &b.project
	p.Commands = append(p.Commands, all...)
	if i := b.devCommand(p.Commands); i >= 0 {
		dev := p.Commands[i]
		p.DevCommand = &dev
	}
}

// written returns the command that calls a script.
func (b *builder) written(s script) Command {
	c := Command{Name: s.name, Kind: s.kind, Argv: s.argv, Cwd: b.project.Root, Line: s.line, Source: s.source, written: true, named: true}
	switch s.from {
	case "npm":
		c.Argv = []string{b.nodeManager(), "run", s.name}
		if b.nodeManager() == "deno" {
			c.Argv[1] = "task"
		}
	case "nx":
		c.Argv = append(b.execWords(), s.argv...)
	case "deno":
		c.Argv = []string{"deno", "task", s.name}
	case "entry":
		c.Argv = append(b.runWords(), s.argv...)
	case "python":
		if run := b.runWords(); len(run) > 0 && !slices.Contains([]string{"pdm", "hatch", "pixi", "pipenv"}, s.argv[0]) {
			c.Argv = append(run, s.argv...)
		}
	}
	does := b.classify(&c)
	if c.Kind == "" {
		c.Kind, c.named = kindOf(s.name, does)
	}
	return c
}

// matchesAny reports whether a line matches one of the patterns, which are valid expressions. It
// compiles each once.
func (d *detection) matchesAny(patterns []string, line string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		re, ok := d.compiled[p]
		if !ok {
			re, _ = regexp.Compile(p)
			if d.compiled == nil {
				d.compiled = map[string]*regexp.Regexp{}
			}
			d.compiled[p] = re
		}
		return re != nil && re.MatchString(line)
	})
}

// matchesOne reports whether one of the commands matches one of the patterns, which are valid
// expressions.
func (d *detection) matchesOne(patterns, commands []string) bool {
	return slices.ContainsFunc(commands, func(c string) bool { return d.matchesAny(patterns, c) })
}
