package stack

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// goMains returns the folders of the module with a main package, by the custom of where these lie, and by the package that
// the files in the module's own folder say they are of. A workspace of modules has those of its modules.
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

// goMainHere reports whether a file in the module's folder is of a main package.
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

// cargoRuns calls add with the commands that run the programs of the package, or of the packages of the workspace.
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
