package files

import (
	"bytes"
	"strings"
)

// A pattern is what a line of an ignore file says, made ready for matching by the rules of git: dir.c for what
// surrounds a pattern, wildmatch.c for what is in it. Bytes are compared, never letters.
type pattern struct {
	negated bool // it began with "!"
	folder  bool // it ended with "/": it is about folders only
	named   bool // it has no other "/": it is about the last name of a path, else about the path from the file's folder
	either  bool // it is one of [ambiguous]: it does not ignore a folder in which git tracks something
	kind    kind
	last    int16  // the byte that whatever it matches ends with, or -1
	least   int32  // the fewest bytes that ops match
	literal string // of all that comes before the first special byte, or after the star of endsWith
	ops     []op
	classes []class
}

// kind is how a pattern is matched, the cheap ways before the general one.
type kind uint8

const (
	never    kind = iota // there is no path that it matches
	exact                // the literal is all
	endsWith             // a star, then the literal
	glob                 // the literal, then ops
)

// An op is a step of a pattern: a byte of the text below 256, a class of bytes from opClass on.
type op uint32

const (
	opAny    op = 256 + iota // a byte other than "/"
	opStar                   // any bytes other than "/"
	opDeep                   // no folder or more: "**/"
	opDeeper                 // a folder or more: "**" before an escaped "/"
	opRest                   // all that is left: "**" at the end
	opClass
)

// special is what ends the literal beginning of a pattern.
const special = `*?[\`

// compile makes a pattern of a line that is neither empty nor a comment. With fold the text that it is matched with
// is in lower case.
func compile(line string, fold bool) pattern {
	var p pattern
	line, p.negated = strings.CutPrefix(line, "!")
	whole := line
	line, p.folder = strings.CutSuffix(line, "/")
	p.named = strings.IndexByte(line, '/') < 0
	simple := strings.IndexAny(line, special)
	if simple < 0 {
		simple = len(line)
	}
	rest := line[simple:]
	p.literal = lower(line[:simple], fold)
	if !p.named {
		p.literal = strings.TrimPrefix(p.literal, "/")
	}
	switch {
	case line == "":
		return p
	case rest == "":
		p.kind = exact
	case p.named && whole[0] == '*' && !strings.ContainsAny(whole[1:], special):
		p.kind, p.literal = endsWith, lower(line[1:], fold)
	default:
		if !p.translate(rest, fold) {
			return pattern{negated: p.negated, folder: p.folder, named: p.named}
		}
		p.kind = glob
		p.simplify()
	}
	p.last = p.ending()
	return p
}

// translate makes ops of what follows the literal beginning, as wildmatch.c reads it. It reports whether there is
// anything that these match: a class that is not closed and a backslash at the end match nothing.
func (p *pattern) translate(text string, fold bool) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '*':
			first := i
			for i+1 < len(text) && text[i+1] == '*' {
				i++
			}
			after := text[i+1:]
			open := i > first && !p.named && (first == 0 || text[first-1] == '/')
			switch {
			case open && after == "":
				p.ops = append(p.ops, opRest)
			case open && after[0] == '/':
				p.ops = append(p.ops, opDeep)
				i++
			case open && strings.HasPrefix(after, `\/`):
				p.ops = append(p.ops, opDeeper)
				p.least++
				i += 2
			default:
				p.ops = append(p.ops, opStar)
			}
			continue
		case '?':
			p.ops = append(p.ops, opAny)
		case '[':
			set, end := parseClass(text[i+1:], fold)
			if end < 0 {
				return false
			}
			p.ops = append(p.ops, opClass+op(len(p.classes)))
			p.classes = append(p.classes, set)
			i += 1 + end
		case '\\':
			if i++; i == len(text) {
				return false
			}
			p.ops = append(p.ops, op(text[i])) // its case is kept, also where case is folded: git does so
		default:
			p.ops = append(p.ops, op(lowerByte(c, fold)))
		}
		p.least++
	}
	return true
}

// simplify has "**/name" be matched like "name", which is the same and cheaper.
func (p *pattern) simplify() {
	if p.named || p.literal != "" || p.ops[0] != opDeep {
		return
	}
	for _, o := range p.ops[1:] {
		if o == '/' || o == opDeep || o == opDeeper || o == opRest {
			return
		}
	}
	p.named, p.ops = true, p.ops[1:]
	var literal []byte
	for i, o := range p.ops {
		if o >= opAny {
			if i == 0 && o == opStar && plainOps(p.ops[1:]) {
				for _, o := range p.ops[1:] {
					literal = append(literal, byte(o))
				}
				p.kind, p.literal, p.ops = endsWith, string(literal), nil
			}
			return
		}
	}
	for _, o := range p.ops {
		literal = append(literal, byte(o))
	}
	p.kind, p.literal, p.ops = exact, string(literal), nil
}

func plainOps(ops []op) bool {
	for _, o := range ops {
		if o >= opAny {
			return false
		}
	}
	return true
}

// ending returns the byte that all paths end with that the pattern matches, or -1.
func (p *pattern) ending() int16 {
	if n := len(p.ops); n > 0 {
		if p.ops[n-1] < opAny {
			return int16(p.ops[n-1])
		}
		return -1
	}
	if p.literal == "" {
		return -1
	}
	return int16(p.literal[len(p.literal)-1])
}

// matches reports whether the pattern matches a path from the folder of its file, whose last name begins at name.
// Whether it is a folder is for the caller to look at.
func (p *pattern) matches(path []byte, name int) bool {
	if p.named {
		path = path[name:]
	}
	switch n := len(p.literal); p.kind {
	case exact:
		return string(path) == p.literal
	case endsWith:
		return len(path) >= n && string(path[len(path)-n:]) == p.literal
	case glob:
		return len(path) >= n && string(path[:n]) == p.literal && p.run(path[n:])
	}
	return false
}

// run matches all of the text with the ops. Only the last star and, before that, the last "**" are ever tried
// again, which is enough: the earliest place where what lies between two of them matches leaves the later one the
// most. So the time is at most that of comparing each byte with each op.
func (p *pattern) run(text []byte) bool {
	if len(text) < int(p.least) {
		return false
	}
	at, i := 0, 0 // the op and the byte that are next
	star, starEnd := -1, 0
	deep, deepEnd := -1, 0
	for {
		ok := false
		switch {
		case at == len(p.ops):
			if i == len(text) {
				return true
			}
		case p.ops[at] == opStar:
			at, ok = at+1, true
			star, starEnd = at, i
		case p.ops[at] == opDeep:
			at, ok = at+1, true
			star, deep, deepEnd = -1, at, i
		case p.ops[at] == opDeeper:
			if slash := bytes.IndexByte(text[i:], '/'); slash >= 0 {
				at, i, ok = at+1, i+slash+1, true
				star, deep, deepEnd = -1, at, i
			}
		case p.ops[at] == opRest:
			return true
		case i < len(text) && p.one(p.ops[at], text[i]):
			if text[i] == '/' {
				star = -1 // it takes no "/", so that it has nothing else to try
			}
			at, i, ok = at+1, i+1, true
		}
		if ok {
			continue
		}
		if star >= 0 && starEnd < len(text) && text[starEnd] != '/' {
			starEnd++
			at, i = star, starEnd
			continue
		}
		slash := -1
		if deep >= 0 {
			slash = bytes.IndexByte(text[deepEnd:], '/')
		}
		if slash < 0 {
			return false
		}
		deepEnd += slash + 1
		star, at, i = -1, deep, deepEnd
	}
}

// one reports whether an op matches a byte.
func (p *pattern) one(o op, c byte) bool {
	switch {
	case o < opAny:
		return byte(o) == c
	case o == opAny:
		return c != '/'
	}
	return c != '/' && p.classes[o-opClass].has(c)
}

func lower(s string, fold bool) string {
	if !fold {
		return s
	}
	return string(appendLower(nil, s, true))
}

// appendLower appends s, with fold with the capitals of ASCII made small.
func appendLower[T string | []byte](to []byte, s T, fold bool) []byte {
	if !fold {
		return append(to, s...)
	}
	for i := range len(s) {
		to = append(to, lowerByte(s[i], true))
	}
	return to
}

func lowerByte(c byte, fold bool) byte {
	if fold && 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
