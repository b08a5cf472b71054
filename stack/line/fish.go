package line

import (
	"slices"
	"strings"
)

// fishEscapes are the characters behind a backslash that make another one of it outside of quotes. See "Escaping Characters" in
// fish-language(1).
const fishEscapes = "abefnrtvcxXuU01234567"

// nameLength returns how many bytes of a text are the name of a variable.
func nameLength(text string) int {
	return len(text) - len(strings.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"))
}

// fishEscape returns what bash reads as the character that the backslash at the beginning of a text makes, and the number of bytes
// that make it.
func fishEscape(text string, within byte) (string, int) {
	c := text[1:2]
	switch {
	case within == '\'' && c == "'":
		return `'\''`, 2
	case within == '\'' && c == `\`:
		return `\`, 2
	case within != '\'' && within != '"' && strings.Contains(fishEscapes, c):
		n := 1 + escapeLength(text[1:])
		return "$'" + strings.Replace(text[:n], `\X`, `\x`, 1) + "'", n
	}
	return `\` + c, 2
}

// escapeLength returns how many bytes behind a backslash belong to it.
func escapeLength(text string) int {
	most, digits := 0, "0123456789abcdefABCDEF"
	switch text[0] {
	case 'x', 'X':
		most = 2
	case 'u':
		most = 4
	case 'U':
		most = 8
	case 'c':
		return min(2, len(text))
	case '0', '1', '2', '3', '4', '5', '6', '7':
		most, digits = 2, "01234567"
	}
	n := 1
	for n <= most && n < len(text) && strings.IndexByte(digits, text[n]) >= 0 {
		n++
	}
	return n
}

// setFish does what set of fish does.
func (s *shell) setFish(args []string) {
	var options string
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		options += fishSetOption(args[0])
		args = args[1:]
	}
	switch {
	case len(args) == 0, strings.Contains(options, "q"), strings.Contains(options, "S"), strings.Contains(options, "n"):
		return
	case strings.Contains(options, "e"):
		for _, name := range args {
			s.unsetVariable(name)
		}
		return
	}
	name, values := args[0], slices.Clone(args[1:])
	if strings.ContainsAny(name, Signs) {
		s.ev.opened = true
		return
	}
	old := s.scalar(name)
	if v := s.vars[s.referred(name)]; v.list {
		old = v.array
	}
	if strings.Contains(options, "a") {
		values = append(slices.Clone(old), values...)
	}
	if strings.Contains(options, "p") {
		values = append(values, old...)
	}
	switch {
	case strings.HasSuffix(name, "PATH"):
		values = []string{strings.Join(values, ":")}
	case len(values) == 0:
		values = []string{""}
	}
	if len(values) == 1 {
		s.put(name, variable{values: values})
	} else {
		s.put(name, variable{list: true, array: values})
	}
}

// fishSetOption returns the letters of an option of set: those of the long ones in set(1).
func fishSetOption(option string) string {
	if !strings.HasPrefix(option, "--") {
		return option
	}
	for long, short := range map[string]string{"--append": "a", "--erase": "e", "--names": "n", "--prepend": "p", "--query": "q", "--show": "S"} {
		if len(option) > 2 && strings.HasPrefix(long, option) {
			return short
		}
	}
	return ""
}

// changeFunctions copies a function, as functions -c of fish, or removes functions.
func (s *shell) changeFunctions(args []string) {
	if len(args) == 3 && (args[0] == "-c" || args[0] == "--copy") {
		if body, ok := s.functions[args[1]]; ok {
			s.functions[args[2]] = body
		}
		return
	}
	s.removeFunctions(args)
}
