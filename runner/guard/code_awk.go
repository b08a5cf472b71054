package guard

import (
	"slices"

	"devtools/stack/line"
)

// piped judges what stands beside a | of awk, which is a command, or behind a >, which is a file. It reports whether the token is
// such a sign.
func (p *codeReader) piped(i int) bool {
	sign := func(k int) string {
		if k < 0 || k >= len(p.list) || p.list[k].kind != tokenSign {
			return ""
		}
		return p.list[k].text
	}
	switch {
	case sign(i) == ">" && i+1 < len(p.list) && p.list[i+1].kind == tokenString:
		p.x.command.Start([]string{"tee", p.list[i+1].text}, nil, "", nil)
		return true
	case sign(i) != "|" || sign(i-1) == "|" || sign(i+1) == "|":
		return false
	}
	from, to := i+1, i+1
	if i+1 < len(p.list) && p.list[i+1].text == "getline" {
		for from, to = i, i; from > 0 && p.ofAwk(p.list[from-1]); {
			from--
		}
	} else {
		for to < len(p.list) && p.ofAwk(p.list[to]) {
			to++
		}
	}
	command := argument{known: true}
	for _, t := range p.list[from:to] {
		one, ok := p.assigned(t.text)
		switch {
		case t.kind == tokenString:
			command.text += t.text
		case t.kind == tokenName && ok:
			command.text += one.text
		case t.kind == tokenName:
			command.text += line.Unknown
		}
	}
	if from == to {
		command.text = line.Unknown
	}
	p.input = line.Unknown
	p.run([]argument{command})
	return true
}

// ofAwk reports whether a token of awk may belong to an expression that is put together from texts.
func (p *codeReader) ofAwk(t token) bool {
	switch t.kind {
	case tokenString:
		return true
	case tokenName:
		return !slices.Contains([]string{"BEGIN", "END", "while", "if", "return", "do", "else", "print", "printf", "getline"}, t.text)
	}
	return t.text == "(" || t.text == ")" || t.text == "[" || t.text == "]"
}
