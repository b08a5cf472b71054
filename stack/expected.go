package stack

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"devtools/stack/line"
)

// A Running is a running process.
type Running struct {
	PID     int
	Parent  int
	Name    string
	Argv    []string
	Cwd     string // "" if it is unknown
	Ports   []int  // the ports on which it listens
	Watches bool   // it watches files
}

// A Mark says how a running process relates to its workspace. A process that ends by itself has
// none.
type Mark string

// The marks.
const (
	Expected   Mark = "expected"   // it belongs to a command that the workspace is developed with
	Unexpected Mark = "unexpected" // another server or watcher
)

// An Expectation is a process that runs while people work on a project: its dev command, or a
// service that it declares.
type Expectation struct {
	Project string   `json:"project"`     // path of its project
	Name    string   `json:"name"`        // name of the command or the service
	Command []string `json:"command"`     // arguments of the command that starts it
	Ports   []int    `json:"portNumbers"` // ports on which it is expected to listen
	PIDs    []int    `json:"-"`           // its processes
	running bool
}

// A Comparison says which expected processes run, and what the running processes are.
type Comparison struct {
	Running []Expectation
	Missing []Expectation
	Marks   map[int]Mark   // by pid
	Reasons map[int]string // why a process is unexpected, by pid: a sentence
}

// Compare finds out which commands and services of the workspace run, by the running processes and
// by the ports in use. A project with others below it is not missing if one of those runs by itself.
func (r *Report) Compare(running []Running, listening []int) Comparison {
	c := comparison{report: r, Comparison: Comparison{Marks: map[int]Mark{}, Reasons: map[int]string{}}}
	c.expect(listening)
	byPID := map[int]Running{}
	for _, p := range running {
		byPID[p.PID] = p
	}
	verdicts := map[int]Verdict{}
	for _, p := range running {
		verdicts[p.PID] = ClassifyProcess(p.Argv, len(p.Ports) > 0, p.Watches)
	}
	c.mark(running, verdicts, c.expected, (*comparison).fits)
	missing := slices.DeleteFunc(slices.Clone(c.expected), func(e *Expectation) bool { return e.running })
	c.mark(running, verdicts, missing, (*comparison).develops)
	for _, p := range running {
		v := verdicts[p.PID]
		switch {
		case c.Marks[p.PID] != "" || v.Class == Helper:
		case c.below(p, byPID):
			c.Marks[p.PID] = Expected
		case c.taken[p.PID] != "":
			c.Marks[p.PID], c.Reasons[p.PID] = Unexpected, c.taken[p.PID]
		case v.Class.Long() && v.Confidence > Low:
			c.Marks[p.PID], c.Reasons[p.PID] = Unexpected, v.Reason
		}
	}
	c.sort()
	return c.Comparison
}

// A comparison is the state of Compare.
type comparison struct {
	Comparison
	report   *Report
	expected []*Expectation
	of       map[*Expectation]*Project
	taken    map[int]string // by pid, a sentence: another program has the port of this process
}

// expect lists the expected processes. A service runs if any process listens on its port.
func (c *comparison) expect(listening []int) {
	c.of, c.taken = map[*Expectation]*Project{}, map[int]string{}
	for i := range c.report.Projects {
		p := &c.report.Projects[i]
		if dev := p.DevCommand; dev != nil && (len(p.Services) == 0 || dev.Argv[0] != "docker") { // docker starts the services
			e := &Expectation{Project: p.Path, Name: dev.Name, Command: dev.Argv, Ports: p.portsOf("")}
			// An unknown command is expected if it is for development or has a port. Otherwise go run . may be a
			// tool that ends.
			if dev.Class.Long() || dev.Class == Unknown && (dev.Kind == "dev" || len(e.Ports) > 0) {
				c.expected, c.of[e] = append(c.expected, e), p
			}
		}
		for _, s := range p.Services {
			e := &Expectation{Project: p.Path, Name: s.Name, Command: []string{"docker", "compose", "up", s.Name}, Ports: p.portsOf(s.Name)}
			e.running = slices.ContainsFunc(e.Ports, func(port int) bool { return slices.Contains(listening, port) })
			if len(e.Ports) > 0 { // without a port nothing tells whether it runs
				c.expected = append(c.expected, e)
			}
		}
	}
}

func (p *Project) portsOf(service string) []int {
	ports := []int{}
	for _, port := range p.Ports {
		if port.Service == service {
			ports = append(ports, port.Port)
		}
	}
	return ports
}

// mark marks the processes that fit one of the expectations of their project.
func (c *comparison) mark(running []Running, verdicts map[int]Verdict, expected []*Expectation, fits func(*comparison, *Expectation, Running, Verdict) bool) {
	for _, p := range running {
		v, owner := verdicts[p.PID], c.report.owner(p.Cwd)
		if v.Class == Helper || c.Marks[p.PID] != "" {
			continue
		}
		for _, e := range expected {
			if of := c.of[e]; of != nil && (p.Cwd == "" || of == owner) && fits(c, e, p, v) {
				c.Marks[p.PID], e.running, e.PIDs = Expected, true, append(e.PIDs, p.PID)
				break
			}
		}
	}
}

// fits reports whether a process is an expected one, by its command or its port.
func (c *comparison) fits(e *Expectation, p Running, v Verdict) bool {
	if sameCommand(p.Argv, e.Command) {
		return true
	}
	port := slices.IndexFunc(p.Ports, func(port int) bool { return slices.Contains(e.Ports, port) })
	if !v.Class.Long() || port < 0 {
		return false
	}
	if !c.of[e].mayRun(p) {
		c.taken[p.PID] = "It has port " + strconv.Itoa(p.Ports[port]) + ", which is that of " + quoted(strings.Join(e.Command, " ")) + ", and is another program."
		return false
	}
	return true
}

// develops reports whether a process is what the dev command runs in the end: a program that the project builds, or the
// same program with the same words. Flags do not count. With further words it must be of the same class, because a word may
// be another command of the program: vite is a server, vite build --watch a watcher.
func (c *comparison) develops(e *Expectation, r Running, v Verdict) bool {
	p := c.of[e]
	switch {
	case r.Cwd == "":
		return false
	case slices.Contains(p.builds, r.Name):
		return v.Class.Long()
	}
	words := programWords(untitled(r.Argv), r.Cwd)
	return slices.ContainsFunc(p.DevCommand.programs(), func(argv []string) bool {
		want := programWords(argv, p.Root)
		if len(want) == 0 || slices.Equal(words, want) {
			return len(want) > 0
		}
		class := ClassifyProcess(argv, false, false).Class
		return v.Class.Long() && (v.Class == class || class == Unknown) && (len(want) > 1 || !hasOperand(r)) && hasWords(words, want)
	})
}

// hasOperand reports whether the program that a process runs has an argument that is no flag, and no value after a flag:
// vite preview has one, vite --port 3000 has none.
func hasOperand(r Running) bool {
	argv := untitled(r.Argv)
	_, at := runningProgram(argv)
	for i := at + 1; i < len(argv); i++ {
		if !strings.HasPrefix(argv[i], "-") && (i == at+1 || !strings.HasPrefix(argv[i-1], "-")) {
			return true
		}
	}
	return false
}

// programs returns the command lines that a command runs in the end, as words. A command that serves may run watchers
// beside its server: what is known to be of another class is left out, because it alone is not the command.
func (c *Command) programs() (all [][]string) {
	if len(c.runs) == 0 {
		return [][]string{c.Argv}
	}
	for _, run := range c.runs {
		parts, err := line.Parse(run)
		if err != nil || len(parts) != 1 {
			continue
		}
		var argv []string
		for _, word := range parts[0].Args {
			argv = append(argv, word.Text)
		}
		if class := ClassifyProcess(argv, false, false).Class; class == c.Class || class == Unknown {
			all = append(all, argv)
		}
	}
	return all
}

// programWords returns the name of the program that a process runs and its arguments without flags. For a file of the
// user, which a relative path names from the folder, the name is its path.
func programWords(argv []string, folder string) (words []string) {
	name, at := runningProgram(argv)
	if at >= len(argv) {
		return nil
	}
	if name == "" {
		if name = argv[at]; !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
	}
	for _, word := range argv[at+1:] {
		if !strings.HasPrefix(word, "-") {
			words = append(words, word)
		}
	}
	return slices.Insert(words, 0, name)
}

// hasWords reports whether words begin with the first of want, and the others follow in their order.
func hasWords(words, want []string) bool {
	if len(words) == 0 || words[0] != want[0] {
		return false
	}
	for _, word := range words {
		if len(want) > 0 && word == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}

// untitled returns the words of a command line that a process has set as its title.
func untitled(argv []string) []string {
	if len(argv) == 1 {
		return strings.Fields(argv[0])
	}
	return argv
}

// mayRun reports whether a process with a port of the project may belong to it: it runs a program of the project, or a
// program of its stacks. A process that only has its folder and its interpreter does not.
func (p *Project) mayRun(r Running) bool {
	argv := untitled(r.Argv)
	name, at := runningProgram(argv)
	if name == "" || slices.Contains(p.ExpectedProcesses, name) || lookup(name) == nil {
		return true
	}
	text := strings.Join(append([]string{name}, argv[at+1:]...), " ")
	d := &detection{}
	return slices.ContainsFunc(p.Stacks, func(f Found) bool {
		return f.ID == name || f.def != nil && d.matchesAny(f.def.DevServerPatterns, text)
	})
}

// runningProgram returns the name of the program that a process runs, and its place in argv. Behind an
// interpreter that is the name of a module or of an installed file. The name is "" for a file of the
// user, and if there is no program.
func runningProgram(argv []string) (name string, at int) {
	for i, word := range argv[:min(len(argv), 4)] {
		if strings.HasPrefix(word, "-") {
			continue
		}
		if program := packageProgram(filepath.ToSlash(word)); program != "" {
			return program, i
		}
		if name := programName(word); !isInterpreter(name) {
			if languageOf(word) != "" {
				return "", i
			}
			return scriptName(word), i
		}
	}
	return "", 0
}

// isInterpreter reports whether a program runs another one, so that its own name says nothing.
func isInterpreter(name string) bool {
	name = strings.TrimRight(name, "0123456789.")
	return slices.Contains([]string{"node", "nodejs", "python", "pypy", "ruby", "php", "perl", "java", "bun", "deno", "tsx", "ts-node", "sh", "bash", "env", "uv", "run"}, name)
}

// owner returns the deepest project that contains the folder, nil if there is none.
func (r *Report) owner(folder string) (owner *Project) {
	for i := range r.Projects {
		p := &r.Projects[i]
		if isIn(folder, p.Root) && (owner == nil || len(p.Root) > len(owner.Root)) {
			owner = p
		}
	}
	return owner
}

// isIn reports whether a path is a folder or lies in it.
func isIn(path, folder string) bool {
	rest, err := filepath.Rel(folder, path)
	return path != "" && err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// sameCommand reports whether a process runs a command, whatever its interpreter and its path are.
// node /usr/bin/npm-cli.js run dev is npm run dev, and so is a process with that title.
func sameCommand(argv, command []string) bool {
	argv = untitled(argv)
	for i, word := range argv[:min(len(argv), 3)] {
		rest := argv[i+1:]
		if scriptName(word) == scriptName(command[0]) && len(rest) >= len(command)-1 && slices.Equal(rest[:len(command)-1], command[1:]) {
			return true
		}
	}
	return false
}

// scriptName returns the name of a program from the path of its file.
func scriptName(path string) string {
	name := programName(path)
	for _, suffix := range []string{".js", ".cjs", ".mjs", "-cli"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// below reports whether an ancestor of a process is expected.
func (c *comparison) below(p Running, byPID map[int]Running) bool {
	for range len(byPID) {
		parent, ok := byPID[p.Parent]
		if !ok || parent.PID == p.PID {
			return false
		}
		if c.Marks[parent.PID] == Expected {
			return true
		}
		p = parent
	}
	return false
}

// sort divides the expectations into running and missing ones.
func (c *comparison) sort() {
	for _, e := range c.expected {
		switch {
		case e.running:
			c.Running = append(c.Running, *e)
		case !c.delegates(e):
			c.Missing = append(c.Missing, *e)
		}
	}
}

// delegates reports whether a project below that of e has a command of its own that runs.
func (c *comparison) delegates(e *Expectation) bool {
	p := c.of[e]
	return p != nil && len(p.Members) > 0 && slices.ContainsFunc(c.expected, func(other *Expectation) bool {
		below := c.of[other]
		return other.running && below != nil && below != p && isIn(below.Root, p.Root)
	})
}
