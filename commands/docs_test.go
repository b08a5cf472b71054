package commands

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
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

var readmeFile = filepath.Join("..", "README.md")

// agentsFile is the skill for agents.
var agentsFile = filepath.Join("..", ".agents", "skills", "devtools", agentsPage)

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

// People read the README in one go.
func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(readDocument(t, readmeFile), "\n"); n >= 150 {
		t.Errorf("the README has %d lines: keep it under 150", n)
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
	told := sectionOf(manualPages(t), "devtools.1", "EXIT STATUS")
	codes, kindTable, _ := strings.Cut(told, "kind:")
	var cells []string
	for line := range strings.Lines(codes) {
		cell, _, _ := strings.Cut(line, " ")
		cells = append(cells, cell)
	}
	if got := numbers(cells); !slices.Equal(got, want) {
		t.Errorf("the manual has the exit codes %v, errors.go %v", got, want)
	}
	if got := numbers(tableRows(t, "Exit codes")); !slices.Equal(got, want) {
		t.Errorf("the README has the exit codes %v, errors.go %v", got, want)
	}
	for _, k := range kinds() {
		if !slices.Contains(want, k.code) {
			t.Errorf("the kind %s has the code %d, which errors.go does not name", k.kind, k.code)
		}
		row := regexp.MustCompile(`(?m)^` + strconv.Itoa(k.code) + ` .*(?:\n .*)*\b` + k.kind + `\b`)
		if !row.MatchString(kindTable) {
			t.Errorf("EXIT STATUS in the manual does not have the kind %s beside the code %d", k.kind, k.code)
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
