package keys

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Notation returns what was typed in the notation of [Parse], as one argument. The keys are those that [Encode] knows without the
// kitty keyboard protocol; other sequences are written as bytes. Where several keys send the same, it names the main one, such as
// Tab for C-i. The brackets of a paste are left out.
func Notation(typed string) string {
	var p parser
	for _, bracket := range []string{pasteStart, pasteEnd} {
		typed = strings.ReplaceAll(typed, bracket, "")
	}
	for typed != "" {
		s, n := decode(typed)
		if n == 0 {
			n = p.character(typed)
		} else {
			p.press(s)
		}
		typed = typed[n:]
	}
	p.flush()
	var b strings.Builder
	for _, s := range p.strokes {
		b.WriteString(s.String())
	}
	return b.String()
}

// decode returns the key at the start of typed, and its length. The length is 0 if there is text, or a sequence that no key sends.
func decode(typed string) (Stroke, int) {
	if typed[0] != '\x1b' {
		return controlKey(typed[0])
	}
	if s, n := sequenceKey(typed); n > 0 {
		return s, n
	}
	rest := typed[1:]
	if rest[0] == '[' || rest[0] == 'O' || rest[0] == '\x1b' { // it may begin a sequence
		return Stroke{text: "\x1b", raw: true}, 1
	}
	if s, n := controlKey(rest[0]); n > 0 {
		s.mods |= alt
		return s, 1 + n
	}
	r, n := utf8.DecodeRuneInString(rest)
	if k, ok := single(rest[:n]); ok && !unknown(r, n) {
		return press(k, alt), 1 + n
	}
	return Stroke{text: "\x1b", raw: true}, 1
}

// controlKey returns the key that sends a control character, and its length of 1, or of 0 for another character.
func controlKey(c byte) (Stroke, int) {
	switch {
	case c == '\r':
		return Stroke{key: enter}, 1
	case c == '\t':
		return Stroke{key: tab}, 1
	case c == 0x7f:
		return Stroke{key: backspace}, 1
	case c == 0:
		return press(' ', ctrl), 1
	case c < ' ' && c != '\x1b':
		return press(key(c|0x40), ctrl), 1
	}
	return Stroke{}, 0
}

// sequenceKey returns the key that sends the sequence at the start of typed, and its length, which is 0 if there is none.
func sequenceKey(typed string) (Stroke, int) {
	switch {
	case typed == "\x1b":
		return Stroke{key: escape}, 1
	case strings.HasPrefix(typed, "\x1b[Z"):
		return press(tab, shift), len("\x1b[Z")
	case strings.HasPrefix(typed, "\x1bO") && len(typed) > 2:
		return functionKeyOf(code{1, typed[2]}, 0, 3)
	case !strings.HasPrefix(typed, "\x1b["):
		return Stroke{}, 0
	}
	end := strings.IndexFunc(typed[2:], func(r rune) bool { return r != ';' && (r < '0' || r > '9') }) + 2
	if end < 2 {
		return Stroke{}, 0
	}
	c, held := code{1, typed[end]}, 1
	if end > 2 {
		number, more, some := strings.Cut(typed[2:end], ";")
		var err error
		if c.number, err = strconv.Atoi(number); err == nil && some {
			held, err = strconv.Atoi(more)
		}
		if err != nil || held < 1 || held > 8 {
			return Stroke{}, 0
		}
	}
	return functionKeyOf(c, mods(held-1), end+1)
}

// functionKeyOf returns the key with a code, and the length of its sequence, which is 0 if there is no such key.
func functionKeyOf(c code, held mods, length int) (Stroke, int) {
	for _, f := range functionCodes {
		if f.code == c {
			return Stroke{key: f.key, mods: held}, length
		}
	}
	return Stroke{}, 0
}
