package screen

import (
	"fmt"
	"strings"
	"unicode"
)

// Escaped makes text from elsewhere safe for a terminal, in one line that reads as it is. White space becomes a space. Control
// characters, those of C1 too, and what changes the direction of text or cannot be seen become escapes such as \u202e.
func Escaped(text string) string {
	if !strings.ContainsFunc(text, isInvisible) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !isInvisible(r):
			b.WriteRune(r)
		case '\t' <= r && r <= '\r': // with line feeds
			b.WriteByte(' ')
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// isInvisible reports whether r changes what is beside it, or shows as nothing. U+200C and U+200D are not among these: words and
// emoji are written with them.
func isInvisible(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r < 0xad:
		return false
	case r == 0xad, r == 0x61c, r == 0x180e, r == 0x200b, r == 0xfeff:
		return true
	case 0x200e <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f, 0xfff9 <= r && r <= 0xfffb:
		return true
	}
	return 0xe0000 <= r && r <= 0xe007f
}
