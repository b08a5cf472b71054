package screen

// A Palette holds the colours that a program has set with OSC 4, 10, 11 and 12. All others are those
// of the default palette.
type Palette struct {
	Foreground, Background, Cursor Color // RGB, or 0 for a colour that is not set
	entries                        map[uint8]Color
}

// The default colours: light grey on black.
var (
	DefaultForeground = RGB(0xe5, 0xe5, 0xe5)
	DefaultBackground = RGB(0x00, 0x00, 0x00)
)

// ansi holds the first 16 entries of the default palette: the ANSI colours, in shades that are
// readable on black.
var ansi = [16]Color{
	RGB(0x00, 0x00, 0x00), RGB(0xcd, 0x31, 0x31), RGB(0x0d, 0xbc, 0x79), RGB(0xc8, 0xa8, 0x10),
	RGB(0x34, 0x7f, 0xd0), RGB(0xbc, 0x3f, 0xbc), RGB(0x11, 0xa8, 0xcd), RGB(0xcc, 0xcc, 0xcc),
	RGB(0x76, 0x76, 0x76), RGB(0xf1, 0x4c, 0x4c), RGB(0x23, 0xd1, 0x8b), RGB(0xf5, 0xf5, 0x43),
	RGB(0x5a, 0xa7, 0xf5), RGB(0xd6, 0x70, 0xd6), RGB(0x29, 0xb8, 0xdb), RGB(0xff, 0xff, 0xff),
}

// Entry returns entry i of the palette as RGB.
func (p Palette) Entry(i uint8) Color {
	if c, ok := p.entries[i]; ok {
		return c
	}
	switch {
	case i < 16:
		return ansi[i]
	case i >= 232:
		grey := 8 + 10*(i-232)
		return RGB(grey, grey, grey)
	}
	level := func(n uint8) uint8 {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	i -= 16
	return RGB(level(i/36), level(i/6%6), level(i%6))
}

// Colors returns the visible colours of text in a style, as RGB. Defaults and palette entries are
// resolved. Bold text in an ANSI colour gets its bright form, as in xterm. Reverse video and dim are
// applied, and hidden text gets the colour of its background. With reversed, the whole screen is in
// reverse video (DECSCNM).
func (p Palette) Colors(s Style, reversed bool) (foreground, background Color) {
	if i, ok := s.Foreground.Index(); ok && i < 8 && s.Has(Bold) {
		s.Foreground = Indexed(i + 8)
	}
	foreground = p.resolve(s.Foreground, p.Foreground, DefaultForeground)
	background = p.resolve(s.Background, p.Background, DefaultBackground)
	if s.Has(Reverse) != reversed {
		foreground, background = background, foreground
	}
	if s.Has(Dim) {
		foreground = mix(foreground, background)
	}
	if s.Has(Hidden) {
		foreground = background
	}
	return foreground, background
}

// resolve returns c as RGB. The default is the colour that the program set, otherwise other.
func (p Palette) resolve(c, set, other Color) Color {
	if i, ok := c.Index(); ok {
		return p.Entry(i)
	}
	if !c.IsDefault() {
		return c
	}
	if !set.IsDefault() {
		return set
	}
	return other
}

// mix returns the colour two thirds of the way from b to a.
func mix(a, b Color) Color {
	ar, ag, ab, _ := a.RGB()
	br, bg, bb, _ := b.RGB()
	part := func(x, y uint8) uint8 { return uint8((2*int(x) + int(y)) / 3) }
	return RGB(part(ar, br), part(ag, bg), part(ab, bb))
}

// Set returns output that sets these colours in a terminal that has its own.
func (p Palette) Set() []byte {
	w := &redraw{}
	w.palette(p)
	return w.out
}
