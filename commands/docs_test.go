package commands

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"devtools/completions"
	"devtools/runner/runnertest"
)

var (
	manualFile = filepath.Join("..", "man", "devtools.1")
	readmeFile = filepath.Join("..", "README.md")
)

// completionFiles holds the file of each shell that devtools completion knows.
var completionFiles = map[string]string{
	"bash": "devtools.bash",
	"zsh":  "devtools.zsh",
	"fish": "devtools.fish",
	"pwsh": "devtools.ps1",
}

func readDocument(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// printedBy returns what devtools prints on standard output.
func printedBy(t *testing.T, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stdout")
	stdout, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	code := Main(append([]string{"devtools"}, args...), os.Stdin, stdout, os.Stderr)
	if err := stdout.Close(); err != nil || code != 0 {
		t.Fatalf("devtools %s: exit code %d, %v", strings.Join(args, " "), code, err)
	}
	printed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return printed
}

// fullRoot returns the command line with what cli adds to it when it runs: help, completion, version.
func fullRoot(t *testing.T) *cli.Command {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	root := newRoot(null, null, null, allCommands)
	if err := root.Run(t.Context(), []string{"devtools", "--version"}); err != nil {
		t.Fatal(err)
	}
	return root
}

// visible returns the commands of cmd that its help lists. VisibleCommands leaves out help itself.
func visible(cmd *cli.Command) []*cli.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands), func(c *cli.Command) bool { return c.Hidden })
}

// dashed returns the names of a flag as they are typed.
func dashed(flag cli.Flag) []string {
	var names []string
	for _, name := range flag.Names() {
		if len(name) == 1 {
			names = append(names, "-"+name)
		} else {
			names = append(names, "--"+name)
		}
	}
	return names
}

var (
	fontChange = regexp.MustCompile(`\\f(?:\[[^]]*\]|.)`)
	macro      = regexp.MustCompile(`^\.[A-Z]+ ?`)
	heading    = regexp.MustCompile(`^\.S[HS] "?(.*?)"?$`)
	flagWord   = regexp.MustCompile(`(?:^|[^\w-])(--?[A-Za-z][\w-]*)`)
)

// A manualLine is a line of the manual without its markup.
type manualLine struct {
	text string
	tag  bool // it is the tag of a .TP paragraph
}

// flags returns what looks like a flag in the line.
func (l manualLine) flags() []string {
	var found []string
	for _, match := range flagWord.FindAllStringSubmatch(l.text, -1) {
		found = append(found, match[1])
	}
	return found
}

// manualSections returns the lines of the manual by their headings, of sections and of subsections.
func manualSections(t *testing.T) map[string][]manualLine {
	t.Helper()
	sections := map[string][]manualLine{}
	title, tag := "", false
	for _, line := range strings.Split(readDocument(t, manualFile), "\n") {
		if strings.HasPrefix(line, `.\"`) {
			continue
		}
		if match := heading.FindStringSubmatch(line); match != nil {
			title, tag = strings.ReplaceAll(match[1], `\-`, "-"), false
			sections[title] = []manualLine{}
			continue
		}
		if line == ".TP" || line == ".TQ" {
			tag = true
			continue
		}
		text := strings.NewReplacer(`\-`, "-", `\&`, "", `"`, "").Replace(fontChange.ReplaceAllString(line, ""))
		sections[title] = append(sections[title], manualLine{macro.ReplaceAllString(text, ""), tag})
		tag = false
	}
	return sections
}

// section returns the lines under the heading of a command, "run ARGUMENTS", or nil.
func section(sections map[string][]manualLine, command string) []manualLine {
	for title, lines := range sections {
		if title == command || strings.HasPrefix(title, command+" ") {
			return lines
		}
	}
	return nil
}

// The manual has every visible command with all its flags and their aliases, and no others.
func TestManualIsComplete(t *testing.T) {
	sections := manualSections(t)
	root := fullRoot(t)
	known, global := map[string]bool{}, map[string]bool{}
	check := func(title string, flags []cli.Flag) {
		lines := section(sections, title)
		if lines == nil {
			t.Errorf("the manual has no heading %q", title)
			return
		}
		has, told := map[string]bool{}, map[string]bool{}
		for _, line := range lines {
			if !line.tag {
				continue
			}
			for _, flag := range line.flags() {
				told[flag] = true
			}
		}
		for _, flag := range flags {
			if f, ok := flag.(cli.VisibleFlag); ok && !f.IsVisible() {
				continue
			}
			for _, name := range dashed(flag) {
				if global[name] { // --help, which every command has
					continue
				}
				has[name], known[name] = true, true
				if !told[name] {
					t.Errorf("the manual does not tell of %s under %q", name, title)
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(told)) {
			if !has[name] {
				t.Errorf("the manual tells of %s under %q, which does not have it", name, title)
			}
		}
	}
	check("Global options", root.Flags)
	global = maps.Clone(known)
	for _, cmd := range visible(root) {
		check(cmd.Name, cmd.Flags)
		names := slices.Clone(cmd.Aliases)
		for _, sub := range cmd.VisibleCommands() {
			names = append(names, sub.Name)
		}
		for _, name := range names {
			named := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
			if !slices.ContainsFunc(section(sections, cmd.Name), func(l manualLine) bool { return named.MatchString(l.text) }) {
				t.Errorf("the manual does not name %s under %q", name, cmd.Name)
			}
		}
	}
	for title, lines := range sections {
		for _, line := range lines {
			for _, flag := range line.flags() {
				if strings.HasPrefix(flag, "--") && !known[flag] {
					t.Errorf("the manual names %s, which does not exist, under %q", flag, title)
				}
			}
		}
	}
}

// Each variable that a flag reads has its entry in the manual.
func TestManualNamesVariables(t *testing.T) {
	var text strings.Builder
	for _, line := range manualSections(t)["ENVIRONMENT"] {
		text.WriteString(line.text + "\n")
	}
	root := fullRoot(t)
	for _, cmd := range append([]*cli.Command{root}, visible(root)...) {
		for _, flag := range cmd.Flags {
			documented, ok := flag.(cli.DocGenerationFlag)
			if !ok {
				continue
			}
			for _, variable := range documented.GetEnvVars() {
				if !strings.Contains(text.String(), variable) {
					t.Errorf("ENVIRONMENT in the manual does not name %s", variable)
				}
			}
		}
	}
}

// tableRows returns the first cells of the table under a heading of the README.
func tableRows(t *testing.T, title string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(readDocument(t, readmeFile), "\n## "+title+"\n")
	if !ok {
		t.Fatalf("the README has no heading %q", title)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	var cells []string
	for _, line := range strings.Split(text, "\n") {
		if cell, ok := strings.CutPrefix(line, "| "); ok {
			cell, _, _ = strings.Cut(cell, " |")
			cells = append(cells, cell)
		}
	}
	if len(cells) < 2 {
		t.Fatalf("the README has no table under %q", title)
	}
	return cells[1:] // without the head
}

func TestReadmeTable(t *testing.T) {
	var rows []string
	for _, cell := range tableRows(t, "Commands") {
		name, _, _ := strings.Cut(strings.Trim(cell, "`"), " ")
		rows = append(rows, strings.Trim(name, "`"))
	}
	var want []string
	for _, cmd := range visible(fullRoot(t)) {
		want = append(want, cmd.Name)
	}
	slices.Sort(rows)
	slices.Sort(want)
	if !slices.Equal(rows, want) {
		t.Errorf("the README's table has the commands %q, devtools has %q", rows, want)
	}
}

// declaredCodes returns the exit codes that errors.go declares.
func declaredCodes(t *testing.T) []int {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []int
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "code") || len(spec.Values) != 1 {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.INT {
			code, err := strconv.Atoi(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	if len(codes) == 0 {
		t.Fatal("errors.go declares no exit codes")
	}
	return codes
}

// numbers returns the cells that are numbers, sorted.
func numbers(cells []string) []int {
	var list []int
	for _, cell := range cells {
		if n, err := strconv.Atoi(strings.Trim(cell, "` ")); err == nil {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// The tables of exit codes in the manual and the README are that of errors.go, with 0.
func TestExitCodes(t *testing.T) {
	want := append(declaredCodes(t), 0)
	slices.Sort(want)
	sections := manualSections(t)
	var tags []string
	for _, line := range sections["EXIT STATUS"] {
		if line.tag {
			tags = append(tags, line.text)
		}
	}
	if got := numbers(tags); !slices.Equal(got, want) {
		t.Errorf("the manual has the exit codes %v, errors.go %v", got, want)
	}
	if got := numbers(tableRows(t, "Exit codes")); !slices.Equal(got, want) {
		t.Errorf("the README has the exit codes %v, errors.go %v", got, want)
	}
	var told strings.Builder
	for _, line := range sections["EXIT STATUS"] {
		told.WriteString(line.text + "\n")
	}
	for _, k := range kinds() {
		if !slices.Contains(want, k.code) {
			t.Errorf("the kind %s has the code %d, which errors.go does not name", k.kind, k.code)
		}
		if !regexp.MustCompile(`\b` + k.kind + `\b`).MatchString(told.String()) {
			t.Errorf("EXIT STATUS in the manual does not name the kind %s", k.kind)
		}
	}
}

// Every file in completions is what devtools completion prints for its shell.
func TestCompletionsAreCurrent(t *testing.T) {
	if len(completionFiles) != len(completions.Shells) {
		t.Errorf("%d files for %d shells", len(completionFiles), len(completions.Shells))
	}
	for _, shell := range completions.Shells {
		got := printedBy(t, "completion", shell)
		if want, err := os.ReadFile(filepath.Join("..", "completions", completionFiles[shell])); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: not what devtools completion prints (%v)", shell, err)
		}
	}
}

func TestCompletionSyntax(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			check := exec.Command(runnertest.Need(t, shell), "-n", filepath.Join("..", "completions", completionFiles[shell]))
			if complaint, err := check.CombinedOutput(); err != nil || len(complaint) > 0 {
				t.Errorf("%s -n: %v\n%s", shell, err, complaint)
			}
		})
	}
}

func TestManualMarkup(t *testing.T) {
	for _, check := range [][]string{
		{"groff", "-man", "-ww", "-z"},
		{"mandoc", "-Tlint", "-Wwarning"},
	} {
		t.Run(check[0], func(t *testing.T) {
			lint := exec.Command(runnertest.Need(t, check[0]), append(check[1:], manualFile)...)
			if complaint, err := lint.CombinedOutput(); err != nil || len(complaint) > 0 {
				t.Errorf("%s: %v\n%s", strings.Join(check, " "), err, complaint)
			}
		})
	}
}
