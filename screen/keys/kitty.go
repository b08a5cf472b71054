package keys

import (
	"strconv"
	"unicode"
)

// Flags of the kitty keyboard protocol (https://sw.kovidgoyal.net/kitty/keyboard-protocol).
const (
	kittyDisambiguate = 1 << iota // keys with Alt or Ctrl, and Escape, are CSI sequences
	kittyEvents                   // releases are sent
	kittyAlternates               // the shifted key is sent
	kittyAll                      // all keys are CSI sequences
	kittyText                     // with their text
)

// Numbers of keys that are no characters, where they are not those of xterm.
const (
	kittyF13 = 57376
	kittyKP0 = 57399
)

// kitty encodes a key for a program that turned flag 1 or 8 of the protocol on.
func kitty(s Stroke, m Modes) ([]byte, error) {
	flags := m.Kitty
	if flags&kittyAll == 0 {
		switch {
		case s.mods == 0 && (s.key == tab || s.key == enter || s.key == backspace):
			return editing(s, m)
		case s.mods == shift && s.key <= unicode.MaxRune:
			return character(s)
		}
	}
	return appendKitty(nil, s, flags), nil
}

// typed returns the stroke that types a character: capitals are typed with Shift.
func typed(r rune) Stroke {
	if lower := unicode.ToLower(r); lower != r {
		return Stroke{key: key(lower), mods: shift, text: string(r)}
	}
	return Stroke{key: key(r), text: string(r)}
}

// appendKitty appends the sequence of a key, CSI number:shifted ; modifiers ; text u, and of its release
// when that is asked for. The text of s is what the key types.
func appendKitty(b []byte, s Stroke, flags int) []byte {
	c := code{int(s.key), 'u'}
	shifted := 0
	switch {
	case s.key <= unicode.MaxRune:
		if lower := unicode.ToLower(rune(s.key)); lower != rune(s.key) { // Alt with a capital
			c.number, s.mods = int(lower), s.mods|shift
		}
		if upper := unicode.ToUpper(rune(c.number)); s.mods&shift != 0 && int(upper) != c.number {
			shifted = int(upper)
		}
	case s.key == tab:
		c.number = 9
	case s.key == enter:
		c.number = 13
	case s.key == escape:
		c.number = 27
	case s.key == backspace:
		c.number = 127
	case s.key >= kp0:
		c.number = kittyKP0 + int(s.key-kp0)
	case s.key == f1+2:
		c = code{13, '~'} // CSI R is a cursor position report
	case s.key > f1+11:
		c.number = kittyF13 + int(s.key-f1) - 12
	default:
		c = functionCodes[s.key]
	}
	press := func(event string) {
		text := flags&kittyText != 0 && s.text != "" && event == ""
		b = append(b, "\x1b["...)
		if c.number != 1 || s.mods != 0 || event != "" {
			b = strconv.AppendInt(b, int64(c.number), 10)
		}
		if shifted != 0 && flags&kittyAlternates != 0 {
			b = append(b, ':')
			b = strconv.AppendInt(b, int64(shifted), 10)
		}
		if s.mods != 0 || event != "" {
			b = append(b, ';', '1'+byte(s.mods))
			b = append(b, event...)
		} else if text {
			b = append(b, ';')
		}
		if text {
			b = append(b, ';')
			for _, r := range s.text {
				b = strconv.AppendInt(b, int64(r), 10)
			}
		}
		b = append(b, c.final)
	}
	press("")
	if flags&kittyEvents != 0 {
		press(":3")
	}
	return b
}
