package guard

import (
	"cmp"
	"slices"
	"strings"

	"devtools/stack/line"
)

// variables returns what the command starts because of variables that it sees.
func (x *invocation) variables() (starts []start) {
	env := x.command.Env
	if x.table.has("command") {
		env = append(slices.Clip(env), assignments(x.operands)...)
	}
	variables, _ := known("env/variables")
	for _, one := range env {
		if name, text, _ := strings.Cut(one, "="); variables.names("line", name) {
			starts = append(starts, x.preset(text))
		}
	}
	for _, name := range variables.lists["line"] {
		for _, text := range x.command.Own(name) {
			if !x.judge.asked[text] && !slices.Contains(env, name+"="+text) && !strings.ContainsAny(text, line.Signs) {
				starts = append(starts, x.preset(text))
			}
		}
	}
	for _, name := range x.table.lists["runs"] {
		for _, text := range x.command.Own(name) {
			starts = append(starts, x.code(x.language(), text))
		}
	}
	for _, name := range x.table.lists["reads"] {
		for _, file := range x.command.Own(name) {
			starts = append(starts, x.file(x.language(), file, nil)...)
		}
	}
	for _, file := range x.values("also") {
		if extended := file + "." + x.language(); isFile(x.judge.onDiskAs(x.command.Absolute(extended))) { // as node -r ./x
			file = extended
		}
		starts = append(starts, x.file(x.language(), file, nil)...)
	}
	return starts
}

// preset evaluates the value of a variable that names a program, with its arguments or without. Before it may stand what
// LESSOPEN begins with, "INPUT PREPROCESSOR" in less(1).
func (x *invocation) preset(text string) start {
	if x.judge.asked == nil {
		x.judge.asked = map[string]bool{}
	}
	x.judge.asked[text] = true
	return x.aside(x.lineOf(strings.TrimLeft(text, "|-"), nil, nil))
}

// language returns the language of the code that the command executes.
func (x *invocation) language() string {
	return cmp.Or(x.table.words["file"], x.table.words["text"], x.table.code)
}

// mostOptions is the most bytes of variables with options that are read for a call.
const mostOptions = 100 << 10

// withOptions returns the words of a command behind the options that variables give it, such as TAR_OPTIONS.
func (j *judge) withOptions(p *program, c *line.Command) []string {
	words := c.Words
	for _, name := range p.lists["options"] {
		values := c.Own(name)
		if len(values) != 1 || strings.ContainsAny(values[0], line.Signs) {
			continue
		}
		if j.given += len(values[0]); j.given > mostOptions {
			j.unknown("its variables have too many options")
			break
		}
		given := splitQuoted(values[0])
		if len(given) > 0 && !strings.ContainsAny(given[0], "-+=") { // as MAKEFLAGS=n
			given[0] = "-" + given[0]
		}
		words = slices.Concat(words[:1], given, words[1:])
	}
	return words
}

// splitQuoted splits a text at its blanks, but for those in quotes or behind a backslash.
func splitQuoted(text string) (words []string) {
	var word []byte
	begun, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote && quote != 0:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			begun, quote = true, c
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			word, begun = append(word, text[i]), true
		case quote == 0 && strings.IndexByte(" \t\n", c) >= 0:
			if begun {
				words = append(words, string(word))
			}
			word, begun = word[:0], false
		default:
			word, begun = append(word, c), true
		}
	}
	if begun {
		words = append(words, string(word))
	}
	return words
}
