package guard

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"

	"devtools/ledger/regular"
	"devtools/stack/line"
)

// A judge decides about one call.
type judge struct {
	policy   *Policy
	call     Call
	ev       *line.Evaluation
	root     string // see workspace
	resolved bool   // root is set
	via      []string
	links    map[string]string   // where links on the disk lead; "" for what is none
	files    int                 // how many files with scripts are being read
	copies   map[string]string   // files that the line copies or renames, by the new path
	earlier  map[string][]string // files that were copied to a path before
	patterns int                 // that name files to copy
	given    int                 // bytes of variables that hold options
	edited   map[string]string   // files that the line edits, by their path
	asked    map[string]bool     // values of variables that were judged as lines
	settings []setting           // of git, that commands of the line have set
	applied  bool                // a rule or a word of [pty] was asked about a command that counts
	verdict  Verdict
	commands []Command
}

// codeOfCall stands for the program of a call that has code.
const codeOfCall = "run --lang"

// mostExplained is the most commands that Explain returns.
const mostExplained = 100

// Judge returns the verdict on a call. It reads scripts of the workspace and resolves links, but
// executes nothing.
func (p *Policy) Judge(c Call) Verdict {
	v, _ := p.Explain(c)
	return v
}

// Commands returns the commands that a call would start, at most 100. No rule is asked about them.
func Commands(c Call) []Command {
	_, commands := new(Policy).Explain(c)
	return commands
}

// Explain returns the verdict of Judge, and the verdict on each command of the call. At most
// 100 commands are returned.
func (p *Policy) Explain(c Call) (Verdict, []Command) {
	if p == nil {
		return Verdict{}, nil
	}
	j := &judge{policy: p, call: c}
	j.ev = &line.Evaluation{Visit: j.visit, Read: j.read, Env: j.variable}
	dir := filepath.ToSlash(c.Dir)
	if c.Moved {
		dir = line.Unknown
	}
	shell := baseName(cmp.Or(c.Shell, "sh"))
	var err error
	switch {
	case c.Kind == KindKill || c.Kind == KindKillOrphans || c.Kind == KindAsk:
	case c.Code != "" && shellLanguage(c.Lang):
		err = j.ev.Evaluate(c.Code, shell, dir, nil)
	case c.Code != "":
		err = j.ev.Start([]string{codeOfCall}, dir)
	case len(c.Argv) > 0:
		err = j.ev.Start(c.Argv, dir)
	case c.typed():
		j.typed(shell, dir)
	default:
		err = j.ev.Evaluate(c.Line, shell, dir, nil)
	}
	if err != nil {
		j.unknown(notUnderstood(err))
	}
	if !j.applied {
		j.strictest(j.judged(nil, true))
	}
	return j.verdict, j.commands
}

// visit judges a command, and what it starts. It returns what the command prints.
func (j *judge) visit(c *line.Command) string {
	x := j.invocation(c)
	if x.words != nil && x.words[0] == codeOfCall { // the code of run --lang
		j.code(x, j.call.Lang, j.call.Code, 0)
		if len(j.commands) == 0 {
			j.record(x, true)
		}
		return ""
	}
	starts := j.plan(x)
	j.record(x, len(starts) == x.scripts) // a script is not judged by the words of [pty], but the command that runs it is
	output := ""
	if len(starts) > 0 {
		j.via = append(j.via, x.names[0])
		for _, run := range starts {
			output = run()
		}
		j.via = j.via[:len(j.via)-1]
	}
	x.remember()
	if len(starts) > 0 && !x.table.has("exec") {
		return output
	}
	return x.output()
}

// tolerant evaluates a text that may be none for a shell: what cannot be parsed is left out.
func (j *judge) tolerant(run func()) {
	j.ev.Tolerant++
	run()
	j.ev.Tolerant--
}

// read returns the text of a file that a line reads.
func (j *judge) read(path string) (string, bool) { return j.text(j.onDiskAs(path)) }

// mostScript is the most bytes of a script that is read, and mostCodeBytes those of code on the command line.
const (
	mostScript    = line.MostScript
	mostCodeBytes = 64 << 10
)

// readable takes from the text of a file what no language needs and Evaluate does not take: the signs, which stand for
// something unknown there, NUL, which bash skips, and what some editors write before the first line.
var readable = strings.NewReplacer("\x00", "", line.Unknown, "\x04", line.Names, "\x04", line.Computed, "\x04", "\ufeff", "")

// readText returns the text of a regular file, "" if it is none. ok is false if the text is not known, or only its
// beginning.
func readText(name string) (text string, ok bool) {
	if strings.HasPrefix(name, "/proc/") || strings.HasPrefix(name, "/sys/") || strings.HasPrefix(name, "/dev/") || !path.IsAbs(filepath.ToSlash(name)) {
		return "", false
	}
	f, info, err := regular.Open(name, os.O_RDONLY)
	if err != nil {
		return "", false
	}
	defer f.Close()
	buffer := make([]byte, min(info.Size(), mostScript))
	n, _ := f.ReadAt(buffer, 0)
	if first, _, _ := bytes.Cut(buffer[:n], []byte("\n")); bytes.IndexByte(first, 0) >= 0 { // as bash finds out whether a file is a program
		return "", false
	}
	return readable.Replace(string(buffer[:n])), info.Size() <= mostScript
}

// scriptText returns the text of a script as readText does, "" if it belongs to the system.
func (j *judge) scriptText(name string) (string, bool) {
	if j.systems(name) {
		return "", false
	}
	text, ok := j.text(name)
	return text, ok && !line.Nested(text)
}

// systems reports whether a file belongs to the system.
func (j *judge) systems(name string) bool {
	for _, dir := range []string{"/usr/", "/bin/", "/sbin/", "/lib", "/opt/", "/nix/", "/snap/"} {
		if strings.HasPrefix(name, dir) {
			return j.workspace() == "" || !above(j.workspace(), name)
		}
	}
	return false
}

// variable returns a variable of the call's environment.
func (j *judge) variable(name string) (value string, set, known bool) {
	if j.call.Env == nil {
		return "", false, false
	}
	for _, env := range j.call.Env {
		if len(env) > len(name) && env[len(name)] == '=' && env[:len(name)] == name {
			value, set = env[len(name)+1:], true
		}
	}
	return value, set, true
}

// workspace returns the folder of the workspace without links, "" if it is not known. Without a
// workspace it is the working directory.
func (j *judge) workspace() string {
	if !j.resolved {
		j.resolved = true
		if dir := filepath.ToSlash(cmp.Or(j.call.Workspace, j.call.Dir)); path.IsAbs(dir) {
			j.root = j.resolve(dir, true)
		}
	}
	return j.root
}
