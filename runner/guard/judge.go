package guard

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"devtools/stack/line"
)

// A judge decides about one call.
type judge struct {
	policy   *Policy
	call     Call
	root     string // folder of the workspace without links, or else the working directory; "" if it is not known
	via      []string
	links    map[string]string // where links on the disk lead; "" for what is none
	made     map[string]string // files that the line has written, by their path: their text
	files    int               // how many files with scripts are being read
	steps    int
	applied  bool // a rule or a word of [pty] was asked about a command that counts
	verdict  Verdict
	commands []Command
}

// MostExplained is the most commands that Explain returns.
const MostExplained = 100

// Judge returns the verdict on a call. It reads scripts of the workspace and resolves links, but
// executes nothing.
func (p *Policy) Judge(c Call) Verdict {
	v, _ := p.Explain(c)
	return v
}

// Explain returns the verdict of Judge, and the verdict on each command of the call. At most
// 100 commands are returned.
func (p *Policy) Explain(c Call) (Verdict, []Command) {
	if p == nil {
		return Verdict{}, nil
	}
	j := &judge{policy: p, call: c, made: map[string]string{}, links: map[string]string{}}
	if dir := filepath.ToSlash(cmp.Or(c.Workspace, c.Dir)); path.IsAbs(dir) {
		j.root = j.resolve(dir, true)
	}
	s := &shell{judge: j, vars: map[string]expand.Variable{}, functions: map[string]*syntax.Stmt{}, dir: filepath.ToSlash(c.Dir)}
	if c.Moved || s.dir == "" {
		s.dir = unknown
	}
	reader, _ := line.Known(baseName(cmp.Or(c.Lang, c.Shell, "sh")))
	text := strings.Join(append([]string{c.Line}, c.Argv...), "")
	switch {
	case c.Kind == KindKill || c.Kind == KindKillOrphans || c.Kind == KindAsk:
	case c.Unknown != "":
		j.unreadable(c.Unknown)
	case strings.ContainsAny(text, signs+"\x00"):
		j.unreadable("it has control characters, so that devtools does not know what it says")
	case len(c.Argv) > 0:
		s.start(c.Argv, nil, redirections{})
	case c.Code != "" && (reader.Has("shell") || c.Lang == "shell"):
		s.text(c.Code, nil)
	case c.Code != "" || c.typed() && !reader.Has("shell"):
		j.record(&command{shell: s, table: &line.Program{}, words: []string{cmp.Or(c.Lang, c.Shell)}, code: true}, true)
	case c.typed():
		s.text(line.Closed(c.Line), nil)
	default:
		s.text(c.Line, nil)
	}
	if !j.applied {
		j.strictest(j.judged(nil, true))
	}
	return j.verdict, j.commands
}

// typed reports whether the text of a call is typed into a running program.
func (c *Call) typed() bool {
	return c.Kind == KindSendKeys || c.Kind == KindAnswer || c.Kind == KindRunIn
}

// variable returns a variable of the call's environment. Where that is not known, there is a home folder nevertheless.
func (j *judge) variable(name string) (value string, set, known bool) {
	if j.call.Env == nil {
		if name == "HOME" {
			value, set = os.LookupEnv(name)
		}
		return value, set, false
	}
	for _, env := range j.call.Env {
		if rest, ok := strings.CutPrefix(env, name+"="); ok {
			value, set = rest, true
		}
	}
	return value, set, true
}

// record judges a command by the rules. leaf says that it starts nothing itself, so that the words
// of [pty] hold for it.
func (j *judge) record(x *command, leaf bool) {
	quiet := len(x.words) > 0 && j.call.Argv == nil && x.table.Has("silent") && len(x.written()) == 0 // a command of the shell
	leaf = leaf && !quiet && j.files == 0
	v := j.judged(x, leaf)
	j.applied = j.applied || leaf || v.Rule != ""
	if x.code {
		v = stricter(v, j.unseen("code", "it executes code, which devtools does not look into: [unseen] code"))
	}
	if v.Action != Free {
		v.Command = x.shown()
	}
	if len(j.commands) < MostExplained && len(x.words)+len(x.redirected.read)+len(x.redirected.written) > 0 {
		known := len(x.words) == 0 || !strings.ContainsAny(x.words[0], signs)
		j.commands = append(j.commands, Command{Text: x.shown(), Via: strings.Join(j.via, ", "), Known: known, Code: x.code, Verdict: v})
	}
	j.strictest(v)
}

// strictest keeps a verdict if it is stricter than that of the commands before.
func (j *judge) strictest(v Verdict) {
	v.Untrusted = v.Untrusted || j.verdict.Untrusted
	j.verdict.Untrusted = v.Untrusted
	j.verdict = stricter(j.verdict, v)
}

// stricter returns the stricter one of two verdicts, and the first of the same strictness.
func stricter(a, b Verdict) Verdict {
	if b.Action > a.Action {
		return b
	}
	return a
}

// notUnderstood returns the reason for a text that cannot be parsed: where, but not what the parser wants there.
func notUnderstood(err error) string {
	place, _, _ := strings.Cut(err.Error(), ": ")
	return "devtools does not understand this line, so a person must look at it (" + place + ")"
}

// unreadable judges a line or a file that cannot be read as a shell reads it. Text for a program that has the keyboard before the
// shell need not be a line.
func (j *judge) unreadable(reason string) {
	if j.call.Unknown == "" && j.call.typed() && (j.call.Moved || j.call.Kind == KindAnswer) {
		return
	}
	j.strictest(j.unseen("unreadable", reason))
}

// unseen returns the verdict on what devtools does not see, by the key of [unseen] and the strictest word of the policies that have a rule for such calls.
func (j *judge) unseen(key, reason string) (v Verdict) {
	for i := range j.policy.sets {
		set := &j.policy.sets[i]
		asks := slices.ContainsFunc(set.rules, func(r rule) bool { return r.action >= Confirm && r.holds(j.call.Kind) })
		if action := set.unseen[key]; asks && action > Allow {
			v = stricter(v, Verdict{Action: action, Reason: reason, File: set.file})
		}
	}
	return v
}
