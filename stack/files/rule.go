package files

import (
	"bytes"
	"errors"
)

// A Layer says where a rule comes from. The decision of a higher layer overrides all lower ones.
type Layer uint8

const (
	BuiltIn     Layer = iota // files that tools and editors leave behind everywhere
	Git                      // .gitignore, .git/info/exclude and the file of core.excludesFile
	Own                      // .devtoolsignore
	CommandLine              // patterns of the caller
)

// String returns the name of the layer.
func (l Layer) String() string {
	return [...]string{"built-in", "gitignore", "devtoolsignore", "command line"}[l]
}

// MarshalText returns the name of the layer.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// A Rule is a line of an ignore file, or a pattern of the caller or of devtools.
type Rule struct {
	Layer   Layer  `json:"layer"`          // where the rule comes from
	File    string `json:"file,omitempty"` // the file with the rule, from the top, with slashes; files outside the workspace by their whole path
	Line    int    `json:"line,omitempty"` // the line of the rule, from 1, if it is in a file
	Pattern string `json:"pattern"`        // the pattern as it is written
}

// A list holds the rules of one file. The last rule that matches decides.
type list struct {
	layer  Layer
	file   string
	base   int // the length of the file's folder in a path from the root
	rules  []pattern
	texts  []string
	lines  []int32 // nil if the rules are not in a file
	byLast *byLast
}

// byLast finds the rules that can match a path, by the last byte of the path. Each chain leads from
// a rule to the one before it in the file.
type byLast struct {
	heads [256]int32
	open  int32 // the rules whose matches may end with any byte
	next  []int32
}

// fewRules is the number of rules that are tried one by one, without byLast.
const fewRules = 6

// mostRules is the most rules of a file.
const mostRules = 20_000

var errManyRules = errors.New("it has more than 20000 rules: the rest does not count")

// parseRules makes a list of the text of an ignore file, as git reads it. With an error the list has
// the rules before it.
func parseRules(text []byte, layer Layer, file string, base int, fold bool) (*list, error) {
	l := &list{layer: layer, file: file, base: base}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for number := int32(1); len(text) > 0; number++ {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		line, _, _ = bytes.Cut(line, []byte{0}) // git ends a line there
		if line = trimBlanks(line); len(line) == 0 {
			continue // it matches nothing
		}
		if len(l.rules) == mostRules {
			return l.ready(), errManyRules
		}
		l.add(string(line), fold)
		l.lines = append(l.lines, number)
	}
	return l.ready(), nil
}

func (l *list) add(text string, fold bool) {
	l.rules = append(l.rules, compile(text, fold))
	l.texts = append(l.texts, text)
}

// trimBlanks removes blanks at the end, but keeps one behind a backslash. Tabs stay. If the line
// ends with a single backslash, all blanks stay.
func trimBlanks(line []byte) []byte {
	end := -1
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			if end < 0 {
				end = i
			}
			continue
		case '\\':
			if i++; i == len(line) {
				return line
			}
		}
		end = -1
	}
	if end < 0 {
		return line
	}
	return line[:end]
}

// ready prepares a long list for fast matching.
func (l *list) ready() *list {
	if len(l.rules) <= fewRules {
		return l
	}
	b := &byLast{open: -1, next: make([]int32, len(l.rules))}
	for i := range b.heads {
		b.heads[i] = -1
	}
	for i := range l.rules {
		head := &b.open
		if last := l.rules[i].last; last >= 0 {
			head = &b.heads[last]
		}
		b.next[i], *head = *head, int32(i)
	}
	l.byLast = b
	return l
}

// match returns the rule that decides about a path, or -1. The path begins at the root, and its last
// name begins at name.
func (l *list) match(path []byte, name int, folder bool) int {
	path, name = path[l.base:], name-l.base
	if l.byLast == nil {
		for i := len(l.rules) - 1; i >= 0; i-- {
			if p := &l.rules[i]; (folder || !p.folder) && p.matches(path, name) {
				return i
			}
		}
		return -1
	}
	a, b := l.byLast.heads[path[len(path)-1]], l.byLast.open
	for a >= 0 || b >= 0 {
		i := max(a, b)
		if i == a {
			a = l.byLast.next[i]
		} else {
			b = l.byLast.next[i]
		}
		if p := &l.rules[i]; (folder || !p.folder) && p.matches(path, name) {
			return int(i)
		}
	}
	return -1
}

// rule returns a rule of the list for people.
func (l *list) rule(i int) *Rule {
	r := &Rule{Layer: l.layer, File: l.file, Pattern: l.texts[i]}
	if l.lines != nil {
		r.Line = int(l.lines[i])
	}
	return r
}
