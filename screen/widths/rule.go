package main

// A class is the entry of a character in the table.
type class uint8

const (
	zero      class = 0 // no column: the character joins the one before
	one       class = 1
	two       class = 2
	textEmoji class = 3 // one column, or two if U+FE0F follows, which asks for an emoji
)

// The exceptions for which Unicode has no property.
const (
	softHyphen    = 0xad   // terminals show it, because they do not break lines at it
	initialFiller = 0x115f // it stands for a Hangul initial, and is as wide
)

// classOf is the rule. The first point that applies to a character counts.
//
//  1. One column: the soft hyphen, and format characters that are visible
//     (Prepended_Concatenation_Mark, such as U+0600).
//  2. Two columns: the Hangul filler U+115F.
//  3. No column: nonspacing and enclosing marks (Mn, Me), format characters
//     (Cf), Hangul vowels and finals, and whatever stays invisible where it is
//     not supported (Default_Ignorable_Code_Point), assigned or not.
//  4. Two columns: wide and fullwidth characters (East_Asian_Width W and F).
//     They include emoji that are pictures by default, and code points that are
//     reserved for ideographs.
//  5. One column: all others. They include ambiguous characters, private use,
//     spacing marks (Mc), and regional indicators, two of which are a flag of
//     two columns.
func (db *database) classOf(r rune) class {
	switch {
	case r == softHyphen, db.prepended[r]:
		return one
	case r == initialFiller:
		return two
	case db.nonspacing[r], db.enclosing[r], db.format[r], db.vowels[r], db.finals[r], db.ignorable[r]:
		return zero
	case db.wide[r], db.fullwidth[r]:
		return two
	case db.emojis[r] && !db.regionalIndicators[r]:
		return textEmoji
	}
	return one
}
