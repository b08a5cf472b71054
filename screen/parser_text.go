package screen

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// text takes input in the ground state and returns how much of it: a run of
// printable ASCII, a run of other characters, or one control but ESC.
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
		return 1 // DEL does nothing
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
		if r >= 0xa0 { // a C1 control is a code point without effect
			h.print(r)
		}
		i += n
	}
	return i
}

// resume goes on with a character whose beginning came earlier.
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

// subpart returns the length of the maximal subpart at the start of b, which
// holds no whole character: the longest beginning of a well-formed sequence,
// or one byte (The Unicode Standard 3.9, D93b and table 3-7).
func subpart(b []byte) int {
	need, low, high := shape(b[0])
	n := 1
	for n < need && n < len(b) && b[n] >= low && b[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}

// full reports whether no byte that follows b could complete it.
func full(b []byte) bool {
	need, _, _ := shape(b[0])
	return len(b) >= need
}

// shape returns how many bytes a sequence has that begins with c, 1 if none
// does, and the bounds of its second byte.
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

// special sets the high bit of each byte of w that is not printable ASCII.
// Bits above the lowest one set may be wrong.
func special(w uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	// A byte below 0x20 borrows, one of 0x7f carries into its high bit, and
	// one from 0x80 has it.
	return ((w - 0x20*ones) | (w + ones) | w) & highs
}
