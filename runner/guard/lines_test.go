package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A scene is where the lines of the tables are judged: a home folder with a workspace in projects/app, and one beside it.
type scene struct{ home, root string }

// newScene makes the folders. They are not below a folder for temporary files, where much is free.
func newScene(t testing.TB) scene {
	t.Helper()
	base, err := os.MkdirTemp(".", "place")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if base, err = filepath.Abs(base); err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := scene{base, filepath.Join(base, "projects", "app")}
	for _, dir := range []string{"projects/app/.git/hooks", "projects/app/src", "projects/app/build", "projects/other", "other"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.root, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// judge judges a row of a table: a line, and behind "⏎# " files of the workspace as PATH: TEXT.
func (p scene) judge(t testing.TB, rules *Policy, row string) (Verdict, []Command) {
	t.Helper()
	parts := strings.Split(row, "⏎# ")
	for _, file := range parts[1:] {
		name, text, _ := strings.Cut(file, ": ")
		switch text = strings.ReplaceAll(text, "⏎", "\n"); name {
		case "package.json":
			text = `{"scripts": {` + text + `}}`
		}
		name = filepath.Join(p.root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(name)
	}
	text := strings.NewReplacer("⏎", "\n", "/home/u", p.home).Replace(parts[0])
	env := []string{"HOME=" + p.home, "PATH=/usr/bin:/bin", "SHELL=/bin/bash", "USER=u", "CMDVAR=sudo", "EMPTY=", "NAME=world"}
	return rules.Explain(Call{Kind: KindRun, Line: text, Shell: "bash", Dir: p.root, Workspace: p.root, Env: env})
}

// The built-in rules ask about each line of one table, and about none of another one.
func TestLines(t *testing.T) {
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	at := newScene(t)
	tables := map[string]Action{"daily_ask.txt": Confirm, "daily_free.txt": Free}
	for name, want := range tables {
		wrong, n := 0, 0
		for _, row := range rows(t, name) {
			n++
			v, commands := at.judge(t, p, row)
			if v.Action != want {
				wrong++
				t.Errorf("%q is %v (%s, %s: %s), want %v; %s", row, v.Action, v.Rule, v.Reason, v.Command, want, list(commands))
			}
		}
		t.Logf("%s: %d of %d wrong", name, wrong, n)
	}
}

func list(commands []Command) (text string) {
	for _, c := range commands {
		text += fmt.Sprintf("\n\t%s: %s", c.Via, c.Text)
	}
	return text
}

// rows returns the rows of a table, without comments.
func rows(t testing.TB, name string) (list []string) {
	t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join("testdata", name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.SplitSeq(string(data), "\n") {
		if l != "" && l[0] != '#' {
			list = append(list, l)
		}
	}
	return list
}

// The examples of the built-in rules hold.
func TestBuiltInExamples(t *testing.T) {
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.sets[0].rules {
		one := p.sets[0]
		for i, text := range slices.Concat(r.Match, r.NotMatch) {
			if want := i < len(r.Match); one.decides(&r, text) != want {
				t.Errorf("rule %q: %q is not as it says: %v", r.Name, text, want)
			}
		}
		if len(r.Match) < 2 || len(r.NotMatch) < 2 {
			t.Errorf("rule %q has too few examples", r.Name)
		}
	}
}
