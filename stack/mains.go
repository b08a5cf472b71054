package stack

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
)

// goMains returns the folders of the module with a main package. They follow from the usual layout,
// and from the package of the files in the module's own folder. A workspace of modules has those of
// its modules.
func (b *builder) goMains() (targets []string) {
	if b.found["go"] == nil {
		return nil
	}
	if b.goModule == "" {
		for _, o := range b.d.builders {
			if o.goModule != "" && included(b.project.Members, "go", b.path, o.path) {
				for _, target := range o.goMains() {
					targets = append(targets, "./"+path.Join(strings.TrimPrefix(strings.TrimPrefix(o.path, b.path), "/"), target))
				}
			}
		}
		return targets
	}
	if b.has("main.go") || b.goMainHere() {
		targets = append(targets, ".")
	}
	if cmd := b.d.folders[path.Join(b.path, "cmd")]; cmd != nil {
		if cmd.Has("main.go") {
			targets = append(targets, "./cmd")
		}
		for _, name := range cmd.Folders {
			if b.has("cmd/" + name + "/main.go") {
				targets = append(targets, "./cmd/"+name)
			}
		}
	}
	return targets
}

// goMainHere reports whether a file in the module's folder belongs to a main package.
func (b *builder) goMainHere() bool {
	f := b.d.folders[b.path]
	if f == nil {
		return false
	}
	for _, name := range f.Files {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text := b.source(name)
		if bytes.Contains(text, []byte("//go:build ignore")) || bytes.Contains(text, []byte("// +build ignore")) {
			continue
		}
		return bytes.HasPrefix(text, []byte("package main\n")) || bytes.Contains(text, []byte("\npackage main\n")) ||
			bytes.HasPrefix(text, []byte("package main\r\n")) || bytes.Contains(text, []byte("\npackage main\r\n"))
	}
	return false
}

// cargoRuns calls add with the commands that run the programs of the package, or of the packages of
// the workspace.
func (b *builder) cargoRuns(add func(argv []string)) {
	bins := slices.Clone(b.cargo.bins)
	if !b.cargo.isPackage && b.cargo.workspace {
		for _, o := range b.d.builders {
			if o != b && included(b.project.Members, "cargo", b.path, o.path) {
				bins = append(bins, o.cargo.bins...)
			}
		}
	}
	slices.Sort(bins)
	bins = slices.Compact(bins)
	switch {
	case len(bins) == 1, b.cargo.defaultRun != "":
		add([]string{"cargo", "run"})
	default:
		for _, bin := range bins {
			add([]string{"cargo", "run", "--bin", bin})
		}
	}
}

// dotnetRun returns the command that runs the project, or the only project of the solution that runs
// or serves. It is nil if there is none.
func (b *builder) dotnetRun() []string {
	if b.dotnetRuns {
		return []string{"dotnet", "run"}
	}
	if o := b.onlyMember("dotnet", func(o *builder) bool { return o.dotnetRuns }); o != nil {
		return []string{"dotnet", "run", "--project", b.below(o)}
	}
	return nil
}

// gradleRun returns the command that runs the program of the build, or the only project of the build
// that runs or serves. It is nil if there is none.
func (b *builder) gradleRun() []string {
	words, ok := b.placeholderWords("gradle", "")
	if !ok {
		return nil
	}
	if b.gradleRuns {
		return append(words, "run")
	}
	if o := b.onlyMember("gradle", func(o *builder) bool { return o.gradleRuns }); o != nil {
		return append(words, ":"+strings.ReplaceAll(b.below(o), "/", ":")+":run")
	}
	return nil
}

// onlyMember returns the member of the workspace that can run. If several can, it is the only one of
// them that is more than a language. Otherwise it is nil.
func (b *builder) onlyMember(kind string, runs func(o *builder) bool) *builder {
	var all, serving []*builder
	for _, o := range b.d.builders {
		if o == b || !runs(o) || !included(b.project.Members, kind, b.path, o.path) || isTestFolder(b.below(o)) {
			continue
		}
		all = append(all, o)
		if slices.ContainsFunc(slices.Collect(maps.Values(o.found)), func(f *Found) bool { return f.def.weight() >= weightOf("server-library") }) {
			serving = append(serving, o)
		}
	}
	switch {
	case len(all) == 1:
		return all[0]
	case len(serving) == 1:
		return serving[0]
	}
	return nil
}

// below returns the path of a project, seen from a project above it.
func (b *builder) below(o *builder) string {
	return strings.TrimPrefix(strings.TrimPrefix(o.path, b.path), "/")
}

// isTestFolder reports whether a folder holds tests, examples or the like, by its name.
func isTestFolder(folder string) bool {
	return slices.ContainsFunc(strings.Split(folder, "/"), func(part string) bool {
		part = strings.ToLower(part)
		return isSupportFolder(part) || strings.HasSuffix(part, "tests") || strings.HasSuffix(part, ".test")
	})
}
