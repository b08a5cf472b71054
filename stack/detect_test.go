package stack

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A fixture is a workspace: its files by name, and the expected gist.
type fixture struct {
	name, want string
	files      map[string]string
}

func fixtures(t testing.TB) (all []fixture) {
	t.Helper()
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			workspace, file, _ := strings.Cut(f.Name, "/")
			if file == "WANT" {
				all = append(all, fixture{workspace, strings.TrimSpace(string(f.Data)), map[string]string{}})
				continue
			}
			last := &all[len(all)-1]
			if last.name != workspace {
				t.Fatalf("%s: %s has no WANT before it", name, f.Name)
			}
			last.files[file] = string(f.Data)
		}
	}
	return all
}

// repository is what lay makes a repository of git of.
var repository = []string{".git/HEAD=ref: refs/heads/main\n", ".git/objects/info/x", ".git/refs/heads/x"}

// layOut writes files in the given order and returns their folder, which is a workspace.
func layOut(t testing.TB, files map[string]string, order []string) string {
	t.Helper()
	dir := t.TempDir()
	lay(t, dir, repository...)
	for _, name := range order {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func sorted(files map[string]string) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func detect(t testing.TB, dir string) *Report {
	t.Helper()
	r, err := Detect(t.Context(), Options{Dir: dir, System: "linux"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// gist returns the main stack of a report, and of its first project the package manager, the dev
// command and the port.
func gist(r *Report) string {
	manager, dev, port := "", "", ""
	if len(r.Projects) > 0 {
		p := r.Projects[0]
		if p.PackageManager != nil {
			manager = p.PackageManager.Name
		}
		if p.DevCommand != nil {
			dev = strings.Join(p.DevCommand.Argv, " ")
		}
		if len(p.Ports) > 0 {
			port = strconv.Itoa(p.Ports[0].Port)
		}
	}
	return strings.Join([]string{r.MainStack, manager, dev, port}, " | ")
}

// words returns the words of a line with single blanks between them.
func words(line string) string { return strings.Join(strings.Fields(line), " ") }

func TestDetect(t *testing.T) {
	all := fixtures(t)
	if len(all) < 60 {
		t.Errorf("%d workspaces, there are to be 60", len(all))
	}
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			r := detect(t, layOut(t, f.files, sorted(f.files)))
			if got := gist(r); words(got) != words(f.want) {
				t.Errorf("found  %s\nwanted %s", got, f.want)
			}
			for _, p := range r.Problems {
				t.Errorf("%s: %s", p.File, p.Reason)
			}
		})
	}
}

// The report does not depend on the order in which files were made. An unrelated file changes
// nothing.
func TestDetectIsStable(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			names := sorted(f.files)
			first := layOut(t, f.files, names)
			slices.Reverse(names)
			second := layOut(t, f.files, names)
			a, b := printed(t, first), printed(t, second)
			if a != b {
				t.Errorf("in one order  %s\nin the other  %s", a, b)
			}
			more := layOut(t, f.files, names)
			for _, name := range []string{"NOTES.md", "zz/readme.txt", ".hidden/x", "zz/package-lock.json.bak"} {
				path := filepath.Join(more, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			c := strings.Replace(printed(t, more), fileCount(t, more), fileCount(t, first), 1)
			if c != a {
				t.Errorf("without the others %s\nwith them          %s", a, c)
			}
		})
	}
}

// printed returns the report of a folder as JSON without the folder's path.
func printed(t *testing.T, dir string) string {
	t.Helper()
	text, err := json.Marshal(detect(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), real, "DIR")
}

func fileCount(t *testing.T, dir string) string {
	t.Helper()
	return `"files":` + strconv.Itoa(detect(t, dir).Files)
}

// BenchmarkDetect looks at 200 projects with 1,000 scripts.
func BenchmarkDetect(b *testing.B) {
	tree := map[string]string{"package.json": `{"workspaces": ["p/*"]}`}
	for i := range 200 {
		tree["p/"+strconv.Itoa(i)+"/package.json"] = `{"name": "p", "scripts": {"dev": "vite --port ` + strconv.Itoa(3000+i) + `", "build": "tsc -b && vite build",
			"test": "vitest run", "lint": "eslint . --max-warnings 0", "start": "npm run build && node src/server.js"}, "devDependencies": {"vite": "6"}}`
		tree["p/"+strconv.Itoa(i)+"/src/server.js"] = "import http from 'node:http'\nhttp.createServer().listen(3000)\n"
	}
	dir := layOut(b, tree, sorted(tree))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Detect(b.Context(), Options{Dir: dir, System: "linux"}); err != nil {
			b.Fatal(err)
		}
	}
}
