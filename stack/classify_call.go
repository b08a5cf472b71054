package stack

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"devtools/stack/line"
)

// mostWrappers bounds how many programs may stand before a command.
const mostWrappers = 20

// argv classifies the program at args[start] with its arguments and its environment.
func (j *judge) argv(args []line.Word, start int, at spot) finding {
	f := j.call(args, start, at, "")
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

// call classifies the program that stands at args[start], under another name if that is not "".
func (j *judge) call(args []line.Word, start int, at spot, as string) finding {
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
	if p == nil || as == "" && local(first.Text) && (len(p.rules) == 0 || !ownName(name)) {
		return j.stranger(args, start, at)
	}
	in := p.invoke(args[start+1:], at.fed)
	if f, ok := j.help(in, at); ok {
		return f
	}
	for _, r := range p.rules {
		if m, ok := in.fits(r); ok {
			return j.act(r, m, in, args, start, at)
		}
	}
	return unknown(quoted(at.text) + ": nothing is known of " + name + " with these arguments")
}

// programName is the name of a program that may be given by its path.
func programName(text string) string {
	name := path.Base(strings.ReplaceAll(text, "\\", "/"))
	for _, suffix := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		if cut, ok := strings.CutSuffix(strings.ToLower(name), suffix); ok {
			return cut
		}
	}
	return name
}

// local reports whether a program is a file of the workspace, and not one that was installed there.
func local(text string) bool {
	text = strings.ReplaceAll(text, "\\", "/")
	return strings.Contains(text, "/") && !path.IsAbs(text) && !strings.Contains(text, "node_modules/") &&
		!strings.Contains(text, "venv/") && !strings.Contains(text, "vendor/bin/") && !strings.ContainsAny(text, "$`")
}

// ownName reports whether a file of this name in a workspace is what the table means: a wrapper that a tool has put there.
func ownName(name string) bool {
	return slices.Contains([]string{
		"gradlew", "mvnw", "rails", "rake", "spring", "bundle", "console", "artisan", "manage.py", "sail", "phpunit",
		"pest", "rspec", "configure", "mvn", "gradle", "cake", "sbt", "bazel", "bazelw", "buck", "pants", "mill", "lein",
		"rubocop", "brakeman", "jobs", "importmap", "kamal", "thrust", "vite", "webpack", "webpack-dev-server", "shakapacker",
		"sidekiq", "puma", "yarn", "npm", "django-admin", "cap", "wait-for-it.sh", "wait-for-it", "nx", "php-cs-fixer",
	}, name)
}

// help is what a program prints about itself when its own flags ask for that.
func (j *judge) help(in *invocation, at spot) (finding, bool) {
	for i, arg := range in.args[:in.flags] {
		if (arg.Text == "--help" || arg.Text == "--version") && (len(in.operands) == 0 || i < in.operands[0] || i == len(in.args)-1) {
			return finding{class: Oneshot, confidence: High, reason: quoted(at.text) + " prints and ends (" + arg.Text + ")"}, true
		}
	}
	return finding{}, false
}

// act does what a rule that fits says.
func (j *judge) act(r rule, m match, in *invocation, args []line.Word, start int, at spot) finding {
	if len(r.class) == 0 {
		return unknown(quoted(at.text) + ": a rule of " + in.name + " says nothing")
	}
	rest := r.class[1:]
	next := func(skip int) int { // where the operand after those that fitted stands in args
		if at := m.words + skip; at < len(in.operands) {
			return start + 1 + in.operands[at]
		}
		return len(args)
	}
	number := func() int {
		if len(rest) > 0 {
			n, _ := strconv.Atoi(rest[0]) // 0 for what is no number
			return n
		}
		return 0
	}
	switch verb := r.class[0]; verb {
	case "wrap", "bounds", "far":
		return j.wrapped(verb, args, start, next(number()), at)
	case "wrap-name":
		return j.call(args, next(-1), at, "")
	case "as":
		if m.words == 0 {
			return j.call(args, start, at, rest[0])
		}
		return j.call(args, next(-1), at, rest[0])
	case "after", "after-line":
		for i := start + 1; i < len(args); i++ {
			if slices.Contains(strings.Split(rest[0], "|"), args[i].Text) && i+1 < len(args) {
				if verb == "after-line" {
					return j.lines(args[i+1:i+2], at)
				}
				return j.call(args, i+1, at, "")
			}
		}
		return unknown(quoted(at.text) + " names no command")
	case "line", "lines":
		from := next(0)
		if from >= len(args) {
			return unknown(quoted(at.text) + " names no command")
		}
		to := len(args)
		if verb == "line" && in.name != "eval" {
			to = from + 1
		}
		if in.has("-k", "--kill-others") {
			return race(j.eachLine(args[from:to], at), at, in.value("-s", "--success") != "")
		}
		return j.lines(args[from:to], at)
	case "script", "scripts", "named", "procfile":
		if verb == "named" {
			m.words--
		}
		return j.script(verb, rest, in, args, start, next(0), at)
	case "entry", "entry-first":
		if verb == "entry-first" {
			m.words--
		}
		return j.entry(rest[0], args, next(0), at)
	case "code":
		return j.inline(rest[0], m, args, start, next(0), at)
	}
	return j.says(r, m, in, args, start, at)
}

// wrapped classifies the command that another program starts.
func (j *judge) wrapped(verb string, args []line.Word, start, inner int, at spot) finding {
	if verb == "far" {
		at.dir = "" // on another machine, or in a container: the files here say nothing
	}
	for inner < len(args) && isVariable(args[inner].Text) {
		at.env = append(slices.Clip(at.env), args[inner].Text)
		inner++
	}
	if verb == "far" && inner == len(args)-1 && strings.ContainsAny(args[inner].Text, " ;|&") {
		f := j.lines(args[inner:], at) // a shell there takes it apart
		f.confidence = min(f.confidence, Medium)
		return f
	}
	if verb == "bounds" && inner > 0 && inner <= len(args) && strings.Trim(strings.TrimRight(args[inner-1].Text, "smhd"), "0.") == "" {
		verb = "wrap" // no time is no limit
	}
	f := j.argv(args, inner, at)
	if f.resolved && f.bounded != "" && !f.variable && inner < len(args) {
		if f.bounded = render(nil, args[start:inner]) + " " + f.bounded; strings.ContainsAny(f.bounded, "&|;\n<>(") {
			f.bounded = ""
		}
	}
	switch {
	case f.class == Unknown && inner >= len(args):
		f.reason = quoted(at.text) + " names no command to start"
	case verb == "bounds" && (f.class.Long() || f.class == Unknown || f.class == Interactive):
		return finding{class: Oneshot, confidence: High, reason: quoted(at.text) + " is ended when its time is over, and it " + f.class.does()}
	case verb == "far" && f.confidence > Medium:
		f.confidence = Medium
	}
	return f
}

// isVariable reports whether a word sets a variable for the command after it.
func isVariable(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// lines classifies words each of which is a line for a shell.
func (j *judge) lines(words []line.Word, at spot) finding {
	all := j.eachLine(words, at)
	if len(all) == 0 {
		return unknown(quoted(at.text) + " names no command")
	}
	f := merge(all)
	f.resolved = true
	return f
}

func (j *judge) eachLine(words []line.Word, at spot) []finding {
	var all []finding
	for _, word := range words {
		if strings.HasPrefix(word.Text, "-") {
			continue
		}
		text := word.Text
		if script, ok := strings.CutPrefix(text, "npm:"); ok {
			for _, name := range j.scriptsLike(script, at) {
				f := j.line("npm run "+name, spot{dir: at.dir, fed: at.fed, depth: at.depth})
				f.bounded = ""
				all = append(all, f)
			}
			continue
		}
		if word.Open && strings.HasPrefix(strings.TrimSpace(text), "$") {
			all = append(all, unknown(quoted(text)+" is a variable"))
			continue
		}
		f := j.line(text, spot{dir: at.dir, fed: at.fed, depth: at.depth})
		f.bounded = ""
		all = append(all, f)
	}
	return all
}

// race merges what commands do that run at a time until the first of them ends. Where it is declared whose exit code
// counts, one of them is expected to end.
func race(findings []finding, at spot, declared bool) finding {
	for _, f := range findings {
		if (f.class == Test || f.class == Build || f.class == Oneshot) && f.confidence > Low {
			f.confidence, f.bounded, f.resolved, f.runs = Medium, "", true, merge(findings).runs
			f.reason = quoted(at.text) + " ends with the first of its commands that does: " + f.reason
			return f
		}
	}
	if len(findings) == 0 {
		return unknown(quoted(at.text) + " names no command")
	}
	if i := slices.IndexFunc(findings, func(f finding) bool { return !f.class.Long() }); i >= 0 && declared {
		return finding{
			class: Test, confidence: Low, resolved: true, chain: findings[i].chain, runs: merge(findings).runs,
			reason: quoted(at.text) + " ends with the first of its commands that does, and says whose exit code counts",
		}
	}
	return all(findings)
}

// says is the finding of a rule that names a class.
func (j *judge) says(r rule, m match, in *invocation, args []line.Word, start int, at spot) finding {
	f := finding{class: Class(r.class[0]), confidence: High}
	words := r.class[1:]
	if f.class == Unknown {
		f.confidence = Low
		if guess, ok := j.byArguments(in, at); ok && m.words < 2 {
			return guess
		}
	}
	fitted := "any arguments"
	if len(r.terms) > 0 {
		fitted = strings.ReplaceAll(r.String(), "none", "no operand")
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
			f.bounded, f.variable = bounded(words[i:], m, in, args, start, at)
			i = len(words)
		}
	}
	if f.class == Interactive && at.fed && in.name != "less" && in.name != "more" && in.name != "fzf" {
		return finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + " gets its input from the line, not from a person"}
	}
	if f.class == Server {
		f.port = in.port()
	}
	f.reason = quoted(at.text) + " " + f.class.does() + " (rule: " + in.name + " with " + cut(fitted) + ")"
	return f
}

// cut shortens a rule for a sentence.
func cut(text string) string {
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// bounded writes the form of a command that ends by itself.
func bounded(how []string, m match, in *invocation, args []line.Word, start int, at spot) (text string, variable bool) {
	words := slices.Clone(args)
	insert := start + 1
	if m.words > 0 {
		insert += in.operands[m.words-1] + 1
	}
	for i := 0; i < len(how); i++ {
		switch how[i] {
		case "drop":
			for _, flag := range slices.Backward(m.flags) {
				words = slices.Delete(words, start+1+flag, start+2+flag)
			}
		case "put":
			words = slices.Insert(words, min(insert, len(words)), asWords(how[i+1:])...)
			i = len(how)
		case "add":
			words = append(words, asWords(how[i+1:])...)
			i = len(how)
		case "env":
			return how[i+1] + " " + at.text, true
		case "inner":
			if len(in.operands) == 0 {
				return "", false
			}
			words = words[start+1+in.operands[0]:]
		}
	}
	return render(at.env, words), false
}

func asWords(texts []string) []line.Word {
	var words []line.Word
	for _, text := range texts {
		words = append(words, line.Word{Text: text, Open: true}) // as it stands
	}
	return words
}

// render writes words as a line for a shell.
func render(env []string, words []line.Word) string {
	var all []string
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		all = append(all, name+"="+quote(value))
	}
	for _, word := range words {
		if word.Open {
			all = append(all, word.Text)
		} else {
			all = append(all, quote(word.Text))
		}
	}
	return strings.Join(all, " ")
}

// quote writes a word so that a shell takes it as it is.
func quote(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,~^", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// port returns the port that the flags of a program name, or its operands where those can be nothing else.
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
