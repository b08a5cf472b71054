package commands

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/urfave/cli/v3"
)

// untried lists the flags that no test gives to their command, with the reason.
var untried = map[string]string{}

// Each flag of each command, in its short and in its long form, is in a script or in a test of the whole program. A
// script must fail if the flag does nothing: this test only finds the flags that nobody has thought of.
func TestFlagsAreTried(t *testing.T) {
	tried := triedFlags{root: newRoot(nil, nil, nil, allCommands), found: map[string]bool{}}
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		tried.readScript(readDocument(t, script))
	}
	err = filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "." {
			return err
		}
		return tried.readTest(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range allFlags(t) {
		for _, name := range []string{use.short, use.long} {
			flag := use.command + " " + name
			if name == "" {
				continue
			}
			switch reason, listed := untried[flag]; {
			case !tried.found[flag] && !listed:
				t.Errorf("no script or test has the flag %s", flag)
			case tried.found[flag] && listed:
				t.Errorf("%s is listed as untried (%s), but a test has it", flag, reason)
			}
		}
	}
}

// triedFlags finds flags beside their commands. The keys of found are a command, a blank and the flag as it is typed.
type triedFlags struct {
	root  *cli.Command
	found map[string]bool
}

var called = regexp.MustCompile(`(?:^|[^\w./-])devtools `)

// readScript finds the command lines of devtools in a script and its files, but not in what it expects to be printed.
func (f triedFlags) readScript(text string) {
	archive := txtar.Parse([]byte(text))
	expected := map[string]bool{}
	var commands strings.Builder
	for line := range strings.Lines(string(archive.Comment)) {
		words := strings.Fields(line)
		for len(words) > 0 && (words[0] == "!" || words[0][0] == '[') {
			words = words[1:]
		}
		switch {
		case len(words) == 0 || words[0][0] == '#' || words[0] == "stdout" || words[0] == "stderr":
		case words[0] == "cmp" || words[0] == "cmpenv":
			expected[words[len(words)-1]] = true
		default:
			commands.WriteString(line)
		}
	}
	f.readText(commands.String())
	for _, file := range archive.Files {
		if !expected[file.Name] {
			f.readText(string(file.Data))
		}
	}
}

// readText finds the command lines of devtools in a text, such as a script.
func (f triedFlags) readText(text string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, at := range called.FindAllStringIndex(line, -1) {
			f.add(typedWords(line[at[1]:]))
		}
	}
}

// readTest finds the lists of words in the source of a test, in which a command has flags.
func (f triedFlags) readTest(path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var list []ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			list = n.Args
		case *ast.CompositeLit:
			list = n.Elts
		}
		var words []string
		for _, e := range list {
			word := "value" // known only when the test runs
			if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				word, _ = strconv.Unquote(literal.Value)
				f.readText(word)
			}
			words = append(words, word)
		}
		switch at := slices.IndexFunc(words, func(word string) bool { return commandOf(word) != "" }); {
		case at >= 0:
			f.add(words[at:])
		case len(words) > 0 && filepath.Base(filepath.Dir(path)) == "watchtest":
			f.add(append([]string{"watch"}, words...))
		}
		return true
	})
	return nil
}

// add notes the flags of the command line words, which has no name of a program.
func (f triedFlags) add(words []string) {
	args := append([]string{"devtools"}, words...)
	cmd := cmp.Or(f.root.Command(named(args)), f.root)
	if at := slices.IndexFunc(words, func(word string) bool { return !isFlag(word) }); at >= 0 && words[at] == "help" {
		cmd = f.root.Command("help")
	}
	args, _, _ = protect(f.root, args)
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		if !isFlag(args[i]) {
			continue
		}
		name, _, attached := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		flag := flagNamed(f.root, cmd, name)
		if flag == nil {
			flag = flagNamed(f.root, f.root, name) // -C
		}
		if flag == nil {
			continue
		}
		owner := cmd.Name
		if slices.Contains(f.root.Flags, flag) || flag == cli.HelpFlag || flag == cli.VersionFlag {
			owner = "*"
		}
		f.found[owner+" "+dash(name)] = true
		if takesValue(flag) && !attached {
			i++
		}
	}
}

// typedWords returns the words of a command line, up to the end of the command.
func typedWords(line string) (words []string) {
	var word strings.Builder
	quote, begun := rune(0), false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case strings.ContainsRune("|;&)`", r):
			end()
			return words
		case unicode.IsSpace(r):
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return words
}

// A flag in a comment, or in what a script expects, is not tried.
func TestTriedFlagsOfScript(t *testing.T) {
	tried := triedFlags{root: newRoot(nil, nil, nil, allCommands), found: map[string]bool{}}
	tried.readScript(`# devtools ps --watch
exec devtools ps -a
[unix] ! stderr 'devtools ps --sort'
stdout 'devtools ps -t'
cmp stdout want
-- want --
devtools log -f
-- run.sh --
# devtools log -n5
devtools log -g x
`)
	if got, want := slices.Sorted(maps.Keys(tried.found)), []string{"log -g", "ps -a"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
