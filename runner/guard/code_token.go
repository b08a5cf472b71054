package guard

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// A tokenKind is a kind of tokens of a program text.
type tokenKind uint8

const (
	tokenName   tokenKind = iota // a name; with the names before it and their dots
	tokenString                  // a literal, decoded
	tokenShell                   // a literal in backquotes, which the language executes
	tokenSign                    // one character
)

// A token is a token of a program text.
type token struct {
	kind tokenKind
	text string
}

// mostTokens is the most tokens of a program text that are read.
const mostTokens = 20000

// tokens splits a program text of some language. It knows the strings and comments that most
// languages have.
func tokens(language, text string) (list []token) {
	for i := 0; i < len(text) && len(list) < mostTokens; {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case isComment(language, text[i:]):
			end := strings.IndexByte(text[i:], '\n')
			if strings.HasPrefix(text[i:], "/*") {
				if end = strings.Index(text[i+2:], "*/"); end >= 0 {
					end += 4
				}
			}
			if end < 0 {
				return list
			}
			i += end
		case c == '"' || c == '\'' || c == '`':
			var t token
			t, i = literal(language, text, i)
			list = append(list, t)
		case c == '/' && patternBegins(language, list) && patternEnd(text[i:]) > 0:
			i += patternEnd(text[i:])
			list = append(list, token{tokenSign, "/"})
		case c == '[' && language == "lua" && longBracket(text[i:]) > 0:
			var t token
			t, i = longString(text, i)
			list = append(list, t)
		case c == '|' && language == "awk" && strings.HasPrefix(text[i:], "|&"): // a pipe in both directions
			list = append(list, token{tokenSign, "|"})
			i += 2
		case isNameByte(c):
			list, i = named(language, text, i, list)
		default:
			if c == '%' && language == "rb" {
				if t, next, ok := quoted(language, "%", text, i+1); ok {
					list, i = append(list, t), next
					continue
				}
			}
			if c == ':' && strings.HasPrefix(text[i:], "::") || c == '-' && strings.HasPrefix(text[i:], "->") {
				c = '.'
				i++
			}
			list = append(list, token{tokenSign, string(c)})
			i++
		}
	}
	return list
}

// longBracket returns the length of a bracket as in [[…]] or [==[…]==] at the beginning of a text of Lua, 0 if there is none.
func longBracket(text string) int {
	end := 1
	for end < len(text) && text[end] == '=' {
		end++
	}
	if end < len(text) && text[end] == '[' {
		return end + 1
	}
	return 0
}

// longString reads a string of Lua that begins with a long bracket at text[i].
func longString(text string, i int) (token, int) {
	n := longBracket(text[i:])
	from := i + n
	inside, _, _ := strings.Cut(text[from:], "]"+text[i+1:from-1]+"]")
	return token{tokenString, inside}, min(from+len(inside)+n, len(text))
}

// named adds the token that begins with a name at text[i]: the name, or a string with a prefix.
func named(language, text string, i int, list []token) ([]token, int) {
	end := i
	for end < len(text) && isNameByte(text[end]) {
		end++
	}
	name := text[i:end]
	if t, next, ok := quoted(language, name, text, end); ok {
		return append(list, t), next
	}
	if end < len(text) && (text[end] == '"' || text[end] == '\'') && language == "py" && len(name) <= 2 && strings.Trim(strings.ToLower(name), "rbuf") == "" {
		t, next := literalPrefixed(strings.ToLower(name), text, end)
		return append(list, t), next
	}
	if n := len(list); n > 1 && list[n-1].text == "." && list[n-1].kind == tokenSign && list[n-2].kind == tokenName {
		list[n-2].text += "." + name
		return list[:n-1], end
	}
	return append(list, token{tokenName, name}), end
}

func isComment(language, text string) bool {
	switch language {
	case "js":
		return strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*")
	case "php":
		return strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") || text[0] == '#'
	case "lua":
		return strings.HasPrefix(text, "--")
	case "sql", "vim", "gdb":
		return false
	}
	return text[0] == '#'
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// literalPrefixed reads a string of Python with a prefix such as rb or f.
func literalPrefixed(prefix, text string, i int) (token, int) {
	t, next := literal("py", text, i)
	if strings.Contains(prefix, "f") {
		t.text = holes(t.text, "{", "}")
	}
	return t, next
}

// literal reads a string that begins at text[i].
func literal(language, text string, i int) (t token, next int) {
	quote := text[i : i+1]
	if strings.HasPrefix(text[i:], strings.Repeat(quote, 3)) && language == "py" {
		quote = strings.Repeat(quote, 3)
	}
	start := i + len(quote)
	end := start
	for end < len(text) && !strings.HasPrefix(text[end:], quote) {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(text))
	t = token{tokenString, line.Unescape(text[start:end])}
	switch {
	case quote == "`" && language == "js":
		t.text = holes(t.text, "${", "}")
	case quote == "`":
		t.kind = tokenShell
		t.text = marked(language, holes(t.text, "#{", "}"))
	case quote == `"` && language != "rb":
		t.text = marked(language, t.text)
	case quote == `"` && language == "rb":
		t.text = holes(t.text, "#{", "}")
	}
	return t, min(end+len(quote), len(text))
}

// quoted reads the strings of Perl and Ruby with a word before them: q(…), qq{…}, qx(…), %x(…).
func quoted(language, name, text string, i int) (t token, next int, ok bool) {
	if i >= len(text) || language != "perl" && language != "rb" {
		return t, i, false
	}
	if language == "rb" {
		if name != "%" {
			return t, i, false
		}
		name = text[i : i+1]
		if i++; i >= len(text) || !strings.Contains("xqQwW", name) {
			return t, i, false
		}
	} else if end := perlPattern(name, text[i:]); end > 0 {
		return token{tokenSign, "/"}, i + end, true
	} else if name != "q" && name != "qq" && name != "qx" && name != "qw" {
		return t, i, false
	}
	closing := strings.IndexByte("([{<", text[i])
	end := text[i]
	if closing >= 0 {
		end = ")]}>"[closing]
	} else if isNameByte(end) || end == ' ' || end == '=' || end == ',' {
		return t, i, false
	}
	length := strings.IndexByte(text[i+1:], end)
	if length < 0 {
		return t, i, false
	}
	t = token{tokenString, text[i+1 : i+1+length]}
	if strings.Contains(name, "x") {
		t.kind = tokenShell
	}
	if name == "qq" || name == "qx" {
		t.text = marked(language, t.text)
	}
	return t, i + length + 2, true
}

// perlPattern returns the length of what follows m, qr, s, tr or y of Perl, if no code is in it: 0 otherwise.
func perlPattern(name, text string) int {
	parts := map[string]int{"m": 1, "qr": 1, "s": 2, "tr": 2, "y": 2}[name]
	if parts == 0 || text[0] != '/' {
		return 0
	}
	r := sedReader{text: text, at: 1}
	for range parts {
		r.until('/')
	}
	end := r.at
	for end < len(text) && text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' {
		end++
	}
	if strings.Contains(text[r.at:end], "e") || text[r.at-1] != '/' || hasCode(text[:r.at]) {
		return 0
	}
	return end
}

// hasCode reports whether Perl or Ruby may execute a part of a pattern.
func hasCode(pattern string) bool {
	return strings.Contains(pattern, "@{") || strings.Contains(pattern, "${") || strings.Contains(pattern, "#{") || strings.Contains(pattern, "(?")
}

// patternBegins reports whether a / behind some tokens begins a pattern: otherwise, it divides.
func patternBegins(language string, list []token) bool {
	if language != "perl" && language != "rb" && language != "awk" {
		return false
	}
	if len(list) == 0 {
		return true
	}
	before := list[len(list)-1]
	if before.kind == tokenName {
		return slices.Contains(keywords, before.text) || before.text == "split" || before.text == "grep"
	}
	return before.kind == tokenSign && strings.Contains("(~!,;{}&|\n", before.text)
}

// patternEnd returns the length of /PATTERN/ at the beginning of a text, 0 if it does not end in its line or may have code.
func patternEnd(text string) int {
	r := sedReader{text: text, at: 1}
	if inside := r.until('/'); r.at < 2 || text[r.at-1] != '/' || strings.Contains(inside, "\n") || hasCode(inside) {
		return 0
	}
	return r.at
}

// holes replaces what a string inserts by the sign for unknown text.
func holes(text, begin, end string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, begin)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		b.WriteString(line.Unknown)
		if _, text, ok = strings.Cut(rest, end); !ok {
			return b.String()
		}
	}
}
