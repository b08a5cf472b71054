package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// paths returns all files of a tree, sorted.
func (t *Tree) paths() (all []string) {
	for _, f := range t.Folders {
		for _, name := range f.Files {
			all = append(all, path.Join(f.Path, name))
		}
	}
	slices.Sort(all)
	return all
}

func walkTree(t testing.TB, dir string, rules *Rules, most Limits) *Tree {
	t.Helper()
	tree, err := Walk(t.Context(), dir, rules, most)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A walk finds the files that git lists: tracked files, and files that are neither tracked nor
// ignored.
func TestWalkLikeGit(t *testing.T) {
	g := newLab(t, forest(forestNames, 16, 22))
	var tracked []byte
	for i, s := range g.all {
		if !s.folder && i%3 == 0 {
			tracked = append(tracked, s.path+"\x00"...)
		}
	}
	g.git(t, tracked, "update-index", "--add", "-z", "--stdin")
	env := func(name string) (string, bool) {
		value := map[string]string{"XDG_CONFIG_HOME": g.home, "GIT_CONFIG_NOSYSTEM": "1"}[name]
		return value, value != ""
	}
	rnd := rand.New(rand.NewPCG(4, 0))
	few := 0
	for i := range 13 * 8 {
		set := grow(rnd, groups[i%len(groups)])
		set.fold = false // git also uses it to find files in the index
		g.plant(t, set)
		want := strings.Split(strings.TrimSuffix(string(g.git(t, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard")), "\x00"), "\x00")
		slices.Sort(want)
		w := walk{top: g.dir, rules: NewRules(g.dir, RuleOptions{Env: env}), limits: Usual}
		tree := &Tree{}
		if cut, err := w.run(t.Context(), func(r *reading) { tree.Folders = append(tree.Folders, r.folder) }); cut || err != nil || len(w.problems) > 0 {
			t.Fatal(cut, err, w.problems)
		}
		if got := tree.paths(); !slices.Equal(got, want) {
			t.Errorf("%s: %d files, git lists %d, of %q\nmissing %q\nmore %q", set.group, len(got), len(want), set.files, without(want, got), without(got, want))
		}
		if len(want) < len(g.all)/2 {
			few++
		}
	}
	if few < 5 {
		t.Errorf("%d rule sets only ignore half of the files", few)
	}
}

func without(all, some []string) (rest []string) {
	for _, one := range all {
		if !slices.Contains(some, one) {
			rest = append(rest, one)
		}
	}
	return rest
}

// A walk leaves out folders that tools make, unless .devtoolsignore or the command line includes
// them.
func TestWalkMade(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{
		"package.json": "", "node_modules/a/package.json": "", "dist/x": "", "vendor/kept/y": "", "web/dist/z": "", "ignored/f": "",
		".devtoolsignore": "!/vendor/\n", ".gitignore": "ignored\n!dist\n", "all/.devtoolsignore": "f\n",
	})
	r := NewRules(dir, alone(RuleOptions{Include: []string{"/node_modules/"}}))
	got := walkTree(t, dir, r, Usual).paths()
	want := []string{".devtoolsignore", ".gitignore", "all/.devtoolsignore", "node_modules/a/package.json", "package.json", "vendor/kept/y", "web/dist/z"}
	if !slices.Equal(got, want) {
		t.Errorf("with rules %q", got)
	}
	got = walkTree(t, dir, nil, Usual).paths()
	want = []string{".devtoolsignore", ".gitignore", "all/.devtoolsignore", "ignored/f", "package.json", "web/dist/z"}
	if !slices.Equal(got, want) {
		t.Errorf("without rules %q", got)
	}
}

// Names that Windows does not allow, links, and entries that are not files.
func TestWalkNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its file names are tamer")
	}
	dir := t.TempDir()
	lay(t, dir, map[string]string{"new\nline/a\nb": "", "\x01\xff\xfe": "", " ": "", "d/x": "", strings.Repeat("n", 255): "", "-": "", "ignored\n": "", ".gitignore": "ignored?\n"})
	for link, to := range map[string]string{"loop": ".", "d/up": "..", "self": "self", "nowhere": "none/x", "file": "d/x", "out": os.TempDir()} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	tree := walkTree(t, dir, NewRules(dir, alone(RuleOptions{})), Usual)
	want := []string{"\x01\xff\xfe", " ", "-", ".gitignore", "d/up", "d/x", "file", "loop", "new\nline/a\nb", strings.Repeat("n", 255), "nowhere", "out", "self"}
	slices.Sort(want)
	if got := tree.paths(); !slices.Equal(got, want) || tree.Truncated || len(tree.Problems) > 0 {
		t.Errorf("got %q, %v", got, tree.Problems)
	}
	// The top itself may be a link.
	if got := walkTree(t, filepath.Join(dir, "loop"), nil, Usual); len(got.paths()) != len(want)+1 {
		t.Errorf("through a link %q", got.paths())
	}
}

// A folder that cannot be read is a problem, and the rest is found all the same.
func TestWalkUnreadable(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"a/x": "", "z/x": ""})
	// Nobody can read a path that is too long for the system, not even root.
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("l", 250)
	for i := range 20 {
		if err := at.Mkdir(long, 0o777); err != nil {
			t.Skipf("this file system does not go %d folders deep: %v", i, err)
		}
		in, err := at.OpenRoot(long)
		if err := errors.Join(err, at.Close()); err != nil {
			t.Fatal(err)
		}
		at = in
	}
	if err := at.Close(); err != nil {
		t.Fatal(err)
	}
	problems := 1
	if os.Getuid() > 0 { // root can read everything; so can everybody on Windows
		lay(t, dir, map[string]string{"closed/x": ""})
		if err := os.Chmod(filepath.Join(dir, "closed"), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o700) })
		problems++
	}
	tree := walkTree(t, dir, nil, Usual)
	if got := tree.paths(); !slices.Equal(got, []string{"a/x", "z/x"}) || len(tree.Problems) != problems || tree.Truncated {
		t.Errorf("%q, %d problems", got, len(tree.Problems))
	}
	for _, p := range tree.Problems {
		if p.File == "" || p.Reason == "" || strings.Contains(p.Reason, "/") {
			t.Errorf("%+v", p)
		}
	}
	if _, err := Walk(t.Context(), filepath.Join(dir, "none"), nil, Usual); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := Walk(t.Context(), filepath.Join(dir, "a", "x"), nil, Usual); err == nil {
		t.Error("a file was walked")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Walk(ended, dir, nil, Usual); !errors.Is(err, context.Canceled) {
		t.Errorf("when nobody waits for it: %v", err)
	}
}

// Whatever the limits, a walk finds the files nearest to the top, in any order of creation.
func TestWalkLimits(t *testing.T) {
	var names []string
	for i := range 300 {
		names = append(names, fmt.Sprintf("%sf%d", strings.Repeat(fmt.Sprintf("d%d/", i%5), i%6), i))
	}
	forwards, backwards := t.TempDir(), t.TempDir()
	for _, name := range names {
		lay(t, forwards, map[string]string{name: ""})
	}
	for _, name := range slices.Backward(names) {
		lay(t, backwards, map[string]string{name: ""})
	}
	for _, most := range []Limits{Usual, {299, 40}, {300, 40}, {301, 40}, {150, 40}, {51, 40}, {50, 40}, {1, 40}, {300, 4}, {300, 0}, {120, 2}} {
		one, other := walkTree(t, forwards, nil, most), walkTree(t, backwards, nil, most)
		if !slices.Equal(one.paths(), other.paths()) || one.Truncated != other.Truncated {
			t.Errorf("%+v: the order of making matters", most)
		}
		reached := 0
		for _, name := range names {
			if strings.Count(name, "/") <= most.Depth {
				reached++
			}
		}
		want := min(reached, most.Files)
		if len(one.paths()) != want || one.Files != want || one.Truncated != (want < len(names)) {
			t.Errorf("%+v: %d files of %d, truncated %v", most, one.Files, want, one.Truncated)
		}
		for _, f := range one.Folders {
			if strings.Count(f.Path, "/") > most.Depth {
				t.Errorf("%+v: %s", most, f.Path)
			}
		}
	}
	// Nor does it matter which worker is first.
	wide := t.TempDir()
	for i := range 400 {
		lay(t, wide, map[string]string{fmt.Sprintf("d%03d/f", i): ""})
	}
	for most := range 40 {
		most = most*10 + 3
		tree := walkTree(t, wide, nil, Limits{most, 40})
		if paths := tree.paths(); len(paths) != most || paths[most-1] != fmt.Sprintf("d%03d/f", most-1) || !tree.Truncated {
			t.Errorf("of the first %d there are %d", most, len(paths))
		}
	}
	// Folders without files are bounded too.
	many := t.TempDir()
	for i := range 40 {
		lay(t, many, map[string]string{fmt.Sprintf("a%d/b/c/", i): ""})
	}
	if tree := walkTree(t, many, nil, Limits{10, 40}); len(tree.Folders) > 11 || !tree.Truncated {
		t.Errorf("%d folders, truncated %v", len(tree.Folders), tree.Truncated)
	}
}

// BenchmarkWalk finds 20,000 files in 1,200 folders by 46 rules. The peer is package filepath
// without rules.
func BenchmarkWalk(b *testing.B) {
	dir := b.TempDir()
	for d := range 1200 {
		files := map[string]string{}
		for f := range 17 {
			files[fmt.Sprintf("p%d/d%d/file%d.ts", d%40, d, f)] = ""
		}
		lay(b, dir, files)
	}
	lay(b, dir, map[string]string{".gitignore": strings.Join(oftenRules, "\n")})
	b.Run("tool=devtools", func(b *testing.B) {
		for b.Loop() {
			if tree := walkTree(b, dir, NewRules(dir, alone(RuleOptions{})), Usual); tree.Files != 20401 {
				b.Fatal(tree.Files)
			}
		}
	})
	b.Run("tool=filepath", func(b *testing.B) {
		for b.Loop() {
			n := 0
			if err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
				if !e.IsDir() {
					n++
				}
				return err
			}); err != nil || n != 20401 {
				b.Fatal(n, err)
			}
		}
	})
}
