package files

import (
	"bytes"
	"errors"
)

// A Layer is where a rule comes from. What a higher layer says of a path holds, whatever the lower ones say.
type Layer uint8

const (
	BuiltIn     Layer = iota // what tools and editors leave behind everywhere
	Git                      // .gitignore, .git/info/exclude and the file of core.excludesFile
	Own                      // .devtoolsignore
	CommandLine              // patterns of the caller
)

// String names the layer.
func (l Layer) String() string {
	return [...]string{"built-in", "gitignore", "devtoolsignore", "command line"}[l]
}

// MarshalText is the layer's name.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// A Rule is one line of an ignore file, or one pattern of the caller or of devtools.
type Rule struct {
	Layer   Layer  `json:"layer"`
	File    string `json:"file,omitempty"` // from the top, with slashes; those outside of the workspace by their whole path
	Line    int    `json:"line,omitempty"` // from 1, in a file
	Pattern string `json:"pattern"`        // as it is written
}

// A list is the rules of one file, of which the last that matches holds.
type list struct {
	layer  Layer
	file   string
	base   int // where paths from the file's folder begin in paths from the root
	rules  []pattern
	texts  []string
	lines  []int32 // nil where the rules are in no file
	byLast *byLast
}

// byLast finds the rules that can match a path by the path's last byte. Each chain leads from a rule to the next
// that stands before it in the file.
type byLast struct {
	heads [256]int32
	open  int32 // of those whose matches may end with any byte
	next  []int32
}

// fewRules is how many rules are tried one by one, without byLast.
const fewRules = 6

// mostRules is how many rules a file may have.
const mostRules = 20_000

var errManyRules = errors.New("it has more than 20000 rules: the rest of them do not count")

// parseRules makes a list of the text of an ignore file as git reads one. With an error the list has what came
// before.
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
		line, _, _ = bytes.Cut(line, []byte{0}) // to git a line ends there
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

// trimBlanks takes blanks off the end, but for one behind a backslash. Tabs stay, and so does everything where the
// line ends with a backslash of its own.
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

// ready makes the list quick where it is long.
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

// match returns the rule that holds for a path from the root whose last name begins at name, or -1.
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

// rule returns the rule of a place in the list.
func (l *list) rule(i int) *Rule {
	r := &Rule{Layer: l.layer, File: l.file, Pattern: l.texts[i]}
	if l.lines != nil {
		r.Line = int(l.lines[i])
	}
	return r
}
