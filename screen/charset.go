package screen

// A charset is a designated character set, named by its final byte (ECMA-35 14.1). '0' is DEC
// special graphics and 'A' the British set. All other sets count as ASCII.
type charset byte

// charsets are the four sets G0 to G3, and which of them is in use.
type charsets struct {
	set    [4]charset
	gl     uint8
	single uint8 // the set of the next character only (SS2, SS3), or 0
}

// ascii reports whether every ASCII character stands for itself.
func (c *charsets) ascii() bool {
	set := c.set[c.gl]
	return c.single == 0 && set != '0' && set != 'A'
}

// character returns what an ASCII character stands for now.
func (c *charsets) character(b byte) rune {
	set := c.set[c.gl]
	if c.single > 0 {
		set = c.set[c.single]
		c.single = 0
	}
	switch {
	case set == '0':
		return drawing(rune(b))
	case set == 'A' && b == '#':
		return '£'
	}
	return rune(b)
}

// designate makes a set one of G0 to G3, by the intermediate and final bytes of the sequence. A set
// of 96 characters does not replace ASCII.
func (c *charsets) designate(intermediate, final byte) {
	switch intermediate {
	case '(', ')', '*', '+':
		c.set[intermediate-'('] = charset(final)
	case '-', '.', '/':
		c.set[intermediate-'-'+1] = 'B'
	}
}

// drawing returns the character of DEC special graphics at the place of c.
func drawing(c rune) rune {
	const from = 0x5f
	if c < from || c > 0x7e {
		return c
	}
	return graphics[c-from]
}

var graphics = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}
