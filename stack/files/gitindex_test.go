package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// In each version, the index has the files that git lists, with entries of each kind.
func TestIndexOfGit(t *testing.T) {
	g := newLab(t, nil)
	for i := range 300 {
		lay(t, g.dir, map[string]string{fmt.Sprintf("d%d/e%d/%s", i%7, i%3, strings.Repeat("n", 1+i%90*2)+fmt.Sprint(i)): "text"})
	}
	lay(t, g.dir, map[string]string{"later": "", "sub/f": ""})
	check := func(name string, hash int) {
		t.Helper()
		x, err := readIndex(filepath.Join(g.dir, ".git", "index"), hash)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for i := range x.ends {
			got = append(got, string(x.path(i)))
		}
		want := strings.Split(strings.TrimSuffix(string(g.git(t, nil, "ls-files", "-z")), "\x00"), "\x00")
		if !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s: %d paths, git has %d", name, len(got), len(want))
		}
		if !x.has("d0/e0/n0") || x.has("d0/e0/n") || x.has("d0") || !x.hasBelow("d0/") || !x.hasBelow("d0/e0/") || x.hasBelow("d/") || x.hasBelow("zzz/") {
			t.Errorf("%s: what is found is wrong", name)
		}
	}
	g.git(t, nil, "add", "-A")
	commit := []string{"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "all", "--allow-empty"}
	g.git(t, nil, commit...)
	for _, version := range []string{"2", "3", "4"} {
		g.git(t, nil, "update-index", "--index-version", version)
		check(version, 20)
	}
	lay(t, g.dir, map[string]string{"intent": "x"})
	for _, version := range []string{"4", "2"} { // the entry makes version 2 become 3
		g.git(t, nil, "add", "-N", "intent")
		g.git(t, nil, "update-index", "--index-version", version)
		check(version+" with an extended entry", 20)
	}
	g.git(t, []byte("100644 "+strings.TrimSpace(string(g.git(t, []byte("x"), "hash-object", "-w", "--stdin")))+" 2\tlater\n"), "update-index", "--index-info")
	check("conflict", 20)
	g.git(t, nil, "rm", "-q", "--cached", "-f", "intent")
	g.git(t, nil, "update-index", "--split-index")
	lay(t, g.dir, map[string]string{"after the split": "", "later": "changed"})
	g.git(t, nil, "add", "-A")
	check("split", 20)
	g.git(t, nil, "update-index", "--no-split-index")

	g.git(t, nil, "read-tree", "HEAD")
	g.git(t, nil, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./.", "module")
	x, err := readIndex(filepath.Join(g.dir, ".git", "index"), 20)
	if err != nil || !x.links["module"] || len(x.links) != 1 {
		t.Errorf("%v, %v", x.links, err)
	}
	// A submodule counts as a whole, whatever the rules above say.
	lay(t, g.dir, map[string]string{".gitignore": "module\n*.a\n", "module/.gitignore": "*.b\n"})
	explains(t, NewRules(g.dir, alone(RuleOptions{})), map[string]string{
		"module/": "counts tracked module by gitignore .gitignore:1:module", "module/x.a": "counts", "module/x.b": "ignored module/x.b by gitignore module/.gitignore:1:*.b",
	})

	for _, name := range []string{".git", "module"} {
		if err := os.RemoveAll(filepath.Join(g.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	g.git(t, nil, "init", "-q", "--object-format=sha256")
	g.git(t, nil, "add", "-A")
	check("sha256", 32)
	r := NewRules(g.dir, alone(RuleOptions{Ignore: nil, BuiltIns: []string{"n0", "d1"}}))
	if v := r.Explain("d0/e0/n0", false); v.Ignored || !v.Tracked {
		t.Errorf("%+v", v)
	}
}

// The rules of git and the built-in ones do not ignore tracked files, but they ignore other files in
// an ignored folder.
func TestTracked(t *testing.T) {
	g := newLab(t, nil)
	lay(t, g.dir, map[string]string{
		".gitignore": "*.gen\ngen/\n", "a.gen": "", "gen/tracked/f": "", "gen/tracked/other": "", "gen/rest/f": "", "dist/app.js": "", "dist/own.js": "", "node_modules/x": "",
		"testdata/fixture.db": "", ".devtoolsignore": "own.*\n!gen/rest/\n!/mine.db\n",
	})
	g.git(t, nil, "add", "-f", "a.gen", "gen/tracked/f", "dist/app.js", "dist/own.js", "testdata/fixture.db")
	r := NewRules(g.dir, alone(RuleOptions{BuiltIns: BuiltInPatterns()}))
	explains(t, r, map[string]string{
		"a.gen":             "counts tracked a.gen by gitignore .gitignore:1:*.gen",
		"b.gen":             "ignored b.gen by gitignore .gitignore:1:*.gen",
		"gen/":              "counts tracked gen by gitignore .gitignore:2:gen/",
		"gen/new":           "ignored gen by gitignore .gitignore:2:gen/",
		"gen/tracked/":      "counts tracked gen by gitignore .gitignore:2:gen/",
		"gen/tracked/f":     "counts tracked gen by gitignore .gitignore:2:gen/",
		"gen/tracked/other": "ignored gen by gitignore .gitignore:2:gen/",
		"gen/rest/f":        "ignored gen by gitignore .gitignore:2:gen/",
		"dist/app.js":       "counts tracked dist by built-in :0:dist/",
		"dist/new.js":       "ignored dist by built-in :0:dist/",
		"dist/own.js":       "ignored dist/own.js by devtoolsignore .devtoolsignore:1:own.*",
		"node_modules/x":    "ignored node_modules by built-in :0:node_modules/",

		"testdata/fixture.db":         "counts tracked testdata/fixture.db by built-in :0:*.db",
		"testdata/fixture.db-journal": "ignored testdata/fixture.db-journal by built-in :0:*.db-journal",
		"testdata/other.db":           "ignored testdata/other.db by built-in :0:*.db",
		"mine.db":                     "counts mine.db by devtoolsignore .devtoolsignore:3:!/mine.db",
	})
}

// If git tracks a file in a folder with an ambiguous name, the built-in rules ignore no file there:
// by name, in a walk, in a snapshot, and in a second snapshot.
func TestTrackedBeside(t *testing.T) {
	g := newLab(t, nil)
	files := map[string]string{
		".gitignore": "/out/\n", "bin/setup": "", "bin/new": "", "bin/sub/new": "", "bin/tmp/x": "", "pkg/target/target.go": "", "pkg/target/new.go": "",
		"target/debug/app": "", "tmp/x": "", "out/tracked": "", "out/new": "", "build/keep/f": "", "build/new": "", "dist/tracked": "", "dist/new": "",
		"node_modules/tracked": "", "node_modules/new": "", "obj/x": "", "obj2/bin/x": "", "bin/x.log": "", "dist/bin/tracked": "", "dist/bin/new": "",
	}
	lay(t, g.dir, files)
	g.git(t, nil, "add", "-f", "bin/setup", "pkg/target/target.go", "out/tracked", "build/keep/f", "dist/tracked", "node_modules/tracked", "dist/bin/tracked")
	o := alone(RuleOptions{BuiltIns: BuiltInPatterns()})
	r := NewRules(g.dir, o)
	want := map[string]string{
		"bin/":                 "counts spared bin by built-in :0:bin/",
		"bin/setup":            "counts spared bin by built-in :0:bin/",
		"bin/new":              "counts spared bin by built-in :0:bin/",
		"bin/sub/new":          "counts spared bin by built-in :0:bin/",
		"bin/none":             "counts spared bin by built-in :0:bin/",
		"bin/tmp/x":            "ignored bin/tmp by built-in :0:tmp/",
		"bin/x.log":            "ignored bin/x.log by built-in :0:*.log",
		"pkg/target/new.go":    "counts spared pkg/target by built-in :0:target/",
		"pkg/target/target.go": "counts spared pkg/target by built-in :0:target/",
		"build/new":            "counts spared build by built-in :0:build/",
		"build/keep/f":         "counts spared build by built-in :0:build/",
		"target/debug/app":     "ignored target by built-in :0:target/",
		"tmp/x":                "ignored tmp by built-in :0:tmp/",
		"obj/x":                "ignored obj by built-in :0:obj/",
		"obj2/bin/x":           "ignored obj2/bin by built-in :0:bin/",
		"out/tracked":          "counts tracked out by gitignore .gitignore:1:/out/", // rules of git ignore it all the same
		"out/new":              "ignored out by gitignore .gitignore:1:/out/",
		"dist/tracked":         "counts tracked dist by built-in :0:dist/",
		"dist/new":             "ignored dist by built-in :0:dist/",
		"dist/bin/tracked":     "counts tracked dist by built-in :0:dist/",
		"dist/bin/new":         "ignored dist by built-in :0:dist/",
		"node_modules/tracked": "counts tracked node_modules by built-in :0:node_modules/",
		"node_modules/new":     "ignored node_modules by built-in :0:node_modules/",
	}
	explains(t, r, want)
	counting := []string{".gitignore"}
	for name := range files {
		if strings.HasPrefix(want[name], "counts") {
			counting = append(counting, name)
		}
	}
	slices.Sort(counting)
	w := walk{top: g.dir, rules: r, limits: Usual}
	tree := &Tree{}
	if _, err := w.run(t.Context(), func(r *reading) { tree.Folders = append(tree.Folders, r.folder) }); err != nil {
		t.Fatal(err)
	}
	if got := tree.paths(); !slices.Equal(got, counting) {
		t.Errorf("a walk finds\n%q, want\n%q", got, counting)
	}
	all := SnapshotOptions{Rules: r, Limits: Usual, Again: true}
	before := snap(t, g.dir, all)
	if got := slices.Sorted(slices.Values(filesOf(before))); !slices.Equal(got, counting) {
		t.Errorf("a snapshot has\n%q, want\n%q", got, counting)
	}
	lay(t, g.dir, map[string]string{"bin/later": "", "bin/sub2/later": "", "tmp/later": "", "dist/later": ""})
	after, ok, err := before.Rescan(t.Context(), []string{".", "bin"})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	added := []Change{{"bin/later", Added}, {"bin/sub2/later", Added}}
	if got := Diff(before, after); !slices.Equal(got, added) {
		t.Errorf("looking again finds %v, want %v", got, added)
	}
	o.NoGit = true // then the index does not count
	explains(t, NewRules(g.dir, o), map[string]string{"bin/new": "ignored bin by built-in :0:bin/"})
}

// entries writes an index of version 2.
func entries(paths ...string) []byte {
	data := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), uint32(len(paths)))
	for _, p := range paths {
		e := make([]byte, 62, 80)
		e = append(e, p...)
		e = append(e, make([]byte, 8-len(e)%8)...)
		data = append(data, e...)
	}
	return append(data, make([]byte, 20)...)
}

// A damaged index is read up to the damage, and quickly.
func TestDamagedIndex(t *testing.T) {
	whole := entries("a", "b/c", "b/d", "e")
	for n := range whole {
		x := &gitIndex{links: map[string]bool{}}
		_, err := x.parse(whole[:n], 20)
		if n < len(whole)-20 && err == nil {
			t.Errorf("the first %d bytes were read without an error", n)
		}
		if got := x.has("a"); got != (n >= 12+64) {
			t.Errorf("the first %d bytes: has the first path %v", n, got)
		}
	}
	file := filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(file, entries("b", "a", "c", "a"), 0o666); err != nil {
		t.Fatal(err)
	}
	if x, err := readIndex(file, 20); err != nil || !x.has("a") || !x.has("b") || !x.has("c") || len(x.ends) != 3 {
		t.Errorf("out of order: %+v, %v", x, err)
	}
	if x, err := readIndex(filepath.Join(t.TempDir(), "none"), 20); err != nil || len(x.ends) != 0 {
		t.Errorf("none: %v", err)
	}
	many := entries()
	binary.BigEndian.PutUint32(many[8:], 1<<32-1)
	if _, err := new(gitIndex).parse(many, 20); err == nil {
		t.Error("an index of four thousand million paths in no bytes was read")
	}
}

func FuzzIndex(f *testing.F) {
	four := bytes.Clone(entries("a", "b/c"))
	four[7] = 4
	f.Add(entries("a", "b/c", "b/d"), 20)
	f.Add(four, 32)
	f.Fuzz(func(t *testing.T, data []byte, hash int) {
		x := &gitIndex{links: map[string]bool{}}
		if hash != 32 {
			hash = 20
		}
		_, err := x.parse(data, hash)
		if x.mixed {
			x = x.sorted()
		}
		for i := range x.ends {
			if p := string(x.path(i)); !x.has(p) || i > 0 && string(x.path(i-1)) >= p {
				t.Errorf("%q is out of its place: %v", p, err)
			}
		}
	})
}
