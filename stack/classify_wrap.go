package stack

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// wrapped classifies the command that another program starts.
func (j *judge) wrapped(args []line.Word, start, inner int, at spot) finding {
	inner, at = takeVariables(args, inner, at)
	return j.inner(args, start, inner, at)
}

// limited classifies the command that another program starts and ends after a time.
func (j *judge) limited(args []line.Word, start, inner int, at spot) finding {
	inner, at = takeVariables(args, inner, at)
	f := j.inner(args, start, inner, at)
	noLimit := inner > 0 && inner <= len(args) && strings.Trim(strings.TrimRight(args[inner-1].Text, "smhd"), "0.") == ""
	switch {
	case noLimit, f.class == Unknown && inner >= len(args):
		return f
	case f.class.Long() || f.class == Unknown || f.class == Interactive:
		return finding{class: Oneshot, confidence: High, reason: quoted(at.text) + " is ended when its time is over, and it " + f.class.does()}
	}
	return f
}

// far classifies a command that runs on another machine or in a container. The files here tell
// nothing about it.
func (j *judge) far(args []line.Word, start, inner int, at spot) finding {
	at.dir = ""
	inner, at = takeVariables(args, inner, at)
	var f finding
	if inner == len(args)-1 && strings.ContainsAny(args[inner].Text, " ;|&") {
		f = j.lines(args[inner:], at) // the shell there splits the line
	} else {
		f = j.inner(args, start, inner, at)
	}
	f.confidence = min(f.confidence, Medium)
	return f
}

// inner classifies the command at args[inner], which the program at args[start] starts. If scripts
// were followed, the bounded form begins with that program too.
func (j *judge) inner(args []line.Word, start, inner int, at spot) finding {
	f := j.argv(args, inner, at)
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
func takeVariables(args []line.Word, inner int, at spot) (int, spot) {
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

// race merges the findings of commands that run at the same time until the first of them ends.
// declared tells that the line names the command whose exit code counts, so that one is expected to
// end.
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
