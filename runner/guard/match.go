package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"devtools/stack/line"
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

// A glob is the name of a program in a rule: a base name or a path, with * for any letters.
type glob struct{ pattern string }

// UnmarshalText reads the pattern of a policy file.
func (g *glob) UnmarshalText(text []byte) error {
	if _, err := path.Match(string(text), ""); err != nil || len(text) == 0 {
		return fmt.Errorf("invalid pattern %q", text)
	}
	g.pattern = string(text)
	return nil
}

// A flag is an option in a rule, or a pattern for words such as +*.
type flag struct{ word string }

// UnmarshalText reads the option of a policy file.
func (f *flag) UnmarshalText(text []byte) error {
	f.word = string(text)
	if len(text) < 2 || text[0] != '-' && text[0] != '+' && !strings.HasSuffix(string(text), "*") {
		return fmt.Errorf("invalid option %q: use -x, --word, or a pattern such as +*", text)
	}
	return nil
}

// A place is a condition about paths in a rule: outside, root, or a pattern.
type place struct{ word string }

// UnmarshalText reads the condition of a policy file.
func (p *place) UnmarshalText(text []byte) error {
	p.word = string(text)
	if s := string(text); s == "outside" || s == "root" || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || strings.ContainsAny(s, "*/.") {
		return nil
	}
	return fmt.Errorf(`unknown path %q: use outside, root, or a pattern such as /etc/** or **/*.key`, text)
}

// A target is a condition about written files: a place, or device.
type target struct{ word string }

// UnmarshalText reads the condition of a policy file.
func (t *target) UnmarshalText(text []byte) error {
	if t.word = string(text); t.word == "device" {
		return nil
	}
	var p place
	if p.UnmarshalText(text) != nil {
		return fmt.Errorf(`unknown file %q: use device, outside, root, or a pattern such as /etc/**`, text)
	}
	return nil
}

// matches reports how well a rule matches a command.
func (r *rule) matches(x *invocation, call string) fit {
	if !r.holds(call) {
		return no
	}
	result := yes
	for _, condition := range []func(*invocation) fit{r.programs, r.subcommands, r.options, r.inputs, r.places, r.targets} {
		if result = min(result, condition(x)); result == no {
			return no
		}
	}
	return result
}

// holds reports whether a rule holds for a kind of calls.
func (r *rule) holds(call string) bool {
	return r.Calls == nil || slices.Contains(r.Calls, kind{call})
}

func (r *rule) programs(x *invocation) fit {
	if r.Program == nil {
		return yes
	}
	best := no
	for _, program := range r.Program {
		pattern := program.pattern
		for i, name := range x.names {
			if strings.Contains(pattern, "/") {
				if name = x.program; i > 0 {
					name = x.resolved
				}
			}
			best = max(best, fits(pattern, name))
		}
	}
	return best
}

// fits reports whether a pattern with * and ? fits a text, which may have signs.
func fits(pattern, text string) fit {
	if !strings.ContainsAny(text, line.Signs) {
		ok, _ := path.Match(pattern, text)
		return fitIf(ok)
	}
	if could(pattern, text) {
		return maybe
	}
	return no
}

// could reports whether a text with signs could become one that a pattern fits.
func could(pattern, text string) bool {
	if len(pattern) > 256 {
		pattern = pattern[:256]
	}
	if len(text) > 256 {
		text = text[:256] + line.Unknown
	}
	// reach[i] says that pattern[:i] can fit the text so far.
	reach := make([]bool, len(pattern)+1)
	reach[0] = true
	stars := func() {
		for i := range pattern {
			if reach[i] && pattern[i] == '*' {
				reach[i+1] = true
			}
		}
	}
	stars()
	for j := range len(text) {
		next := make([]bool, len(pattern)+1)
		if strings.IndexByte(line.Signs, text[j]) >= 0 {
			seen := false
			for i := range reach {
				seen = seen || reach[i]
				next[i] = seen
			}
		} else {
			for i := range pattern {
				switch {
				case !reach[i]:
				case pattern[i] == '*':
					next[i] = true
				case pattern[i] == '?' || pattern[i] == text[j]:
					next[i+1] = true
				}
			}
		}
		reach = next
		stars()
	}
	return reach[len(pattern)]
}

func (r *rule) subcommands(x *invocation) fit {
	if r.Subcommand == nil {
		return yes
	}
	best := no
	for _, want := range r.Subcommand {
		words := strings.Fields(want)
		one := fitIf(len(words) <= len(x.operands))
		for i := 0; i < len(words) && one > no; i++ {
			if x.operands[i] == line.Unknown || x.operands[i] == line.Computed {
				one = min(one, maybe)
				continue
			}
			one = min(one, fits(words[i], x.operands[i]))
		}
		if one == no && len(x.operands) > 0 && strings.ContainsAny(x.operands[0], line.Unknown+line.Computed) && could(words[0], x.operands[0]) {
			one = maybe
		}
		best = max(best, one)
	}
	return best
}

func (r *rule) options(x *invocation) fit {
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
func anyFlag(flags []flag, x *invocation) fit {
	best := no
	for _, f := range flags {
		want := f.word
		if want[0] != '-' {
			for _, operand := range x.operands[min(1, len(x.operands)):] {
				best = max(best, fitsWord(want, operand))
			}
			continue
		}
		for _, o := range x.options {
			switch {
			case o.name == want:
				return yes
			case strings.HasPrefix(want, "--") && len(o.name) > 2 && strings.HasPrefix(want, o.name): // abbreviated
				return yes
			case strings.Contains(want, "*"):
				best = max(best, fits(want, o.name))
			case strings.ContainsAny(o.name, line.Signs) && could(want, o.name):
				best = max(best, maybe)
			}
		}
	}
	if best == no && (x.command.Loose || x.computed()) {
		return maybe
	}
	return best
}

// fitsWord is fits, but a word that is not known at all is taken for a name.
func fitsWord(pattern, word string) fit {
	if word == "" || strings.HasPrefix(word, line.Unknown) || strings.HasPrefix(word, line.Names) {
		return no
	}
	if !could(pattern, word) {
		return no
	}
	if strings.ContainsAny(word, line.Signs) {
		return maybe
	}
	return yes
}

func (r *rule) inputs(x *invocation) fit {
	if !r.ReadsPipe {
		return yes
	}
	return x.fed
}

func (r *rule) places(x *invocation) fit {
	if r.Paths == nil {
		return yes
	}
	best := no
	for _, word := range x.paths() {
		at := x.judge.locate(x.command, word, false)
		for _, p := range r.Paths {
			best = max(best, at.fits(p.word, x))
		}
	}
	for _, redirect := range x.command.Redirs { // `rm -rf build >/tmp/log` deletes nothing outside
		at := x.judge.locate(x.command, redirect.Path, true)
		for _, p := range r.Paths {
			if p.word != "outside" && p.word != "root" {
				best = max(best, at.fits(p.word, x))
			}
		}
	}
	return best
}

func (r *rule) targets(x *invocation) fit {
	if r.Writes == nil {
		return yes
	}
	best := no
	for _, word := range x.written() {
		at := x.judge.locate(x.command, word, true)
		for _, t := range r.Writes {
			if t.word == "device" {
				best = max(best, at.device())
			} else {
				best = max(best, at.fits(t.word, x))
			}
		}
	}
	return best
}
