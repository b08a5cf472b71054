package line

import (
	"cmp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A mode says what a shell does to a word.
type mode uint8

const (
	modeWord   mode = iota // it is split into fields, and names of files are matched
	modeAssign             // the value of a variable
	modeQuoted             // in double quotes, a here-document, or the target of a redirection
)

// A partial is a word of which a part was expanded.
type partial struct {
	fields []string
	last   string
	begun  bool // last is a field, even if it is empty
}

func (p partial) finished() []string {
	if p.begun {
		return append(p.fields[:len(p.fields):len(p.fields)], p.last)
	}
	return p.fields
}

// alternatives returns all that a word may become: the fields of each possibility.
func (s *shell) alternatives(word *syntax.Word, m mode) [][]string {
	if word == nil { // as in ${X#}
		return [][]string{{""}}
	}
	words := []*syntax.Word{word}
	if m == modeWord {
		words = braces(word)
	}
	all := [][]string{nil}
	for _, one := range words {
		var next [][]string
		parts := s.expand(one.Parts, m)
		if len(parts) == 1 && len(all) == 1 {
			all[0] = append(all[0], parts[0].finished()...)
			continue
		}
		for _, p := range parts {
			for _, fields := range all {
				next = append(next, append(fields[:len(fields):len(fields)], p.finished()...))
			}
		}
		if all = next; len(all) > mostAlternatives || !s.ev.spend(len(all[0])) {
			return [][]string{{Unknown}}
		}
	}
	return all
}

// fields returns the fields of a word, Unknown if there are several possibilities.
func (s *shell) fields(word *syntax.Word) []string {
	all := s.alternatives(word, modeWord)
	if len(all) == 1 {
		return all[0]
	}
	var fields []string
	for _, one := range all {
		fields = append(fields, one...)
	}
	return fields
}

// only returns a word as one text, Unknown if there are several possibilities.
func (s *shell) only(word *syntax.Word, m mode) string {
	if word == nil {
		return ""
	}
	all := s.alternatives(word, m)
	if len(all) != 1 {
		return Unknown
	}
	return strings.Join(all[0], " ")
}

// expand expands the parts of a word.
func (s *shell) expand(parts []syntax.WordPart, m mode) []partial {
	all := []partial{{}}
	for i, part := range parts {
		bytes, fields := 0, 0
		for _, p := range all {
			bytes, fields = bytes+len(p.last), fields+len(p.fields)
		}
		if !s.ev.spend(bytes+fields) || bytes > mostText || fields > mostFields {
			return []partial{{last: Unknown, begun: true}}
		}
		switch x := part.(type) {
		case *syntax.Lit:
			if s.dialect == dialectZsh && x.Value == "$" && i+1 < len(parts) { // $~X and $=X are no parameters in bash
				all = each(all, Unknown)
				break
			}
			all = each(all, s.literal(x.Value, m, i == 0 && m != modeQuoted))
		case *syntax.SglQuoted:
			text := x.Value
			if x.Dollar {
				text = unescapeC(text)
			}
			all = each(all, text)
		case *syntax.DblQuoted:
			inner := s.expand(x.Parts, modeQuoted)
			if len(x.Parts) == 0 {
				inner = []partial{{begun: true}}
			}
			all = joined(all, inner)
		case *syntax.ParamExp, *syntax.CmdSubst:
			inserted := s.insertion(x, m)
			if i+1 < len(parts) && s.indexed(parts[i+1]) {
				inserted = []partial{{last: Unknown, begun: true}}
			}
			all = joined(all, inserted)
		case *syntax.ProcSubst:
			all = each(all, s.process(x))
		case *syntax.ArithmExp:
			s.substitutions(x.X)
			all = each(all, Names)
		default: // an extended pattern, or the qualifiers of zsh
			if glob, ok := x.(*syntax.ExtGlob); ok && s.dialect == dialectZsh && executes(glob.Pattern.Value) && s.ev.Scripts+s.ev.Tolerant == 0 {
				s.ev.partial = cmp.Or(s.ev.partial, errQualifiers)
			}
			all = each(all, Names)
		}
		if len(all) > mostAlternatives {
			return []partial{{last: Unknown, begun: true}}
		}
	}
	if m != modeWord && len(parts) == 0 {
		return []partial{{begun: true}}
	}
	return all
}

// insertion returns what a parameter or the output of a command becomes.
func (s *shell) insertion(part syntax.WordPart, m mode) []partial {
	if x, ok := part.(*syntax.CmdSubst); ok {
		return split(s.output(x.Stmts), m, s.separators())
	}
	return s.parameter(part.(*syntax.ParamExp), m)
}

// each adds a text to all possibilities.
func each(all []partial, text string) []partial {
	for i := range all {
		all[i].last += text
		all[i].begun = true
	}
	return all
}

// joined adds each possibility of a part to each of what comes before.
func joined(all, parts []partial) []partial {
	var next []partial
	for _, a := range all {
		for _, p := range parts {
			next = append(next, a.with(p))
		}
	}
	return next
}

// with returns a word with a part behind it: the first field of the part continues the last one.
func (p partial) with(part partial) partial {
	if len(part.fields) == 0 {
		return partial{p.fields, p.last + part.last, p.begun || part.begun}
	}
	fields := append(p.fields[:len(p.fields):len(p.fields)], p.last+part.fields[0])
	if part.fields[0] == "" && !p.begun {
		fields = p.fields
	}
	return partial{append(fields, part.fields[1:]...), part.last, part.begun}
}

// split returns a text that the shell inserts.
func split(text string, m mode, separators string) []partial {
	if m != modeWord {
		return []partial{{last: text, begun: true}}
	}
	var p partial
	var last []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.IndexByte(separators, c) >= 0:
			if p.begun || len(p.fields) == 0 { // separators at the beginning end what comes before the text
				p.fields, p.begun = append(p.fields, string(last)), false
				last = last[:0]
			}
		case c == '*' || c == '?':
			last, p.begun = append(last, Names...), true
		default:
			last, p.begun = append(last, c), true
		}
	}
	p.last = string(last)
	return []partial{p}
}

// separators returns the characters at which the shell splits what it inserts.
func (s *shell) separators() string {
	if v, ok := s.vars["IFS"]; ok && len(v.values) == 1 {
		return v.values[0]
	}
	return " \t\n"
}

// literal returns unquoted text: without backslashes, and with a sign in the place of a pattern.
func (s *shell) literal(text string, m mode, first bool) string {
	if file, ok := strings.CutPrefix(text, "="); ok && file != "" && first && m == modeWord && s.dialect == dialectZsh {
		text = "/usr/bin/" + file
	}
	if m == modeQuoted {
		return unescape(text, true)
	}
	prefix := ""
	if first && strings.HasPrefix(text, "~") {
		name, _, _ := strings.Cut(text[1:], "/")
		if prefix = s.tilde(name); name == "" {
			prefix = s.one("HOME")
		}
		text = text[1+len(name):]
	}
	if m == modeAssign || !strings.ContainsAny(text, "*?[\\") {
		return prefix + unescape(text, false)
	}
	var b strings.Builder
	b.WriteString(prefix)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			if i++; text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case c == '*' || c == '?':
			b.WriteString(Names)
		case c == '[' && strings.IndexByte(text[i+1:], ']') > 0:
			b.WriteString(Names)
			i += 1 + strings.IndexByte(text[i+1:], ']')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// tilde returns the folder of ~NAME.
func (s *shell) tilde(name string) string {
	switch name {
	case "+":
		return s.dir
	case "-":
		return s.before
	case "root":
		return "/root"
	}
	return "/home/" + name
}

// output returns what a command substitution inserts.
func (s *shell) output(statements []*syntax.Stmt) string {
	out := &output{}
	s.ev.nesting++
	s.copied().list(statements, evalContext{depth: s.ev.nesting, out: out})
	s.ev.nesting--
	return strings.TrimRight(out.text.String(), "\n")
}

// process returns the path of a process substitution.
func (s *shell) process(x *syntax.ProcSubst) string {
	c := evalContext{depth: s.ev.nesting + 1, out: &output{}}
	if x.Op == syntax.CmdOut {
		c.in = &Input{Text: Unknown}
	}
	s.ev.nesting++
	s.copied().list(x.Stmts, c)
	s.ev.nesting--
	s.ev.pipes++
	name := "/dev/fd/" + strconv.Itoa(1000+s.ev.pipes)
	if x.Op != syntax.CmdOut {
		s.remember(name, c.out.text.String())
	}
	return name
}

// mostBraces is the most words that a brace expansion may become.
const mostBraces = 64

// braces returns the words of a brace expansion.
func braces(word *syntax.Word) []*syntax.Word {
	has := false
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		has = has || ok && strings.Contains(lit.Value, "{")
	}
	if !has {
		return []*syntax.Word{word}
	}
	copied := &syntax.Word{Parts: append([]syntax.WordPart(nil), word.Parts...)}
	if !syntax.SplitBraces(copied) {
		return []*syntax.Word{word}
	}
	all := braceParts(copied.Parts)
	words := make([]*syntax.Word, len(all))
	for i, parts := range all {
		words[i] = &syntax.Word{Parts: parts}
	}
	return words
}

func braceParts(parts []syntax.WordPart) [][]syntax.WordPart {
	all := [][]syntax.WordPart{nil}
	for _, part := range parts {
		several := [][]syntax.WordPart{{part}}
		if x, ok := part.(*syntax.BraceExp); ok {
			if several = nil; x.Sequence {
				several = [][]syntax.WordPart{{&syntax.Lit{Value: Names}}}
				if texts := sequence(x); texts != nil {
					several = nil
					for _, text := range texts {
						several = append(several, []syntax.WordPart{&syntax.Lit{Value: text}})
					}
				}
			} else {
				for _, elem := range x.Elems {
					several = append(several, braceParts(elem.Parts)...)
				}
			}
		}
		var next [][]syntax.WordPart
		for _, before := range all {
			for _, one := range several {
				next = append(next, append(before[:len(before):len(before)], one...))
			}
		}
		if all = next; len(all) > mostBraces {
			return [][]syntax.WordPart{{&syntax.Lit{Value: Unknown}}}
		}
	}
	return all
}

// sequence returns the texts of {a..b}, nil if they are many.
func sequence(x *syntax.BraceExp) (texts []string) {
	from, to := x.Elems[0].Lit(), x.Elems[1].Lit()
	low, err1 := strconv.Atoi(from)
	high, err2 := strconv.Atoi(to)
	letters := len(from) == 1 && len(to) == 1 && err1 != nil && err2 != nil
	if letters {
		low, high = int(from[0]), int(to[0])
	}
	if high < low {
		low, high = high, low
	}
	if high-low >= mostAlternatives || len(x.Elems) > 2 {
		return nil
	}
	for i := low; i <= high; i++ {
		if letters {
			texts = append(texts, string(rune(i)))
		} else {
			texts = append(texts, strconv.Itoa(i))
		}
	}
	return texts
}
