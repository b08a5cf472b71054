package guard

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"devtools/stack/line"
)

// An invocation is a command as rules see it.
type invocation struct {
	judge    *judge
	command  *line.Command
	words    []string
	program  string   // as the command has it, absolute if it has a slash
	resolved string   // its file, without links; "" if that is not known
	names    []string // base names: as the command has it, and that of its file
	table    *program
	options  []option
	operands []string
	places   []int // of the operands in words
	scripts  int   // files of the disk that it executes
	fed      fit   // it is a shell or an interpreter whose program nobody knows: maybe, and yes for a download
}

// invocation takes a command apart.
func (j *judge) invocation(c *line.Command) *invocation {
	x := &invocation{judge: j, command: c, words: c.Words, table: &program{}}
	if len(c.Words) == 0 {
		return x
	}
	x.program = c.Words[0]
	name := baseName(x.program)
	x.names = []string{name}
	_, tabled := known(name)
	switch {
	case strings.ContainsAny(x.program, line.Signs):
	case strings.Contains(x.program, "/"):
		x.program = c.Absolute(x.program)
		x.resolved = j.onDiskAs(x.program)
	case !tabled && !j.named(name):
		x.resolved = j.lookPath(c, name)
	}
	if x.resolved != "" {
		if file := baseName(x.resolved); file != name {
			x.names = append(x.names, file)
			if _, ok := known(file); ok && !tabled {
				name = file
			}
		}
	}
	if x.table, _ = known(name); x.table.has("sh") {
		c.Shell = name
	}
	x.words = j.withOptions(x.table, c)
	x.options, x.places = x.table.split(x.words)
	if x.table.has("subcommands") {
		x.sub(name)
	}
	for _, place := range x.places {
		x.operands = append(x.operands, x.words[place])
	}
	return x
}

// sub takes the words behind the subcommand apart, by its own line of the table: only options before it are those of the
// program.
func (x *invocation) sub(name string) {
	if len(x.places) == 0 {
		return
	}
	first := x.places[0]
	sub, _ := known(name + "/" + x.words[first])
	options, places := sub.split(x.words[first:])
	x.places = []int{first}
	for _, o := range options {
		o.place += first
		x.options = append(x.options, o)
	}
	for _, place := range places {
		x.places = append(x.places, place+first)
	}
	x.table = merged(x.table, sub)
}

// merged returns the words of two lines of the table.
func merged(a, b *program) *program {
	m := &program{words: map[string]string{}, lists: map[string][]string{}, code: a.code + b.code}
	for _, p := range []*program{a, b} {
		for key, value := range p.words {
			m.words[key] = value
		}
		for key, list := range p.lists {
			m.lists[key] = append(m.lists[key], list...)
		}
	}
	return m
}

// baseName returns the name of a program without folders, and without .exe.
func baseName(program string) string {
	name := path.Base(filepath.ToSlash(program))
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = name[:len(name)-4]
	}
	return name
}

// named reports whether a rule has a name of a program.
func (j *judge) named(name string) bool {
	for _, set := range j.policy.sets {
		for _, r := range set.rules {
			if slices.Contains(r.Program, glob{name}) {
				return true
			}
		}
	}
	return false
}

// lookPath returns the file of a program in PATH without links, "" if it is not a link.
func (j *judge) lookPath(c *line.Command, name string) string {
	for _, value := range c.Value("PATH") {
		for dir := range strings.SplitSeq(value, ":") {
			if strings.ContainsAny(dir, line.Signs) {
				continue
			}
			full := c.Absolute(path.Join(dir, name))
			if dir == "" {
				full = c.Absolute(name)
			}
			if file := j.onDiskAs(full); file != path.Clean(full) {
				return file
			}
		}
	}
	return ""
}

// computed reports whether a word was made by a program that may have decoded it, so that it may be an option.
func (x *invocation) computed() bool {
	return slices.ContainsFunc(x.words, func(word string) bool { return strings.HasPrefix(word, line.Computed) })
}

// values returns the values of the options that a word of the table names.
func (x *invocation) values(word string) (values []string) {
	for _, o := range x.options {
		if o.valid && (x.table.names(word, o.name) || x.table.shortened(word, o.name)) {
			values = append(values, o.value)
		}
	}
	return values
}

// given returns the values of all options that are behind a letter, as in ssh -oProxyCommand=…
func (x *invocation) given() (values []string) {
	for _, o := range x.options {
		if o.valid && len(o.name) == 2 && strings.Contains(o.value, "=") && x.words[o.place] != o.value {
			values = append(values, o.value)
		}
	}
	return values
}

// paths returns the words that may be paths.
func (x *invocation) paths() []string {
	paths := slices.DeleteFunc(slices.Clone(x.operands), func(word string) bool { return word == "" })
	for _, o := range x.options {
		if o.valid && o.value != "" {
			paths = append(paths, o.value)
		}
	}
	for _, operand := range x.operands {
		if _, value, ok := strings.Cut(operand, "="); ok && value != "" {
			paths = append(paths, value)
		}
	}
	for _, word := range paths { // as curl -d @FILE, -F name=@FILE
		if i := strings.IndexByte(word, '@'); i == 0 || i > 0 && word[i-1] == '=' {
			paths = append(paths, word[i+1:])
		}
	}
	return paths
}

// written returns the files that the command writes.
func (x *invocation) written() (files []string) {
	for _, r := range x.command.Redirs {
		if r.Writes {
			files = append(files, r.Path)
		}
	}
	if files = append(files, x.values("out")...); len(x.operands) == 0 || x.asks() {
		return files
	}
	switch x.table.words["writes"] {
	case "all":
		files = append(files, x.operands...)
	case "last":
		files = append(files, x.operands[len(x.operands)-1])
	case "of":
		for _, operand := range x.operands {
			if file, ok := strings.CutPrefix(operand, "of="); ok {
				files = append(files, file)
			}
		}
	}
	return files
}

// shown returns the command as text for a person.
func (x *invocation) shown() string {
	var words []string
	for _, word := range x.judge.masked(x.words) {
		words = append(words, shown(word))
	}
	for _, r := range x.command.Redirs {
		sign := "<"
		if r.Writes {
			sign = ">"
		}
		words = append(words, sign+shown(x.judge.masked([]string{r.Path})[0]))
	}
	return strings.Join(words, " ")
}

// mostShown is the most bytes of a word that a message shows.
const mostShown = 200

// plainCharacters are the characters that mean themselves to a shell, inside a word.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_"

// masked returns words without the secrets of the call. One may stand in several of them, where a shell has split it at blanks.
func (j *judge) masked(words []string) []string {
	if j.call.Mask == nil {
		return words
	}
	text := j.call.Mask(strings.Join(words, " "))
	masked := make([]string, len(words))
	for i, word := range words {
		masked[i] = text[:len(word)]
		text = text[min(len(word)+1, len(text)):]
	}
	return masked
}

// shown returns a word for a person, in quotes if a shell needs them: what is not known is "…". Secrets are masked in it already: of
// one that is cut, nobody would find the rest.
func shown(word string) string {
	plain := word != "" && strings.IndexFunc(word, func(r rune) bool { return !strings.ContainsRune(plainCharacters+line.Signs, r) }) < 0
	if strings.Trim(word, line.Names+"/.") == "" {
		word = strings.ReplaceAll(word, line.Names, "*")
	}
	for _, sign := range line.Signs {
		word = strings.ReplaceAll(word, string(sign), "…")
	}
	if len(word) > mostShown {
		word = strings.ToValidUTF8(word[:mostShown], "") + "…"
	}
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
