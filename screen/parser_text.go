package screen

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// text takes input in the ground state and returns how many bytes: a run of printable ASCII, a run
// of other characters, or one control except ESC.
func (p *parser) text(b []byte, h handler) int {
	if p.npartial > 0 {
		return p.resume(b, h)
	}
	if n := printable(b); n > 0 {
		h.printASCII(b[:n])
		return n
	}
	if c := b[0]; c < 0x80 {
		if c < 0x20 {
			h.execute(c)
		}
		return 1 // DEL has no effect
	}
	i := 0
	for i < len(b) && b[i] >= 0x80 {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			if n = subpart(b[i:]); n == len(b)-i && !full(b[i:]) {
				p.npartial = copy(p.partial[:], b[i:])
				return len(b)
			}
		}
		if r >= 0xa0 { // as a code point, a C1 control has no effect
			h.print(r)
		}
		i += n
	}
	return i
}

// resume continues a character that began in earlier input.
func (p *parser) resume(b []byte, h handler) int {
	had := p.npartial
	have := p.partial[:had+copy(p.partial[had:], b)]
	r, n := utf8.DecodeRune(have)
	if r == utf8.RuneError && n == 1 {
		if n = subpart(have); n == len(have) && !full(have) {
			p.npartial = n
			return len(b)
		}
	}
	p.npartial = 0
	if r >= 0xa0 {
		h.print(r)
	}
	return n - had
}

// subpart returns the length of the maximal subpart at the start of b, which holds no whole
// character. That is the longest beginning of a well-formed sequence, or one byte (The Unicode
// Standard 3.9, D93b and table 3-7).
func subpart(b []byte) int {
	need, low, high := shape(b[0])
	n := 1
	for n < need && n < len(b) && b[n] >= low && b[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}

// full reports whether further bytes cannot complete b.
func full(b []byte) bool {
	need, _, _ := shape(b[0])
	return len(b) >= need
}

// shape returns the length of a sequence that begins with c, and the bounds of its second byte. The
// length is 1 if no sequence begins with c.
func shape(c byte) (need int, low, high byte) {
	switch {
	case c >= 0xc2 && c <= 0xdf:
		return 2, 0x80, 0xbf
	case c == 0xe0:
		return 3, 0xa0, 0xbf
	case c == 0xed: // no surrogates
		return 3, 0x80, 0x9f
	case c >= 0xe1 && c <= 0xef:
		return 3, 0x80, 0xbf
	case c == 0xf0:
		return 4, 0x90, 0xbf
	case c >= 0xf1 && c <= 0xf3:
		return 4, 0x80, 0xbf
	case c == 0xf4: // not above U+10FFFF
		return 4, 0x80, 0x8f
	}
	return 1, 0, 0
}

// printable returns the length of the run of U+0020 to U+007E at the start of b.
func printable(b []byte) int {
	n := 0
	for len(b)-n >= 8 {
		if m := special(binary.LittleEndian.Uint64(b[n:])); m != 0 {
			return n + bits.TrailingZeros64(m)>>3
		}
		n += 8
	}
	for n < len(b) && b[n]-0x20 < 0x5f {
		n++
	}
	return n
}

// special sets the high bit of each byte of w that is not printable ASCII. Bits above the lowest set
// bit may be wrong.
func special(w uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	// A byte below 0x20 borrows, 0x7f carries into its high bit, and a byte from 0x80 has that bit.
	return ((w - 0x20*ones) | (w + ones) | w) & highs
}
