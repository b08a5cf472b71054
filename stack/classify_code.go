package stack

import (
	"bytes"
	"slices"
	"strings"

	"devtools/stack/line"
)

// endlessCode returns signs of code that does not end, by the language.
func endlessCode(kind string) []string {
	switch kind {
	case "js":
		return []string{"setInterval(", "while (true)", "while (1)", "for (;;)"}
	case "py":
		return []string{"while True:", "while 1:", "run_forever(", "signal.pause()"}
	case "rb":
		return []string{"loop do", "loop {", "while true", "until false"}
	case "php":
		return []string{"while (true)", "while (1)", "for (;;)"}
	case "perl":
		return []string{"while (1)", "for (;;)"}
	}
	return nil
}

// endingCode are signs of code that may end all the same.
var endingCode = []string{"break", "return", "exit", "die", "raise", "clearInterval", "unref(", "last"}

// inline classifies code in the line. It follows a flag of args, or is args[next] if no flag fitted.
func (cl *classifier) inline(kind string, m match, args []line.Word, start, next int, at location) finding {
	if len(m.flags) > 0 {
		flag := start + 1 + m.flags[len(m.flags)-1]
		if next = flag + 1; strings.HasPrefix(args[flag].Text, "--") && strings.Contains(args[flag].Text, "=") {
			next = flag
		}
	}
	ends := finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + " ends by itself, as a look into its code finds nothing that goes on"}
	if next >= len(args) {
		ends.reason = quoted(at.text) + " has no code to run"
		return ends
	}
	code := codeOnly([]byte(args[next].Text))
	if f, ok := findInCode(kind, code, at, "its code"); ok {
		if f.class == Interactive && at.fed {
			return finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + " gets its input from the line, not from a person"}
		}
		return f
	}
	without := func(text string) string { return strings.Join(strings.Fields(text), "") } // without blanks
	dense := without(string(code))
	contains := func(mark string) bool { return strings.Contains(dense, without(mark)) }
	if i := slices.IndexFunc(endlessCode(kind), contains); i >= 0 && !slices.ContainsFunc(endingCode, contains) {
		return finding{class: Watcher, confidence: Low, reason: quoted(at.text) + " goes on, as its code has " + endlessCode(kind)[i]}
	}
	if args[next].Open {
		ends.confidence = Low
		ends.reason = quoted(at.text) + " ends by itself, as most do: a part of its code is a variable"
	}
	return ends
}

// findInCode classifies code by the signs that it serves, watches or talks to a person. where names its
// place.
func findInCode(kind string, code []byte, at location, where string) (finding, bool) {
	found := codeMarks()[kind]
	for i, class := range []Class{Server, Watcher, Interactive} {
		for _, mark := range found[i] {
			if bytes.Contains(code, []byte(mark)) {
				return finding{class: class, confidence: Low, reason: quoted(at.text) + " " + class.description() + ", as " + where + " has " + mark}, true
			}
		}
	}
	return finding{}, false
}
