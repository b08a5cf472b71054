package guard

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"devtools/stack/line"
)

// codeTable says what calls in code mean. Its first lines describe the format.
//
//go:embed code.txt
var codeTable string

// codeCalls returns what a language calls things: the kind by the name.
func codeCalls(language string) map[string]string {
	if calls, ok := codeLanguages.Load(language); ok {
		return calls.(map[string]string)
	}
	calls := map[string]string{}
	for l := range strings.Lines(codeTable) {
		head, names, ok := strings.Cut(l, ": ")
		words := strings.Fields(head)
		if !ok || l[0] == '#' || words[1] != language {
			continue
		}
		kind := words[0]
		if kind == "perhaps" {
			kind += " " + strings.Trim(strings.Join(words[2:], " "), "[]")
		}
		for name := range strings.FieldsSeq(names) {
			calls[name] = kind
		}
	}
	codeLanguages.Store(language, calls)
	return calls
}

var codeLanguages sync.Map // the result of codeCalls by the language

// mostCode is how deep code in code is followed.
const mostCode = 4

// code judges a program text: the commands that it executes, and the trees that it deletes.
func (j *judge) code(x *invocation, language, text string, depth int) {
	switch language {
	case "sh", "bash", "zsh":
		x.command.Run(text, "", nil, nil)
		return
	case "crontab":
		j.crontab(x, text)
		return
	case "python", "python3":
		language = "py"
	case "node", "javascript", "typescript", "ts", "bun", "deno":
		language = "js"
	case "ruby":
		language = "rb"
	case "make":
		for l := range strings.SplitSeq(text, "\n") {
			if i := strings.IndexAny(l, ";\t"); i >= 0 {
				j.tolerant(func() { x.command.Run(l[i+1:], x.folder(), nil, nil) })
			}
		}
		return
	case "sed", "vim", "sql", "gdb":
		j.escapes(x, language, text)
		return
	}
	if depth > mostCode || len(text) > mostScript {
		return
	}
	list := tokens(language, text)
	p := &codeReader{judge: j, x: x, language: language, text: text, calls: codeCalls(language), list: list, depth: depth}
	for i := range list {
		p.at(i)
	}
}

// crontab judges the commands of a table for cron.
func (j *judge) crontab(x *invocation, text string) {
	for l := range strings.SplitSeq(text, "\n") {
		fields := strings.Fields(l)
		skip := 5
		if len(fields) > 0 && strings.HasPrefix(fields[0], "@") {
			skip = 1
		}
		if len(fields) > skip && fields[0][0] != '#' {
			j.tolerant(func() { x.command.Run(strings.Join(fields[skip:], " "), "", nil, nil) })
		}
	}
}

// escapes judges the commands for a shell in the language of an editor or a client: what follows a
// ! or a word such as shell.
func (j *judge) escapes(x *invocation, language, text string) {
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.Trim(strings.TrimSpace(l), ":'\"")
		var command string
		ok := false
		for _, begin := range []string{"!", `\!`, ".shell ", ".system ", "shell ", "r !", "read !", "w !", "silent !", "silent! !", "%!", "system(", `| !`} {
			if command, ok = strings.CutPrefix(l, begin); ok {
				break
			}
		}
		if i := strings.Index(l, "!"); !ok && language == "vim" && i >= 0 {
			command, ok = l[i+1:], true
		}
		if language == "sed" {
			command, ok = sedCommand(l)
		}
		if ok {
			j.tolerant(func() { x.command.Run(strings.Trim(command, `'")`), "", nil, nil) })
		}
	}
}

// sedCommand returns what the command e of GNU sed executes: 1e COMMAND, or s/…/COMMAND/e.
func sedCommand(text string) (command string, ok bool) {
	rest := strings.TrimLeft(text, "0123456789,$ ")
	if command, ok = strings.CutPrefix(rest, "e "); ok {
		return command, true
	}
	if len(rest) > 2 && rest[0] == 's' {
		parts := strings.Split(rest[2:], rest[1:2])
		if len(parts) >= 3 && strings.Contains(parts[len(parts)-1], "e") {
			return parts[1], true
		}
	}
	return "", false
}

// A codeReader reads the tokens of a program text.
type codeReader struct {
	judge    *judge
	x        *invocation
	language string
	text     string
	calls    map[string]string
	list     []token
	depth    int
}

// at judges the call that begins with a token.
func (p *codeReader) at(i int) {
	t := p.list[i]
	next := func(k int) string {
		if i+k < len(p.list) && i+k >= 0 && p.list[i+k].kind == tokenSign {
			return p.list[i+k].text
		}
		return ""
	}
	if t.kind == tokenShell {
		p.run([]argument{{text: t.text, known: true}})
		return
	}
	if p.language == "awk" && t.kind == tokenString && (next(1) == "|" || next(-1) == "|") {
		p.run([]argument{{text: t.text, known: true}})
		return
	}
	if t.kind != tokenName {
		return
	}
	name := t.text[strings.LastIndexByte(t.text, '.')+1:]
	kind := p.calls[name]
	if words, ok := strings.CutPrefix(kind, "perhaps "); ok {
		kind = ""
		for word := range strings.FieldsSeq(words) {
			if strings.Contains(p.text, word) && p.plausible(t.text, name) {
				kind = "runs"
			}
		}
	}
	open := next(1) == "("
	bare := (p.language == "rb" || p.language == "perl" || p.language == "php" || p.language == "tcl" || p.language == "lua") &&
		i+1 < len(p.list) && (p.list[i+1].kind == tokenString || p.language == "tcl" && p.list[i+1].kind == tokenName)
	if p.language == "py" && (name == "getattr" || name == "__getattribute__") && open {
		p.attribute(i)
		return
	}
	if kind == "" || !open && !bare {
		return
	}
	if i > 0 && p.list[i-1].kind == tokenName && (p.list[i-1].text == "def" || p.list[i-1].text == "function" || p.list[i-1].text == "sub") {
		return
	}
	from := i + 2
	if !open {
		from = i + 1
	}
	p.call(kind, p.arguments(from, open))
}

// plausible reports whether a weak name, such as run or exec, may be the call that starts a program.
func (p *codeReader) plausible(full, name string) bool {
	owner := strings.TrimSuffix(strings.TrimSuffix(full, name), ".")
	switch p.language {
	case "py":
		if owner == "" {
			return strings.Contains(p.text, "from subprocess") || strings.Contains(p.text, "from pty")
		}
		return owner == "subprocess" || owner == "pty" || strings.Contains(p.text, "subprocess as "+owner)
	case "js":
		return !strings.Contains(strings.ToLower(owner), "re") || strings.Contains(owner, "require")
	}
	return true
}

// attribute judges getattr(os, NAME): the name may be that of anything that starts a program.
func (p *codeReader) attribute(i int) {
	if i+2 < len(p.list) && slices.Contains([]string{"os", "subprocess", "shutil", "builtins", "__builtins__", "__import__"}, p.list[i+2].text) {
		p.run([]argument{{}})
	}
}

// An argument is an argument of a call in code.
type argument struct {
	text  string
	known bool // the text is all of it
	list  []argument
	named bool // NAME=VALUE, or an object with settings
}

// call judges a call with its arguments.
func (p *codeReader) call(kind string, args []argument) {
	for len(args) > 0 && args[0].named {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	first := args[0]
	switch kind {
	case "runs":
		p.run(args)
	case "evals":
		if first.known {
			p.judge.code(p.x, p.language, first.text, p.depth+1)
		} else {
			p.run([]argument{{}})
		}
	case "deletes":
		for _, target := range append([]argument{first}, first.list...) {
			if len(first.list) > 0 && !target.known {
				continue
			}
			p.x.command.Start([]string{"rm", "-rf", target.word()}, nil, "", nil)
		}
	case "writes":
		if first.known && len(args) > 1 && args[1].known && strings.ContainsAny(args[1].text, "wa+") || first.known && p.language == "js" {
			p.x.command.Start([]string{"tee", first.text}, nil, "", nil)
		}
	}
}

// word returns an argument as a word of a command.
func (a argument) word() string {
	if a.known {
		return a.text
	}
	return line.Unknown
}

// run judges a program that code starts.
func (p *codeReader) run(args []argument) {
	var words []string
	for i, a := range args {
		switch {
		case a.named:
		case a.list != nil:
			for _, one := range a.list {
				words = append(words, one.word())
			}
		case i == 0 || a.known:
			words = append(words, a.word())
		}
	}
	if len(words) == 0 {
		return
	}
	input := &line.Input{Text: ""}
	if args[0].list == nil && args[0].known && strings.ContainsAny(args[0].text, " ;|&\n$`<>") {
		p.judge.tolerant(func() { p.x.command.Run(args[0].text, "", nil, nil) })
		if len(words) == 1 {
			return
		}
	}
	p.x.command.Start(words, nil, "", input)
	if len(words) > 1 && args[0].list == nil { // execv has the program twice
		p.x.command.Start(words[1:], nil, "", input)
	}
}

// arguments reads the arguments of a call from list[i] on.
func (p *codeReader) arguments(i int, open bool) (args []argument) {
	var a argument
	begun, sure := false, true
	finish := func() {
		if begun {
			a.known = sure && a.list == nil && !a.named
			args = append(args, a)
		}
		a, begun, sure = argument{}, false, true
	}
	for ; i < len(p.list); i++ {
		t := p.list[i]
		switch {
		case t.kind == tokenString || t.kind == tokenShell:
			a.text, begun = a.text+t.text, true
		case t.kind == tokenName:
			begun = true
			if values, ok := p.assigned(t.text); ok && (i+1 >= len(p.list) || p.list[i+1].text != "(") {
				if len(values.list) > 0 {
					a.list = append(a.list, values.list...)
				}
				a.text += values.text
			} else if t.text != "b" && t.text != "r" {
				sure = false
			}
		case t.text == "," || t.text == "\n" && !open:
			finish()
		case t.text == ")" && open, t.text == ";" && !open, t.text == "}" && !open:
			finish()
			return args
		case t.text == "=" && begun && !sure:
			a.named = true
		case t.text == "[" || t.text == "(" || t.text == "{":
			end := p.closing(i)
			if t.text == "[" && !begun {
				a.list = append([]argument{}, p.arguments(i+1, true)...)
			} else if t.text == "{" && !begun {
				a.named = true
			} else if begun || t.text == "(" {
				sure = false
			}
			begun, i = true, end
		case t.text == "]":
			finish()
			return args
		case t.text == "\n" || t.text == "+" || t.text == "." && p.language != "js" && p.language != "py":
		default:
			begun, sure = true, false
		}
	}
	finish()
	return args
}

// closing returns the index of the sign that closes the one at list[i].
func (p *codeReader) closing(i int) int {
	depth := 0
	for ; i < len(p.list); i++ {
		if p.list[i].kind != tokenSign {
			continue
		}
		switch p.list[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(p.list)
}

// assigned returns what a name is, if the code sets it once, to a literal.
func (p *codeReader) assigned(name string) (a argument, ok bool) {
	for i := 0; i+2 < len(p.list); i++ {
		if p.list[i].text != name || p.list[i].kind != tokenName || p.list[i+1].text != "=" || p.list[i+2].text == "=" {
			continue
		}
		if ok {
			return argument{}, false
		}
		switch value := p.list[i+2]; {
		case value.kind == tokenString && (i+3 >= len(p.list) || slices.Contains([]string{"\n", ";", ","}, p.list[i+3].text)):
			a, ok = argument{text: value.text, known: true}, true
		case value.text == "[":
			for k := i + 3; k < min(len(p.list), i+100) && p.list[k].text != "]"; k++ {
				switch {
				case p.list[k].kind == tokenString:
					a.list = append(a.list, argument{text: p.list[k].text, known: true})
				case p.list[k].text != ",":
					a.list = append(a.list, argument{})
				}
			}
			ok = true
		default:
			return argument{}, false
		}
	}
	return a, ok
}
