package guard

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// A tclReader reads a program text of Tcl, "SYNTAX" in Tcl(n).
type tclReader struct {
	code *codeReader
	text string
	at   int
	vars map[string]string // those that are set to a text; Unknown if that is done twice
}

// tcl judges a program text of Tcl. It returns the value of its last command.
func (p *codeReader) tcl(text string, vars map[string]string, depth int) (value string) {
	if p.depth+depth > mostCode*3 {
		p.judge.unknown("its code is too deeply nested")
		return line.Unknown
	}
	r := &tclReader{code: p, text: text, vars: vars}
	for r.at < len(r.text) && !p.judge.ev.Large() {
		value = r.command(depth)
	}
	return value
}

// command reads a command, and judges it. It returns its value.
func (r *tclReader) command(depth int) string {
	var words []argument
	for {
		r.at += len(r.text[r.at:]) - len(strings.TrimLeft(r.text[r.at:], " \t\r"))
		if r.at == len(r.text) || r.text[r.at] == '\n' || r.text[r.at] == ';' {
			break
		}
		if r.text[r.at] == '#' && len(words) == 0 {
			r.at += len(r.line())
			break
		}
		words = append(words, r.word(depth)...)
	}
	r.at++
	if len(words) == 0 {
		return ""
	}
	name, rest := words[0].word(), words[1:]
	switch {
	case name == "list" || name == "concat":
		return texts(rest)
	case name == "set" && len(rest) == 2:
		if _, again := r.vars[rest[0].text]; again {
			rest[1].text = line.Unknown
		}
		r.vars[rest[0].text] = rest[1].text
		return rest[1].text
	case name == "eval" || name == "uplevel":
		r.code.tcl(texts(rest), r.vars, depth+1)
	case name == "open" && len(rest) > 0 && strings.HasPrefix(rest[0].text, "|"):
		r.code.run([]argument{{text: rest[0].text[1:], known: true}})
	case name == "send" && len(rest) > 0: // as if it were typed into a shell
		if text := rest[len(rest)-1].text; !strings.ContainsAny(text, line.Signs) {
			r.code.judge.tolerant(func() { r.code.x.command.Run(strings.ReplaceAll(text, "\r", "\n"), "", nil, nil) })
		}
	case len(rest) > 0 && (r.code.calls[name] == "runs" || strings.ContainsAny(name, line.Signs)):
		r.starts(name, rest)
	}
	return line.Unknown
}

// starts judges a call of exec, spawn or system.
func (r *tclReader) starts(name string, rest []argument) {
	for len(rest) > 1 && strings.HasPrefix(rest[0].text, "-") { // -noecho, -ignorestderr, --
		rest = rest[1:]
	}
	if name == "system" {
		r.code.judge.tolerant(func() { r.code.x.command.Run(texts(rest), "", nil, nil) })
		return
	}
	quoted := make([]string, len(rest)) // exec has the | and > of a shell, too
	for i, w := range rest {
		switch quoted[i] = w.text; {
		case i > 0 && w.text == "<<":
			quoted[i] = "<<<"
		case w.text == line.Unknown, i > 0 && i < len(rest)-1 && slices.Contains(strings.Fields("| |& < > 2> >& >> 2>> >>&"), w.text), i > 0 && w.text == "&":
		default:
			quoted[i] = line.Quote([]string{w.text})
		}
	}
	r.code.judge.tolerant(func() { r.code.x.command.Run(strings.Join(quoted, " "), "", nil, nil) })
}

// texts returns words with blanks between.
func texts(words []argument) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.text
	}
	return strings.Join(all, " ")
}

func (r *tclReader) line() string {
	l, _, _ := strings.Cut(r.text[r.at:], "\n")
	return l
}

// word reads a word: {TEXT}, which may be commands, "TEXT", or a bare one. {*} makes several words of it.
func (r *tclReader) word(depth int) []argument {
	if strings.HasPrefix(r.text[r.at:], "{*}") {
		r.at += 3
		var words []argument
		for one := range strings.FieldsSeq(texts(r.word(depth))) {
			words = append(words, argument{text: one, known: true})
		}
		return words
	}
	if r.text[r.at] == '{' {
		text := r.inBrackets('{', '}')
		if strings.ContainsAny(text, " \t") {
			r.code.tcl(text, r.vars, depth+1)
		}
		return []argument{{text: text, known: true}}
	}
	end := " \t\r\n;"
	if r.text[r.at] == '"' {
		r.at, end = r.at+1, `"`
	}
	var b strings.Builder
	for r.at < len(r.text) && strings.IndexByte(end, r.text[r.at]) < 0 {
		switch c := r.text[r.at]; {
		case c == '\\' && r.at+1 < len(r.text):
			b.WriteString(line.Unescape(strings.Trim(r.text[r.at:r.at+2], "\n")))
			r.at += 2
		case c == '[':
			b.WriteString(r.code.tcl(r.inBrackets('[', ']'), r.vars, depth+1))
		case c == '$':
			b.WriteString(r.variable())
		default:
			b.WriteByte(c)
			r.at++
		}
	}
	if end == `"` {
		r.at++
	}
	r.at = min(r.at, len(r.text))
	return []argument{{text: b.String(), known: true}}
}

// variable reads $NAME, ${NAME} or $NAME(INDEX), and returns its value.
func (r *tclReader) variable() string {
	r.at++
	from := r.at
	if r.at < len(r.text) && r.text[r.at] == '{' {
		return r.value(r.inBrackets('{', '}'))
	}
	for r.at < len(r.text) && (isNameByte(r.text[r.at]) && r.text[r.at] != '$' && r.text[r.at] != '@' || r.text[r.at] == ':') {
		r.at++
	}
	name := r.text[from:r.at]
	if r.at < len(r.text) && r.text[r.at] == '(' {
		r.inBrackets('(', ')')
		return line.Unknown
	}
	if name == "" {
		return "$"
	}
	return r.value(name)
}

func (r *tclReader) value(name string) string {
	if value, ok := r.vars[name]; ok {
		return value
	}
	return line.Unknown
}

// inBrackets returns the text up to the bracket that closes the one here, and goes behind it.
func (r *tclReader) inBrackets(open, end byte) string {
	from, depth := r.at+1, 0
	for ; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case '\\':
			r.at++
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				r.at++
				return r.text[from : r.at-1]
			}
		}
	}
	r.at = len(r.text)
	return r.text[min(from, r.at):]
}
