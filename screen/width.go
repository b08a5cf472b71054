package screen

//go:generate go run ./widths -ucd $UCD

// textEmoji is the only class of the table that is no number of columns: the
// character takes one, or two where asEmoji follows it in a cluster.
const textEmoji = 3

const (
	zeroWidthJoiner = '\u200d'
	asEmoji         = '\ufe0f' // VARIATION SELECTOR-16
	firstSkinTone   = '\U0001f3fb'
	lastSkinTone    = '\U0001f3ff'
)

// widthClass returns what the table has for r: 0, 1, 2 or textEmoji.
func widthClass(r rune) int {
	page := uint32(r) >> 8
	if page >= uint32(len(widthIndex)) {
		return 1
	}
	word := widthPages[widthIndex[page]][r>>5&7]
	return int(word >> (r & 31 * 2) & 3) // two bits each, the first character's the lowest
}

// runeWidth returns how many columns a terminal gives r, which is no control:
// 0 for what joins the character before (marks, joiners, variation
// selectors), 2 for East Asian wide characters and emoji, otherwise 1. As in
// xterm each character counts for itself, whatever cluster it is part of.
// widths/rule.go has the whole rule, and the reasons where other programs have
// another width are in testdata/widths/differences.txt.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if class := widthClass(r); class != textEmoji {
		return class
	}
	return 1
}

// widens reports whether a grapheme cluster of one column that ends in last
// takes two when r joins it. The columns of the characters add up. A skin tone
// and the character after a joiner add none: they change the picture.
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
