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

// Numbers of keys without a character, where they differ from xterm's.
const (
	kittyF13 = 57376
	kittyKP0 = 57399
)

// kitty encodes a key for a program that has turned on flag 1 or 8 of the protocol.
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

// appendKitty appends the sequence of a key. If the program asked for releases, it appends the
// release too. The text of s is what the key types.
func appendKitty(b []byte, s Stroke, flags int) []byte {
	c, shifted, mods := kittyCode(s)
	e := kittyEvent{code: c, mods: mods}
	if flags&kittyAlternates != 0 {
		e.shifted = shifted
	}
	press := e
	if flags&kittyText != 0 {
		press.text = s.text
	}
	b = press.append(b)
	if flags&kittyEvents != 0 {
		e.release = true
		b = e.append(b)
	}
	return b
}

// kittyCode returns the number and the final byte of a key in the protocol, and the modifiers: a
// capital is typed with Shift. shifted is the character that the key types with Shift, 0 if Shift is
// not held or changes nothing.
func kittyCode(s Stroke) (c code, shifted int, m mods) {
	c, m = code{int(s.key), 'u'}, s.mods
	switch {
	case s.key <= unicode.MaxRune:
		if lower := unicode.ToLower(rune(s.key)); lower != rune(s.key) { // Alt with a capital
			c.number, m = int(lower), m|shift
		}
		if upper := unicode.ToUpper(rune(c.number)); m&shift != 0 && int(upper) != c.number {
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
		c = functionCode(s.key)
	}
	return c, shifted, m
}

// A kittyEvent is one press or release of a key.
type kittyEvent struct {
	code
	mods    mods
	shifted int    // the character that the key types with Shift, 0 to leave it out
	text    string // the text that the key types, "" to leave it out
	release bool
}

// append appends the sequence of the event: CSI number:shifted ; modifiers:event ; text and the final byte.
func (e kittyEvent) append(b []byte) []byte {
	b = append(b, "\x1b["...)
	if e.number != 1 || e.mods != 0 || e.release {
		b = strconv.AppendInt(b, int64(e.number), 10)
	}
	if e.shifted != 0 {
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(e.shifted), 10)
	}
	switch {
	case e.release:
		b = append(b, ';', '1'+byte(e.mods), ':', '3')
	case e.mods != 0:
		b = append(b, ';', '1'+byte(e.mods))
	case e.text != "":
		b = append(b, ';')
	}
	if e.text != "" {
		b = append(b, ';')
		for _, r := range e.text {
			b = strconv.AppendInt(b, int64(r), 10)
		}
	}
	return append(b, e.final)
}
