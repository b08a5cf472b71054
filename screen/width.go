package screen

import (
	"sync/atomic"
	"unicode"

	"github.com/rivo/uniseg"
)

// widths caches the widths of the first two planes in pages of 256 characters
// that are computed when first asked for, so that nothing is paid at start.
var widths [0x200]atomic.Pointer[[256]uint8]

// runeWidth returns how many columns a terminal gives r, which is no control:
// 0 for what joins the character before (marks, joiners, variation
// selectors), 2 for East Asian wide characters and emoji, otherwise 1. As in
// xterm each character counts for itself, whatever cluster it is part of.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	page := int(r >> 8)
	if page >= len(widths) {
		return findWidth(r)
	}
	cached := widths[page].Load()
	if cached == nil {
		cached = new([256]uint8)
		for i := range cached {
			cached[i] = uint8(findWidth(rune(page<<8 | i)))
		}
		widths[page].Store(cached)
	}
	return int(cached[r&0xff])
}

func findWidth(r rune) int {
	switch {
	case r >= 0x1160 && r <= 0x11ff: // Hangul vowels and finals join their initial
		return 0
	case r >= 0x1f1e6 && r <= 0x1f1ff: // regional indicators: two make a flag of two columns
		return 1
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones
		return 2
	case r >= 0xe000 && r <= 0xf8ff, r >= 0xf0000: // private use
		return 1
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters that are seen
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	return max(min(uniseg.StringWidth(string(r)), 2), 1)
}

// Width returns how many columns a terminal gives text without controls.
func Width(text string) (columns int) {
	for _, r := range text {
		columns += runeWidth(r)
	}
	return columns
}
