package keys

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse reads key notation. It joins the arguments without blanks. Everything but keys is text. Text
// that looks like a key but is not one is an error, which says how to type it as text.
//
// A whole argument is a key if it is the exact name of a key (Up, PgDn, F5), a spelling that nobody means as text (enter,
// pageup, Del), or has modifiers before a name or character (C-c, Ctrl+C, M-x, C-M-Left, ^C). Inside any argument these are
// keys: [UP] and [Ctrl+C] in any case, <CR> and <C-c> as in vim, ^C, and \n \r \t. \e and \x1b are bytes, \u00e9 and
// \U0001f600 characters. [[ types [, ^^ types ^, \\ types \ and <lt> types <. A line feed is Enter.
func Parse(args []string) ([]Stroke, error) { return new(parser).parse(args) }

// ParsePaste reads the notation of text to paste. It differs from [Parse] in that a line feed, a
// carriage return and a tab are text, also when written as \n, \r and \t. Named keys are pressed.
func ParsePaste(args []string) ([]Stroke, error) { return (&parser{paste: true}).parse(args) }

func (p *parser) parse(args []string) ([]Stroke, error) {
	for _, arg := range args {
		s, taken, err := wholeArgument(arg)
		switch {
		case err != nil:
			return nil, err
		case taken:
			p.press(s)
		default:
			if err := p.insideArgument(arg); err != nil {
				return nil, err
			}
		}
	}
	p.flush()
	return p.strokes, nil
}

// Literal returns the strokes that type the arguments byte for byte, without notation.
func Literal(args []string) []Stroke {
	var p parser
	for _, arg := range args {
		for i := 0; i < len(arg); {
			i += p.character(arg[i:])
		}
	}
	p.flush()
	return p.strokes
}

// Hex returns the bytes that the arguments spell: 1b 5b 41, 1b5b41, 0x1b. A single digit is a byte.
func Hex(args []string) ([]Stroke, error) {
	var p parser
	for _, arg := range args {
		for _, word := range strings.Fields(arg) {
			digits := word
			if len(word) > 1 && word[0] == '0' && word[1]|0x20 == 'x' {
				digits = word[2:]
			}
			if len(digits) == 1 {
				digits = "0" + digits
			}
			if len(digits) == 0 || len(digits)%2 != 0 {
				return nil, fmt.Errorf("%q is not hexadecimal: write two digits for each byte, as in 1b5b41", shorten(word))
			}
			for ; digits != ""; digits = digits[2:] {
				n, ok := number(digits[:2])
				if !ok {
					return nil, fmt.Errorf("%q is not hexadecimal: write digits from 0 to 9 and a to f", shorten(word))
				}
				p.write(string([]byte{byte(n)}), true)
			}
		}
	}
	p.flush()
	return p.strokes, nil
}

// A parser collects strokes. Adjacent text is one stroke.
type parser struct {
	strokes []Stroke
	text    []byte
	raw     bool
	paste   bool // line feeds, carriage returns and tabs are text
}

func (p *parser) write(text string, raw bool) {
	if raw != p.raw {
		p.flush()
	}
	p.text, p.raw = append(p.text, text...), raw
}

// character writes the first character of s and the plain characters after it, and returns their
// length.
func (p *parser) character(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if unknown(r, n) {
		p.write(s[:n], true)
		return n
	}
	for n < len(s) && (s[n] == ' ' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z' || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	p.write(s[:n], false)
	return n
}

func (p *parser) flush() {
	if len(p.text) > 0 {
		p.strokes = append(p.strokes, Stroke{text: string(p.text), raw: p.raw})
		p.text = p.text[:0]
	}
}

func (p *parser) press(s Stroke) {
	if s.key == 0 {
		p.write(s.text, s.raw)
		return
	}
	p.flush()
	p.strokes = append(p.strokes, s)
}

// unknown reports whether no keyboard types a character: it is a control character, or a byte that
// is not UTF-8.
func unknown(r rune, size int) bool {
	return r < ' ' || r == 0x7f || r == utf8.RuneError && size == 1
}

// single returns the only character of s, if a key can have it.
func single(s string) (key, bool) {
	r, size := utf8.DecodeRuneInString(s)
	return key(r), size == len(s) && size > 0 && !(r == utf8.RuneError && size == 1) && unicode.IsPrint(r)
}

// wholeArgument returns the key that a whole argument is, if it is one.
func wholeArgument(arg string) (s Stroke, taken bool, err error) {
	m, rest, plus := modifiers(arg, false)
	if m == 0 && len(arg) > 1 && arg[0] == '^' && arg[1] != '^' {
		if len(arg) == 2 {
			if c := arg[1]; caret(c) || c >= 'a' && c <= 'z' {
				return press(key(c), ctrl), true, nil
			}
			return Stroke{}, false, nil
		}
		m, rest = ctrl, arg[1:]
	}
	if k, more, ok := named(rest); ok {
		return press(k, m|more), true, nil
	}
	if m == 0 {
		if functionKey(arg) {
			return Stroke{}, false, notation("%s is not a key: there are F1 to F24; type it as text with", arg)
		}
		if capital := capitalModifier(arg); capital != "" {
			return Stroke{}, false, notation("%s may be text or a key: write %s for the key, or type it as text with", arg, capital)
		}
		if len(arg) <= longestName && !strings.Contains(arg, " ") {
			in := argument
			if arg == strings.ToUpper(arg) {
				in = capitals
			}
			k, more, ok := spelled(fold(arg), in)
			if name := slipOf(arg); !ok && name != "" {
				return Stroke{}, false, notation("%s is not a key (nearest: %s): type it as text with", arg, name)
			}
			return press(k, more), ok, nil
		}
		return Stroke{}, false, nil
	}
	if short := arg[0] == '^' && len(rest) == 2; len(rest) <= longestName && !short { // ^Cr is ^C and an r
		if k, more, ok := loose(rest, bracket); ok {
			return press(k, m|more), true, nil
		}
	}
	if arg[0] == '^' {
		return Stroke{}, false, misspeltAfterCaret(arg)
	}
	if k, ok := single(rest); ok {
		return press(k, m), true, nil
	}
	return Stroke{}, false, misspelt(arg, rest, m, plus)
}

// misspelt returns the error of an argument that begins with modifiers and is no key, or nil if it is text. The word S-
// may begin a text, and so may a word that is part of several. But several keys in one argument are not typed as text.
func misspelt(arg, rest string, m mods, plus bool) error {
	word, _, several := strings.Cut(rest, " ")
	if several {
		if _, _, ok := loose(word[:min(len(word), longestName)], bracket); !ok {
			_, ok = single(word)
			if !ok {
				return nil
			}
		}
		return notation("%s is not a key: write each key as an argument of its own, or type it as text with", shorten(arg))
	}
	if rest == "" || m == shift && !plus {
		return nil
	}
	return notation("%s is not a key%s: type it as text with", shorten(arg), nearest(rest[:min(len(rest), longestName)], m))
}

// misspeltAfterCaret returns the error of an argument that begins with ^ and is similar to a key after it, as ^Entr is, or nil.
// Otherwise ^E in it is the key, and the rest is text.
func misspeltAfterCaret(arg string) error {
	name := arg[1:]
	if len(name) < 3 || len(name) > longestName || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz") != "" {
		return nil
	}
	if similar := nearest(name, ctrl); similar != "" {
		return notation("%s is not a key%s: write [%s]%s for the key and text, or type it as text with", arg, similar, "C-"+strings.ToLower(name[:1]), name[1:])
	}
	return nil
}

// functionKey reports whether an argument looks like a function key beyond the last one.
func functionKey(arg string) bool {
	return len(arg) == 3 && arg[0] == 'F' && arg[1:] > "24" && arg[1:] <= "63" && strings.Trim(arg[1:], "0123456789") == ""
}

// insideArgument reads an argument that is not a key as a whole.
func (p *parser) insideArgument(arg string) error {
	for i := 0; i < len(arg); {
		s, n, err := Stroke{}, 0, error(nil)
		switch rest := arg[i:]; rest[0] {
		case '[':
			s, n, err = bracketed(rest)
		case '<':
			s, n, err = angled(rest)
		case '^':
			s, n, err = control(rest)
		case '\\':
			s, n, err = p.escaped(rest)
		case '\r', '\n', '\t':
			s, n = p.whitespace(rest)
		}
		if err != nil {
			return err
		}
		if n == 0 {
			n = p.character(arg[i:])
		} else {
			p.press(s)
		}
		i += n
	}
	return nil
}

// whitespace returns the stroke for the line feed, carriage return, both, or tab at the start of s,
// and their length.
func (p *parser) whitespace(s string) (Stroke, int) {
	n := 1
	if strings.HasPrefix(s, "\r\n") {
		n = 2
	}
	switch {
	case p.paste:
		return Stroke{text: s[:n]}, n
	case s[0] == '\t':
		return Stroke{key: tab}, n
	}
	return Stroke{key: enter}, n
}

// bracketed returns the key or the brackets at the start of s, which begins with [, and the length.
// The length is 0 if the bracket is text.
func bracketed(s string) (Stroke, int, error) {
	run := len(s) - len(strings.TrimLeft(s, "["))
	switch {
	case run == 2 && len(s) > 2 && s[2] == ' ':
		return Stroke{}, 0, notation("[[ before a blank is not clear: write [ for one bracket and [[[[ for two, or type the text with")
	case run > 1:
		return Stroke{text: s[:run/2]}, run &^ 1, nil
	case len(s) > 2 && s[1] == '^' && caret(s[2]) && s[2] != '^':
		return Stroke{}, 0, fmt.Errorf("%s may be text or a key: write [^%s for the text, or [[%s for the key after a [", s[:3], s[1:3], s[1:3])
	}
	m, rest, _ := modifiers(s[1:], true)
	if r, size := utf8.DecodeRuneInString(rest); m != 0 && strings.HasPrefix(rest[size:], "]") {
		if k, ok := single(string(r)); ok && !unknown(r, size) {
			return press(k, m), len(s) - len(rest) + size + 1, nil
		}
	}
	name, _, closed := strings.Cut(rest[:min(len(rest), longestName+1)], "]")
	if !closed {
		return Stroke{}, 0, nil
	}
	length := len(s) - len(rest) + len(name) + 1
	if k, more, ok := loose(name, bracket); ok {
		return press(k, m|more), length, nil
	}
	if !nameLike(s[1 : length-1]) {
		return Stroke{}, 0, nil
	}
	return Stroke{}, 0, notation("%s is not a key%s: type it as text with [%[1]s or", s[:length], nearest(name, m))
}

// angled returns the key at the start of s, which begins with <, and its length. The length is 0
// for text. One word between the signs that is no key is an error.
func angled(s string) (Stroke, int, error) {
	m, rest, _ := modifiers(s[1:], true)
	if r, size := utf8.DecodeRuneInString(rest); m != 0 && strings.HasPrefix(rest[size:], ">") {
		if k, ok := single(string(r)); ok && !unknown(r, size) {
			return press(k, m), len(s) - len(rest) + size + 1, nil
		}
	}
	name, _, closed := strings.Cut(rest[:min(len(rest), longestName+1)], ">")
	if !closed {
		return Stroke{}, 0, nil
	}
	length := len(s) - len(rest) + len(name) + 1
	if k, more, ok := loose(name, angle); ok {
		return press(k, m|more), length, nil
	}
	if word := s[1 : length-1]; !nameLike(word) || strings.Contains(word, " ") {
		return Stroke{}, 0, nil
	}
	return Stroke{}, 0, notation("%s is not a key%s: type it as text with <lt>%s or", s[:length], nearest(name, m), s[1:length])
}

// caret reports whether caret notation has a control character for Ctrl with c.
func caret(c byte) bool { return c >= '@' && c <= '_' || c == '?' }

// control returns the control character at the start of s, which begins with ^.
func control(s string) (Stroke, int, error) {
	if len(s) == 1 {
		return Stroke{}, 0, nil
	}
	switch c := s[1]; {
	case c == '^':
		return Stroke{text: "^"}, 2, nil
	case caret(c):
		return press(key(c), ctrl), 2, nil
	case c <= ' ':
		return Stroke{}, 0, nil // as in HEAD^
	case c >= 'a' && c <= 'z':
		return Stroke{}, 0, fmt.Errorf("^%c in text may be text or a key: write ^^%[1]c for the text, or ^%c for the key", c, c-0x20)
	}
	r, _ := utf8.DecodeRuneInString(s[1:])
	return Stroke{}, 0, notation("^%s is not a control character: type it as text with ^^%[1]s or", visible(r))
}

// escaped returns the stroke for the escape at the start of s, which begins with a backslash.
func (p *parser) escaped(s string) (stroke Stroke, n int, err error) {
	if len(s) == 1 {
		return Stroke{}, 0, notation(`a \ at the end is not an escape: type it as text with \\ or`)
	}
	digits := 0
	switch s[1] {
	case 'n', 'r':
		stroke, _ = p.whitespace("\n")
		return stroke, 2, nil
	case 't':
		stroke, _ = p.whitespace("\t")
		return stroke, 2, nil
	case 'e':
		return Stroke{text: "\x1b", raw: true}, 2, nil
	case '\\':
		return Stroke{text: `\`}, 2, nil
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		r, _ := utf8.DecodeRuneInString(s[1:])
		return Stroke{}, 0, notation(`\%s is not an escape: type it as text with \\%[1]s or`, visible(r))
	}
	if len(s) < 2+digits {
		return Stroke{}, 0, notation(`\%c needs %d hexadecimal digits: type it as text with \\%[1]c or`, s[1], digits)
	}
	value, ok := number(s[2 : 2+digits])
	switch {
	case !ok:
		return Stroke{}, 0, notation(`\%c needs %d hexadecimal digits: type it as text with \\%[1]c or`, s[1], digits)
	case digits == 2:
		return Stroke{text: string([]byte{byte(value)}), raw: true}, 4, nil
	case !utf8.ValidRune(rune(value)) || value > unicode.MaxRune:
		return Stroke{}, 0, fmt.Errorf(`%s is not a character: write one beyond \uffff with eight digits, as in \U0001f600`, s[:2+digits])
	}
	return Stroke{text: string(rune(value)), raw: unknown(rune(value), 2)}, 2 + digits, nil
}

// number returns the value of up to eight hexadecimal digits.
func number(digits string) (n uint32, ok bool) {
	for _, d := range []byte(digits) {
		v := strings.IndexByte(hexDigits, d|0x20)
		if v < 0 || d < '0' {
			return 0, false
		}
		n = n<<4 | uint32(v)
	}
	return n, true
}
