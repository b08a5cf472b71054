package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the import path of the top folder.
const module = "devtools"

// layers is the picture of the program: what each package may import of ours, and which libraries it
// owns. Imports run one way only, and a library has one owner; only the terminal's settings (x/term)
// are read in two places. golang.org/x/sys counts as standard library.
var layers = map[string][]string{
	"": {"commands"},
	"commands": {
		"completions", "ledger", "ledger/regular", "ledger/transcript", "man", "runner", "runner/attach", "runner/census", "runner/condition",
		"runner/declared", "runner/doctor", "runner/guard", "runner/guard/isolation", "runner/guard/mask", "runner/hold", "runner/hosts", "runner/list", "runner/proc", "runner/sandbox", "runner/track", "runner/watch", "runner/wire", "screen", "screen/keys",
		"screen/render", "screen/replay", "stack", "stack/files", "stack/line",
		"github.com/urfave/cli/v3", "golang.org/x/term",
	},
	"commands/bench":       {},
	"commands/escapetest":  {},
	"commands/programtest": {},
	"commands/watchtest":   {},
	"completions":          {},
	"ledger":               {"ledger/codec", "ledger/regular", "github.com/gofrs/flock"},
	"ledger/codec":         {},
	"ledger/regular":       {},
	"ledger/transcript":    {"ledger/regular"},
	"man":                  {},
	"runner": {
		"ledger", "ledger/regular", "ledger/transcript", "runner/census", "runner/condition", "runner/list", "runner/proc", "runner/prompt",
		"runner/start", "runner/track", "runner/wire", "screen",
		"golang.org/x/term",
	},
	"runner/attach":          {"ledger", "ledger/transcript", "runner", "runner/track", "runner/wire", "screen", "golang.org/x/term"},
	"runner/blocked":         {"runner/proc"},
	"runner/census":          {"ledger", "runner/guard/isolation", "runner/proc", "runner/track", "runner/wire"},
	"runner/condition":       {"runner/proc", "screen"},
	"runner/fork":            {},
	"runner/guard/isolation": {"runner/fork"},
	"runner/guard/mask":      {},
	"runner/hosts":           {"ledger/regular", "runner/guard/isolation", "github.com/pelletier/go-toml/v2"},
	"runner/declared":        {"ledger", "runner/condition", "github.com/pelletier/go-toml/v2"},
	"runner/doctor":          {"ledger", "ledger/regular", "runner/blocked", "runner/census", "runner/guard", "runner/guard/isolation", "runner/proc", "runner/prompt", "runner/pty", "runner/sandbox", "runner/track", "runner/wire"},
	"runner/guard":           {"ledger/regular", "runner/guard/isolation", "stack/files", "stack/line", "github.com/pelletier/go-toml/v2", "mvdan.cc/sh/v3/expand", "mvdan.cc/sh/v3/syntax"},
	"runner/hold": {
		"ledger", "ledger/regular", "ledger/transcript", "runner/blocked", "runner/census", "runner/condition", "runner/fork", "runner/guard", "runner/guard/isolation", "runner/guard/mask", "runner/proc", "runner/prompt",
		"runner/pty", "runner/sandbox", "runner/start", "runner/track", "runner/wire", "screen", "screen/keys", "stack/line",
	},
	"runner/list":   {"ledger", "ledger/transcript", "runner/census", "runner/proc", "runner/track", "runner/wire"},
	"runner/proc":   {"github.com/shirou/gopsutil/v4/process"},
	"runner/prompt": {"screen", "github.com/pelletier/go-toml/v2"},
	"runner/pty":    {"ledger", "ledger/transcript", "runner/fork", "runner/proc", "runner/track", "github.com/creack/pty"},
	"runner/runnertest": {
		"ledger", "ledger/transcript", "runner", "runner/condition", "runner/hold", "runner/proc", "runner/runnertest/leftover", "runner/track", "runner/wire",
		"screen",
	},
	"runner/runnertest/leftover": {},
	"runner/sandbox":             {"runner/proc"},
	"runner/start":               {"ledger", "ledger/regular", "runner/census", "runner/fork", "runner/proc", "runner/track", "runner/wire"},
	"runner/track":               {"ledger", "runner/proc"},
	"runner/watch": {
		"ledger", "ledger/transcript", "runner", "runner/blocked", "runner/census", "runner/condition", "runner/list",
		"runner/proc", "runner/wire", "stack/files",
		"github.com/fsnotify/fsnotify",
	},
	"runner/wire": {"ledger", "ledger/codec", "ledger/transcript", "runner/blocked", "runner/guard/isolation", "runner/proc", "runner/prompt", "runner/track", "screen", "screen/keys"},
	"screen":      {"github.com/rivo/uniseg"},
	"screen/keys": {},
	"screen/render": {
		"screen", "screen/render/glyph",
		"golang.org/x/image/vector",
	},
	"screen/render/glyph": {},
	"screen/render/glyph/pack": {
		"golang.org/x/image/font/sfnt", "golang.org/x/image/math/fixed",
	},
	"screen/replay": {"ledger", "ledger/transcript", "screen", "screen/render"},
	"screen/widths": {},
	"stack": {
		"ledger/regular", "stack/files", "stack/line",
		"github.com/pelletier/go-toml/v2", "github.com/tidwall/jsonc", "go.yaml.in/yaml/v3", "golang.org/x/mod/modfile",
	},
	"stack/definitions":   {"stack"},
	"stack/files":         {"ledger/regular"},
	"stack/line":          {"mvdan.cc/sh/v3/syntax"},
	"stack/line/programs": {"github.com/pelletier/go-toml/v2"},
}

// testLayers is what the tests of a package import besides.
var testLayers = map[string][]string{
	"":                     {"runner/runnertest"},
	"commands":             {"runner/runnertest", "github.com/google/jsonschema-go/jsonschema", "github.com/rogpeppe/go-internal/testscript", "github.com/rogpeppe/go-internal/txtar"},
	"commands/escapetest":  {"commands", "ledger", "runner/guard/isolation", "runner/proc", "runner/runnertest", "github.com/rogpeppe/go-internal/testscript"},
	"commands/programtest": {"commands", "runner", "runner/proc", "runner/runnertest", "github.com/rogpeppe/go-internal/testscript", "github.com/rogpeppe/go-internal/txtar"},
	"commands/watchtest":   {"commands", "runner/runnertest", "runner/watch", "github.com/rogpeppe/go-internal/testscript"},
	"ledger":               {"github.com/google/go-cmp/cmp"},
	"ledger/codec":         {"github.com/google/go-cmp/cmp"},
	"runner":               {"runner", "runner/blocked", "runner/pty", "runner/runnertest", "github.com/creack/pty"},
	"runner/attach":        {"runner/proc", "runner/runnertest", "github.com/creack/pty"},
	"runner/census":        {"runner", "runner/census", "runner/runnertest"},
	"runner/doctor":        {"runner", "runner/runnertest"},
	"runner/guard/mask":    {"runner/guard/mask"},
	"runner/hold":          {"runner", "runner/runnertest"},
	"runner/list":          {"runner/list", "runner/runnertest"},
	"runner/pty":           {"runner/pty", "runner/runnertest"},
	"runner/track":         {"runner/runnertest", "runner/track"},
	"runner/watch":         {"runner/runnertest"},
	"screen":               {"github.com/hinshun/vt10x"},
	"stack":                {"github.com/rogpeppe/go-internal/txtar"},
}

// A goFile is a source file of the tree, for whatever platform it is.
type goFile struct {
	path    string // with slashes, relative to the top folder
	test    bool
	lines   int
	imports []string // ours without the module's path
	syntax  *ast.File
}

// folder returns the package's folder as the tables name it: "" is the top one.
func (f goFile) folder() string {
	if dir := path.Dir(f.path); dir != "." {
		return dir
	}
	return ""
}

// sources parses the Go files of the tree. It reads them itself, because go list sees the files of one
// platform at a time.
func sources(t *testing.T, fset *token.FileSet) []goFile {
	t.Helper()
	var files []goFile
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (base == "testdata" || base[0] == '.' || base[0] == '_'):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(base, ".go"):
			return nil
		}
		syntax, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		f := goFile{
			path:   filepath.ToSlash(name),
			test:   strings.HasSuffix(base, "_test.go"),
			lines:  fset.File(syntax.FileStart).LineCount(),
			syntax: syntax,
		}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, strings.TrimPrefix(imported, module+"/"))
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// layered reports whether the table has a say about an import: it is ours, or a library's.
func layered(imported string, folders map[string]bool) bool {
	first, _, _ := strings.Cut(imported, "/")
	return folders[imported] || strings.Contains(first, ".") && !strings.HasPrefix(imported, "golang.org/x/sys/")
}

func TestLayers(t *testing.T) {
	files := sources(t, token.NewFileSet())
	folders := map[string]bool{}
	for _, f := range files {
		folders[f.folder()] = true
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if _, ok := layers[folder]; !ok {
			t.Errorf("package %q is missing from the table of layers", folder)
		}
	}
	used := map[string]map[string]bool{} // by table and folder
	use := func(table, folder, imported string) {
		if used[table+folder] == nil {
			used[table+folder] = map[string]bool{}
		}
		used[table+folder][imported] = true
	}
	for _, f := range files {
		folder := f.folder()
		for _, imported := range f.imports {
			switch {
			case !layered(imported, folders):
			case slices.Contains(layers[folder], imported):
				if !f.test {
					use("layers ", folder, imported)
				}
			case f.test && slices.Contains(testLayers[folder], imported):
				use("testLayers ", folder, imported)
			case f.test && imported == "runner/runnertest/leftover": // the tests of each package may look for what they leave
			default:
				t.Errorf("%s imports %s: the table of layers does not allow it", f.path, imported)
			}
		}
	}
	for name, table := range map[string]map[string][]string{"layers ": layers, "testLayers ": testLayers} {
		for folder, allowed := range table {
			if !folders[folder] {
				t.Errorf("%s%q: there is no such package", name, folder)
			}
			for _, imported := range allowed {
				if !used[name+folder][imported] {
					t.Errorf("%s%q: %s is not imported any more", name, folder, imported)
				}
			}
		}
	}
}

// ARCHITECTURE.md names each package, in the order of the imports, and no file that is not there.
func TestArchitecture(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rooms, _ := strings.Cut(string(page), "\n## Rooms\n")
	rooms, _, _ = strings.Cut(rooms, "\n## ")
	rows := map[string]int{} // of the table, by package
	for row, line := range strings.Split(rooms, "\n") {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, name := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(cell, -1) {
			rows[name[1]] = row
		}
	}
	for folder, imports := range layers {
		row, ok := rows[folder]
		if !ok && folder != "" && !strings.HasPrefix(folder, "screen/render/") && folder != "stack/definitions" {
			t.Errorf("it does not name %s", folder)
		}
		for _, imported := range imports {
			if below, ours := rows[imported]; ok && ours && below < row && !strings.HasPrefix(folder, "runner/runnertest") {
				t.Errorf("its table has %s above %s, which imports it", imported, folder)
			}
		}
	}
	names := regexp.MustCompile(`\b(?:hold|wire|commands|runner|screen|ledger|stack)/[a-z_0-9/]+\.go\b`).FindAllString(string(page), -1)
	if len(names) < 10 {
		t.Errorf("it names the files %q alone", names)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "hold/") || strings.HasPrefix(name, "wire/") {
			name = "runner/" + name
		}
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// A file holds one thought, and a function can be read at once.
func TestSizes(t *testing.T) {
	const most, mostMain, mostFunction = 600, 15, 90
	fset := token.NewFileSet()
	for _, f := range sources(t, fset) {
		if f.test {
			continue
		}
		if f.lines > most {
			t.Errorf("%s has %d lines, more than %d: it is about more than one thing", f.path, f.lines, most)
		}
		if n := codeLines(fset, f.syntax); f.path == "main.go" && n > mostMain {
			t.Errorf("main.go has %d lines of code, more than %d: it only calls commands.Main", n, mostMain)
		}
		for _, decl := range f.syntax.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := f.path + " " + function.Name.Name
			lines := fset.Position(function.End()).Line - fset.Position(function.Pos()).Line + 1
			if lines > mostFunction {
				t.Errorf("%s has %d lines, more than %d: take it apart by meaning", name, lines, mostFunction)
			}
		}
	}
}

// codeLines counts the lines on which something of the syntax begins or ends, which leaves out blank
// lines and comments.
func codeLines(fset *token.FileSet, file *ast.File) int {
	lines := map[int]bool{fset.Position(file.Package).Line: true}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		}
		if n != file {
			lines[fset.Position(n.Pos()).Line] = true
			lines[fset.Position(n.End()-1).Line] = true
		}
		return true
	})
	return len(lines)
}

// startUp is what a domain package may know all the same, because a holder is this program, started by
// itself: its name, and on Windows the standard handles, over which it hears what to hold.
var startUp = map[string]bool{
	"runner/start/spawn_unix.go os.Args":       true,
	"runner/start/spawn_windows.go os.Args":    true,
	"runner/wire/channel_windows.go os.Stdout": true,
	"runner/wire/channel_windows.go os.Stderr": true,
}

// Domain packages return values and errors: they do not print, exit, or know the command line.
func TestDomainPackagesAreSilent(t *testing.T) {
	loud := []string{"os.Exit", "os.Stdout", "os.Stderr", "os.Args", "fmt.Print", "fmt.Printf", "fmt.Println"}
	fset := token.NewFileSet()
	used := map[string]bool{}
	for _, f := range sources(t, fset) {
		if f.test || f.folder() == "" || f.folder() == "commands" || strings.HasPrefix(f.folder(), "runner/runnertest") {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := selector.X.(*ast.Ident)
			if !ok || !slices.Contains(loud, pkg.Name+"."+selector.Sel.Name) {
				return true
			}
			name := pkg.Name + "." + selector.Sel.Name
			if exception := f.path + " " + name; startUp[exception] {
				used[exception] = true
			} else {
				t.Errorf("%s: %s belongs to package commands", fset.Position(n.Pos()), name)
			}
			return true
		})
	}
	for exception := range startUp {
		if !used[exception] {
			t.Errorf("startUp: %s is not there any more", exception)
		}
	}
}
