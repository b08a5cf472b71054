package glyph

// The weights of the lines of box drawing characters. A light line is one unit thick, and all lines
// have the same middle.
const (
	none = iota
	light
	heavy
	double
)

// boxes holds the weights of the lines that go from the middle of the cell up, right, down and left,
// for each character from U+2500 to U+257F. Dashes, arcs and diagonals have none here.
const boxes = "" +
	"0101 0202 1010 2020 0000 0000 0000 0000 0000 0000 0000 0000 0110 0210 0120 0220 " +
	"0011 0012 0021 0022 1100 1200 2100 2200 1001 1002 2001 2002 1110 1210 2110 1120 " +
	"2120 2210 1220 2220 1011 1012 2011 1021 2021 2012 1022 2022 0111 0112 0211 0212 " +
	"0121 0122 0221 0222 1101 1102 1201 1202 2101 2102 2201 2202 1111 1112 1211 1212 " +
	"2111 1121 2121 2112 2211 1122 1221 2212 1222 2122 2221 2222 0000 0000 0000 0000 " +
	"0303 3030 0310 0130 0330 0013 0031 0033 1300 3100 3300 1003 3001 3003 1310 3130 " +
	"3330 1013 3031 3033 0313 0131 0333 1303 3101 3303 1313 3131 3333 0000 0000 0000 " +
	"0000 0000 0000 0000 0001 1000 0100 0010 0002 2000 0200 0020 0201 1020 0102 2010 "

// The middle of a light line.
const (
	middleX = Width/2 - 0.5
	middleY = Height/2 - 0.5
)

// box draws U+2500 to U+257F.
func box(r rune) Path {
	switch {
	case r >= 0x2504 && r <= 0x250b:
		return dashes(3+int(r-0x2504)/4, r&2 != 0, r&1 != 0)
	case r >= 0x254c && r <= 0x254f:
		return dashes(2, r&2 != 0, r&1 != 0)
	case r >= 0x256d && r <= 0x2570:
		return arc(r == 0x256d || r == 0x2570, r == 0x256d || r == 0x256e)
	case r >= 0x2571 && r <= 0x2573:
		return diagonals(r != 0x2572, r != 0x2571)
	}
	weights := boxes[5*(r-0x2500):][:4]
	up, right, down, left := weights[0]-'0', weights[1]-'0', weights[2]-'0', weights[3]-'0'
	var p Path
	for _, s := range strokes(left, right, crossing{max(up, down), up != none, down != none}, middleX, Width) {
		p.Rect(s.from, middleY+s.side-s.thickness/2, s.to, middleY+s.side+s.thickness/2)
	}
	for _, s := range strokes(up, down, crossing{max(left, right), left != none, right != none}, middleY, Height) {
		p.Rect(middleX+s.side-s.thickness/2, s.from, middleX+s.side+s.thickness/2, s.to)
	}
	return p
}

// A crossing describes the line across the line to draw.
type crossing struct {
	weight        byte
	before, after bool // it has an arm to the left or up, to the right or down
}

// A stroke is a piece of a line, at a distance from its middle.
type stroke struct{ from, to, side, thickness float32 }

// strokes returns the pieces of the line whose arms meet at the middle of length.
func strokes(first, second byte, across crossing, middle, length float32) []stroke {
	sides := []float32{0}
	if max(first, second) == double {
		sides = []float32{-1, 1}
	}
	var all []stroke
	for _, side := range sides {
		r := reach(first, second, across, side)
		if first != none {
			all = append(all, stroke{0, middle + r, side, thickness(first)})
		}
		if second != none {
			all = append(all, stroke{middle - r, length, side, thickness(second)})
		}
	}
	return all
}

// reach returns how far an arm goes beyond the middle to fill the corner with the line across.
func reach(first, second byte, across crossing, side float32) float32 {
	const touch, middle, corner = -0.5, 0.5, 1.5 // the near side, the middle and the far side of a double line
	weight := max(first, second)
	switch {
	case weight != double && across.weight != double:
		return thickness(across.weight) / 2
	case weight == double && across.weight == double:
		if side < 0 && across.before || side > 0 && across.after {
			return touch
		}
		return corner
	case weight == double || first != none && second != none:
		return middle
	case across.before && across.after:
		return touch
	}
	return corner
}

func thickness(weight byte) float32 {
	if weight == heavy {
		return 3
	}
	return 1
}

// dashes draws a line of n dashes, each with a gap behind it.
func dashes(n int, vertical, thick bool) Path {
	half := thickness(light) / 2
	if thick {
		half = thickness(heavy) / 2
	}
	length, gap := Width, float32(1)
	if vertical {
		length, gap = Height, 2
	}
	var p Path
	for i := range n {
		from, to := float32(i*length/n), float32((i+1)*length/n)-gap
		if vertical {
			p.Rect(middleX-half, from, middleX+half, to)
		} else {
			p.Rect(from, middleY-half, to, middleY+half)
		}
	}
	return p
}

// arc draws a rounded corner that goes to the right or left and down or up.
func arc(right, down bool) Path {
	const radius = middleX
	edge, x, y := Point{0, 0}, float32(-1), float32(-1)
	if right {
		edge.X, x = Width, 1
	}
	if down {
		edge.Y, y = Height, 1
	}
	at := func(dx, dy float32) Point { return Point{middleX + dx*x, middleY + dy*y} }
	return Path{
		{Op: Move, To: Point{at(-0.5, 0).X, edge.Y}},
		{Op: Line, To: at(-0.5, radius)},
		{Op: Quad, Control: at(-0.5, -0.5), To: at(radius, -0.5)},
		{Op: Line, To: Point{edge.X, at(0, -0.5).Y}},
		{Op: Line, To: Point{edge.X, at(0, 0.5).Y}},
		{Op: Line, To: at(radius, 0.5)},
		{Op: Quad, Control: at(0.5, 0.5), To: at(0.5, radius)},
		{Op: Line, To: Point{at(0.5, 0).X, edge.Y}},
	}
}

// diagonals draws lines from corner to corner: rising, falling or both.
func diagonals(rising, falling bool) Path {
	const half = 0.6 // of the thickness, measured across
	var p Path
	if rising {
		p.Polygon(Point{Width - half, 0}, Point{Width + half, 0}, Point{half, Height}, Point{-half, Height})
	}
	if falling {
		p.Polygon(Point{-half, 0}, Point{half, 0}, Point{Width + half, Height}, Point{Width - half, Height})
	}
	return p
}
