package glyph

import "math"

// geometry draws characters that have to join from cell to cell, or that fill parts of a cell.
func geometry(r rune) (Glyph, bool) {
	switch {
	case r >= 0x2500 && r <= 0x257f:
		return Glyph{Path: box(r), Opacity: 1}, true
	case r >= 0x2591 && r <= 0x2593: // shades
		return Glyph{area(0, 0, 8, 8), float32(r-0x2590) / 4, true}, true
	case r >= 0x2580 && r <= 0x259f:
		return Glyph{block(r), 1, true}, true
	case r >= 0x2800 && r <= 0x28ff:
		return Glyph{Path: braille(int(r - 0x2800)), Opacity: 1}, true
	case r >= 0x23ba && r <= 0x23bd: // scan lines 1, 3, 7 and 9 of the VT100
		return Glyph{Path: scanLine(r), Opacity: 1}, true
	case r == 0xe0a0: // Powerline
		return Glyph{Path: branch(), Opacity: 1}, true
	case r >= 0xe0b0 && r <= 0xe0b3:
		return Glyph{Path: arrow(r), Opacity: 1}, true
	case r >= 0x1fb00 && r <= 0x1fb3b:
		return Glyph{sextants(int(r - 0x1fb00)), 1, true}, true
	case r >= 0x1fb70 && r <= 0x1fb8b:
		return Glyph{legacyBlock(r), 1, true}, true
	}
	return Glyph{}, false
}

// area returns a part of the cell. Its sides are given in eighths and are rounded to whole units.
func area(left, top, right, bottom int) Path {
	x := func(eighths int) float32 { return float32(math.Round(float64(eighths) * Width / 8)) }
	y := func(eighths int) float32 { return float32(math.Round(float64(eighths) * Height / 8)) }
	var p Path
	p.Rect(x(left), y(top), x(right), y(bottom))
	return p
}

// block draws U+2580 to U+259F, except the shades.
func block(r rune) Path {
	switch {
	case r == 0x2580: // the upper half
		return area(0, 0, 8, 4)
	case r <= 0x2588: // from below
		return area(0, 8-int(r-0x2580), 8, 8)
	case r <= 0x258f: // from the left
		return area(0, 0, 8-int(r-0x2588), 8)
	case r == 0x2590: // the right half
		return area(4, 0, 8, 8)
	case r == 0x2594: // the upper eighth
		return area(0, 0, 8, 1)
	case r == 0x2595: // the right eighth
		return area(7, 0, 8, 8)
	}
	// The filled quadrants: 1 is the upper left, 2 the upper right, 4 the lower left and 8 the lower
	// right.
	quadrants := [...]byte{4, 8, 1, 13, 9, 7, 11, 2, 6, 14}[r-0x2596]
	var p Path
	for i := range 4 {
		if quadrants&(1<<i) != 0 {
			x, y := 4*(i%2), 4*(i/2)
			p = append(p, area(x, y, x+4, y+4)...)
		}
	}
	return p
}

// legacyBlock draws U+1FB70 to U+1FB8B: stripes, frames and blocks of eighths.
func legacyBlock(r rune) Path {
	left, upper, right, lower := area(0, 0, 1, 8), area(0, 0, 8, 1), area(7, 0, 8, 8), area(0, 7, 8, 8)
	switch n := int(r); {
	case r <= 0x1fb75: // columns 2 to 7
		return area(n-0x1fb70+1, 0, n-0x1fb70+2, 8)
	case r <= 0x1fb7b: // rows 2 to 7
		return area(0, n-0x1fb76+1, 8, n-0x1fb76+2)
	case r == 0x1fb7c:
		return append(left, lower...)
	case r == 0x1fb7d:
		return append(left, upper...)
	case r == 0x1fb7e:
		return append(right, upper...)
	case r == 0x1fb7f:
		return append(right, lower...)
	case r == 0x1fb80:
		return append(upper, lower...)
	case r == 0x1fb81: // rows 1, 3, 5 and 8
		return append(append(append(upper, area(0, 2, 8, 3)...), area(0, 4, 8, 5)...), lower...)
	case r <= 0x1fb86: // from above: 2, 3, 5, 6 and 7 eighths
		return area(0, 0, 8, []int{2, 3, 5, 6, 7}[r-0x1fb82])
	default: // from the right
		return area(8-[]int{2, 3, 5, 6, 7}[r-0x1fb87], 0, 8, 8)
	}
}

// braille draws a pattern of dots: bits 0 to 2 are the upper three on the left, bits 3 to 5 those on
// the right, bits 6 and 7 the lowest.
func braille(dots int) Path {
	places := [8][2]float32{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}
	var p Path
	for i, place := range places {
		if dots&(1<<i) != 0 {
			x, y := 1+place[0]*Width/2, 1+place[1]*Height/4
			p.Rect(x, y, x+3, y+3)
		}
	}
	return p
}

// sextants draws number n of the patterns of 2 x 3 areas. Unicode leaves out the empty pattern, the
// full one, and the left and right halves.
// one, the full one, and the left and right halves are left out.
func sextants(n int) Path {
	pattern := n + 1
	if pattern >= 0b010101 {
		pattern++
	}
	if pattern >= 0b101010 {
		pattern++
	}
	rows := [...]float32{0, 7, 13, Height}
	var p Path
	for i := range 6 {
		if pattern&(1<<i) != 0 {
			x := float32(i % 2 * Width / 2)
			p.Rect(x, rows[i/2], x+Width/2, rows[i/2+1])
		}
	}
	return p
}

func scanLine(r rune) Path {
	y := [...]float32{1, 5, 14, 18}[r-0x23ba]
	var p Path
	p.Rect(0, y, Width, y+1)
	return p
}

// arrow draws the solid and the thin arrows of Powerline.
func arrow(r rune) Path {
	const tip, line = Width, 1.5 // the thickness of a line, measured across
	var p Path
	if r&1 == 0 {
		p.Polygon(Point{0, 0}, Point{tip, Height / 2}, Point{0, Height})
	} else {
		p.Polygon(Point{0, 0}, Point{line, 0}, Point{tip, Height / 2}, Point{line, Height},
			Point{0, Height}, Point{tip - line, Height / 2})
	}
	if r >= 0xe0b2 {
		p = p.each(func(at Point) Point { return Point{Width - at.X, at.Y} })
	}
	return p
}

// branch draws Powerline's sign of version control: a line, and another that joins it.
func branch() Path {
	var p Path
	p.Rect(2, 3, 3.5, 17)
	p.Polygon(Point{6.5, 8}, Point{8, 8}, Point{8, 9.5}, Point{3.5, 14}, Point{3.5, 12})
	p.Rect(6.5, 5, 8, 8)
	p.Polygon(Point{7.25, 2}, Point{9.75, 6}, Point{4.75, 6})
	return p
}
