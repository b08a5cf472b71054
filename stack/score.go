package stack

import (
	"path"
	"slices"
	"strings"
)

// A candidate is a stack that may be the main one of a project, with the facts for its score.
type candidate struct {
	*builder
	stack *Found
	npm   bool // its ecosystem is that of package.json
	file  bool // a file of its own lies in the project's folder
	tool  bool // the project depends on it only for development
}

// scoreRules change the score of a candidate. The first rule that applies counts.
var scoreRules = []struct {
	points  int
	applies func(c *candidate) bool
}{
	{60, (*candidate).developed},
	{-400, (*candidate).forProjectsBelow},
	{-200, (*candidate).documentation},
	{-200, (*candidate).bundlerOfOtherLanguage},
	{-30, (*candidate).languageOfTools},
	{-400, (*candidate).onlyForTests},
	{-200, (*candidate).onlyForTools},
}

// developed reports whether the script that people develop with starts the stack.
func (c *candidate) developed() bool {
	return c.npm && c.stack.Kind != "language" && c.d.matchesOne(c.stack.def.DevServerPatterns, c.devRuns)
}

// forProjectsBelow reports whether the top of a workspace has the stack only for the projects below.
func (c *candidate) forProjectsBelow() bool {
	return c.npm && !c.file && c.holdsOthers() && c.stack.def.weight() > weightOf("monorepo")
}

// documentation reports whether the stack makes the documents of a project that people develop with another one.
func (c *candidate) documentation() bool {
	return c.npm && !c.file && c.stack.Kind == "ssg" && len(c.devRuns) > 0
}

// bundlerOfOtherLanguage reports whether the stack only bundles what a project of another language serves.
func (c *candidate) bundlerOfOtherLanguage() bool {
	return c.npm && c.stack.Kind == "bundler" && c.otherLanguage()
}

// languageOfTools reports whether a project of another language has only tools in the language of the stack.
func (c *candidate) languageOfTools() bool {
	return c.npm && c.stack.Kind == "language" && len(c.devRuns) == 0 && c.otherLanguage() && !c.isProgram()
}

// onlyForTests reports whether only the tests of the project need the stack.
func (c *candidate) onlyForTests() bool {
	return c.tool && !c.file && (c.stack.Kind == "server-library" || !c.npm)
}

// onlyForTools reports whether only other tools call the stack's program.
func (c *candidate) onlyForTools() bool {
	return c.tool && !c.file && strings.Contains(c.stack.def.Dev, "{exec}") && !c.calledAnywhere(c.stack.def)
}

// score returns how likely a stack is the main one of the project. It depends on the stack's weight,
// on the rank of its evidence, and on its part in the project.
func (b *builder) score(f *Found) int {
	c := candidate{
		builder: b, stack: f, npm: ecosystem(f.def) == "npm", tool: b.onlyTool(f),
		file: slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return e.Rank == Config && path.Dir(e.File) == b.path }),
	}
	score := 10*f.def.weight() + b.evidencePoints(f)
	for _, rule := range scoreRules {
		if rule.applies(&c) {
			score += rule.points
			break
		}
	}
	if f.Kind == "docs" && b.packaged {
		score -= 100 // the documents of a package
	}
	if !c.npm && f.Kind == "server-library" {
		score += 20 // the package.json beside it starts its front end
	}
	return score
}

// evidencePoints returns what weak evidence takes from a score.
func (b *builder) evidencePoints(f *Found) int {
	switch rank := f.Evidence[0].Rank; {
	case rank == Hoisted:
		return -400
	case rank != Shared:
		return 0
	case b.foreign(f):
		return -420 // another language uses the same file name
	}
	return -120
}

// onlyTool reports whether the project has a stack only through dependencies for development.
func (b *builder) onlyTool(f *Found) bool {
	some := false
	for registry, names := range f.def.Deps {
		for _, name := range names {
			if dep, ok := b.deps[registry+" "+name]; ok {
				if !dep.dev {
					return false
				}
				some = true
			}
		}
	}
	return some
}

// calledAnywhere reports whether a script runs the program of a stack. It is also true if there is
// neither a script nor a task runner that could.
func (b *builder) calledAnywhere(def *Definition) bool {
	_, after, _ := strings.Cut(def.Dev, "{exec} ")
	program, _, _ := strings.Cut(after, " ")
	some := b.found["gulp"] != nil || b.found["grunt"] != nil
	for _, s := range b.scripts {
		if s.from != "npm" && s.from != "deno" {
			continue
		}
		some = true
		words := strings.FieldsFunc(s.line, func(r rune) bool { return strings.ContainsRune(" \t\"'`;&|()", r) })
		if slices.Contains(words, program) || b.d.matchesAny(def.DevServerPatterns, s.line) {
			return true
		}
	}
	return !some
}

// isProgram reports whether package.json has what a program needs: dependencies, and scripts.
func (b *builder) isProgram() bool {
	scripts := slices.ContainsFunc(b.scripts, func(s script) bool { return s.from == "npm" })
	for key, dep := range b.deps {
		if scripts && !dep.dev && strings.HasPrefix(key, "npm ") {
			return true
		}
	}
	return false
}

// foreign reports whether a stack belongs to another ecosystem than the languages of the project.
// Languages that only a hint tells do not count.
func (b *builder) foreign(f *Found) bool {
	some := false
	for _, l := range b.found {
		if l.Kind != "language" || !l.def.Root || l.ID == "node" || l.Evidence[0].Rank < Config {
			continue
		}
		if some = true; ecosystem(l.def) == ecosystem(f.def) {
			return false
		}
	}
	return some && ecosystem(f.def) != ""
}

// otherLanguage reports whether the project has a language besides that of package.json.
func (b *builder) otherLanguage() bool {
	for _, f := range b.found {
		if f.Kind == "language" && f.def.Root && f.ID != "deno" && ecosystem(f.def) != "npm" && f.Evidence[0].Rank >= Config {
			return true
		}
	}
	return false
}

// holdsOthers reports whether the project is the top of a workspace of Node packages.
func (b *builder) holdsOthers() bool {
	for _, f := range b.found {
		if f.Kind == "monorepo" && ecosystem(f.def) == "npm" {
			return true
		}
	}
	return slices.ContainsFunc(b.project.Members, func(p Pattern) bool { return p.Kind == "npm" || p.Kind == "pnpm" })
}
