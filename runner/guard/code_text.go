package guard

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// marked puts a mark before each variable of a string in which Perl or PHP replaces them.
func marked(language, text string) string {
	if language != "perl" && language != "php" || !strings.ContainsAny(text, "$@") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) && (text[i+1] == '$' || text[i+1] == '@') {
			i++
			b.WriteByte(text[i])
			continue
		}
		if next := text[min(i+1, len(text)-1)]; (c == '$' || c == '@' && language == "perl") && (isNameByte(next) || next == '{') && i+1 < len(text) {
			b.WriteString(variableMark)
		}
		b.WriteByte(c)
	}
	return b.String()
}

// variableMark stands before a variable in a string.
const variableMark = "\x04"

// filled returns a string with its variables replaced.
func (p *codeReader) filled(text string) string {
	if !strings.Contains(text, variableMark) || p.language != "perl" && p.language != "php" {
		return text
	}
	parts := strings.Split(text, variableMark)
	var b strings.Builder
	b.WriteString(parts[0])
	for _, part := range parts[1:] {
		if part == "" || part[0] != '$' && part[0] != '@' { // the mark is the text's own
			b.WriteString(part)
			continue
		}
		end := 1
		for end < len(part) && isNameByte(part[end]) && part[end] != '$' && part[end] != '@' {
			end++
		}
		name, rest := part[:end], part[end:]
		if end == 1 && strings.HasPrefix(rest, "{") { // ${NAME}
			if inner, behind, ok := strings.Cut(rest[1:], "}"); ok {
				name, rest = part[:1]+inner, behind
			}
		}
		value, behind := line.Unknown, strings.TrimPrefix(rest, "->")
		switch {
		case strings.HasPrefix(behind, "[") || strings.HasPrefix(behind, "{"):
			if i := strings.IndexAny(behind, "]}"); i >= 0 {
				rest = behind[i+1:]
			}
		case behind != rest && p.language == "php":
			rest = strings.TrimLeftFunc(behind, func(r rune) bool { return r < 0x80 && isNameByte(byte(r)) })
		default:
			if a, ok := p.assigned(name); ok {
				words := []string{a.word()}
				for i, one := range a.list {
					words = append(words[:min(i, len(words))], one.word())
				}
				value = strings.Join(words, " ")
			}
		}
		b.WriteString(value + rest)
	}
	return b.String()
}

// keywords are words of Perl and Ruby that are no argument.
var keywords = []string{"if", "unless", "while", "until", "and", "or", "not", "then", "do", "end", "rescue", "in", "for"}

// bare reports whether a name may be a call without brackets: by what stands behind it.
func (p *codeReader) bare(i int, kind string) bool {
	if i+1 >= len(p.list) {
		return false
	}
	next := p.list[i+1]
	if p.language == "perl" && kind == "runs" && next == (token{tokenSign, "{"}) && p.begins(i) { // system {PROGRAM} LIST
		p.call(kind, p.arguments(i+2, false))
		return false
	}
	switch p.language {
	case "perl", "rb":
		if next.kind == tokenString || p.language == "perl" && kind == "opens" {
			return true
		}
		variable := next.kind == tokenName && (next.text[0] == '$' || next.text[0] == '@')
		named := next.kind == tokenName && !slices.Contains(keywords, next.text) && next.text[0] > '9'
		several := next == (token{tokenSign, "*"}) && p.language == "rb"
		if kind == "opens" || kind == "writes" || strings.HasSuffix(p.list[i].text, ".send") {
			return false
		}
		return (variable || named || several) && p.begins(i)
	case "php", "lua", "lisp", "osa", "js":
		return next.kind == tokenString
	}
	return false
}

// begins reports whether a statement or an expression may begin with a token: behind other words, it is part of a text.
func (p *codeReader) begins(i int) bool {
	if i == 0 {
		return true
	}
	before := p.list[i-1]
	if before.kind == tokenName {
		return slices.Contains(keywords, before.text) || before.text == "return" || before.text == "print" || before.text == "puts" || before.text == "else"
	}
	return before.kind == tokenSign && strings.Contains("\n;{}()|&=!?:,", before.text)
}
