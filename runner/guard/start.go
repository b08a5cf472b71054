package guard

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"devtools/stack/line"
)

// A start judges something that a command would start, and returns what that would print.
type start func() string

// start judges a command and what it would start, and returns what it would print.
func (s *shell) start(words []string, in *string, redirected redirections) string {
	j := s.judge
	if j.steps++; j.steps > mostSteps || s.depth > mostNested {
		j.unreadable("it has more commands than devtools looks at")
		return unknown
	}
	x := s.command(words, in, redirected)
	var starts []start
	if !x.idle {
		starts = x.starts()
	}
	j.record(x, len(starts) == x.scripts) // a script is not judged by the words of [pty], but the command that runs it is
	inner := ""
	j.via = append(j.via, x.names[0])
	for _, run := range starts {
		inner = run()
	}
	j.via = j.via[:len(j.via)-1]
	return x.output(inner, len(starts) > 0)
}

// starts returns what the command starts, by its row of the table.
func (x *command) starts() []start {
	starts := x.variables()
	for _, one := range []func() []start{
		x.lines, x.builtin, x.sh, x.interpreter, x.executed, x.inner, x.own, x.packageScripts, x.recipes, x.hooks,
	} {
		starts = append(starts, one()...)
	}
	return starts
}

// feed notes that the command executes a text that is a download, or that nobody knows.
func (x *command) feed(text string) {
	switch {
	case strings.Contains(text, downloaded):
		x.fed = yes
	case strings.HasPrefix(strings.TrimSpace(text), unknown):
		x.fed = max(x.fed, maybe)
	}
}

// another returns the shell of a program that the command starts.
func (x *command) another() *shell {
	s := x.shell.copied()
	if s.dir = x.folder(); x.table.Has("elsewhere") {
		s.dir = unknown
	}
	for _, pair := range x.values("env") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			s.set(name, value)
		}
	}
	return s
}

// lineOf judges a line for a shell. params are $0 and what is behind it.
func (x *command) lineOf(text string, params []string, in *string) []start {
	x.feed(text)
	if strings.Trim(text, signs+" \n") == "" { // nothing is known of it
		return nil
	}
	return []start{func() string {
		s := x.another()
		if len(params) > 0 {
			s.set("0", params[0])
		}
		s.setList("@", params[min(1, len(params)):])
		return s.text(text, in)
	}}
}

// commandOf judges a command with the variables before it.
func (x *command) commandOf(words []string) []start {
	n := slices.IndexFunc(words, func(word string) bool {
		name, _, ok := strings.Cut(word, "=")
		return !ok || name == "" || strings.ContainsAny(name, "/ -")
	})
	if n < 0 {
		return nil
	}
	return []start{func() string {
		s := x.another()
		for _, pair := range words[:n] {
			name, value, _ := strings.Cut(pair, "=")
			s.set(name, value)
		}
		return s.start(words[n:], x.in, redirections{})
	}}
}

// named returns the values of the variables that a key of the table names.
func (x *command) named(key string) (values []string) {
	for _, name := range x.table.List(key) {
		if value, _ := x.variable(name); strings.TrimSpace(value) != "" {
			values = append(values, value)
		}
	}
	return values
}

// variables returns what the program executes that variables name: of the line, of the call and of its environment.
func (x *command) variables() (starts []start) {
	for _, text := range x.named("variables") {
		starts = append(starts, x.lineOf(strings.TrimLeft(text, "|-"), nil, nil)...)
	}
	for _, file := range x.named("files") {
		starts = append(starts, x.file(x.path(file), nil, x.another())...)
	}
	x.code = x.code || x.named("codes") != nil
	return starts
}

// lines returns the lines for a shell in options and operands.
func (x *command) lines() (starts []start) {
	for _, text := range x.values("line") {
		starts = append(starts, x.lineOf(strings.TrimPrefix(text, "exec="), nil, x.in)...) // as --checkpoint-action of tar takes it
	}
	if skip := x.table.Number("lines"); x.table.Has("lines") && !x.table.Has("itself") {
		operands := x.filled(x.args[min(skip, len(x.args)):])
		switch {
		case len(operands) > 0:
			starts = append(starts, x.lineOf(strings.Join(operands, " "), nil, x.in)...)
		case skip == len(x.args) && x.in != nil: // ssh HOST, with the commands as its input
			starts = append(starts, x.lineOf(*x.in, nil, nil)...)
		}
	}
	if x.table.Has("typed") {
		for _, text := range x.args[min(x.table.Number("typed"), len(x.args)):] {
			starts = append(starts, x.lineOf(text, nil, nil)...)
		}
	}
	return starts
}

// builtin does what changes the shell itself: its folder, variables and parameters.
func (x *command) builtin() (starts []start) {
	operand := strings.Join(x.args[:min(1, len(x.args))], "")
	switch {
	case x.table.Has("itself"): // eval
		text := strings.Join(x.args, " ")
		x.feed(text)
		x.shell.open = x.shell.open || strings.ContainsAny(text, signs)
		return []start{func() string { return x.shell.text(text, x.in) }}
	case x.table.Has("script") && operand != "": // source
		starts = x.file(x.path(operand), nil, x.shell)
		x.shell.open = x.shell.open || len(starts) == 0
		return starts
	case x.table.Has("later"): // trap
		return []start{func() string { return x.shell.text(operand, nil) }}
	case x.table.Has("returns"), x.table.Has("moves") && operand == "-": // popd
		x.shell.dir, x.shell.before = cmp.Or(x.shell.before, unknown), x.shell.dir
	case x.table.Has("moves"):
		x.shell.dir, x.shell.before = x.shell.absolute(cmp.Or(operand, x.shell.Get("HOME").String())), x.shell.dir
	case x.table.Has("positional") && len(x.args) > 0: // set
		x.shell.setList("@", x.args)
	case x.table.Has("shifts"):
		n, _ := strconv.Atoi(cmp.Or(operand, "1"))
		list := x.shell.vars["@"].List
		x.shell.setList("@", list[min(max(n, 0), len(list)):])
	case x.table.Has("reads"):
		text := unknown
		if x.in != nil && len(x.args) < 2 {
			text = strings.TrimSpace(*x.in)
		}
		if strings.Contains(text, "\n") {
			text = unknown
		}
		for _, name := range append(x.args, "REPLY", "OPTARG") {
			x.shell.set(name, text)
		}
	}
	return nil
}

// sh returns what a shell executes: a line, a file, or its input.
func (x *command) sh() []start {
	switch {
	case !x.table.Has("shell"):
	case x.option("-c"):
		if len(x.args) > 0 && len(x.values("line")) == 0 {
			return x.lineOf(x.args[0], x.args[1:], x.in)
		}
	case len(x.args) > 0 && x.args[0] != "-" && !x.option("-s"):
		return x.file(x.path(x.args[0]), x.args, x.another())
	case x.in != nil:
		return x.lineOf(*x.in, append([]string{x.names[0]}, x.args...), nil)
	}
	return nil
}

// interpreter notes the code that an interpreter executes.
func (x *command) interpreter() []start {
	code := x.values("code")
	for _, text := range code {
		x.runs(text)
	}
	switch {
	case x.table.Has("text") && len(code) == 0 && len(x.args) > 0:
		x.code = true
	case !x.table.Has("interpreter") || len(code) > 0:
	case len(x.args) > 0 && x.args[0] != "-":
		x.runs(x.shell.judge.made[path.Clean(x.path(x.args[0]))])
	case x.in != nil:
		x.runs(*x.in)
	}
	return nil
}

// runs notes code that the command executes.
func (x *command) runs(text string) {
	x.code = true
	if strings.Contains(text, downloaded) {
		x.fed = yes
	}
}

// executed returns the commands of find: those behind -exec, with what is found in the place of {}.
func (x *command) executed() (starts []start) {
	for i, word := range x.words {
		if !slices.Contains(x.table.List("exec"), word) || x.table.Has("front") && len(x.places) > 0 && i > x.places[0] {
			continue
		}
		end := i + 1
		for end < len(x.words) && x.words[end] != ";" && x.words[end] != "+" {
			end++
		}
		for _, path := range x.found() {
			words := slices.Clone(x.words[i+1 : end])
			for k := range words {
				words[k] = strings.ReplaceAll(words[k], "{}", path)
			}
			starts = append(starts, x.commandOf(words)...)
		}
	}
	return starts
}

// inner returns the command behind the options of a wrapper.
func (x *command) inner() []start {
	switch {
	case x.table.Has("apart"):
		return nil
	case x.table.Has("as") && len(x.args) > 0:
		return x.commandOf(slices.Concat(x.table.List("as"), x.args))
	}
	for _, key := range []string{"command", "argv"} {
		words := x.args[min(x.table.Number(key), len(x.args)):]
		switch {
		case !x.table.Has(key):
		case len(words) > 1 && x.table.Names("line", words[0]): // flock FILE -c LINE
			return x.lineOf(words[1], nil, x.in)
		case key == "argv" && len(words) == 1:
			argv, _ := line.Argv(words, "", "/")
			return x.commandOf(argv)
		default:
			return x.commandOf(x.filled(words))
		}
	}
	return nil
}

// filled returns words with those of the input, if the command adds them: in the place of a mark, or at the end.
func (x *command) filled(words []string) []string {
	if !x.table.Has("items") {
		return words
	}
	mark, items := "", []string{anyName}
	if at := slices.Index(words, ":::"); at >= 0 { // parallel
		mark, items, words = "{}", words[at+1:], words[:at]
	} else if x.in != nil {
		items = strings.Fields(strings.NewReplacer("\x00", "\n", `"`, "", "'", "").Replace(*x.in))
	}
	for _, o := range x.options {
		switch o.Name {
		case "-I", "-i", "--replace":
			mark = cmp.Or(o.Value, "{}")
		}
	}
	items = few(items)
	if mark == "" || !strings.Contains(strings.Join(words, " "), mark) {
		return slices.Concat(words, items)
	}
	var filled []string
	for _, word := range words {
		of := items
		if !strings.Contains(word, mark) {
			of = []string{""}
		}
		for _, item := range of {
			filled = append(filled, strings.ReplaceAll(word, mark, item))
		}
	}
	return filled
}

// own returns the script that the command is itself.
func (x *command) own() []start {
	if x.resolved == "" {
		return nil
	}
	return x.file(x.program, x.words, x.another())
}

// file returns the script in a file: one that the line has written, or one of the disk.
func (x *command) file(name string, params []string, s *shell) []start {
	j := x.shell.judge
	text, made := j.made[path.Clean(name)]
	if strings.ContainsAny(name, unknown+downloaded) && !made {
		x.feed(name[strings.IndexAny(name, unknown+downloaded):])
		return nil
	}
	if !made {
		if j.systems(name) {
			return nil
		}
		var whole bool
		if text, whole = readText(j.resolve(name, true)); text == "" {
			return nil
		} else if !whole {
			return []start{func() string { j.unreadable("it runs a script that is too long for devtools to read"); return unknown }}
		}
	}
	if x.feed(text); interpreted(text) {
		x.code = true
		return nil
	}
	run := func() string {
		if params != nil {
			s.set("0", name)
			s.set("BASH_SOURCE", name)
			s.setList("@", params[1:])
		}
		return s.text(text, x.in)
	}
	if made {
		return []start{run}
	}
	return x.fromDisk(run)
}

// interpreted reports whether the first line of a file names a program that is no shell.
func interpreted(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	words, ok := strings.CutPrefix(first, "#!")
	return ok && !slices.ContainsFunc(strings.Fields(words), func(word string) bool {
		p, _ := line.Known(baseName(word))
		return p.Has("shell")
	})
}
