package screen

import "fmt"

// A Color is a colour as a program chose it: the terminal's default (the zero value), an entry of
// the palette, or 24 bits of RGB.
type Color uint32

const (
	colorIndex Color = 1 << 24
	colorRGB   Color = 2 << 24
)

// Indexed returns entry i of the palette: 0 to 7 are the ANSI colours, 8 to 15
// their bright forms, 16 to 231 a cube of 6x6x6 and 232 to 255 greys.
func Indexed(i uint8) Color { return colorIndex | Color(i) }

// RGB returns a colour of its own.
func RGB(r, g, b uint8) Color {
	return colorRGB | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// IsDefault reports whether c is the terminal's default.
func (c Color) IsDefault() bool { return c == 0 }

// Index returns c as an entry of the palette, if it is one.
func (c Color) Index() (i uint8, ok bool) { return uint8(c), c&^0xff == colorIndex }

// RGB returns c as red, green and blue, if it has 24 bits.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&colorRGB != 0
}

// String returns "" for the default, the number of a palette entry ("9"), or
// "#rrggbb".
func (c Color) String() string {
	if i, ok := c.Index(); ok {
		return fmt.Sprint(i)
	}
	if c.IsDefault() {
		return ""
	}
	return fmt.Sprintf("#%06x", uint32(c)&0xffffff)
}

// Attributes are the switches of SGR (ECMA-48 8.3.117), without underlines.
type Attributes uint16

// The attributes. DECSCA sets Protected, which selective erasing respects.
const (
	Bold Attributes = 1 << iota
	Dim
	Italic
	Blink
	Reverse
	Hidden
	Strike
	Overline
	Protected
)

// An Underline is a kind of underline (xterm ctlseqs, SGR 4:n).
type Underline uint8

// The underlines, by the n of SGR 4:n.
const (
	NoUnderline Underline = iota
	SingleUnderline
	DoubleUnderline
	CurlyUnderline
	DottedUnderline
	DashedUnderline
)

// String returns "", "single", "double", "curly", "dotted" or "dashed".
func (u Underline) String() string {
	return [...]string{"", "single", "double", "curly", "dotted", "dashed"}[min(u, DashedUnderline)]
}

// A Style is how a cell looks, besides its text. Two cells that look alike
// have equal styles.
type Style struct {
	Foreground     Color
	Background     Color
	UnderlineColor Color // the default means the foreground's colour
	Attributes     Attributes
	Underline      Underline

	link uint32 // index of a hyperlink in the terminal's table, 0 for none
}

// Has reports whether all the attributes are on.
func (s Style) Has(a Attributes) bool { return s.Attributes&a == a }
