package main

import (
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The list of parsers names fuzz targets and functions that are there, and all fuzz targets.
func TestParsers(t *testing.T) {
	targets, functions := map[string]bool{}, map[string]bool{} // by package and name
	for _, f := range sources(t, token.NewFileSet()) {
		for _, declaration := range f.syntax.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				switch name := f.folder() + " " + nameOf(d); {
				case f.test && strings.HasPrefix(d.Name.Name, "Fuzz"):
					targets[name] = true
				case !f.test:
					functions[name] = true
				}
			case *ast.GenDecl: // a function that is made once, at its first use
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && !f.test {
						functions[f.folder()+" "+v.Names[0].Name] = true
					}
				}
			}
		}
	}
	list, err := os.ReadFile("testdata/parsers.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		columns := regexp.MustCompile(` {2,}`).Split(line, -1)
		if len(columns) != 4 {
			t.Errorf("%d columns, not 4: %s", len(columns), line)
			continue
		}
		target := columns[0] + " " + columns[1]
		if listed[target] = true; !targets[target] {
			t.Errorf("%s has no fuzz target %s", columns[0], columns[1])
		}
		for _, name := range strings.Split(columns[2], ", ") {
			if !functions[columns[0]+" "+name] {
				t.Errorf("%s, %s: there is no function %s", columns[0], columns[1], name)
			}
		}
	}
	for target := range targets {
		if !listed[target] {
			t.Errorf("testdata/parsers.txt does not have %s", target)
		}
	}
}

// nameOf returns the name of a function, with the type of a method before it.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := d.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	return receiver.(*ast.Ident).Name + "." + d.Name.Name
}
