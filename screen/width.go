package screen

//go:generate go run ./widths -ucd $UCD

// textEmoji is the only class in the table that is not a number of columns. The character takes one
// column, or two if asEmoji follows it in a cluster.
const textEmoji = 3

const (
	zeroWidthJoiner = '\u200d'
	asEmoji         = '\ufe0f' // VARIATION SELECTOR-16
	firstSkinTone   = '\U0001f3fb'
	lastSkinTone    = '\U0001f3ff'
)

// widthClass returns the class of r in the table: 0, 1, 2 or textEmoji.
func widthClass(r rune) int {
	page := uint32(r) >> 8
	if page >= uint32(len(widthIndex)) {
		return 1
	}
	word := widthPages[widthIndex[page]][r>>5&7]
	return int(word >> (r & 31 * 2) & 3) // two bits for each character, the lowest for the first
}

// runeWidth returns how many columns a terminal gives r, which is not a control. Characters that
// join the one before have 0: marks, joiners and variation selectors. East Asian wide characters and
// emoji have 2, all others 1. As in xterm, each character counts for itself, whatever its cluster.
// The whole rule is in widths/rule.go. testdata/widths/differences.txt explains each difference from
// other programs.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if class := widthClass(r); class != textEmoji {
		return class
	}
	return 1
}

// widens reports whether a grapheme cluster of one column, which ends in last, takes two columns
// when r joins it. The columns of the characters add up. A skin tone and the character after a
// joiner add none: they change the picture.
func widens(last, r rune) bool {
	switch {
	case r == asEmoji:
		return widthClass(last) == textEmoji
	case last == zeroWidthJoiner, r >= firstSkinTone && r <= lastSkinTone:
		return false
	}
	return runeWidth(r) > 0
}

// Width returns how many columns a terminal gives text without controls.
func Width(text string) (columns int) {
	for _, r := range text {
		columns += runeWidth(r)
	}
	return columns
}
