package guard

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"devtools/stack/line"
)

// A command is a simple command as rules see it.
type command struct {
	shell      *shell
	words      []string
	in         *string // its input, as far as that is known; nil for none
	redirected redirections
	program    string   // as the command has it, absolute if it has a slash
	resolved   string   // its file without links; "" if that is not known
	names      []string // base names: as the command has it, and that of its file
	table      *line.Program
	options    []line.Option
	operands   []string
	places     []int    // of the operands in words
	args       []string // the operands, or those behind the subcommand
	scripts    int      // files of the disk that it executes
	code       bool     // it executes code that nobody looks into
	idle       bool     // it starts and writes nothing: it prints help or a version, or only says what it would do
	hit        string   // the file for which a rule about written files has matched
	fed        fit      // it executes a download (yes), or what nobody knows (maybe)
}

// command takes a command apart.
func (s *shell) command(words []string, in *string, redirected redirections) *command {
	x := &command{shell: s, words: words, in: in, redirected: redirected, program: words[0], names: []string{baseName(words[0])}}
	if strings.Contains(x.program, "/") && !strings.ContainsAny(x.program, signs) {
		x.program = s.absolute(x.program)
		x.resolved = s.judge.resolve(x.program, true)
		if name := baseName(x.resolved); name != x.names[0] {
			x.names = append(x.names, name)
		}
	}
	name := x.names[0]
	var known bool
	if x.table, known = line.Known(name); !known && len(x.names) > 1 {
		name = x.names[1]
		x.table, _ = line.Known(name)
	}
	for _, value := range x.named("options") {
		if len(value) < mostShown {
			x.words = slices.Insert(slices.Clone(x.words), 1, strings.Fields(value)...)
		}
	}
	x.options, x.places = x.table.Split(x.words)
	sub := x.table.Has("subcommands") && len(x.places) > 0 && x.sub(name)
	for _, place := range x.places {
		x.operands = append(x.operands, x.words[place])
	}
	if x.args = x.operands; sub {
		x.args = x.args[1:]
	}
	x.idle = x.has("asks") || len(x.args) == 0 && (x.option("--help") || x.option("--version"))
	return x
}

// sub takes the words behind the subcommand apart, by its own row of the table, if it has one: only options before it are those of the
// program.
func (x *command) sub(name string) (known bool) {
	first := x.places[0]
	sub, known := line.Known(name + "/" + x.words[first])
	options, places := sub.Split(x.words[first:])
	x.options = slices.DeleteFunc(x.options, func(o line.Option) bool { return o.Place > first })
	x.places = []int{first}
	for _, o := range options {
		o.Place += first
		x.options = append(x.options, o)
	}
	for _, place := range places {
		x.places = append(x.places, place+first)
	}
	x.table = x.table.With(sub)
	return known
}

// baseName returns the name of a program without folders, and without .exe.
func baseName(program string) string {
	name := path.Base(filepath.ToSlash(program))
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = name[:len(name)-4]
	}
	return name
}

// option reports whether the command has an option.
func (x *command) option(name string) bool {
	return slices.ContainsFunc(x.options, func(o line.Option) bool { return o.Name == name })
}

// has reports whether the command has one of the options that a key of the table names.
func (x *command) has(key string) bool {
	return slices.ContainsFunc(x.options, func(o line.Option) bool { return x.table.Names(key, o.Name) })
}

// values returns the values of the options that a key of the table names.
func (x *command) values(key string) (values []string) {
	for _, o := range x.options {
		if o.Valid && x.table.Names(key, o.Name) {
			values = append(values, o.Value)
		}
	}
	return values
}

// variable returns a variable that the program gets. One that is not known is not set.
func (x *command) variable(name string) (value string, set bool) {
	if v, ok := x.shell.vars[name]; ok {
		return v.String(), true
	}
	value, set, _ = x.shell.judge.variable(name)
	return value, set
}

// folder returns the folder in which the command starts others, from the root.
func (x *command) folder() string {
	if dirs := x.values("dir"); len(dirs) > 0 {
		return x.shell.absolute(dirs[len(dirs)-1])
	}
	return x.shell.dir
}

// path returns a path that the command has, from the root.
func (x *command) path(name string) string {
	return below(x.folder(), name)
}

// paths returns the words that may be paths.
func (x *command) paths() []string {
	paths := slices.Clone(x.operands)
	for _, o := range x.options {
		paths = append(paths, o.Value)
	}
	for _, operand := range x.operands {
		_, value, _ := strings.Cut(operand, "=")
		paths = append(paths, value)
	}
	for _, word := range paths { // as curl -d @FILE, -F name=@FILE
		if i := strings.IndexByte(word, '@'); i == 0 || i > 0 && word[i-1] == '=' {
			paths = append(paths, word[i+1:])
		}
	}
	return slices.DeleteFunc(paths, func(word string) bool { return word == "" })
}

// written returns the files and folders that the command writes, moves, changes or deletes.
func (x *command) written() []string {
	var files []string
	for _, file := range x.redirected.written {
		files = append(files, x.shell.absolute(file))
	}
	if x.idle {
		return files
	}
	files = append(files, x.values("out")...)
	for _, mount := range x.values("mounts") {
		if host, inside, ok := strings.Cut(mount, ":"); ok && !strings.HasSuffix(inside, ":ro") {
			files = append(files, host)
		}
	}
	if x.has("made_when") {
		files = append(files, x.values("made")...)
	}
	if x.table.Has("when") && !x.has("when") {
		return files
	}
	into, n, writes := x.values("into"), len(x.args), x.table.Value("writes")
	switch {
	case into == nil && (writes == "folder" || x.table.Has("into") && x.table.Has("when")):
		into = []string{"."}
	case (writes == "last" || writes == "ends") && n > 1 && into == nil:
		into, n = x.args[n-1:], n-1
	}
	for _, file := range into { // what is written is in the folder
		if info, err := os.Stat(x.path(file)); err == nil && info.IsDir() {
			file += "/" + anyName
		}
		files = append(files, file)
	}
	switch {
	case writes == "all", writes == "ends", writes == "rest" && x.has("given"):
		files = append(files, x.args[:n]...)
	case writes == "rest" && n > 1:
		files = append(files, x.args[1:]...)
	case writes == "of":
		for _, operand := range x.args {
			if file, ok := strings.CutPrefix(operand, "of="); ok {
				if rest, home := strings.CutPrefix(file, "~/"); home {
					file = x.shell.Get("HOME").String() + "/" + rest
				}
				files = append(files, file)
			}
		}
	}
	return slices.DeleteFunc(files, func(file string) bool { return file == "" || file == "-" || remote(file) })
}

// remote reports whether a path is one on another machine: HOST:PATH.
func remote(word string) bool {
	host, _, ok := strings.Cut(word, ":")
	return ok && host != "" && !strings.Contains(host, "/")
}

// output returns what the command prints. inner is what the commands print that it starts, of which there are some if started is true.
func (x *command) output(inner string, started bool) string {
	kind := x.table.Value("prints")
	last := strings.Join(x.args[max(0, len(x.args)-1):], "")
	switch {
	case x.table.Has("loads"):
		x.noteDownloads()
		return downloaded
	case kind == "words":
		return strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(strings.Join(x.args, " ")) + "\n"
	case kind == "names":
		return anyName
	case kind == "temp":
		return cmp.Or(x.shell.Get("TMPDIR").String(), "/tmp") + "/" + anyName
	case kind == "folder":
		return x.folder()
	case kind == "operand":
		return x.shell.judge.resolve(x.path(last), true)
	case kind == "parent":
		return path.Dir(last)
	case x.table.Has("silent"):
		return ""
	case started:
		return inner
	case x.in != nil && (kind == "input" && len(x.args) == 0 || kind == "paths" || strings.Contains(*x.in, downloaded)):
		return *x.in
	case kind == "input" && len(x.args) > 0:
		out := ""
		for _, file := range x.args {
			out += x.shell.judge.text(x.path(file))
		}
		return cut(out)
	case kind == "paths":
		return strings.Join(x.found(), "\n")
	}
	return unknown
}

// noteDownloads notes the files that the command downloads.
func (x *command) noteDownloads() {
	files := x.values("out")
	for _, operand := range x.args {
		if strings.Contains(operand, "://") {
			files = append(files, path.Base(operand))
		}
	}
	for _, file := range files {
		x.shell.judge.made[path.Clean(x.path(file))] = downloaded
	}
}

// found returns the paths that a command such as find or ls prints: something in each of its folders.
func (x *command) found() (paths []string) {
	end := slices.IndexFunc(x.words, func(word string) bool { return slices.Contains(x.table.List("exec"), word) })
	skip := x.places[len(x.places)-len(x.args):]
	for i, operand := range x.args {
		if end > 0 && skip[i] > end { // it is a word of the command
			break
		}
		if i == 0 && x.table.Has("pattern") && !x.has("given") {
			continue
		}
		if strings.ContainsAny(operand, "/.~") || x.table.Has("dashes") {
			paths = append(paths, operand+"/"+anyName)
		}
	}
	if len(paths) == 0 {
		paths = []string{"./" + anyName}
	}
	return few(paths)
}

// shown returns the command as text for a person.
func (x *command) shown() string {
	var words []string
	for _, list := range []struct {
		before string
		words  []string
	}{{"", x.words}, {"<", x.redirected.read}, {">", x.redirected.written}} {
		for _, word := range x.shell.judge.masked(list.words) {
			words = append(words, list.before+shown(word))
		}
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
	plain := word != "" && strings.Trim(word, plainCharacters+signs) == ""
	word = strings.NewReplacer(unknown, "…", anyName, "…", downloaded, "…").Replace(word)
	if len(word) > mostShown {
		word = strings.ToValidUTF8(word[:mostShown], "") + "…"
	}
	if plain {
		return word
	}
	return line.Quote([]string{word})
}
