package glyph

// A Point is a place in a cell, from its top left.
type Point struct{ X, Y float32 }

// An Op is a kind of segment.
type Op uint8

// The kinds of segments.
const (
	Move Op = iota + 1 // begin a contour
	Line
	Quad // a quadratic Bézier curve
)

// A Segment leads from the end of the segment before it to a point.
type Segment struct {
	Op      Op
	Control Point // of a Quad
	To      Point
}

// A Path is the area that its closed contours wind around (the nonzero rule).
type Path []Segment

// Polygon adds an area with straight edges.
func (p *Path) Polygon(points ...Point) {
	for i, to := range points {
		op := Line
		if i == 0 {
			op = Move
		}
		*p = append(*p, Segment{Op: op, To: to})
	}
}

// Rect adds a rectangle.
func (p *Path) Rect(left, top, right, bottom float32) {
	p.Polygon(Point{left, top}, Point{right, top}, Point{right, bottom}, Point{left, bottom})
}

// each returns the path with every point changed.
func (p Path) each(change func(Point) Point) Path {
	changed := make(Path, len(p))
	for i, s := range p {
		changed[i] = Segment{s.Op, change(s.Control), change(s.To)}
	}
	return changed
}

// Moved returns the path, moved by x and y.
func (p Path) Moved(x, y float32) Path {
	return p.each(func(at Point) Point { return Point{at.X + x, at.Y + y} })
}

// slanted returns the path leaning to the right, because there is no italic font. At half of its
// height a letter stays in place.
func (p Path) slanted() Path {
	const slope, middle = 0.2, Baseline - 5
	return p.each(func(at Point) Point { return Point{at.X + slope*(middle-at.Y), at.Y} })
}
