package codec

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// raw skips the next value and returns its text.
func (d *decoder) raw() []byte {
	d.blank()
	start := d.pos
	d.skip()
	return d.data[start:d.pos]
}

// skip checks and skips the next value.
func (d *decoder) skip() {
	switch c := d.peek(); c {
	case '{':
		d.object(func([]byte, int) int { d.skip(); return 0 })
	case '[':
		d.open('[')
		for first := true; d.peek() != ']'; first = false {
			if !first {
				d.expect(',')
			}
			d.skip()
		}
		d.close()
	case '"':
		d.text()
	case 't':
		d.word("true")
	case 'f':
		d.word("false")
	case 'n':
		d.word("null")
	default:
		d.number()
	}
}

// number reads a number and returns its text.
func (d *decoder) number() string {
	start := d.pos
	d.take("-")
	if d.take("0") == 0 && d.digits() == 0 {
		d.fail("no number")
	}
	if d.take(".") > 0 && d.digits() == 0 {
		d.fail("a number without digits after its point")
	}
	if d.take("eE") > 0 {
		d.take("+-")
		if d.digits() == 0 {
			d.fail("a number without digits in its exponent")
		}
	}
	return string(d.data[start:d.pos])
}

// take skips the next byte if it is one of these, and returns how many it has skipped.
func (d *decoder) take(any string) int {
	for i := range len(any) {
		if d.pos < len(d.data) && d.data[d.pos] == any[i] {
			d.pos++
			return 1
		}
	}
	return 0
}

// digits skips digits and returns how many.
func (d *decoder) digits() (n int) {
	for d.pos < len(d.data) && '0' <= d.data[d.pos] && d.data[d.pos] <= '9' {
		d.pos++
		n++
	}
	return n
}

// text reads a string. The result may share the memory of the data. What is not UTF-8 becomes U+FFFD.
func (d *decoder) text() []byte {
	d.expect('"')
	start := d.pos
	for d.pos < len(d.data) {
		switch c := d.data[d.pos]; {
		case c == '"':
			d.pos++
			return d.data[start : d.pos-1]
		case c < ' ' || c == '\\' || c >= utf8.RuneSelf:
			return d.longText(append([]byte(nil), d.data[start:d.pos]...))
		}
		d.pos++
	}
	d.fail("a string without an end")
	return nil
}

// longText reads the rest of a string that is more than plain ASCII, behind the text that was read already.
func (d *decoder) longText(text []byte) []byte {
	for d.pos < len(d.data) {
		c := d.data[d.pos]
		switch {
		case c == '"':
			d.pos++
			return text
		case c < ' ':
			d.fail("a control character in a string")
		case c == '\\':
			d.pos++
			text = utf8.AppendRune(text, d.escape())
		default:
			r, size := utf8.DecodeRune(d.data[d.pos:])
			text = utf8.AppendRune(text, r)
			d.pos += size
		}
	}
	d.fail("a string without an end")
	return nil
}

// escape reads what follows a backslash.
func (d *decoder) escape() rune {
	if d.pos == len(d.data) {
		d.fail("a string without an end")
	}
	c := d.data[d.pos]
	d.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c)
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		r := d.hex()
		if utf16.IsSurrogate(r) && d.pos+1 < len(d.data) && d.data[d.pos] == '\\' && d.data[d.pos+1] == 'u' {
			before := d.pos
			d.pos += 2
			if both := utf16.DecodeRune(r, d.hex()); both != utf8.RuneError {
				return both
			}
			d.pos = before // the second one stands for itself
		}
		return r // AppendRune makes U+FFFD of half a pair
	}
	d.fail("an unknown escape")
	return 0
}

// hex reads four hexadecimal digits.
func (d *decoder) hex() rune {
	if len(d.data)-d.pos < 4 {
		d.fail("a string without an end")
	}
	n, err := strconv.ParseUint(string(d.data[d.pos:d.pos+4]), 16, 16)
	if err != nil {
		d.fail("no four hexadecimal digits")
	}
	d.pos += 4
	return rune(n)
}
