// Package glyph draws the text of a terminal's cell as a path to fill. Letters are outlines of
// DejaVu Sans Mono. Characters that this font lacks (Chinese, Hangul, emoji and many more) come from
// the pixels of GNU Unifont. Lines, blocks and the like are geometry of the cell, so that they join
// from cell to cell. The package unpacks nothing before the first glyph.
package glyph

import (
	"unicode"
	"unicode/utf8"
)

// The size of a cell, and the distance of the baseline from its top. A pixel of Unifont is one unit.
const (
	Width    = 10
	Height   = 20
	Baseline = 16
)

// A Glyph is the image of a cell.
type Glyph struct {
	Path    Path
	Opacity float32 // less than 1 for shades
	Area    bool    // its edges are parallel to those of the cell, and must meet the next cell's
}

// Of returns the image of a cell's text in a number of columns: the first character with its
// combining marks. Bold and italic change letters, not geometry. A character that no font has is an
// empty box.
func Of(text string, columns int, bold, italic bool) Glyph {
	base, size := utf8.DecodeRuneInString(text)
	if size == 0 || unicode.IsSpace(base) {
		return Glyph{Opacity: 1}
	}
	base, marks := composeHangul(base, text[size:])
	if g, ok := geometry(base); ok {
		return g
	}
	path, ok := letter(base, columns, bold)
	if !ok {
		path = missing(columns)
	}
	for _, mark := range marks {
		if unicode.In(mark, unicode.Mn, unicode.Me, unicode.Mc) && !unicode.Is(unicode.Variation_Selector, mark) {
			over, _ := letter(mark, columns, bold)
			path = append(path, over...)
		}
	}
	if italic {
		path = path.slanted()
	}
	return Glyph{Path: path, Opacity: 1}
}

// letter returns the image of r from a font, if a font has it. In two columns a wide bitmap is
// better than an outline, which has one column.
func letter(r rune, columns int, bold bool) (Path, bool) {
	if b := bitmapOf(r); columns > 1 && len(b) == wideBitmap {
		return b.path(columns, bold && unicode.IsLetter(r)), true
	}
	font := regular
	if bold {
		font = boldface
	}
	if path, ok := font().path(r); ok {
		return path.Moved(float32(columns-1)*Width/2, 0), true
	}
	b := bitmapOf(r)
	return b.path(columns, bold && unicode.IsLetter(r)), b != nil
}

// missing returns an empty box.
func missing(columns int) Path {
	left, right := float32(1), float32(columns*Width-1)
	var p Path
	p.Rect(left, 3, right, 4)
	p.Rect(left, 16, right, 17)
	p.Rect(left, 4, left+1, 16)
	p.Rect(right-1, 4, right, 16)
	return p
}

// composeHangul returns the syllable that begins with base, if there is one, and the text behind it
// (Unicode Standard, 3.12).
func composeHangul(base rune, rest string) (rune, string) {
	const (
		firstSyllable                     = 0xac00
		firstInitial, initials            = 0x1100, 19
		firstVowel, vowels                = 0x1161, 21
		beforeFinal, finals               = 0x11a7, 28
		initialSyllables, syllablesOfPair = vowels * finals, finals
	)
	initial := base - firstInitial
	vowel, size := utf8.DecodeRuneInString(rest)
	vowel -= firstVowel
	if initial < 0 || initial >= initials || vowel < 0 || vowel >= vowels {
		return base, rest
	}
	rest = rest[size:]
	syllable := firstSyllable + initial*initialSyllables + vowel*syllablesOfPair
	if final, size := utf8.DecodeRuneInString(rest); final > beforeFinal && final < beforeFinal+finals {
		return syllable + final - beforeFinal, rest[size:]
	}
	return syllable, rest
}
