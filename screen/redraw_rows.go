package screen

import "strings"

// rows draws the rows of s, which is as wide as the terminal.
func (w *redraw) rows(s *Snapshot) {
	for i, line := range s.Lines {
		from := 0
		switch {
		case len(line.cells) == 0:
			continue
		case i > 0 && w.continues(s, i):
			from = w.cell(s, line.cells, 0) // the terminal breaks the line itself
		default:
			w.move(0, i)
		}
		w.cells(s, line.cells, from, w.cols)
	}
	w.plain()
}

// continues reports whether the text of the row before continues in row i, so that writing both rows
// wraps the line.
func (w *redraw) continues(s *Snapshot, i int) bool {
	before := s.Lines[i-1]
	return before.Wrapped && len(before.cells) == w.cols && before.cells[w.cols-1].written() && s.Lines[i].cells[0].written()
}

// cells writes the cells of columns from to to-1 at the cursor.
func (w *redraw) cells(s *Snapshot, cells []cell, from, to int) {
	for col := from; col < min(to, len(cells)); {
		c := cells[col]
		if c.written() {
			col += w.cell(s, cells, col)
			continue
		}
		n := 1
		for col+n < min(to, len(cells)) && !cells[col+n].written() && cells[col+n].style() == c.style() {
			n++
		}
		style := s.styles[c.style()]
		switch {
		case style == Style{Background: style.Background, link: 0}:
			if style != (Style{}) {
				w.pen(style, Link{})
				w.put("\x1b[%dX", n)
			}
			w.put("\x1b[%dC", n)
		default: // the rest of half a character
			w.pen(style, s.linkOf(style))
			w.out = append(w.out, strings.Repeat(" ", n)...)
		}
		col += n
	}
}

// cell writes the character at a column and returns its width.
func (w *redraw) cell(s *Snapshot, cells []cell, col int) int {
	c := cells[col]
	style := s.styles[c.style()]
	w.pen(style, s.linkOf(style))
	width := 1 + btoi(c&cellWide != 0)
	if c&cellCluster == 0 {
		w.out = appendCell(w.out, c, s.clusters)
		return width
	}
	text := s.clusters[c&cellText]
	joined, first := false, true
	for _, r := range text {
		n := runeWidth(r)
		joined = joined || !first && n > 0 || first && n != width
		first = false
	}
	if !joined {
		w.out = append(w.out, text...)
		return width
	}
	w.put("\x1b[?2027h%s\x1b[?2027l", text)
	if next := col + width - w.left; next < w.cols {
		w.put("\x1b[%dG", next+1) // the other terminal may give the cluster another width
	}
	return width
}

// linkOf returns the link of a style, the empty link if it has none.
func (s *Snapshot) linkOf(style Style) Link {
	link, _ := s.Link(style)
	return link
}

// place puts the cursor at a column and row. For a pending wrap it writes the last column again.
func (w *redraw) place(s *Snapshot, col, row int, pending bool) {
	if !pending || row >= len(s.Lines) {
		w.move(col, row)
		return
	}
	w.move(col, row)
	cells := s.Lines[row].cells
	switch {
	case col >= len(cells):
		w.plain()
		w.put(" ")
	case !cells[col].written():
		style := s.styles[cells[col].style()]
		w.pen(style, s.linkOf(style))
		w.put(" ")
	case cells[col]&cellTail != 0 && col > 0:
		w.move(col-1, row)
		w.cell(s, cells, col-1)
	default:
		w.cell(s, cells, col)
	}
}
