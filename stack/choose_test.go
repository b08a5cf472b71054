package stack

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A name is first a command of this project, then a command of the only other project that has one.
// With a project's path before it, it is a command of that project.
func TestCommand(t *testing.T) {
	tree := map[string]string{
		"package.json":          `{"workspaces": ["apps/*"], "scripts": {"lint": "eslint ."}}`,
		"apps/web/package.json": `{"scripts": {"dev": "vite --port 4000", "dev:once": "vite build", "test": "vitest run"}, "devDependencies": {"vite": "7"}}`,
		"apps/api/package.json": `{"scripts": {"test": "jest", "lint": "eslint src"}}`,
	}
	dir := layOut(t, tree, sorted(tree))
	for _, test := range []struct {
		from, name string
		want       string // project, line
		label      string
		fault      string
	}{
		{".", "lint", ". eslint .", "lint", ""},
		{".", "dev", "apps/web vite --port 4000", "web-dev", ""},
		{".", "dev:once", "apps/web vite build", "web-dev-once", ""},
		{".", "apps/api:lint", "apps/api eslint src", "api-lint", ""},
		{".", "apps/web:dev:once", "apps/web vite build", "web-dev-once", ""},
		{".", "test", "", "", "in 2 projects: choose one of apps/api:test, apps/web:test"},
		{".", "deploy", "", "", "choose one of lint, apps/api:test, apps/api:lint"},
		{".", "apps/api:deploy", "", "", "choose one of lint"},
		{"apps/web", "test", "apps/web vitest run", "test", ""},
		{"apps/web", "lint", "", "", "choose one of dev, build, test, dev:once"},
	} {
		r := detect(t, filepath.Join(dir, filepath.FromSlash(test.from)))
		p, c, err := r.Command(test.name)
		if test.fault != "" {
			if !errors.Is(err, ErrNoCommand) || !strings.Contains(err.Error(), test.fault) {
				t.Errorf("%s from %s: %v, want %q", test.name, test.from, err, test.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s from %s: %v", test.name, test.from, err)
			continue
		}
		if got := p.Path + " " + c.Line; got != test.want || r.Label(p, test.name) != test.label {
			t.Errorf("%s from %s: %q, called %q, want %q, %q", test.name, test.from, got, r.Label(p, test.name), test.want, test.label)
		}
		if !slices.Contains(r.CommandNames(), test.name) && !slices.Contains(r.CommandNames(), p.Path+":"+test.name) {
			t.Errorf("%s from %s is not offered: %q", test.name, test.from, r.CommandNames())
		}
	}
}

// An error names a few commands at most, each in one line.
func TestCommandNames(t *testing.T) {
	tree := map[string]string{"package.json": `{"scripts": {"odd\nname": "x", "a": "x", "b": "x", "c": "x", "d": "x", "e": "x", "f": "x", "g": "x", "h": "x", "i": "x", "j": "x", "k": "x", "l": "x"}}`}
	_, _, err := detect(t, layOut(t, tree, sorted(tree))).Command("nosuch")
	if want := `choose one of "odd\nname", a, b, c, d, e, f, g, h, i, j, k and 1 more: devtools stacks --why lists them`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %q at the end", err, want)
	}
}
