package stack

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"devtools/stack/line"
)

// mostWrappers is the most programs that may stand before a command.
const mostWrappers = 20

// argv classifies the program at args[start] with its arguments and its environment.
func (cl *classifier) argv(args []line.Word, start int, at location) finding {
	f := cl.call(args, start, at, "")
	if f.port == 0 {
		for _, env := range at.env {
			if value, ok := strings.CutPrefix(env, "PORT="); ok && f.class == Server {
				f.port = port(value)
			}
		}
	}
	for _, env := range at.env {
		if f.class == WatchIfTTY && (env == "CI=1" || env == "CI=true") {
			f.class, f.bounded = Test, ""
			f.reason += "; with " + env + " it ends"
		}
	}
	return f
}

// call classifies the program at args[start]. as is another name for it, or "".
func (cl *classifier) call(args []line.Word, start int, at location, as string) finding {
	if start >= len(args) || start > mostWrappers*4 {
		return unknown(quoted(at.text) + " names no program")
	}
	first := args[start]
	name := as
	if name == "" {
		name = programName(first.Text)
		if first.Open && (strings.ContainsAny(name, "$`)}") || !strings.ContainsAny(first.Text, "/")) {
			if i := strings.IndexAny(first.Text, "$`"); i >= 0 || first.Text == "" {
				return unknown(quoted(at.text) + " begins with a variable, so its program is not known")
			}
		}
	}
	p := lookup(name)
	if p == nil || as == "" && isWorkspaceFile(first.Text) && (len(p.rules) == 0 || !isToolWrapper(name)) {
		return cl.unknownProgram(args, start, at)
	}
	in := p.invoke(args[start+1:], at.fed)
	if f, ok := cl.help(in, at); ok {
		return f
	}
	for _, r := range p.rules {
		if m, ok := in.fits(r); ok {
			return cl.applyRule(fitting{rule: r, match: m, in: in, args: args, start: start, at: at})
		}
	}
	return unknown(quoted(at.text) + ": nothing is known of " + name + " with these arguments")
}

// programName returns the name of a program that may be a path.
func programName(text string) string {
	name := path.Base(strings.ReplaceAll(text, "\\", "/"))
	for _, suffix := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		if cut, ok := strings.CutSuffix(strings.ToLower(name), suffix); ok {
			return cut
		}
	}
	return name
}

// isWorkspaceFile reports whether a program is a file that belongs to the workspace, and was not installed
// there.
func isWorkspaceFile(text string) bool {
	text = strings.ReplaceAll(text, "\\", "/")
	return strings.Contains(text, "/") && !path.IsAbs(text) && !strings.Contains(text, "node_modules/") &&
		!strings.Contains(text, "venv/") && !strings.Contains(text, "vendor/bin/") && !strings.ContainsAny(text, "$`")
}

// isToolWrapper reports whether a file of this name in a workspace is the program of the table: a wrapper
// that a tool has put there.
func isToolWrapper(name string) bool {
	return slices.Contains([]string{
		"gradlew", "mvnw", "rails", "rake", "spring", "bundle", "console", "artisan", "manage.py", "sail", "phpunit",
		"pest", "rspec", "configure", "mvn", "gradle", "cake", "sbt", "bazel", "bazelw", "buck", "pants", "mill", "lein",
		"rubocop", "brakeman", "jobs", "importmap", "kamal", "thrust", "vite", "webpack", "webpack-dev-server", "shakapacker",
		"sidekiq", "puma", "yarn", "npm", "django-admin", "cap", "wait-for-it.sh", "wait-for-it", "nx", "php-cs-fixer",
	}, name)
}

// help classifies a program whose own flags ask for help or for the version.
func (cl *classifier) help(in *invocation, at location) (finding, bool) {
	for i, arg := range in.args[:in.flags] {
		if (arg.Text == "--help" || arg.Text == "--version") && (len(in.operands) == 0 || i < in.operands[0] || i == len(in.args)-1) {
			return finding{class: Oneshot, confidence: High, reason: quoted(at.text) + " prints and ends (" + arg.Text + ")"}, true
		}
	}
	return finding{}, false
}

// A fitting is a rule that fits the program at args[start].
type fitting struct {
	rule
	match
	in    *invocation
	args  []line.Word
	start int
	at    location
}

// next returns the index in args of an operand behind those that fitted. 0 is the first, and -1 the
// last that fitted.
func (x *fitting) next(skip int) int {
	if at := x.words + skip; at < len(x.in.operands) {
		return x.start + 1 + x.in.operands[at]
	}
	return len(x.args)
}

// number returns the number behind the verb of the rule, 0 if there is none.
func (x *fitting) number() int {
	if len(x.class) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(x.class[1]) // 0 for a word that is not a number
	return n
}

// applyRule does what a rule that fits says.
func (cl *classifier) applyRule(x fitting) finding {
	if len(x.class) == 0 {
		return unknown(quoted(x.at.text) + ": a rule of " + x.in.name + " says nothing")
	}
	switch verb, rest := x.class[0], x.class[1:]; verb {
	case "wrap":
		return cl.wrapped(x.args, x.start, x.next(x.number()), x.at)
	case "bounds":
		return cl.limited(x.args, x.start, x.next(x.number()), x.at)
	case "far":
		return cl.remote(x.args, x.start, x.next(x.number()), x.at)
	case "wrap-name":
		return cl.call(x.args, x.next(-1), x.at, "")
	case "as":
		return cl.as(x, rest[0])
	case "after", "after-line":
		return cl.after(x, strings.Split(rest[0], "|"), verb == "after-line")
	case "line":
		return cl.shell(x, x.in.name == "eval")
	case "lines":
		return cl.shell(x, true)
	case "named":
		x.words--
		return cl.script(verb, rest, x.in, x.args, x.start, x.next(0), x.at)
	case "script", "scripts", "procfile":
		return cl.script(verb, rest, x.in, x.args, x.start, x.next(0), x.at)
	case "entry":
		return cl.entry(rest[0], x.args, x.next(0), x.at)
	case "entry-first":
		return cl.entry(rest[0], x.args, x.next(-1), x.at)
	case "code":
		return cl.inline(rest[0], x.match, x.args, x.start, x.next(0), x.at)
	}
	return cl.classRule(x)
}

// as classifies a call as a call of another program of the table.
func (cl *classifier) as(x fitting, name string) finding {
	if x.words == 0 {
		return cl.call(x.args, x.start, x.at, name)
	}
	return cl.call(x.args, x.next(-1), x.at, name)
}

// after classifies the command that follows one of some flags. With oneWord it is a line for a
// shell, otherwise the rest of the arguments.
func (cl *classifier) after(x fitting, flags []string, oneWord bool) finding {
	for i := x.start + 1; i+1 < len(x.args); i++ {
		switch {
		case !slices.Contains(flags, x.args[i].Text):
		case oneWord:
			return cl.lines(x.args[i+1:i+2], x.at)
		default:
			return cl.call(x.args, i+1, x.at, "")
		}
	}
	return unknown(quoted(x.at.text) + " names no command")
}

// shell classifies operands that are lines for a shell: all of them, or the next one.
func (cl *classifier) shell(x fitting, all bool) finding {
	from := x.next(0)
	if from >= len(x.args) {
		return unknown(quoted(x.at.text) + " names no command")
	}
	words := x.args[from:]
	if !all {
		words = words[:1]
	}
	if x.in.has("-k", "--kill-others") {
		return race(cl.eachLine(words, x.at), x.at, x.in.value("-s", "--success") != "")
	}
	return cl.lines(words, x.at)
}

// classRule returns the finding of a rule that names a class.
func (cl *classifier) classRule(x fitting) finding {
	in, at := x.in, x.at
	f := finding{class: Class(x.class[0]), confidence: High}
	words := x.class[1:]
	if f.class == Unknown {
		f.confidence = Low
		if guess, ok := cl.byArguments(in, at); ok && x.words < 2 {
			return guess
		}
	}
	fitted := "any arguments"
	if len(x.terms) > 0 {
		fitted = strings.ReplaceAll(x.rule.String(), "none", "no operand")
	}
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "low":
			f.confidence = Low
		case "medium":
			f.confidence = Medium
		case "detaches":
			f.detaches = true
		default:
			f.bounded, f.variable = x.bounded(words[i:])
			i = len(words)
		}
	}
	if f.class == Interactive && at.fed && in.name != "less" && in.name != "more" && in.name != "fzf" {
		return finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + " gets its input from the line, not from a person"}
	}
	if f.class == Server {
		f.port = in.port()
	}
	f.reason = quoted(at.text) + " " + f.class.description() + " (rule: " + in.name + " with " + shorten(fitted) + ")"
	return f
}

// shorten shortens a rule for a sentence.
func shorten(text string) string {
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// port returns the port in the flags of a program. If the program is known to have it there, an
// operand counts too.
func (in *invocation) port() int {
	flags := in.ports
	if len(flags) == 0 {
		flags = []string{"--port"}
	}
	for i, arg := range in.args {
		for _, flag := range flags {
			switch value, ok := strings.CutPrefix(arg.Text, flag+"="); {
			case ok:
				return port(value)
			case arg.Text == flag && i+1 < len(in.args):
				return port(in.args[i+1].Text)
			case len(flag) == 2 && strings.HasPrefix(arg.Text, flag) && port(arg.Text[2:]) > 0:
				return port(arg.Text[2:])
			}
		}
		if in.name == "php" && arg.Text == "-S" && i+1 < len(in.args) {
			return port(in.args[i+1].Text)
		}
	}
	if n, err := strconv.Atoi(strings.Join(in.ports, "")); err == nil && n < len(in.operands) {
		return port(in.args[in.operands[n]].Text)
	}
	return 0
}

// port reads a port: 3000, :3000, localhost:3000, tcp://0.0.0.0:3000.
func port(text string) int {
	text = text[strings.LastIndexByte(text, ':')+1:]
	n, err := strconv.Atoi(strings.TrimRight(text, "/"))
	if err != nil || n < 1 || n > 65535 {
		return 0
	}
	return n
}
