package files

import (
	"strings"
	"testing"
)

// wild is wildmatch.c of git without its shortcuts: slow, and an independent way to the same answer.
func wild(p, text string, pathname, fold bool) bool {
	at := func(s string, i int) byte {
		if i >= 0 && i < len(s) {
			return s[i]
		}
		return 0
	}
	t := 0
	for i := 0; i < len(p); i, t = i+1, t+1 {
		c, is := lowerByte(p[i], fold), lowerByte(at(text, t), fold)
		if is == 0 && c != '*' {
			return false
		}
		switch c {
		case '\\':
			i++
			if c = at(p, i); is != c {
				return false
			}
		case '?':
			if pathname && is == '/' {
				return false
			}
		case '*':
			slash := !pathname
			if i++; at(p, i) == '*' {
				before := i - 2
				for at(p, i) == '*' {
					i++
				}
				if pathname && (before < 0 || p[before] == '/') && (i == len(p) || p[i] == '/' || p[i] == '\\' && at(p, i+1) == '/') {
					if at(p, i) == '/' && wild(p[i+1:], text[t:], pathname, fold) {
						return true
					}
					slash = true
				}
			}
			if i == len(p) {
				return slash || !strings.Contains(text[t:], "/")
			}
			for ; t < len(text); t++ {
				if wild(p[i:], text[t:], pathname, fold) {
					return true
				}
				if !slash && text[t] == '/' {
					return false
				}
			}
			return false
		case '[':
			set, end := parseClass(p[i+1:], fold)
			if end < 0 || pathname && is == '/' || !set.has(is) {
				return false
			}
			i += 1 + end
		default:
			if is != c {
				return false
			}
		}
	}
	return t == len(text)
}

// like is match_basename and match_pathname of git's dir.c.
func like(line, path string, fold bool) bool {
	line = strings.TrimPrefix(line, "!")
	line = strings.TrimSuffix(line, "/")
	equal := func(a, b string) bool { return lower(a, fold) == lower(b, fold) }
	simple := strings.IndexAny(line, special)
	if simple < 0 {
		simple = len(line)
	}
	if !strings.Contains(line, "/") {
		name := path[strings.LastIndexByte(path, '/')+1:]
		if simple == len(line) {
			return equal(line, name)
		}
		if line[0] == '*' && !strings.ContainsAny(line[1:], special) { // git compares its text without regard to the star
			return len(name) >= len(line)-1 && equal(name[len(name)-len(line)+1:], line[1:])
		}
		return wild(line, name, false, fold)
	}
	if line[0] == '/' {
		line, simple = line[1:], simple-1
	}
	if simple > len(path) || !equal(path[:simple], line[:simple]) {
		return false
	}
	return wild(line[simple:], path[simple:], true, fold)
}

var patternSeeds = [][2]string{
	{"a**/d", "axyz/q/d"},
	{"**/b", "a/b"},
	{"a/**/b", "a/b"},
	{"a/**/b", "a/x/y/b"},
	{"x/**", "x"},
	{"***/a", "b/a"},
	{`**\/a`, "a"},
	{"[]a]", "]"},
	{"[[:alpha:]x]", "q"},
	{"*a*b*c*", "xaybzc"},
	{"foo//", "foo"},
	{`\A*`, "ab"},
	{"[A-Z]", "Q"},
	{"/*", "a/b"},
	{"**", "a/b"},
	{"**/**/a/**", "a/b/a/c"},
	{`a\`, "a"},
	{"a?c", "a/c"},
	{"*.[ch]", "x.h"},
}

func FuzzPattern(f *testing.F) {
	for _, s := range patternSeeds {
		f.Add(s[0], s[1], false)
		f.Add(s[0], s[1], true)
	}
	f.Fuzz(func(t *testing.T, line, path string, fold bool) {
		if line == "" || strings.Contains(line+path, "\x00") || strings.Contains("/"+path+"/", "//") || len(line) > 16 || len(path) > 24 {
			return // not a line of an ignore file, not a path, or too slow for the reference
		}
		p := compile(line, fold)
		l := &list{rules: []pattern{p}}
		text := []byte(lower(path, fold))
		name := strings.LastIndexByte(path, '/') + 1
		want := like(line, path, fold)
		if got := l.match(text, name, true) == 0; got != want {
			t.Errorf("%q with %q, fold %v: %v, git's way %v", line, path, fold, got, want)
		}
		if want && p.last >= 0 && text[len(text)-1] != byte(p.last) {
			t.Errorf("%q matches %q, which does not end with %q", line, path, rune(p.last))
		}
	})
}

// Random patterns of few letters match more often than those of a fuzzer that has just begun.
func TestPatternsLikeTheReference(t *testing.T) {
	const marks, names = `ab*?[]!/\*/`, `ab/ab]`
	seed := uint64(1)
	next := func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % n
	}
	text := func(of string, most int) string {
		b := make([]byte, 1+next(most))
		for i := range b {
			b[i] = of[next(len(of))]
		}
		return string(b)
	}
	matched := 0
	for range 150_000 {
		line, path := text(marks, 9), strings.Trim(text(names, 9), "/")
		if path == "" || strings.Contains(path, "//") {
			continue
		}
		p := compile(line, false)
		got, want := p.matches([]byte(path), strings.LastIndexByte(path, '/')+1), like(line, path, false)
		if got != want {
			t.Fatalf("%q with %q: %v, git's way %v", line, path, got, want)
		}
		if got {
			matched++
		}
	}
	if matched < 3_000 {
		t.Errorf("%d only matched", matched)
	}
}
