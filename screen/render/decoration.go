package render

import (
	"devtools/screen"
	"devtools/screen/render/glyph"
)

// The places of the lines in a cell.
const (
	underlineTop = glyph.Baseline + 2
	strikeTop    = glyph.Baseline - 6
	overlineTop  = 0
	thickness    = 1
)

// underline returns the line under a number of columns, from the left.
func underline(style screen.Underline, columns int) glyph.Path {
	width := float32(columns * glyph.Width)
	var p glyph.Path
	switch style {
	case screen.SingleUnderline:
		p.Rect(0, underlineTop, width, underlineTop+thickness)
	case screen.DoubleUnderline:
		p.Rect(0, underlineTop-1, width, underlineTop)
		p.Rect(0, underlineTop+1, width, underlineTop+2)
	case screen.CurlyUnderline:
		p = waves(columns)
	case screen.DottedUnderline:
		pieces(&p, width, 2, 4)
	case screen.DashedUnderline:
		pieces(&p, width, 5, 8)
	}
	return p
}

// pieces adds an underline of pieces, one in each period.
func pieces(p *glyph.Path, width, length, period float32) {
	for x := float32(0); x < width; x += period {
		p.Rect(x, underlineTop, min(x+length, width), underlineTop+thickness)
	}
}

// waves returns a wave of one period in each column.
func waves(columns int) glyph.Path {
	const (
		middle = underlineTop + 0.5
		bend   = 3 // the distance of the control points: the curve goes half as far
		half   = 0.6
		step   = glyph.Width / 2
	)
	var p glyph.Path
	segment := func(op glyph.Op, control, to glyph.Point) {
		p = append(p, glyph.Segment{Op: op, Control: control, To: to})
	}
	segment(glyph.Move, glyph.Point{}, glyph.Point{X: 0, Y: middle - half})
	for i := range 2 * columns {
		x, y := float32(i*step), middle+bend*float32(i%2*2-1)
		segment(glyph.Quad, glyph.Point{X: x + step/2, Y: y - half}, glyph.Point{X: x + step, Y: middle - half})
	}
	segment(glyph.Line, glyph.Point{}, glyph.Point{X: float32(2 * columns * step), Y: middle + half})
	for i := 2*columns - 1; i >= 0; i-- {
		x, y := float32(i*step), middle+bend*float32(i%2*2-1)
		segment(glyph.Quad, glyph.Point{X: x + step/2, Y: y + half}, glyph.Point{X: x, Y: middle + half})
	}
	return p
}

// lineThrough returns the lines through and over a number of columns, which have the colour of the
// text.
func lineThrough(attributes screen.Attributes, columns int) glyph.Path {
	var p glyph.Path
	width := float32(columns * glyph.Width)
	if attributes&screen.Strike != 0 {
		p.Rect(0, strikeTop, width, strikeTop+thickness)
	}
	if attributes&screen.Overline != 0 {
		p.Rect(0, overlineTop, width, overlineTop+thickness)
	}
	return p
}

// cursorMark returns the shape of a cursor that is not a block, in its cell.
func cursorMark(shape screen.CursorShape, columns int) glyph.Path {
	var p glyph.Path
	switch shape {
	case screen.UnderlineShape:
		p.Rect(0, glyph.Height-2, float32(columns*glyph.Width), glyph.Height)
	case screen.Bar:
		p.Rect(0, 0, 2, glyph.Height)
	}
	return p
}
