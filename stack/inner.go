package stack

import (
	"strings"

	"devtools/stack/line"
)

// Inner returns the place in args of the command that the program args[0] starts, if the table of
// programs says that it is one that starts another: npx, dotenv, strace. With isLine that argument is
// a line for a shell. ok is false for other programs, and for a wrapper without a command.
func Inner(args []line.Word) (place int, isLine, ok bool) {
	if len(args) == 0 {
		return 0, false, false
	}
	return inner(args, 0, programName(args[0].Text))
}

// inner is Inner for the program args[start], by the name under which the table has it.
func inner(args []line.Word, start int, name string) (place int, isLine, ok bool) {
	p := lookup(name)
	if p == nil || start >= len(args) || start > mostWrappers*4 {
		return 0, false, false
	}
	in := p.invoke(args[start+1:], false)
	for _, r := range p.rules {
		m, fits := in.fits(r)
		if !fits {
			continue
		}
		if len(r.class) == 0 {
			break
		}
		x := fitting{rule: r, match: m, in: in, args: args, start: start}
		switch verb := r.class[0]; verb {
		case "wrap", "bounds", "far":
			place = x.next(x.number())
			for place < len(args) && isVariable(args[place].Text) {
				place++
			}
		case "wrap-name":
			place = x.next(-1)
		case "line", "lines":
			place, isLine = x.next(0), true
		case "as":
			if m.words == 0 {
				return inner(args, start, r.class[1])
			}
			return inner(args, x.next(-1), r.class[1])
		case "after", "after-line":
			place, isLine = afterFlag(args, start, r.class[1]), verb == "after-line"
		}
		break
	}
	return place, isLine, place > start && place < len(args)
}

// afterFlag returns the place behind the first of some flags, 0 if there is none.
func afterFlag(args []line.Word, start int, flags string) int {
	for i := start + 1; i+1 < len(args); i++ {
		for flag := range strings.SplitSeq(flags, "|") {
			if args[i].Text == flag {
				return i + 1
			}
		}
	}
	return 0
}
