package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of the rules of an ignore file, the last one that matches decides: also where byLast finds it.
func FuzzRules(f *testing.F) {
	f.Add("a\n*.o\n!b.o\n/c/\n d \n\\!e\nf/**/g\n*\\\n", "b.o", false)
	f.Add("\xef\xbb\xbf#\n**\n!*/\n[a-z\n[!x]y\x00z\n\r\n x\\ \n", "x/y", true)
	f.Fuzz(func(t *testing.T, text, path string, folder bool) {
		if path == "" || strings.HasSuffix(path, "/") || strings.Contains(path, "\x00") || len(path) > 200 {
			return // not a path
		}
		l, err := parseRules([]byte(text), Git, ".gitignore", 0, false)
		if err != nil || len(l.rules) != len(l.lines) || len(l.rules) > 1+strings.Count(text, "\n") {
			t.Fatalf("%d rules on %d lines, %v", len(l.rules), len(l.lines), err)
		}
		name := strings.LastIndexByte(path, '/') + 1
		got := l.match([]byte(path), name, folder)
		l.byLast = nil
		if want := l.match([]byte(path), name, folder); got != want {
			t.Errorf("%q, %q: rule %d, one by one %d", text, path, got, want)
		}
		if got >= 0 && l.rule(got).Line < 1 {
			t.Errorf("%q, %q: %+v", text, path, l.rule(got))
		}
	})
}

// Git's files of a repository that somebody else has made are read to an end, also if they lead to each other, and change
// nothing about the paths below .git and .devtools.
func FuzzRepository(f *testing.F) {
	f.Add("gitdir: ../elsewhere\n", "[core]\nexcludesfile = ~/x\n[include]\npath = config\n", "*\n!.git\n!.devtools\n")
	f.Add("", "[include]\n\tpath = \"../.git/config\n[extensions]\nobjectformat = sha256\nworktreeconfig\n", "/*\n")
	f.Add("gitdir: .git", "[core \"x\n]\\", "\n")
	f.Fuzz(func(t *testing.T, dotGit, config, ignored string) {
		if strings.Contains(dotGit+config, "/proc") || strings.Contains(dotGit+config, "/dev") || len(dotGit)+len(config)+len(ignored) > 1<<16 {
			return // what is read there depends on this process
		}
		top := t.TempDir()
		git := filepath.Join(top, ".git")
		if strings.HasPrefix(dotGit, "gitdir: ") {
			git = filepath.Join(top, "elsewhere")
			put(t, filepath.Join(top, ".git"), dotGit)
		}
		put(t, filepath.Join(git, "HEAD"), "ref: x\n")
		put(t, filepath.Join(git, "config"), config)
		put(t, filepath.Join(git, "commondir"), ".\n")
		put(t, filepath.Join(git, "info/exclude"), ignored)
		put(t, filepath.Join(top, ".gitignore"), ignored)
		noVariables := func(string) (string, bool) { return "", false }
		r := NewRules(top, RuleOptions{Home: top, Env: noVariables, BuiltIns: BuiltInPatterns()})
		for _, path := range []string{"a", "a/b.o", "x y/z"} {
			r.Explain(path, false)
		}
		for _, path := range []string{".git/config", ".devtools/sessions.toml"} {
			if v := r.Explain(path, false); !v.Ignored {
				t.Errorf("%s counts: %+v", path, v)
			}
		}
		_ = r.Problems()
	})
}

// put writes a file, and makes the folders above it.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
