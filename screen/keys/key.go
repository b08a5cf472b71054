// Package keys knows what a terminal sends for a key. It reads the key notations of tmux, vim and
// GUIs, and encodes keys as xterm does. If a program asked for the kitty keyboard protocol, it
// encodes them in that way.
package keys

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Stroke is a key press with its modifiers, or a piece of text. Strokes are comparable. The zero Stroke ends a piece of text.
type Stroke struct {
	key  key // 0: the stroke is text
	mods mods
	text string
	raw  bool // text is bytes that no keyboard types
}

// A key is the character that it types without modifiers, or one of the constants.
type key rune

// The keys without a character. The F keys, the digits of the keypad and the rest of the keypad are
// three blocks in the order of kitty's table.
const (
	up key = unicode.MaxRune + 1 + iota
	down
	left
	right
	home
	end
	pageUp
	pageDown
	insert
	del
	tab
	enter
	escape
	backspace
)

const (
	f1  key = unicode.MaxRune + 101
	f24     = f1 + 23
	kp0 key = unicode.MaxRune + 201
	kp9     = kp0 + 9
)

const (
	kpPoint key = kp9 + 1 + iota
	kpDivide
	kpMultiply
	kpSubtract
	kpAdd
	kpEnter
	kpEqual
	kpSeparator
)

// mods are modifiers, as bits. The parameter of xterm and kitty is one more.
type mods uint8

const (
	shift mods = 1 << iota
	alt
	ctrl
)

// names are the names of keys. Messages show the first name of a key.
var names = []struct {
	key  key
	list string // separated by blanks
}{
	{up, "Up"},
	{down, "Down"},
	{left, "Left"},
	{right, "Right"},
	{home, "Home"},
	{end, "End"},
	{pageUp, "PageUp PgUp PPage"},
	{pageDown, "PageDown PgDn NPage"},
	{insert, "Insert IC"},
	{del, "Delete DC"},
	{backspace, "BSpace Backspace"},
	{tab, "Tab"},
	{enter, "Enter"},
	{escape, "Escape Esc"},
	{' ', "Space"},
	{kpEnter, "KPEnter"},
	{kpAdd, "KP+"},
	{kpSubtract, "KP-"},
	{kpMultiply, "KP*"},
	{kpDivide, "KP/"},
	{kpPoint, "KP."},
	{kpEqual, "KP="},
	{kpSeparator, "KP,"},
}

// named returns the key with exactly this name. BTab is Tab with Shift.
func named(name string) (key, mods, bool) {
	if name == "BTab" {
		return tab, shift, true
	}
	for _, n := range names {
		for list := n.list; list != ""; {
			var one string
			if one, list, _ = strings.Cut(list, " "); one == name {
				return n.key, 0, true
			}
		}
	}
	if k, ok := numbered(name, "F", f1, 1, 24); ok {
		return k, 0, true
	}
	k, ok := numbered(name, "KP", kp0, 0, 9)
	return k, 0, ok
}

// numbered returns the key whose name is the prefix and a number from lowest to highest.
func numbered(name, prefix string, first key, lowest, highest int) (key, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok || digits == "" || len(digits) > 2 || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	n := 0
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return first + key(n-lowest), n >= lowest && n <= highest
}

// name returns the name of a key for messages.
func (k key) name() string {
	switch {
	case k >= f1 && k <= f24:
		return "F" + strconv.Itoa(int(k-f1)+1)
	case k >= kp0 && k <= kp9:
		return "KP" + strconv.Itoa(int(k-kp0))
	}
	for _, n := range names {
		if n.key == k {
			first, _, _ := strings.Cut(n.list, " ")
			return first
		}
	}
	return string(rune(k))
}

// press returns the stroke of a key. Shift with a letter is the capital. With Ctrl, a letter has no
// case. A character without modifiers is text.
func press(k key, m mods) Stroke {
	if k <= unicode.MaxRune {
		switch capital := key(unicode.ToUpper(rune(k))); {
		case m&ctrl != 0:
			k = key(unicode.ToLower(rune(k)))
		case m&shift != 0 && capital != key(unicode.ToLower(rune(k))):
			k, m = capital, m&^shift
		}
		if m == 0 {
			return Stroke{text: string(rune(k))}
		}
	}
	return Stroke{key: k, mods: m}
}

// String returns the stroke in the notation of [Parse], which reads it as the same stroke.
func (s Stroke) String() string {
	switch {
	case s.key != 0:
		return "[" + s.mods.String() + s.key.name() + "]"
	case s.raw:
		return quoteRaw(s.text)
	}
	return quoteText(s.text)
}

// String returns the prefix for a key with the modifiers, such as C-M-.
func (m mods) String() string {
	var b strings.Builder
	for _, one := range []struct {
		bit    mods
		prefix string
	}{{ctrl, "C-"}, {alt, "M-"}, {shift, "S-"}} {
		if m&one.bit != 0 {
			b.WriteString(one.prefix)
		}
	}
	return b.String()
}

const hexDigits = "0123456789abcdef"

func quoteRaw(text string) string {
	b := make([]byte, 0, 4*len(text))
	for _, c := range []byte(text) {
		b = append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
	}
	return string(b)
}

// quoteText writes text so that [Parse] finds no key in it.
func quoteText(text string) string {
	b := make([]byte, 0, len(text)+8)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		one := text[i : i+size]
		switch {
		case r == '\\' || r == '^':
			b = append(b, one+one...)
		case r == '[':
			run := len(text[i:]) - len(strings.TrimLeft(text[i:], "["))
			if n := i + run; run == 1 && n < len(text) && text[n] == ' ' {
				b = append(b, '[') // [[ before a blank would be an error
			} else {
				b = append(b, strings.Repeat("[", 2*run)...)
			}
			size = run
		case r == '<':
			if _, n, err := angled(text[i:]); n > 0 || err != nil {
				one = "<lt>"
			}
			b = append(b, one...)
		case r >= 0x80 && !unicode.IsPrint(r) && r != utf8.RuneError && r <= 0xffff:
			b = append(b, `\u`...)
			for shift := 12; shift >= 0; shift -= 4 {
				b = append(b, hexDigits[r>>shift&15])
			}
		default:
			b = append(b, one...)
		}
		i += size
	}
	if _, taken, err := wholeArgument(string(b)); (taken || err != nil) && b[0] < utf8.RuneSelf {
		return `\u00` + quoteRaw(string(b[:1]))[2:] + string(b[1:])
	}
	return string(b)
}

// Names returns the names of the keys, and for each letter the key with Ctrl. Most have other spellings, too.
func Names() (all []string) {
	for _, n := range names {
		first, _, _ := strings.Cut(n.list, " ")
		all = append(all, first)
	}
	all = append(all, "BTab")
	for k := f1; k <= f24; k++ {
		all = append(all, k.name())
	}
	for letter := 'a'; letter <= 'z'; letter++ {
		all = append(all, "C-"+string(letter))
	}
	return all
}
