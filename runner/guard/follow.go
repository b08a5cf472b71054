package guard

import (
	"cmp"
	"slices"
	"strings"

	"devtools/stack"
	"devtools/stack/line"
)

// A start evaluates something that a command starts, and returns what that prints.
type start func() string

// plan returns what a command starts, by the table of programs. It sets x.fed.
func (j *judge) plan(x *invocation) (starts []start) {
	if len(x.words) == 0 {
		return nil
	}
	if x.asks() {
		return nil
	}
	starts = append(starts, x.lines()...)
	starts = append(starts, x.codes()...)
	for _, follow := range []func() []start{x.variables, x.inner, x.shell, x.interpreter, x.found, x.aliases, x.same, x.tasks, x.ownPrograms} {
		starts = append(starts, follow()...)
	}
	if x.table.has("itself") {
		starts = append(starts, func() string { return "" })
		if len(x.operands) > 0 && x.names[0] != "trap" {
			x.feed(x.sourced())
			starts = append(starts, x.replaced("sh", x.operands[0], x.operands)...)
			starts = append(starts, x.anyFile("sh", x.judge.matching(x.command.Absolute(x.operands[0]), mostMatching), x.operands)...)
		}
	}
	if strings.ContainsAny(x.names[0], line.Signs) && strings.Trim(x.names[0], line.Signs) != "" {
		for i := 1; i < min(len(x.words), mostSuffixes); i++ {
			if x.words[i] != "" && x.words[i][0] != '-' {
				starts = append(starts, x.startOf(x.words[i:], nil))
			}
		}
	}
	return append(starts, x.script()...)
}

// asks reports whether the command only prints something, by one of its options.
func (x *invocation) asks() (is bool) {
	for _, o := range x.options {
		is = is && o.name != "+o" && (o.name[0] != '+' || !x.table.names("asks", "-"+o.name[1:])) || x.table.names("asks", o.name) // bash -n +n
	}
	return is
}

// mostSuffixes is the most words behind a program of which only a part of the name is known, at which the command that
// it starts may begin.
const mostSuffixes = 20

// sourced returns the text that eval or source executes.
func (x *invocation) sourced() string {
	if x.names[0] == "eval" {
		return strings.Join(x.operands, " ")
	}
	if input := x.command.Input; input != nil && slices.Contains(inputs, x.operands[0]) {
		x.command.Write(x.operands[0], input.Text)
	}
	if !x.command.Made(x.operands[0]) {
		if text, whole := x.judge.scriptText(x.judge.onDiskAs(x.command.Absolute(x.operands[0]))); text != "" && !whole {
			return line.Unknown
		}
		return ""
	}
	return x.command.Text(x.operands[0])
}

// feed looks at a text that the command executes: whether anybody knows what it is.
func (x *invocation) feed(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		switch l = strings.TrimSpace(l); {
		case strings.HasPrefix(l, line.Computed):
			x.fed = yes
		case strings.HasPrefix(l, line.Unknown):
			x.fed = max(x.fed, maybe)
		}
	}
}

// folder returns the folder in which the command starts others, "" for its own.
func (x *invocation) folder() string {
	if dirs := x.values("dir"); len(dirs) > 0 {
		return dirs[len(dirs)-1]
	}
	return ""
}

// lineOf evaluates a line for a shell with the parameters of that shell, from $0 on.
func (x *invocation) lineOf(text string, params []string, input *line.Input) start {
	return func() string { return x.command.Run(text, x.folder(), params, input) }
}

// startOf evaluates a command. A program with blanks may be a line for a shell.
func (x *invocation) startOf(words, env []string) start {
	return func() string {
		out := x.command.Start(words, env, x.folder(), x.command.Input)
		if strings.ContainsAny(words[0], " ;|&\n") {
			x.judge.tolerant(func() { x.command.Run(words[0], x.folder(), words, x.command.Input) })
		}
		return out
	}
}

// lines returns the lines for a shell in options and variables.
func (x *invocation) lines() (starts []start) {
	texts := x.values("line")
	for _, key := range x.table.lists["line"] {
		for _, word := range append(x.words[1:len(x.words):len(x.words)], x.given()...) {
			if text, ok := strings.CutPrefix(word, key+"="); ok && key[0] != '-' {
				texts = append(texts, text)
			}
		}
	}
	var params []string
	if x.table.has("sh") && len(texts) > 0 { // fish -C LINE -c LINE
		texts, params = []string{strings.Join(texts, "\n")}, append([]string{x.names[0]}, x.operands...)
	}
	for _, text := range texts {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "exec="), "!")
		text = strings.ReplaceAll(text, `\_`, " ") // as env -S takes it
		if x.table.has("rest") {
			text += " " + line.Quote(x.operands)
		}
		x.feed(text)
		starts = append(starts, x.lineOf(text, params, x.command.Input))
	}
	if x.table.has("lines") {
		skip := number(x.table.words["lines"])
		if skip == len(x.operands) && x.command.Input != nil { // ssh HOST, with the commands as its input
			starts = append(starts, x.lineOf(x.command.Input.Text, nil, nil))
		}
		if skip < len(x.operands) {
			words := append(slices.Clone(x.operands[skip:]), x.items()...)
			starts = append(starts, x.lineOf(strings.Join(words, " "), nil, x.command.Input))
		}
	}
	if x.table.has("typed") {
		for _, text := range x.operands[min(number(x.table.words["typed"]), len(x.operands)):] {
			starts = append(starts, x.aside(x.lineOf(text, nil, nil)))
		}
	}
	return starts
}

// aside evaluates what may be a line for a shell and may be none.
func (x *invocation) aside(run start) start {
	return func() string {
		x.judge.tolerant(func() { run() })
		return ""
	}
}

func number(text string) int {
	n := 0
	for _, c := range text {
		if c >= '0' && c <= '9' {
			n = n*10 + int(c-'0')
		}
	}
	return n
}

// assignments returns the NAME=VALUE at the beginning of some words.
func assignments(words []string) []string {
	n := 0
	for n < len(words) && strings.IndexByte(words[n], '=') > 0 && !strings.ContainsAny(words[n][:strings.IndexByte(words[n], '=')], "/ -") {
		n++
	}
	return words[:n]
}

// inner returns the command behind the options of a wrapper.
func (x *invocation) inner() []start {
	words := x.operands
	if !x.table.has("command") {
		if len(x.table.words)+len(x.table.lists) > 0 && !x.table.has("stack") {
			return nil
		}
		return x.wrapped()
	}
	words = words[min(number(x.table.words["command"]), len(words)):]
	env := assignments(words)
	words = words[len(env):]
	switch {
	case len(words) == 0:
		return nil
	case len(words) > 1 && x.table.names("line", words[0]): // flock FILE -c LINE
		return []start{x.lineOf(words[1], nil, x.command.Input)}
	}
	if x.table.has("items") {
		words = x.filled(words)
	}
	if language := x.table.words["script"]; language != "" && strings.HasSuffix(words[0], "."+language) {
		return x.file(language, words[0], words)
	}
	return []start{x.startOf(words, env)}
}

// wrapped returns the command that a program starts by the table of package stack.
func (x *invocation) wrapped() []start {
	if x.table.has("apart") && !slices.ContainsFunc(x.options, func(o option) bool { return x.table.names("apart", o.name) }) {
		return nil
	}
	words := make([]line.Word, len(x.words))
	for i, word := range x.words {
		words[i] = line.Word{Text: word, Open: strings.ContainsAny(word, line.Signs)}
	}
	place, isLine, ok := stack.Inner(words)
	switch {
	case !ok:
		return nil
	case isLine:
		return []start{x.lineOf(x.words[place], nil, x.command.Input)}
	}
	return []start{x.startOf(x.words[place:], nil)}
}

// items returns the words that come from the input.
func (x *invocation) items() []string {
	if !x.table.has("items") {
		return nil
	}
	input := line.Unknown
	if x.command.Input != nil {
		input = x.command.Input.Text
	}
	for _, o := range x.options {
		if o.valid && (o.name == "-a" || o.name == "--arg-file") {
			input = x.command.Text(o.value)
		}
	}
	if slices.Contains(x.operands, ":::") {
		input = ""
	}
	text := strings.NewReplacer("\x00", "\n", `"`, "", "'", "").Replace(input)
	return strings.Fields(text)
}

// filled returns a command with the words of the input: in the place of a mark, or at its end.
func (x *invocation) filled(words []string) []string {
	mark := ""
	for _, o := range x.options {
		switch {
		case o.name == "-I", o.name == "--replace" && o.valid:
			mark = o.value
		case o.name == "-i", o.name == "--replace":
			mark = "{}"
		}
	}
	items := x.items()
	if mark == "" {
		return append(slices.Clip(words), items...)
	}
	if len(items) != 1 {
		items = []string{strings.Join(items, " ")}
	}
	filled := slices.Clone(words)
	for i, word := range filled {
		filled[i] = strings.ReplaceAll(word, mark, items[0])
	}
	return filled
}

// shell returns what a shell executes: a line, a file, or its input.
func (x *invocation) shell() []start {
	if !x.table.has("sh") {
		return nil
	}
	input := x.command.Input
	switch {
	case x.has("-c", "--command") && len(x.values("line")) > 0: // fish: see lines
		return nil
	case x.has("-c") && len(x.operands) > 0:
		x.feed(x.operands[0])
		return []start{x.lineOf(x.operands[0], x.operands[1:], input)}
	case x.has("-c"):
		return nil
	case len(x.operands) > 0 && !x.has("-s") && x.operands[0] != "-":
		return x.file("sh", x.operands[0], x.operands)
	case input != nil:
		x.feed(input.Text)
		return []start{x.lineOf(input.Text, append([]string{x.names[0]}, x.operands...), nil)}
	}
	return nil
}

// interpreter returns the code that an interpreter executes.
func (x *invocation) interpreter() (starts []start) {
	operands := x.operands
	for _, file := range x.values("from") {
		starts = append(starts, x.file(cmp.Or(x.table.words["file"], x.table.words["text"], x.table.words["input"], x.table.code, "sh"), file, nil)...)
	}
	if language := x.table.words["input"]; language != "" && len(starts) == 0 && x.command.Input != nil {
		x.feed(x.command.Input.Text)
		return []start{x.execute(language, x.command.Input.Text, nil)}
	}
	given := len(starts) > 0 || len(x.values("code")) > 0 || len(x.values("module")) > 0
	if language := x.table.words["text"]; language != "" && !given && len(operands) > 0 {
		if language == "sqlite" {
			if language, operands = "sql", operands[1:]; len(operands) == 0 {
				return nil
			}
		}
		return []start{x.code(language, operands[0])}
	}
	language := x.table.words["file"]
	switch {
	case language == "" || given:
	case len(operands) > 0 && operands[0] != "-":
		return x.file(language, operands[0], operands)
	case x.command.Input != nil:
		text := x.command.Input.Text
		x.feed(text)
		return []start{x.execute(language, text, append([]string{x.names[0]}, operands...))}
	}
	return starts
}

// execute evaluates a program in a language.
func (x *invocation) execute(language, text string, params []string) start {
	if language == "sh" {
		return x.lineOf(text, params, x.command.Input)
	}
	return x.code(language, text)
}

// codes returns the code in options.
func (x *invocation) codes() (starts []start) {
	texts := x.values("code")
	if x.table.names("code", "+") {
		for _, word := range x.words[1:] {
			if text, ok := strings.CutPrefix(word, "+"); ok {
				texts = append(texts, text)
			}
		}
	}
	for _, text := range texts {
		x.feed(text)
		starts = append(starts, x.code(x.table.code, text))
	}
	return starts
}

func (x *invocation) code(language, text string) start {
	if language == "sed" && readSed(text).space {
		x.fed = max(x.fed, maybe)
	}
	return func() string {
		x.judge.code(x, language, text, 0)
		if language == "sed" {
			return x.edited()
		}
		return line.Unknown
	}
}

// same returns the command of another program that does the same to the operands.
func (x *invocation) same() []start {
	as := x.table.words["as"]
	if as == "" || len(x.operands) == 0 {
		return nil
	}
	return []start{x.startOf(append(strings.Split(as, "+"), x.operands...), nil)}
}
