package stack

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// wrapped classifies the command that another program starts.
func (cl *classifier) wrapped(args []line.Word, start, inner int, at location) finding {
	inner, at = takeVariables(args, inner, at)
	return cl.inner(args, start, inner, at)
}

// limited classifies the command that another program starts and ends after a time.
func (cl *classifier) limited(args []line.Word, start, inner int, at location) finding {
	inner, at = takeVariables(args, inner, at)
	f := cl.inner(args, start, inner, at)
	noLimit := inner > 0 && inner <= len(args) && strings.Trim(strings.TrimRight(args[inner-1].Text, "smhd"), "0.") == ""
	switch {
	case noLimit, f.class == Unknown && inner >= len(args):
		return f
	case f.class.Long() || f.class == Unknown || f.class == Interactive:
		return finding{class: Oneshot, confidence: High, reason: quoted(at.text) + " is ended when its time is over, and it " + f.class.description()}
	}
	return f
}

// remote classifies a command that runs on another machine or in a container. The files here tell
// nothing about it.
func (cl *classifier) remote(args []line.Word, start, inner int, at location) finding {
	at.dir = ""
	inner, at = takeVariables(args, inner, at)
	var f finding
	if inner == len(args)-1 && strings.ContainsAny(args[inner].Text, " ;|&") {
		f = cl.lines(args[inner:], at) // the shell there splits the line
	} else {
		f = cl.inner(args, start, inner, at)
	}
	f.confidence = min(f.confidence, Medium)
	return f
}

// inner classifies the command at args[inner], which the program at args[start] starts. If scripts
// were followed, the bounded form begins with that program too.
func (cl *classifier) inner(args []line.Word, start, inner int, at location) finding {
	f := cl.argv(args, inner, at)
	if f.resolved && f.bounded != "" && !f.variable && inner < len(args) {
		if f.bounded = render(nil, args[start:inner]) + " " + f.bounded; strings.ContainsAny(f.bounded, "&|;\n<>(") {
			f.bounded = ""
		}
	}
	if f.class == Unknown && inner >= len(args) {
		f.reason = quoted(at.text) + " names no command to start"
	}
	return f
}

// takeVariables adds the variables before a command to its environment.
func takeVariables(args []line.Word, inner int, at location) (int, location) {
	for inner < len(args) && isVariable(args[inner].Text) {
		at.env = append(slices.Clip(at.env), args[inner].Text)
		inner++
	}
	return inner, at
}

// isVariable reports whether a word sets a variable for the command after it.
func isVariable(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// lines classifies words that are lines for a shell.
func (cl *classifier) lines(words []line.Word, at location) finding {
	all := cl.eachLine(words, at)
	if len(all) == 0 {
		return unknown(quoted(at.text) + " names no command")
	}
	f := merge(all)
	f.resolved = true
	return f
}

func (cl *classifier) eachLine(words []line.Word, at location) []finding {
	var all []finding
	for _, word := range words {
		if strings.HasPrefix(word.Text, "-") {
			continue
		}
		text := word.Text
		if script, ok := strings.CutPrefix(text, "npm:"); ok {
			for _, name := range cl.scriptsLike(script, at) {
				f := cl.line("npm run "+name, location{dir: at.dir, fed: at.fed, depth: at.depth})
				f.bounded = ""
				all = append(all, f)
			}
			continue
		}
		if word.Open && strings.HasPrefix(strings.TrimSpace(text), "$") {
			all = append(all, unknown(quoted(text)+" is a variable"))
			continue
		}
		f := cl.line(text, location{dir: at.dir, fed: at.fed, depth: at.depth})
		f.bounded = ""
		all = append(all, f)
	}
	return all
}

// race merges the findings of commands that run at the same time until the first of them ends.
// declared tells that the line names the command whose exit code counts, so that one is expected to
// end.
func race(findings []finding, at location, declared bool) finding {
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
