package stack

import (
	"path"
	"slices"
	"strings"
)

// mainStack returns the main stack of the workspace, and how sure that is. It is the main stack of
// the highest project, if that one has more than tools. Otherwise it is the most telling among the
// projects just below. If that project only keeps others together and is nothing but a language
// itself, it is the stack of the application below. A choice among several is never sure.
func (d *detection) mainStack() (found *Found, sure Confidence) {
	var top, best *builder
	several := false
	for _, b := range d.builders {
		switch {
		case len(b.project.Stacks) == 0:
			continue
		case top == nil:
			top = b
		}
		switch {
		case !b.moreThanTools():
		case b == top && b.path == d.folder:
			return b.mainOf()
		case best == nil:
			best = b
		case b.depth() == best.depth():
			several = several || b.project.MainStack != best.project.MainStack
			if b.mainWeight() > best.mainWeight() {
				best = b
			}
		}
	}
	switch {
	case best != nil:
		if found, sure = best.mainOf(); several {
			sure = min(sure, Medium)
		}
		return found, sure
	case top != nil:
		return &top.project.Stacks[0], min(top.mainConfidence, Medium)
	}
	return nil, Low
}

// mainOf returns the main stack of a project, or that of the application which it keeps together
// with others.
func (b *builder) mainOf() (*Found, Confidence) {
	main := &b.project.Stacks[0]
	if main.Kind != "language" {
		return main, b.mainConfidence
	}
	app, others := b.application()
	switch {
	case app != nil:
		return app, min(b.mainConfidence, Medium)
	case others:
		return main, min(b.mainConfidence, Medium)
	}
	return main, b.mainConfidence
}

// mainSure returns how sure it is that the first stack is the main one. The stacks are in the order
// of their scores. It depends on the evidence, and on whether another stack says about as much.
func mainSure(all []*Found, scores map[*Found]int) Confidence {
	if len(all) == 0 || all[0].Evidence[0].Rank == Hoisted {
		return Low
	}
	main := all[0]
	rival := func(f *Found) bool {
		return scores[main]-scores[f] <= 60 && f.def.weight() >= weightOf("bundler") && f.Kind != "language"
	}
	if main.Evidence[0].Rank == Shared || slices.ContainsFunc(all[1:], rival) {
		return Medium
	}
	return High
}

func (b *builder) depth() int { return strings.Count(b.path, "/") }

// mainWeight returns how much the main stack of a project says. A project whose name is that of an
// application says a little more.
func (b *builder) mainWeight() int {
	says := 2 * b.project.Stacks[0].def.weight()
	if isApplication(b.path) {
		says++
	}
	return says
}

// moreThanTools reports whether the main stack of a project is more than a tool.
func (b *builder) moreThanTools() bool {
	return len(b.project.Stacks) > 0 && b.project.Stacks[0].def.weight() >= weightOf("worker")
}

// isApplication reports whether the folders of a project, or the ending of the last one, have the
// name of an application.
func isApplication(folder string) bool {
	folder = strings.ToLower(folder)
	base := path.Base(folder)
	return slices.Contains(applications, base[strings.LastIndexAny(base, "-._")+1:]) ||
		slices.ContainsFunc(strings.Split(folder, "/"), func(part string) bool { return slices.Contains(applications, part) })
}

// applications are the names of folders that are or contain applications, and the endings of such
// names.
var applications = []string{
	"apps", "app", "services", "service", "web", "website", "site", "frontend", "storefront", "client", "server", "backend",
	"api", "admin", "dashboard", "desktop", "mobile",
}

// application returns the main stack of the application that says most among the projects that b
// keeps together. These are the members of its workspace, or all projects below if b is hollow. The
// result is nil if no application says more than b itself. others reports whether some project says
// more, even if nothing tells that it is an application.
func (b *builder) application() (found *Found, others bool) {
	hollow := b.hasNoProgram()
	if len(b.project.Members) == 0 && !hollow {
		return nil, false
	}
	called := b.namesInScripts()
	for _, o := range b.d.builders {
		f := b.strongerStack(o, hollow)
		if f == nil {
			continue
		}
		others = true
		if !isApplication(b.below(o)) && !o.dotnetRuns && !called(o) {
			continue
		}
		if found == nil || f.def.weight() > found.def.weight() {
			found = f
		}
	}
	return found, others
}

// strongerStack returns the main stack of another project that b keeps together, nil if it does not
// say more than that of b.
func (b *builder) strongerStack(o *builder, hollow bool) *Found {
	if o == b || len(o.project.Stacks) == 0 || b.path != "." && !strings.HasPrefix(o.path, b.path+"/") || isTestFolder(b.below(o)) {
		return nil
	}
	f := &o.project.Stacks[0]
	if f.Kind == "language" || f.def.weight() <= b.project.Stacks[0].def.weight() {
		return nil
	}
	member := o.project.Workspace != nil && o.project.Workspace.Path == b.path
	if !member && (!hollow || f.Kind == "docs" || f.Kind == "ssg") {
		return nil
	}
	return f
}

// hasNoProgram reports whether a project has no program of its own: it depends only on tools, and is not
// made to be installed.
func (b *builder) hasNoProgram() bool {
	if b.packaged || b.goModule != "" || b.cargo.isPackage || b.dotnetRuns || b.gradleRuns {
		return false
	}
	for _, dep := range b.deps {
		if !dep.dev {
			return false
		}
	}
	id := b.project.MainStack
	return id == "python" && b.project.Name == "" || (id == "node" || id == "typescript") && slices.ContainsFunc(b.d.builders, b.namesInScripts())
}

// namesInScripts returns a function that reports whether a development script of the project names another
// project, by its path or its name.
func (b *builder) namesInScripts() func(o *builder) bool {
	var words []string
	for _, s := range b.scripts {
		if kind := kindByName(s.name); s.from == "npm" && (kind == "dev" || kind == "start") {
			words = append(words, strings.FieldsFunc(s.line, func(r rune) bool { return strings.ContainsRune(" \t\"'=;&|", r) })...)
		}
	}
	return func(o *builder) bool {
		return o != b && slices.ContainsFunc(words, func(w string) bool { return strings.Trim(w, "./") == b.below(o) || w == o.project.Name })
	}
}
