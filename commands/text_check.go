package commands

import (
	"bytes"
	"unicode/utf8"

	"devtools/ledger/transcript"
)

// A textCheck finds out whether output that comes in pieces is UTF-8.
type textCheck struct {
	part  []byte // beginning of a character whose rest is not there yet
	begun bool
	wrong bool // some of it is no character
}

// add takes a piece, which begins at offset. The first piece may begin within a character, unless it is the beginning of all output.
func (c *textCheck) add(piece []byte, offset int64) {
	if !c.begun && offset > 0 {
		for i := 0; i < utf8.UTFMax-1 && len(piece) > 0 && !utf8.RuneStart(piece[0]); i++ {
			piece = piece[1:]
		}
	}
	c.begun = true
	if len(c.part) > 0 {
		piece = append(c.part, piece...)
	}
	whole := transcript.WholeCharacters(piece)
	c.wrong = c.wrong || !utf8.Valid(piece[:whole])
	c.part = bytes.Clone(piece[whole:])
}

// text reports whether all of it was text. If the output is complete, it does not end within a character.
func (c *textCheck) text(complete bool) bool { return !c.wrong && !(complete && len(c.part) > 0) }
