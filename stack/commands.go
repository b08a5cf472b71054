package stack

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// kinds are the kinds of commands in the order in which they are listed.
var commandKinds = []string{"dev", "start", "build", "test", "lint", "other"}

// findCommands lists what can be run in the project: what people wrote down, and what each stack is run with where
// nobody did.
func (b *builder) findCommands() {
	slices.SortFunc(b.scripts, func(x, y script) int {
		return cmp.Or(compareFolders(x.source.File, y.source.File), cmp.Compare(x.source.Line, y.source.Line), cmp.Compare(x.name, y.name))
	})
	var all []Command
	for _, s := range b.scripts {
		if s.from == "entry" && len(b.runWords()) == 0 {
			continue // where it is installed is not known
		}
		all = append(all, b.written(s))
	}
	all = append(all, b.usual(all)...)
	slices.SortStableFunc(all, func(x, y Command) int {
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

// usual returns what the stacks of the project are run with. Where package.json has a script of the kind, the people
// of the project have said what to run.
func (b *builder) usual(written []Command) (all []Command) {
	add := func(f *Found, kind string, argv []string) {
		if argv == nil || slices.ContainsFunc(all, func(c Command) bool { return slices.Equal(c.Argv, argv) }) {
			return
		}
		c := Command{Name: f.ID + " " + kind, Kind: kind, Argv: argv, Cwd: b.project.Root, Source: f.Evidence[0]}
		b.classify(&c)
		all = append(all, c)
	}
	for i := range b.project.Stacks {
		f := &b.project.Stacks[i]
		if f.Evidence[0].Rank < Config && f.Kind != "language" && i > 0 {
			continue
		}
		for _, usual := range []struct{ kind, text string }{
			{"dev", f.def.Dev}, {"start", f.def.Start}, {"build", f.def.Build}, {"test", f.def.Test}, {"lint", f.def.Lint},
		} {
			if usual.text == "" {
				continue
			}
			if ecosystem(f.def) != "npm" && !b.installed(f) {
				add(f, usual.kind, expand(usual.text, b.mean))
			} else if b.found["node"] != nil && b.holdsOthers() && f.Kind != "monorepo" && usual.kind == "dev" && f.Evidence[len(f.Evidence)-1].Rank > Config {
				continue // the projects below are developed
			} else if argv := b.byScript(usual.text); argv != nil {
				add(f, usual.kind, argv)
			} else if !hasKind(written, usual.kind) && (usual.kind != "dev" || !hasKind(written, "start")) {
				add(f, usual.kind, expand(usual.text, b.mean))
			}
		}
		switch f.ID {
		case "go":
			for _, target := range b.goMains() {
				add(f, "start", []string{"go", "run", target})
			}
		case "dotnet":
			if argv := b.dotnetRun(); argv != nil {
				add(f, "start", argv)
			}
		case "java-gradle":
			if argv := b.gradleRun(); argv != nil {
				add(f, "start", argv)
			}
		case "crystal":
			if m, err := yamlMap(b.source("shard.yml")); err == nil && len(tableIn(m, "targets")) == 1 {
				for name := range tableIn(m, "targets") {
					add(f, "start", []string{"shards", "run", name})
				}
			}
		case "php":
			if i == 0 && b.has("index.php") {
				add(f, "dev", []string{"php", "-S", "localhost:8000"})
			}
		case "rust":
			b.cargoRuns(func(argv []string) { add(f, "start", argv) })
		case "elixir":
			switch {
			case b.hasMember("mix", "phoenix"):
				add(f, "dev", []string{"mix", "phx.server"})
			case b.mixRuns:
				add(f, "start", []string{"mix", "run", "--no-halt"})
			}
		case "docker-compose":
			if argv := b.composeUp(); argv != nil {
				add(f, "dev", argv)
			}
		}
	}
	for i := range all {
		all[i].several = slices.ContainsFunc(all[i+1:], func(c Command) bool { return c.Name == all[i].Name }) ||
			slices.ContainsFunc(all[:i], func(c Command) bool { return c.Name == all[i].Name })
	}
	return all
}

// hasMember reports whether a member of the workspace of a kind that the project declares has a stack.
func (b *builder) hasMember(kind, id string) bool {
	return slices.ContainsFunc(b.d.builders, func(o *builder) bool {
		return o.found[id] != nil && included(b.project.Members, kind, b.path, o.path)
	})
}

// composeUp returns the command that starts the services of the file of compose, nil where there is none.
func (b *builder) composeUp() []string {
	switch {
	case b.compose == "":
		return nil
	case path.Dir(b.compose) == b.path:
		return []string{"docker", "compose", "up"}
	case b.path == ".":
		return []string{"docker", "compose", "-f", b.compose, "up"}
	}
	return []string{"docker", "compose", "-f", strings.TrimPrefix(b.compose, b.path+"/"), "up"}
}

// byScript returns the command by which a script of package.json that is only the name of a program is called with the
// arguments of a usual command, nil where there is none, or where another script has that command: npm run tauri dev.
func (b *builder) byScript(usual string) (argv []string) {
	line := withoutExec(usual)
	program, arguments, _ := strings.Cut(line, " ")
	for _, s := range b.scripts {
		switch {
		case s.from != "npm":
		case runs(s.line, line) && s.line != program, s.line == program && devNames[s.name] > 0:
			return nil
		case s.line == program && arguments != "":
			argv = append([]string{b.nodeManager(), "run", s.name}, strings.Fields(arguments)...)
		}
	}
	return argv
}

// withoutExec returns the first of the usual commands without the words in braces before it.
func withoutExec(usual string) string {
	usual, _, _ = strings.Cut(usual, " | ")
	for strings.HasPrefix(usual, "{") {
		_, usual, _ = strings.Cut(usual, "} ")
	}
	return usual
}

// runs reports whether a script's line has a command in it.
func runs(line, command string) bool { return strings.Contains(" "+line+" ", " "+command+" ") }

func hasKind(commands []Command, kind string) bool {
	return slices.ContainsFunc(commands, func(c Command) bool {
		return c.Kind == kind && c.named && strings.HasPrefix(c.Source.Key, "scripts.")
	})
}

// devNames are the names of scripts with which people develop, and how much each is rather that than the others.
var devNames = map[string]int{
	"dev": 100, "develop": 94, "start:dev": 92, "dev:start": 90, "start:watch": 82, "serve": 80, "server": 78, "runserver": 78, "watch": 62,
	"start": 70, "web": 66, "up": 50, "run": 56, "all": 98,
}

// devCommand returns the index of the command with which the project is developed, -1 where there is none.
func (b *builder) devCommand(commands []Command) int {
	best, at := 0, -1
	main := (*Found)(nil)
	if len(b.project.Stacks) > 0 {
		main = &b.project.Stacks[0]
	}
	for i, c := range commands {
		if score := b.devScore(main, c); score > best {
			best, at = score, i
		}
	}
	return at
}

func (b *builder) devScore(main *Found, c Command) int {
	if c.Kind != "dev" && c.Kind != "start" {
		return 0
	}
	score := 0
	if c.written && (c.Source.Key != "" || c.Name == "all") {
		score = devNames[strings.ToLower(c.Name)]
		if score == 0 && c.Kind == "dev" {
			score = 40
		}
		if score == 0 {
			score = 20
		}
		if !c.named && aside(c.Name) {
			return 5
		}
		switch {
		case main == nil:
		case withoutExec(main.def.Dev) != "" && runs(strings.Join(c.runs, " ; "), withoutExec(main.def.Dev)):
			score += 60
		case b.d.matchesOne(main.def.DevServerPatterns, c.runs):
			score += 40
		}
		if main != nil && strings.HasPrefix(c.Source.Key, "scripts.") && path.Base(c.Source.File) == "package.json" && ecosystem(main.def) != "npm" && !b.installed(main) {
			score -= 60 // what is built for it by the way
		}
		switch {
		case slices.Contains([]string{"make", "just", "task"}, c.Argv[0]):
			score -= 12
		case !strings.HasPrefix(path.Base(c.Source.File), "Procfile"):
		case c.Name != "all":
			score -= 60 // one of several
		case b.has("bin/dev"):
			score = min(score, 98) // which does the same
		}
		return max(score, 1)
	}
	from, _, _ := strings.Cut(c.Name, " ")
	f := b.found[from]
	switch {
	case main != nil && from == main.ID:
		score = 96
		if c.Argv[0] == "bin/dev" {
			score = 99
		}
		if len(c.Argv) > 3 && c.Argv[1] == "run" && ecosystem(main.def) == "npm" && (main.def.weight() > weights["framework"] || !b.develop()) {
			score = 150
		}
	case f == nil:
	case from == "air":
		score = 97
	case f.Kind == "orchestrator":
		score = 15
	case f.Kind == "monorepo":
		score = 30
	case f.Kind == "language" && main != nil && ecosystem(f.def) == ecosystem(main.def):
		score = 80
	case main != nil && ecosystem(f.def) == ecosystem(main.def) && (f.Kind == "server" || f.Kind == "notebook" || f.def.weight() >= weights["bundler"] && f.Kind != "ssg") && b.score(f) >= 10*f.def.weight():
		score = 30
	}
	if c.Kind == "start" {
		score = max(score-30, min(score, 1))
		if c.several {
			score = max(score-25, min(score, 1)) // which of them is not known
		}
	}
	return score
}

// develop reports whether package.json has a script of a name that says that people develop with it, which does.
func (b *builder) develop() bool {
	return slices.ContainsFunc(b.project.Commands, func(c Command) bool {
		return c.Kind == "dev" && c.Class == Server && devNames[strings.ToLower(c.Name)] >= 80 && strings.HasPrefix(c.Source.Key, "scripts.")
	})
}

// installed reports whether a stack is known only by dependencies of package.json, though it is not made of these.
func (b *builder) installed(f *Found) bool {
	return ecosystem(f.def) != "npm" && !slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return path.Base(e.File) != "package.json" })
}

// matchesAny reports whether a line matches one of some expressions, which were checked before. Each is compiled once.
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

// developing returns what the script of package.json runs with which people develop, nothing where there is none.
func (b *builder) developing() []string {
	best, argv := 0, []string(nil)
	for _, s := range b.scripts {
		switch score := devNames[strings.ToLower(s.name)]; {
		case score <= best || s.line == "":
		case s.from == "npm":
			best, argv = score, []string{"npm", "run", s.name}
		case s.from == "deno":
			best, argv = score, s.argv
		}
	}
	if argv == nil {
		return nil
	}
	return b.does(argv).runs
}

// matchesOne reports whether one of some commands matches one of some expressions, which were checked before.
func (d *detection) matchesOne(patterns, commands []string) bool {
	return slices.ContainsFunc(commands, func(c string) bool { return d.matchesAny(patterns, c) })
}
