package guard

import (
	"path"
	"slices"
	"strings"
)

// A fit says how well a rule matches a command.
type fit uint8

const (
	no    fit = iota
	maybe     // what is not known of the command could make it match
	yes
)

// fitIf returns yes if a condition holds.
func fitIf(ok bool) fit {
	if ok {
		return yes
	}
	return no
}

// matches reports how well a rule matches a command.
func (r *rule) matches(x *command, call string) fit {
	if !r.holds(call) {
		return no
	}
	result := yes
	for _, condition := range []func(*command) fit{r.programs, r.subcommands, r.options, r.inputs, r.places, r.targets} {
		if result = min(result, condition(x)); result == no {
			return no
		}
	}
	return result
}

// holds reports whether a rule holds for a kind of calls.
func (r *rule) holds(call string) bool {
	return r.Calls == nil || slices.Contains(r.Calls, call)
}

func (r *rule) programs(x *command) fit {
	best := fitIf(r.Program == nil)
	for _, pattern := range r.Program {
		for i, name := range x.names {
			if strings.Contains(pattern, "/") {
				name = []string{x.program, x.resolved}[i]
			}
			best = max(best, fits(pattern, name))
		}
	}
	return best
}

// open are the signs of what may become anything.
const open = unknown + downloaded

// fits reports whether a pattern with * and ? fits a text, which may have signs.
func fits(pattern, text string) fit {
	if !strings.ContainsAny(text, open) {
		ok, _ := path.Match(pattern, text)
		return fitIf(ok)
	}
	return min(maybe, fitIf(could(pattern, text)))
}

// could reports whether a text could become one that a pattern fits, by what is before its first sign and behind its last one.
func could(pattern, text string) bool {
	first, last := strings.IndexAny(text, open), strings.LastIndexAny(text, open)
	if first < 0 { // * stands for slashes, too
		ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(text, "/", "\x00"))
		return ok
	}
	star, end := strings.IndexAny(pattern, "*?["), strings.LastIndexAny(pattern, "*?]")
	if star < 0 {
		star, end = len(pattern), -1
	}
	head, tail := min(first, star), min(len(text)-last-1, len(pattern)-end-1)
	return text[:head] == pattern[:head] && strings.HasSuffix(text, pattern[len(pattern)-tail:])
}

func (r *rule) subcommands(x *command) fit {
	switch {
	case beginsWith(r.Except, x) == yes:
		return no
	case r.Subcommand == nil:
		return yes
	}
	return beginsWith(r.Subcommand, x)
}

// beginsWith reports whether the words behind a program begin with one of some lists of words.
func beginsWith(lists []string, x *command) (best fit) {
	for _, want := range lists {
		words := strings.Fields(want)
		one := fitIf(len(words) <= len(x.operands))
		for i := 0; i < len(words) && one > no; i++ {
			one = min(one, fits(words[i], x.operands[i]))
		}
		if one == no && len(x.operands) > 0 && strings.ContainsAny(x.operands[0], open) && could(words[0], x.operands[0]) {
			one = maybe // it may become several words
		}
		best = max(best, one)
	}
	return best
}

func (r *rule) options(x *command) fit {
	result := yes
	if r.Flags != nil {
		result = anyFlag(r.Flags, x)
	}
	for _, group := range r.AllFlags {
		result = min(result, anyFlag(group, x))
	}
	return result
}

// anyFlag reports whether a command has one of some options.
func anyFlag(flags []string, x *command) fit {
	best := no
	for _, want := range flags {
		if want[0] != '-' {
			for _, operand := range x.operands[min(1, len(x.operands)):] {
				best = max(best, fitsWord(want, operand))
			}
			continue
		}
		for _, o := range x.options {
			if strings.HasPrefix(want, "--") && len(o.Name) > 2 && strings.HasPrefix(want, o.Name) { // abbreviated
				return yes
			}
			best = max(best, fits(want, o.Name))
		}
	}
	isOpen := func(word string) bool { return strings.HasPrefix(word, unknown) || strings.HasPrefix(word, downloaded) } // it may be an option
	if best == no && slices.ContainsFunc(x.operands, isOpen) {
		return maybe
	}
	return best
}

// fitsWord is fits, but a word that is not known at all is taken for a name.
func fitsWord(pattern, word string) fit {
	switch {
	case word == "", strings.HasPrefix(word, unknown), strings.HasPrefix(word, anyName), !could(pattern, word):
		return no
	case strings.ContainsAny(word, open):
		return maybe
	}
	return yes
}

func (r *rule) inputs(x *command) fit { return max(fitIf(!r.ReadsPipe), x.fed) }

func (r *rule) places(x *command) fit {
	if r.Paths == nil {
		return yes
	}
	best, paths := no, x.paths()
	for i, word := range slices.Concat(paths, x.redirected.read, x.redirected.written) {
		redirected := i >= len(paths) // `rm -rf build >/tmp/log` deletes nothing outside
		at := x.shell.judge.locate(x, word, redirected)
		for _, p := range r.Paths {
			if !redirected || p != "outside" && p != "root" {
				best = max(best, at.fits(p, x))
			}
		}
	}
	return best
}

func (r *rule) targets(x *command) fit {
	if r.Writes == nil {
		return yes
	}
	best := no
	for _, word := range x.written() {
		at := x.shell.judge.locate(x, word, x.table.Value("writes") != "all" && x.table.Value("writes") != "ends")
		for _, t := range r.Writes {
			if best = max(best, at.fits(t, x)); best == yes {
				x.hit = at.path
				return best
			}
		}
	}
	return best
}
