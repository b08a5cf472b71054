package files

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lay writes files by their paths with slashes. A path with a slash at the end is a folder.
func lay(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// alone returns options that do not depend on this machine.
func alone(o RuleOptions) RuleOptions {
	o.Env = func(name string) (string, bool) { return "1", name == "GIT_CONFIG_NOSYSTEM" }
	return o
}

// said returns a verdict in one line: whether the path is ignored, and the rule.
func said(v Verdict) string {
	text := "counts"
	if v.Ignored {
		text = "ignored"
	}
	if v.Tracked {
		text += " tracked"
	}
	if v.Spared {
		text += " spared"
	}
	if v.Rule != nil {
		text += fmt.Sprintf(" %s by %s %s:%d:%s", v.Path, v.Rule.Layer, v.Rule.File, v.Rule.Line, v.Rule.Pattern)
	}
	return text
}

// explains checks the verdict of each path. A path with a slash at the end is a folder.
func explains(t *testing.T, r *Rules, want map[string]string) {
	t.Helper()
	for path, verdict := range want {
		name, folder := strings.CutSuffix(path, "/")
		if got := said(r.Explain(name, folder)); got != verdict {
			t.Errorf("%s\ngot  %s\nwant %s", path, got, verdict)
		}
	}
	if p := r.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

func TestLayers(t *testing.T) {
	files := map[string]string{
		".git/HEAD": "", ".gitignore": "*.gen\ncache/\n!keep.log\n!coverage/\n!free/\n", ".devtoolsignore": "!dist/\n!*.gen\ndocs/\n",
		"web/.gitignore": "*.css\n", "web/.devtoolsignore": "# ours\n*.gen\n!a.css\n",
	}
	dir := t.TempDir()
	lay(t, dir, files)
	o := alone(RuleOptions{BuiltIns: BuiltInPatterns(), Ignore: []string{"*.tmp", "/only"}, Include: []string{"a.tmp", "docs/"}})
	explains(t, NewRules(dir, o), map[string]string{
		"main.go":                  "counts",
		"node_modules/":            "ignored node_modules by built-in :0:node_modules/",
		"node_modules":             "counts",
		"web/node_modules/x/y.js":  "ignored web/node_modules by built-in :0:node_modules/",
		".git/config":              "ignored .git by built-in :0:.git",
		"a.vsix":                   "ignored a.vsix by built-in :0:*.vsix",
		"a.log":                    "ignored a.log by built-in :0:*.log",
		".devtools/lock":           "ignored .devtools by built-in :0:.devtools",
		"keep.log":                 "counts keep.log by gitignore .gitignore:3:!keep.log",
		"dist/":                    "counts dist by devtoolsignore .devtoolsignore:1:!dist/",
		"dist/app.js":              "counts dist by devtoolsignore .devtoolsignore:1:!dist/",
		"dist/sub/":                "counts dist by devtoolsignore .devtoolsignore:1:!dist/",
		"dist/a.log":               "ignored dist/a.log by built-in :0:*.log",
		"dist/keep.log":            "counts dist/keep.log by gitignore .gitignore:3:!keep.log",
		"web/dist/app.js":          "counts web/dist by devtoolsignore .devtoolsignore:1:!dist/",
		"coverage/a":               "counts coverage by gitignore .gitignore:4:!coverage/",
		"free/a":                   "counts", // its rule overrides none
		"x.gen":                    "counts x.gen by devtoolsignore .devtoolsignore:2:!*.gen",
		"web/x.gen":                "ignored web/x.gen by devtoolsignore web/.devtoolsignore:2:*.gen",
		"web/x.css":                "ignored web/x.css by gitignore web/.gitignore:1:*.css",
		"web/a.css":                "counts web/a.css by devtoolsignore web/.devtoolsignore:3:!a.css",
		"cache/x.gen":              "ignored cache by gitignore .gitignore:2:cache/",
		"docs/a":                   "counts docs by command line :0:!docs/",
		"docs/":                    "counts docs by command line :0:!docs/",
		"x.tmp":                    "ignored x.tmp by command line :0:*.tmp",
		"web/a.tmp":                "counts web/a.tmp by command line :0:!a.tmp",
		"only/x":                   "ignored only by command line :0:/only",
		"web/only":                 "counts",
		strings.Repeat("d/", 300):  "counts",
		"a/b/.DS_Store":            "ignored a/b/.DS_Store by built-in :0:.DS_Store",
		"web/.main.go.swp":         "ignored web/.main.go.swp by built-in :0:*.swp",
		"web/4913":                 "ignored web/4913 by built-in :0:4913",
		"packages/a/__pycache__/x": "ignored packages/a/__pycache__ by built-in :0:__pycache__/",
		"db.sqlite3":               "ignored db.sqlite3 by built-in :0:*.sqlite3",
		"web/a.sqlite-journal":     "ignored web/a.sqlite-journal by built-in :0:*.sqlite-journal",
		"web/a.db-wal":             "ignored web/a.db-wal by built-in :0:*.db-wal",
		"web/a.db-shm":             "ignored web/a.db-shm by built-in :0:*.db-shm",
		"app.pid":                  "ignored app.pid by built-in :0:*.pid",
		"app.sock":                 "ignored app.sock by built-in :0:*.sock",
		"db.go":                    "counts",
		"a.db.go":                  "counts",
		"a.sqlite.sql":             "counts",
		"src/db/":                  "counts",
		"train-journal/a":          "counts",
	})
	o.NoGit = true
	explains(t, NewRules(dir, o), map[string]string{
		"cache/x":   "counts",
		"keep.log":  "ignored keep.log by built-in :0:*.log",
		"web/x.css": "counts",
		"web/x.gen": "ignored web/x.gen by devtoolsignore web/.devtoolsignore:2:*.gen",
	})
	// Seen from a folder in the repository, the rules above count, except those about the folder itself.
	lay(t, dir, map[string]string{"cache/deep/.gitignore": "*.x\n"})
	explains(t, NewRules(filepath.Join(dir, "cache", "deep"), alone(RuleOptions{Ignore: []string{"/y"}})), map[string]string{
		"a":       "counts",
		"a.x":     "ignored a.x by gitignore .gitignore:1:*.x",
		"b/a.gen": "counts b/a.gen by devtoolsignore ../../.devtoolsignore:2:!*.gen",
		"cache/":  "ignored cache by gitignore ../../.gitignore:2:cache/",
		"y":       "ignored y by command line :0:/y",
		"b/y":     "counts",
	})
}

// Ignore files count without a repository too, from the top on.
func TestNoRepository(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{".gitignore": "a\n", "top/.gitignore": "b\n", "top/in/.devtoolsignore": "c\n"})
	explains(t, NewRules(filepath.Join(dir, "top"), alone(RuleOptions{})), map[string]string{
		"a": "counts", "b": "ignored b by gitignore .gitignore:1:b", "in/c": "ignored in/c by devtoolsignore in/.devtoolsignore:1:c", "c": "counts",
	})
}

// Without a repository the caller names the root.
func TestRoot(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{".gitignore": "z\n", "all/.gitignore": "*.a\n", "all/.devtoolsignore": "/top/x\n", "all/top/y": ""})
	explains(t, NewRules(filepath.Join(dir, "all", "top"), alone(RuleOptions{Root: filepath.Join(dir, "all")})), map[string]string{
		"z": "counts", "y.a": "ignored y.a by gitignore ../.gitignore:1:*.a", "x": "ignored x by devtoolsignore ../.devtoolsignore:1:/top/x", ".": "counts",
	})
}

// To git, a repository inside another is separate. To the layers of devtools it is not.
func TestRepositoryInside(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{
		".git/HEAD": "", ".gitignore": "*.a\nskipped/\n", ".devtoolsignore": "*.own\n", ".git/info/exclude": "*.outer\n",
		"inner/.git/HEAD": "", "inner/.git/info/exclude": "*.inner\n", "inner/.gitignore": "/x\n", "inner/web/.gitignore": "*.b\n",
		"file/.git": "gitdir: ../.git/modules/file\n", ".git/modules/file/HEAD": "", ".git/modules/file/info/exclude": "m\n",
		"none/.git/x": "", "skipped/.git/HEAD": "",
		"tree/.git": "gitdir: " + filepath.Join(dir, ".git", "worktrees", "tree") + "\n", ".git/worktrees/tree/HEAD": "", ".git/worktrees/tree/commondir": "../..\n",
	})
	want := map[string]string{
		"x.a":            "ignored x.a by gitignore .gitignore:1:*.a",
		"inner/x.a":      "counts",
		"inner/x.outer":  "counts",
		"inner/x.inner":  "ignored inner/x.inner by gitignore inner/.git/info/exclude:1:*.inner",
		"inner/x":        "ignored inner/x by gitignore inner/.gitignore:1:/x",
		"inner/web/x.b":  "ignored inner/web/x.b by gitignore inner/web/.gitignore:1:*.b",
		"inner/x.own":    "ignored inner/x.own by devtoolsignore .devtoolsignore:1:*.own",
		"inner/x.log":    "ignored inner/x.log by built-in :0:*.log",
		"x.inner":        "counts",
		"file/m":         "ignored file/m by gitignore .git/modules/file/info/exclude:1:m",
		"file/x.a":       "counts",
		"none/x.a":       "ignored none/x.a by gitignore .gitignore:1:*.a",
		"skipped/x":      "ignored skipped by gitignore .gitignore:2:skipped/",
		"tree/x.outer":   "ignored tree/x.outer by gitignore .git/info/exclude:1:*.outer",
		"tree/x.a":       "counts",
		"file/sub/x.own": "ignored file/sub/x.own by devtoolsignore .devtoolsignore:1:*.own",
	}
	explains(t, NewRules(dir, alone(RuleOptions{BuiltIns: []string{"*.log"}})), want)
	explains(t, NewRules(filepath.Join(dir, "tree"), alone(RuleOptions{})), map[string]string{
		"x.outer": "ignored x.outer by gitignore " + filepath.Join(dir, ".git", "info", "exclude") + ":1:*.outer",
	})
}

func TestExcludesFile(t *testing.T) {
	base := t.TempDir()
	dir, home := filepath.Join(base, "tree"), filepath.Join(base, "home")
	lay(t, base, map[string]string{
		"tree/.git/HEAD": "", "tree/.gitignore": "!b.one\n", "tree/mine": "*.four\n",
		"home/ignored": "*.one\n/anchored\n", "home/.config/git/ignore": "*.two\n", "home/xdg/git/ignore": "*.three\n",
		"home/.gitconfig": "[user]\n name = \"a ; b\"\n[Core]\n\texcludesFile = ~/ignored # comment\n", "system": "[core]\nexcludesfile = /nowhere\n",
	})
	verdicts := func(env map[string]string) string {
		r := NewRules(dir, RuleOptions{Home: home, Env: func(name string) (string, bool) {
			value, ok := env[name]
			return value, ok
		}})
		if p := r.Problems(); len(p) > 0 {
			t.Error(p)
		}
		var text []string
		for _, path := range []string{"a.one", "b.one", "a.two", "a.three", "a.four", "web/anchored", "anchored"} {
			if r.Explain(path, false).Ignored {
				text = append(text, path)
			}
		}
		return strings.Join(text, " ")
	}
	system := map[string]string{"GIT_CONFIG_SYSTEM": filepath.Join(base, "system")}
	if got := verdicts(system); got != "a.one anchored" {
		t.Error(got)
	}
	if err := os.Remove(filepath.Join(home, ".gitconfig")); err != nil {
		t.Fatal(err)
	}
	if got := verdicts(system); got != "" {
		t.Error(got)
	}
	none := map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}
	if got := verdicts(none); got != "a.two" {
		t.Error(got)
	}
	none["XDG_CONFIG_HOME"] = filepath.Join(home, "xdg")
	if got := verdicts(none); got != "a.three" {
		t.Error(got)
	}
	lay(t, base, map[string]string{"tree/.git/config": "[core]\nexcludesFile = mine\n"})
	if got := verdicts(none); got != "a.four" {
		t.Error(got)
	}
	lay(t, base, map[string]string{"tree/.git/config": "[core]\nexcludesFile =\n"})
	if got := verdicts(none); got != "" {
		t.Error(got)
	}
}

// Errors in ignore files become problems, and the valid rules count.
func TestRuleProblems(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("#"+strings.Repeat("x", 98)+"\n", MostBytes/100+1)
	lay(t, dir, map[string]string{
		".git/HEAD": "", ".git/config": "[core]\n", ".git/index": "DIRC\x00\x00\x00\x02\x00\x00\x00\x05",
		".gitignore": "a\n" + long + "half-of-a-line-that-is-cut\n", "many/.gitignore": strings.Repeat("x\n", mostRules) + "y\n", "folder/.gitignore/x": "",
		"linked/real": "b\n",
	})
	if err := os.Symlink("real", filepath.Join(dir, "linked", ".gitignore")); err != nil {
		t.Skip(err)
	}
	r := NewRules(dir, alone(RuleOptions{}))
	for path, want := range map[string]bool{"a": true, "many/x": true, "many/y": false, "folder/x": false, "linked/b": false, "half": false} {
		if got := r.Explain(path, false).Ignored; got != want {
			t.Errorf("%s: ignored %v", path, got)
		}
	}
	want := []Problem{
		{".git/index", errIndex.Error()},
		{".gitignore", ErrTooLong.Error()},
		{"many/.gitignore", errManyRules.Error()},
	}
	if got := r.Problems(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// oftenRules are 46 rules as in real projects.
var oftenRules = strings.Fields(`node_modules/ dist/ build/ coverage/ .next/ .nuxt/ .turbo/ .cache/ target/ __pycache__/ .venv/ .gradle/ bin/ obj/ tmp/ *.log
	*.swp *~ .DS_Store *.pyc *.class *.o *.so /out /packages/*/lib /packages/**/generated/ !/packages/keep/lib *.tsbuildinfo .env .env.* !.env.example
	npm-debug.log* yarn-error.log* .idea/ .vscode/* !.vscode/settings.json *.min.js **/fixtures/**/out [Tt]humbs.db *.py[cod] .#* docs/_build/ *.egg-info
	/coverage.out report.*.json vendor/bundle`)

func often(t testing.TB) *level {
	t.Helper()
	l, err := parseRules([]byte(strings.Join(oftenRules, "\n")), Git, "", 0, false)
	if err != nil || len(l.rules) != 46 {
		t.Fatal(len(l.rules), err)
	}
	return &level{lists: []*list{l}, path: "packages/web/src/components/", folded: "packages/web/src/components/"}
}

// Judging an entry allocates no memory.
func TestJudgeAllocates(t *testing.T) {
	l, buf := often(t), make([]byte, 0, 256)
	names := bytes.Fields([]byte("index.ts button.test.tsx dist x.log .env.local"))
	if n := testing.AllocsPerRun(100, func() {
		for _, name := range names {
			_, buf = l.judge(buf, name, false, false)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkJudge judges the entries of a folder by 46 rules. An operation is one path.
func BenchmarkJudge(b *testing.B) {
	l, buf := often(b), make([]byte, 0, 256)
	names := bytes.Fields([]byte("index.ts button.tsx button.test.tsx styles.css icons table.go README.md schema.json logo.svg util.py main.rs"))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, buf = l.judge(buf, names[i%len(names)], i%7 == 0, false)
	}
}

// BenchmarkAdversarial matches a pattern that takes exponential time if every star is tried again.
func BenchmarkAdversarial(b *testing.B) {
	for name, c := range map[string][2]string{
		"stars":   {strings.Repeat("a*", 30) + "b", strings.Repeat("a", 200)},
		"folders": {strings.Repeat("**/a/", 20) + "b", strings.Repeat("a/", 100) + "c"},
		"both":    {strings.Repeat("**/a*a*a*a/", 12) + "b", strings.Repeat("aaaaaaaaaa/", 60) + "c"},
		"long":    {strings.Repeat("*a", 2000) + "b", strings.Repeat("a", 4000)},
	} {
		b.Run(name, func(b *testing.B) {
			p, path := compile(c[0], false), []byte(c[1])
			at := strings.LastIndexByte(c[1], '/') + 1
			b.ReportAllocs()
			for b.Loop() {
				if p.matches(path, at) {
					b.Fatal("it matches")
				}
			}
		})
	}
}

// Several goroutines use the rules at the same time.
func TestRulesTogether(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{".git/HEAD": ""}
	for i := range 40 {
		files[fmt.Sprintf("d%d/.gitignore", i)] = fmt.Sprintf("f%d\n", i)
	}
	lay(t, dir, files)
	r := NewRules(dir, alone(RuleOptions{}))
	done := make(chan error)
	for seed := range 8 {
		go func() {
			rnd := rand.New(rand.NewPCG(uint64(seed), 0))
			for range 2000 {
				d, f := rnd.IntN(40), rnd.IntN(40)
				if got := r.Explain(fmt.Sprintf("d%d/f%d", d, f), false).Ignored; got != (d == f) {
					done <- fmt.Errorf("d%d/f%d: ignored %v", d, f, got)
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
