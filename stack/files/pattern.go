package files

import (
	"bytes"
	"strings"
)

// A pattern is a line of an ignore file, compiled for matching by the rules of git: dir.c for its
// form, wildmatch.c for its text. It compares bytes, not letters.
type pattern struct {
	negated bool // it began with "!"
	folder  bool // it ended with "/": it matches only folders
	named   bool // it has no other "/": it matches the last name of a path, otherwise the path from the file's folder
	either  bool // it is in [ambiguous]: it does not ignore a folder in which git tracks a file
	kind    kind
	last    int16  // the last byte of everything it matches, or -1
	least   int32  // the fewest bytes that ops match
	literal string // the text before the first special byte, or behind the star of endsWith
	ops     []op
	classes []class
}

// A kind says how to match a pattern. The cheap ways come before the general one.
type kind uint8

const (
	never    kind = iota // it matches no path
	exact                // the path is the literal
	endsWith             // a star, then the literal
	glob                 // the literal, then ops
)

// An op is a step of a pattern: a byte if it is below 256, a class of bytes from opClass on.
type op uint32

const (
	opAny    op = 256 + iota // one byte, but not "/"
	opStar                   // any number of bytes without "/"
	opDeep                   // any number of folders: "**/"
	opDeeper                 // at least one folder: "**" before an escaped "/"
	opRest                   // the rest of the path: "**" at the end
	opClass
)

// special are the bytes that end the literal beginning of a pattern.
const special = `*?[\`

// compile compiles a line that is neither empty nor a comment. With fold, the text to match is in
// lower case.
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

// translate makes ops of the text behind the literal beginning, as wildmatch.c reads it. It reports
// whether they can match: a class that is not closed, or a backslash at the end, matches nothing.
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
			p.ops = append(p.ops, op(text[i])) // as in git, an escaped byte keeps its case, even with fold
		default:
			p.ops = append(p.ops, op(lowerByte(c, fold)))
		}
		p.least++
	}
	return true
}

// simplify makes "name" of "**/name", which matches the same and is faster.
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

// ending returns the last byte of all paths that the pattern matches, or -1.
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

// matches reports whether the pattern matches a path from the folder of its file. The last name of
// the path begins at name. The caller checks whether the path is a folder.
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

// run matches the whole text with the ops. If a match fails, it tries only the last star again, and
// then the last "**". That is enough: the earliest match of the ops between two of them leaves the
// most text for the later one. So the time is at most that of comparing each byte with each op.
func (p *pattern) run(text []byte) bool {
	if len(text) < int(p.least) {
		return false
	}
	at, i := 0, 0 // the next op and the next byte
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
				star = -1 // it takes no "/", so that it has no other match
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

// appendLower appends s. With fold it makes ASCII capitals small.
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
