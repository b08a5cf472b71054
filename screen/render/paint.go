package render

import (
	"devtools/screen"
	"devtools/screen/render/glyph"
)

// A canvas is a picture to draw on, cell by cell.
type canvas interface {
	// fill fills columns of a row with a colour, each at most once.
	fill(row, col, columns int, color screen.Color)
	// path fills a path whose origin is the top left of a cell.
	path(row, col int, path glyph.Path, color screen.Color)
	// glyph draws a cell's text.
	glyph(row int, c screen.Cell, color screen.Color)
}

// paint draws a view. It draws the backgrounds first, because letters may be wider than their cells.
func paint(v view, on canvas) { paintRows(v, 0, len(v.Lines), on) }

// paintRows draws the rows from from to to-1.
func paintRows(v view, from, to int, on canvas) {
	for i := from; i < to; i++ {
		paintBackground(v, i, on)
	}
	for i := from; i < to; i++ {
		for run := range v.Runs(i) {
			foreground, _ := v.colors(run.Style)
			if p := lineThrough(run.Style.Attributes, run.Width); p != nil {
				on.path(i, run.Col, p, foreground)
			}
			if p := underline(run.Style.Underline, run.Width); p != nil {
				on.path(i, run.Col, p, v.underlineColor(run.Style))
			}
		}
		for c, underCursor := range v.cells(i) {
			if !blank(c.Text) && !c.Style.Has(screen.Hidden) {
				on.glyph(i, c, v.textColor(c.Style, underCursor))
			}
			if underCursor && v.Cursor.Shape != screen.Block {
				on.path(i, c.Col, cursorMark(v.Cursor.Shape, c.Width), v.cursorColor())
			}
		}
	}
}

// paintBackground fills the cells of row i whose background differs from the screen's, each once.
func paintBackground(v view, i int, on canvas) {
	start, end, color := 0, 0, v.background
	for c, underCursor := range v.cells(i) {
		if next := v.backColor(c.Style, underCursor); next != color {
			if color != v.background {
				on.fill(i, start, end-start, color)
			}
			start, color = c.Col, next
		}
		end = c.Col + c.Width
	}
	if color != v.background {
		on.fill(i, start, end-start, color)
	}
}
