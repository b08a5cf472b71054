package guard

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// A codeReader reads the tokens of a program text.
type codeReader struct {
	judge    *judge
	x        *invocation
	language string
	text     string
	calls    map[string]string
	list     []token
	closing  []int             // by the index of an opening bracket: that of the closing one
	sets     map[string]int    // by a name: the token behind its =; -1 if it is set several times
	imported map[string]string // names of functions that were imported under other names
	input    string            // that of the programs that the code starts
	words    map[string]bool   // whether the text has a word; filled when it is asked for
	depth    int
}

func newCodeReader(j *judge, x *invocation, language, text string, list []token) *codeReader {
	p := &codeReader{
		judge: j, x: x, language: language, text: text, calls: codeCalls(language), list: list,
		closing: make([]int, len(list)), sets: map[string]int{}, words: map[string]bool{},
		imported: map[string]string{},
	}
	var open []int
	for i := range list {
		if list[i].kind == tokenString || list[i].kind == tokenShell {
			list[i].text = p.filled(list[i].text)
		}
		t := list[i]
		if t.kind == tokenName && i+2 < len(list) && (list[i+1].text == "as" || language == "js" && list[i+1].text == ":") && p.calls[t.text] != "" {
			p.imported[list[i+2].text] = t.text
		}
		if t.kind == tokenName && i+2 < len(list) && list[i+2].text == "=" && (list[i+1].text == "+" || list[i+1].text == ".") {
			p.sets[t.text] = -1 // x += …
		}
		if t.kind == tokenName && i+2 < len(list) && list[i+1] == (token{tokenSign, "="}) && list[i+2] != (token{tokenSign, "="}) {
			if _, again := p.sets[t.text]; again {
				p.sets[t.text] = -1
			} else {
				p.sets[t.text] = i + 2
			}
		}
		p.closing[i] = len(list)
		if t.kind != tokenSign {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 {
				p.closing[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	return p
}

// has reports whether the text has a word.
func (p *codeReader) has(word string) bool {
	found, ok := p.words[word]
	if !ok {
		found = strings.Contains(p.text, word) || strings.Contains(concatenated(p.text), word)
		p.words[word] = found
	}
	return found
}

// concatenated returns a text in which strings with a + between them are one.
func concatenated(text string) string {
	return strings.NewReplacer("'+'", "", `"+"`, "", "' + '", "", `" + "`, "").Replace(text)
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
	if p.language == "awk" && p.piped(i) {
		return
	}
	name, open := p.named(i), next(1) == "("
	if t.kind == tokenSign && name != "" {
		i = p.closing[i]
		open = true
	} else if t.kind != tokenName {
		return
	}
	kind := p.calls[name]
	if words, ok := strings.CutPrefix(kind, "perhaps "); ok {
		kind = ""
		for word := range strings.FieldsSeq(words) {
			if (p.has(word) || p.x.names[0] == word) && p.plausible(t.text, name) {
				kind = "runs"
			}
		}
	}
	bare := kind != "" && !open && p.bare(i, kind)
	if p.language == "py" && (name == "getattr" || name == "__getattribute__") && open {
		p.attribute(i)
		return
	}
	if p.language == "js" && (name == "rm" || name == "remove" || name == "rmdir") && !strings.HasSuffix(t.text, "fs."+name) &&
		(t.text != name || !p.has("fs/promises")) && (next(-1) != "." || next(-2) != ")") {
		return
	}
	if kind == "runs" && !open && !bare && (p.language == "py" || p.language == "js" || p.language == "lua") && (next(-1) == "." || strings.Contains(t.text, ".")) {
		p.run([]argument{{}}) // the function gets another name
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

// named returns the name of what a token may call: without the names before it, and that which another name was imported
// for. For a bracket it is that of the member: x["exec"](…).
func (p *codeReader) named(i int) string {
	t := p.list[i]
	if t.kind == tokenSign {
		end := p.closing[i]
		if t.text != "[" || i == 0 || end+1 >= len(p.list) || p.list[end+1] != (token{tokenSign, "("}) {
			return ""
		}
		if args := p.arguments(i+1, true); len(args) == 1 && args[0].known {
			return args[0].text
		}
		return ""
	}
	name := t.text[strings.LastIndexByte(t.text, '.')+1:]
	if as, ok := p.imported[name]; ok {
		return as
	}
	return name
}

// plausible reports whether a weak name, such as run or exec, may be the call that starts a program.
func (p *codeReader) plausible(full, name string) bool {
	owner := strings.TrimSuffix(strings.TrimSuffix(full, name), ".")
	switch p.language {
	case "py":
		if owner == "" {
			return p.has("from subprocess") || p.has("from pty")
		}
		return owner == "subprocess" || owner == "pty" || p.has("subprocess as "+owner)
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
	case "opens":
		for i, a := range args {
			command, to := strings.CutPrefix(strings.TrimSpace(a.text), "|")
			if to = to && command != "-" && command != ""; to || strings.HasSuffix(a.text, "|") && a.text != "-|" {
				p.run([]argument{{text: strings.Trim(a.text, "| "), known: true}})
			} else if a.text == "-|" || a.text == "|-" {
				p.run(args[i+1:])
			} else if file, ok := strings.CutPrefix(a.text, ">"); ok && file != "" {
				p.x.command.Start([]string{"tee", strings.Trim(file, "> ")}, nil, "", nil)
			}
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
	input := &line.Input{Text: p.input}
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
			if own := ownProgram(t.text); own != "" {
				a.text += own
			} else if values, ok := p.assigned(t.text); ok && (i+1 >= len(p.list) || p.list[i+1].text != "(") {
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
		case t.text == "=" && p.language == "py" && begun && p.list[i-1].text == "args": // as in Popen(args=…)
			a, begun, sure = argument{}, false, true
		case t.text == "=" && begun && !sure:
			a.named = true
		case t.text == "[" || t.text == "(" || t.text == "{":
			end := p.closing[i]
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

// assigned returns what a name is, if the code sets it once, to a literal.
func (p *codeReader) assigned(name string) (a argument, ok bool) {
	at, once := p.sets[name]
	if !once || at < 0 {
		return a, false
	}
	value := p.list[at]
	if value.kind == tokenString && (at+1 >= len(p.list) || slices.Contains([]string{"\n", ";", ","}, p.list[at+1].text)) {
		return argument{text: value.text, known: true}, true
	}
	if value.kind != tokenSign || value.text != "[" && !(value.text == "(" && name[0] == '@') {
		return a, false
	}
	for k := at + 1; k < min(p.closing[at], at+100); k++ {
		switch {
		case p.list[k].kind == tokenString:
			a.list = append(a.list, argument{text: p.list[k].text, known: true})
		case p.list[k].text != "," && p.list[k].text != "\n":
			a.list = append(a.list, argument{})
		}
	}
	return a, true
}

// ownProgram returns the interpreter, for a name of code for it.
func ownProgram(name string) string {
	switch name {
	case "sys.executable":
		return "python3"
	case "process.execPath", "process.argv0":
		return "node"
	case "RbConfig.ruby":
		return "ruby"
	case "PHP_BINARY":
		return "php"
	}
	return ""
}
