package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// make stress runs the tests that have Stress in their names: each test that depends on DEVTOOLS_STRESS has.
func TestStressHasItsName(t *testing.T) {
	fset := token.NewFileSet()
	found := 0
	for _, f := range sources(t, fset) {
		if !f.test || f.folder() == "runner/runnertest" { // which reads it for the others
			continue
		}
		for _, decl := range f.syntax.Decls {
			test, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(test.Name.Name, "Test") || !dependsOnStress(test) {
				continue
			}
			if found++; !strings.HasPrefix(test.Name.Name, "TestStress") {
				t.Errorf("%s: %s depends on DEVTOOLS_STRESS: its name begins with TestStress, or make stress forgets it", fset.Position(test.Pos()), test.Name.Name)
			}
		}
	}
	if found < 20 {
		t.Errorf("%d tests depend on DEVTOOLS_STRESS: the functions that read it have other names by now", found)
	}
}

// dependsOnStress reports whether a function itself asks for DEVTOOLS_STRESS.
func dependsOnStress(f *ast.FuncDecl) (depends bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			depends = depends || ok && pkg.Name == "runnertest" && slices.Contains([]string{"Rounds", "Stress", "NeedStress"}, n.Sel.Name)
		case *ast.BasicLit:
			depends = depends || n.Value == `"DEVTOOLS_STRESS"`
		}
		return true
	})
	return depends
}
