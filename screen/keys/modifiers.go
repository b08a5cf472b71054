package keys

import "strings"

// modifiers takes the modifiers off the front of s. plus reports whether the last written-out
// modifier ends with a plus sign.
func modifiers(s string, bracketed bool) (m mods, rest string, plus bool) {
	for rest = s; ; {
		mod, length := modifierWord(rest)
		if length > 0 {
			plus = rest[length-1] == '+'
		} else if mod, length = modifierLetter(rest, bracketed); length == 0 {
			return m, rest, plus
		}
		m, rest = m|mod, rest[length:]
	}
}

// modifierWords are the names of modifiers that are written out, with the sign behind them.
var modifierWords = []struct {
	text string
	mod  mods
}{
	{"ctrl-", ctrl},
	{"ctrl+", ctrl},
	{"ctl-", ctrl},
	{"ctl+", ctrl},
	{"control-", ctrl},
	{"control+", ctrl},
	{"alt-", alt},
	{"alt+", alt},
	{"meta-", alt},
	{"meta+", alt},
	{"option+", alt}, // option-1 is text
	{"shift-", shift},
	{"shift+", shift},
}

// modifierWord reads a written-out modifier. The length is 0 if there is none.
func modifierWord(s string) (mod mods, length int) {
	for _, word := range modifierWords {
		if w := len(word.text); len(s) >= w && strings.EqualFold(s[:w], word.text) {
			return word.mod, w
		}
	}
	return 0, 0
}

// modifierLetter reads C- M- or S-. Between brackets it also reads c- m- s-, and a- or A- for Alt.
// The length is 0 if there is none.
func modifierLetter(s string, bracketed bool) (mod mods, length int) {
	if len(s) < 2 || s[1] != '-' {
		return 0, 0
	}
	switch letter := s[0]; {
	case letter == 'C' || letter == 'c' && bracketed:
		return ctrl, 2
	case letter == 'M' || (letter == 'm' || letter|0x20 == 'a') && bracketed:
		return alt, 2
	case letter == 'S' || letter == 's' && bracketed:
		return shift, 2
	}
	return 0, 0
}
