package stack

import (
	"path"
	"slices"
	"strings"
)

// devNames are the names of the scripts that people develop with, each with its score.
var devNames = [...]struct {
	name  string
	score int
}{
	{"dev", 100},
	{"all", 98},
	{"develop", 94},
	{"start:dev", 92},
	{"dev:start", 90},
	{"start:watch", 82},
	{"serve", 80},
	{"server", 78},
	{"runserver", 78},
	{"start", 70},
	{"web", 66},
	{"watch", 62},
	{"run", 56},
	{"up", 50},
}

// devName returns the score of a script's name, 0 if people do not develop with such scripts.
func devName(name string) int {
	for _, n := range devNames {
		if n.name == name {
			return n.score
		}
	}
	return 0
}

// devCommand returns the index of the command that people develop the project with, -1 if there is
// none.
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

// devScore returns how likely people develop the project with a command, 0 for a command of another
// kind. main is the main stack, or nil.
func (b *builder) devScore(main *Found, c Command) int {
	switch {
	case c.Kind != "dev" && c.Kind != "start":
		return 0
	case c.written && (c.Source.Key != "" || c.Name == "all"):
		return b.writtenScore(main, c)
	}
	return b.usualScore(main, c)
}

// writtenScore is the score of a command that somebody wrote down.
func (b *builder) writtenScore(main *Found, c Command) int {
	if !c.named && isSideServer(c.Name) {
		return 5
	}
	score := nameScore(c) + b.mainPoints(main, c)
	switch procfile := strings.HasPrefix(path.Base(c.Source.File), "Procfile"); {
	case slices.Contains([]string{"make", "just", "task"}, c.Argv[0]):
		score -= 12
	case procfile && c.Name != "all":
		score -= 60 // one of several processes
	case procfile && b.has("bin/dev"):
		score = min(score, 98) // bin/dev does the same
	}
	return max(score, 1)
}

// nameScore is the score of a command by its name and its kind.
func nameScore(c Command) int {
	switch score := devName(strings.ToLower(c.Name)); {
	case score != 0:
		return score
	case c.Kind == "dev":
		return 40
	}
	return 20
}

// mainPoints returns what a score gains or loses by how a command uses the main stack.
func (b *builder) mainPoints(main *Found, c Command) (points int) {
	if main == nil {
		return 0
	}
	switch dev := withoutExec(main.def.Dev); {
	case dev != "" && runs(strings.Join(c.runs, " ; "), dev):
		points = 60
	case b.d.matchesOne(main.def.DevServerPatterns, c.runs):
		points = 40
	}
	npm := strings.HasPrefix(c.Source.Key, "scripts.") && path.Base(c.Source.File) == "package.json"
	if npm && ecosystem(main.def) != "npm" && !b.onlyInPackageJSON(main) {
		points -= 60 // it only builds files that the main stack serves
	}
	return points
}

// usualScore is the score of a command that a stack is usually run with.
func (b *builder) usualScore(main *Found, c Command) int {
	score := 0
	from, _, _ := strings.Cut(c.Name, " ")
	switch f := b.found[from]; {
	case main != nil && from == main.ID:
		score = b.mainDevScore(main, c)
	case f == nil:
	case from == "air":
		score = 97
	case f.Kind == "orchestrator":
		score = 15
	case f.Kind == "monorepo":
		score = 30
	case main == nil || ecosystem(f.def) != ecosystem(main.def):
	case f.Kind == "language":
		score = 80
	case b.servesToo(f):
		score = 30
	}
	if c.Kind == "start" {
		score = max(score-30, min(score, 1))
		if c.several {
			score = max(score-25, min(score, 1)) // nothing tells which of them people use
		}
	}
	return score
}

// mainDevScore is the score of the usual command of the main stack.
func (b *builder) mainDevScore(main *Found, c Command) int {
	byScript := len(c.Argv) > 3 && c.Argv[1] == "run" && ecosystem(main.def) == "npm"
	switch {
	case byScript && (main.def.weight() > weightOf("framework") || !b.hasDevScript()):
		return 150
	case c.Argv[0] == "bin/dev":
		return 99
	}
	return 96
}

// servesToo reports whether a stack besides the main one serves by itself, and the project needs it
// not only for tools.
func (b *builder) servesToo(f *Found) bool {
	serves := f.Kind == "server" || f.Kind == "notebook" || f.def.weight() >= weightOf("bundler") && f.Kind != "ssg"
	return serves && b.score(f) >= 10*f.def.weight()
}

// hasDevScript reports whether package.json has a script that serves, with a name for development.
func (b *builder) hasDevScript() bool {
	return slices.ContainsFunc(b.project.Commands, func(c Command) bool {
		return c.Kind == "dev" && c.Class == Server && devName(strings.ToLower(c.Name)) >= 80 && strings.HasPrefix(c.Source.Key, "scripts.")
	})
}

// devScriptRuns returns what the script that people develop with runs, nil if there is none.
func (b *builder) devScriptRuns() []string {
	best, argv := 0, []string(nil)
	for _, s := range b.scripts {
		switch score := devName(strings.ToLower(s.name)); {
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
	return b.classifyArgv(argv).runs
}
