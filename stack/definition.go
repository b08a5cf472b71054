package stack

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A Definition describes a stack. Definitions are TOML files ([[stack]]): those of devtools lie in
// the folder definitions, and a workspace may have .devtools/stacks.toml.
//
// A name in files, weak and content is the name of a file in a project's folder. It may have folders
// before it (bin/rails) and stars (*.csproj).
//
// Commands have placeholders. {exec} is how Node's package manager runs an installed program (npx,
// pnpm exec). {run} is the same for Python (uv run), and nothing without a package manager. {mvn}
// and {gradle} are the wrapper of the workspace, otherwise the program. {entry:a.py,b.py} is the
// first of these files that exists, and {app:a.py} the same as a module. {if:a.py} is nothing if one
// of the files exists. {code:Flask(} is the first file with that text among the project's top
// folders, {module:Flask(} the same as a module, and {imports:dash} the file that imports a module.
// Several commands may stand in a row, with " | " between them. The first command counts for which
// every placeholder has a value.
type Definition struct {
	ID         string              `toml:"id"`   // the name that people type: lower case, digits, dashes
	Name       string              `toml:"name"` // the name as its makers write it
	Kind       Kind                `toml:"kind"`
	Weight     int                 `toml:"weight"`     // the heaviest stack of a project is its main one; 0 means the weight of the kind
	Root       bool                `toml:"root"`       // a folder with one of its files is a project
	Alone      bool                `toml:"alone"`      // it counts only if nothing else is found
	Outermost  bool                `toml:"outermost"`  // it is not a project below a project that has it already
	Files      []string            `toml:"files"`      // files that only this stack uses
	Weak       []string            `toml:"weak"`       // files that other stacks use too: a hint, but never a project
	Deps       map[string][]string `toml:"deps"`       // names of dependencies by registry; a star at the end stands for any text
	Without    []string            `toml:"without"`    // dependencies that rule it out
	Content    []Content           `toml:"content"`    // files that tell the stack by their content
	Supersedes []string            `toml:"supersedes"` // stacks that are a part of it, and are not listed beside it

	Dev   string `toml:"dev"`
	Start string `toml:"start"`
	Build string `toml:"build"`
	Test  string `toml:"test"`
	Lint  string `toml:"lint"`

	Ports     []int    `toml:"ports"`     // default ports; the first is the one for people
	PortMoves bool     `toml:"portMoves"` // it takes the next port if one is in use
	PortFlags []string `toml:"portFlags"`
	PortEnv   []string `toml:"portEnv"`

	Processes         []string `toml:"processes"` // names of the programs that run it, on Linux
	ProcessesDarwin   []string `toml:"processesDarwin"`
	ProcessesWindows  []string `toml:"processesWindows"`
	DevServerPatterns []string `toml:"devServerPatterns"` // expressions that match the command lines of its servers and watchers
	DevServerRules    []Rule   `toml:"devServerRules"`
	Ready             []string `toml:"ready"` // expressions for the line that its server prints when it listens
}

// A Kind says what a stack is for a project.
type Kind string

// Content is a file that tells a stack if an expression matches its text.
type Content struct {
	File  string `toml:"file"`
	Match string `toml:"match"`
}

// A Rule is a pattern of command lines with exceptions.
type Rule struct {
	Match  string `toml:"match" json:"match"`   // expression for the command line
	Unless string `toml:"unless" json:"unless"` // expression for command lines that are exceptions; "": none
}

// weights are the weights of the kinds. The stack of a project with the largest weight is its main
// one. A framework says more about a project than its language, and the language says more than a
// tool.
var weights = [...]struct {
	kind   Kind
	weight int
}{
	{"desktop", 68},
	{"mobile", 66},
	{"framework", 60},
	{"ssg", 58},
	{"server-library", 50},
	{"bundler", 45},
	{"platform", 40},
	{"docs", 34},
	{"monorepo", 33},
	{"language", 30},
	{"library-bundler", 29},
	{"worker", 27},
	{"ui", 26},
	{"notebook", 22},
	{"iac", 20},
	{"server", 16},
	{"orchestrator", 12},
	{"watcher", 11},
	{"tool", 10},
	{"library", 9},
	{"task-runner", 8},
	{"style", 7},
	{"container", 6},
	{"test-runner", 5},
	{"linter", 4},
	{"package-manager", 3},
	{"toolchain", 2},
	{"environment", 2},
	{"ci", 1},
	{"service", 1},
}

// weight returns how much the stack says about a project.
func (d *Definition) weight() int {
	if d.Weight != 0 {
		return d.Weight
	}
	return weightOf(d.Kind)
}

// weightOf returns the weight of a kind, 0 if there is no such kind.
func weightOf(kind Kind) int {
	for _, w := range weights {
		if w.kind == kind {
			return w.weight
		}
	}
	return 0
}

// ParseDefinitions reads a file of definitions. An error names the line, or the stack and the key.
func ParseDefinitions(data []byte) ([]Definition, error) {
	var file struct {
		Stack []Definition `toml:"stack"`
	}
	if err := tooDeep(data); err != nil {
		return nil, err
	}
	decoder := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok && len(unknown.Errors) > 0 {
			first := &unknown.Errors[0]
			line, _ := first.Position()
			return nil, fmt.Errorf("line %d: unknown key %s", line, strings.Join(first.Key(), "."))
		}
		if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := wrong.Position()
			what := ""
			if key := strings.Join(wrong.Key(), "."); key != "" {
				what = key + ": "
			}
			return nil, fmt.Errorf("line %d: %s%s", line, what, strings.TrimPrefix(err.Error(), "toml: "))
		}
		return nil, err
	}
	return file.Stack, nil
}

// Check returns the first error in a definition, nil if there is none.
func (d *Definition) Check() error {
	if d.ID == "" || strings.Trim(d.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("stack %q: id: use lower-case letters, digits and dashes", d.ID)
	}
	bad := func(key string, err error) error { return fmt.Errorf("stack %s: %s: %w", d.ID, key, err) }
	if d.Kind != "" && weightOf(d.Kind) == 0 {
		return bad("kind", fmt.Errorf("%q: use one of %s", d.Kind, strings.Join(kindNames(), ", ")))
	}
	expressions := map[string][]string{"devServerPatterns": d.DevServerPatterns, "ready": d.Ready}
	for _, c := range d.Content {
		expressions["content"] = append(expressions["content"], c.Match)
	}
	for _, r := range d.DevServerRules {
		expressions["devServerRules"] = append(expressions["devServerRules"], r.Match, r.Unless)
	}
	for _, key := range []string{"content", "devServerPatterns", "devServerRules", "ready"} {
		for _, text := range expressions[key] {
			if _, err := regexp.Compile(text); err != nil {
				return bad(key, err)
			}
		}
	}
	for key, names := range map[string][]string{"files": d.Files, "weak": d.Weak} {
		for _, name := range names {
			if _, err := path.Match(name, "x"); err != nil || name == "" || path.IsAbs(name) {
				return bad(key, fmt.Errorf("%q is not the name of a file in a project", name))
			}
		}
	}
	for _, port := range d.Ports {
		if port < 1 || port > 65535 {
			return bad("ports", fmt.Errorf("%d: use a port from 1 to 65535", port))
		}
	}
	return nil
}

func kindNames() (names []string) {
	for _, w := range weights {
		names = append(names, string(w.kind))
	}
	slices.Sort(names)
	return names
}

// Override returns all with the definitions of own. A definition of own replaces the one with the
// same id, but keeps the fields that it leaves out. Its other definitions follow at the end.
func Override(all, own []Definition) ([]Definition, error) {
	all = slices.Clone(all)
	for _, d := range own {
		if err := d.Check(); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(known Definition) bool { return known.ID == d.ID })
		if i < 0 {
			if d.Kind == "" {
				return nil, fmt.Errorf("stack %s: kind: a new stack needs one", d.ID)
			}
			if d.Name == "" {
				d.Name = d.ID
			}
			all = append(all, d)
			continue
		}
		all[i].replace(d)
	}
	for _, d := range own {
		for _, id := range d.Supersedes {
			if !slices.ContainsFunc(all, func(known Definition) bool { return known.ID == id }) {
				return nil, fmt.Errorf("stack %s: supersedes: there is no stack %q", d.ID, id)
			}
		}
	}
	return all, nil
}

// replace takes over the fields that other sets.
func (d *Definition) replace(other Definition) {
	text := func(mine *string, theirs string) {
		if theirs != "" {
			*mine = theirs
		}
	}
	list := func(mine *[]string, theirs []string) {
		if theirs != nil {
			*mine = theirs
		}
	}
	text(&d.Name, other.Name)
	text((*string)(&d.Kind), string(other.Kind))
	text(&d.Dev, other.Dev)
	text(&d.Start, other.Start)
	text(&d.Build, other.Build)
	text(&d.Test, other.Test)
	text(&d.Lint, other.Lint)
	list(&d.Files, other.Files)
	list(&d.Weak, other.Weak)
	list(&d.Without, other.Without)
	list(&d.Supersedes, other.Supersedes)
	list(&d.PortFlags, other.PortFlags)
	list(&d.PortEnv, other.PortEnv)
	list(&d.Processes, other.Processes)
	list(&d.ProcessesDarwin, other.ProcessesDarwin)
	list(&d.ProcessesWindows, other.ProcessesWindows)
	list(&d.DevServerPatterns, other.DevServerPatterns)
	list(&d.Ready, other.Ready)
	if other.Weight != 0 {
		d.Weight = other.Weight
	}
	if other.Deps != nil {
		d.Deps = other.Deps
	}
	if other.Content != nil {
		d.Content = other.Content
	}
	if other.DevServerRules != nil {
		d.DevServerRules = other.DevServerRules
	}
	if other.Ports != nil {
		d.Ports = other.Ports
	}
	d.Root = d.Root || other.Root
	d.Outermost = d.Outermost || other.Outermost
	d.PortMoves = d.PortMoves || other.PortMoves
}

// processes returns the names of the programs that run the stack on a system (GOOS).
func (d *Definition) processes(system string) []string {
	switch {
	case system == "darwin" && d.ProcessesDarwin != nil:
		return d.ProcessesDarwin
	case system == "windows" && d.ProcessesWindows != nil:
		return d.ProcessesWindows
	case system == "windows":
		var names []string
		for _, name := range d.Processes {
			names = append(names, name+".exe")
		}
		return names
	}
	return d.Processes
}

// mostNesting is how deep brackets in a manifest may be nested, because the parsers are recursive.
const mostNesting = 500

// tooDeep reports brackets that are nested deeper than mostNesting. It also counts brackets in
// strings and comments, which never are that many.
func tooDeep(data []byte) error {
	depth := 0
	for _, c := range data {
		switch c {
		case '[', '{':
			if depth++; depth > mostNesting {
				return fmt.Errorf("brackets are nested deeper than %d", mostNesting)
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return nil
}
