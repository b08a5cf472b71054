package stack

import (
	"path"
	"slices"
	"strings"
)

// A usual command is a command that people run a stack with. Nobody wrote it down in the project.
type usual struct {
	kind string
	argv []string // nil if there is none
}

// usualCommands returns the usual commands of the project's stacks.
func (b *builder) usualCommands(written []Command) (all []Command) {
	for i := range b.project.Stacks {
		f := &b.project.Stacks[i]
		if f.Evidence[0].Rank < Config && f.Kind != "language" && i > 0 {
			continue
		}
		for _, u := range append(b.definedCommands(f, written), b.programCommands(f.ID, i == 0)...) {
			if u.argv == nil || slices.ContainsFunc(all, func(c Command) bool { return slices.Equal(c.Argv, u.argv) }) {
				continue
			}
			c := Command{Name: f.ID + " " + u.kind, Kind: u.kind, Argv: u.argv, Cwd: b.project.Root, Source: f.Evidence[0]}
			b.classify(&c)
			all = append(all, c)
		}
	}
	count := map[string]int{}
	for _, c := range all {
		count[c.Name]++
	}
	for i := range all {
		all[i].several = count[all[i].Name] > 1
	}
	return all
}

// definedCommands returns the commands that the definition of a stack names.
func (b *builder) definedCommands(f *Found, written []Command) []usual {
	return []usual{
		{"dev", b.definedCommand(f, "dev", f.def.Dev, written)},
		{"start", b.definedCommand(f, "start", f.def.Start, written)},
		{"build", b.definedCommand(f, "build", f.def.Build, written)},
		{"test", b.definedCommand(f, "test", f.def.Test, written)},
		{"lint", b.definedCommand(f, "lint", f.def.Lint, written)},
	}
}

// definedCommand returns a command of a definition, nil if it does not apply. It does not apply if
// package.json has a script of the same kind.
func (b *builder) definedCommand(f *Found, kind, text string, written []Command) []string {
	switch {
	case text == "":
		return nil
	case ecosystem(f.def) != "npm" && !b.onlyInPackageJSON(f):
		return expand(text, b.placeholderWords)
	case kind == "dev" && b.developedBelow(f):
		return nil
	}
	if argv := b.byScript(text); argv != nil {
		return argv
	}
	if hasKind(written, kind) || kind == "dev" && hasKind(written, "start") {
		return nil
	}
	return expand(text, b.placeholderWords)
}

// developedBelow reports whether the project is the top of a workspace, and people develop the
// projects below with the stack.
func (b *builder) developedBelow(f *Found) bool {
	return b.found["node"] != nil && b.holdsOthers() && f.Kind != "monorepo" && f.Evidence[len(f.Evidence)-1].Rank > Config
}

// programCommands returns the commands of a stack that depend on the programs in the project.
func (b *builder) programCommands(id string, main bool) (all []usual) {
	switch id {
	case "go":
		for _, target := range b.goMains() {
			all = append(all, usual{"start", []string{"go", "run", target}})
		}
	case "dotnet":
		return []usual{{"start", b.dotnetRun()}}
	case "java-gradle":
		return []usual{{"start", b.gradleRun()}}
	case "crystal":
		return []usual{{"start", b.crystalRun()}}
	case "php":
		if main && b.has("index.php") {
			return []usual{{"dev", []string{"php", "-S", "localhost:8000"}}}
		}
	case "rust":
		b.cargoRuns(func(argv []string) { all = append(all, usual{"start", argv}) })
	case "elixir":
		switch {
		case b.hasMember("mix", "phoenix"):
			return []usual{{"dev", []string{"mix", "phx.server"}}}
		case b.mixRuns:
			return []usual{{"start", []string{"mix", "run", "--no-halt"}}}
		}
	case "docker-compose":
		return []usual{{"dev", b.composeUp()}}
	}
	return all
}

// crystalRun returns the command that runs the target of shard.yml, nil if there is not exactly one
// target.
func (b *builder) crystalRun() []string {
	m, err := yamlMap(b.source("shard.yml"))
	if targets := tableIn(m, "targets"); err == nil && len(targets) == 1 {
		for name := range targets {
			return []string{"shards", "run", name}
		}
	}
	return nil
}

// hasMember reports whether a member of the project's workspace has a stack. kind is the kind of the
// workspace.
func (b *builder) hasMember(kind, id string) bool {
	return slices.ContainsFunc(b.d.builders, func(o *builder) bool {
		return o.found[id] != nil && included(b.project.Members, kind, b.path, o.path)
	})
}

// composeUp returns the command that starts the services of the compose file, nil if there is no
// such file.
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

// byScript returns a usual command that calls a script of package.json, such as npm run tauri dev.
// The script is only the name of the program, and the arguments follow it. The result is nil if
// there is no such script, or if another script runs the whole command.
func (b *builder) byScript(usual string) (argv []string) {
	line := withoutExec(usual)
	program, arguments, _ := strings.Cut(line, " ")
	for _, s := range b.scripts {
		switch {
		case s.from != "npm":
		case runs(s.line, line) && s.line != program, s.line == program && devName(s.name) > 0:
			return nil
		case s.line == program && arguments != "":
			argv = append([]string{b.nodeManager(), "run", s.name}, strings.Fields(arguments)...)
		}
	}
	return argv
}

// withoutExec returns the first of the usual commands, without the placeholders at its beginning.
func withoutExec(usual string) string {
	usual, _, _ = strings.Cut(usual, " | ")
	for strings.HasPrefix(usual, "{") {
		_, usual, _ = strings.Cut(usual, "} ")
	}
	return usual
}

// runs reports whether the line of a script contains a command.
func runs(line, command string) bool { return strings.Contains(" "+line+" ", " "+command+" ") }

func hasKind(commands []Command, kind string) bool {
	return slices.ContainsFunc(commands, func(c Command) bool {
		return c.Kind == kind && c.named && strings.HasPrefix(c.Source.Key, "scripts.")
	})
}

// onlyInPackageJSON reports whether only dependencies in package.json tell of a stack that belongs to
// another ecosystem.
func (b *builder) onlyInPackageJSON(f *Found) bool {
	return ecosystem(f.def) != "npm" && !slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return path.Base(e.File) != "package.json" })
}
