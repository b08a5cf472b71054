package screen

import "slices"

// area reads a rectangle from parameters i to i+3: top, left, bottom, right. They count from 1 at
// the origin. The result is half-open ranges.
func (t *Terminal) area(s *sequence, i int) (top, left, bottom, right int, ok bool) {
	baseRow, baseCol, rows, cols := 0, 0, t.rows, t.cols
	if t.origin {
		baseRow, baseCol, rows, cols = t.top, t.left, t.bottom+1, t.right+1
	}
	top = baseRow + s.count(i) - 1
	left = baseCol + s.count(i+1) - 1
	bottom, right = rows, cols
	if b := s.param(i+2, 0); b > 0 {
		bottom = min(baseRow+b, rows)
	}
	if r := s.param(i+3, 0); r > 0 {
		right = min(baseCol+r, cols)
	}
	return top, left, bottom, right, top < bottom && left < right
}

// rectangle applies the functions on rectangles (VT420): DECFRA, DECERA,
// DECSERA, DECCRA and DECRQCRA.
func (t *Terminal) rectangle(s *sequence) {
	first := 0
	switch s.final {
	case 'x':
		first = 1
	case 'y':
		first = 2
	}
	top, left, bottom, right, ok := t.area(s, first)
	if s.final == 'y' {
		if !ok {
			bottom = top // an empty rectangle
		}
		t.checksum(s.param(0, 0), top, left, bottom, right)
		return
	}
	if !ok {
		return
	}
	if s.final == 'v' {
		t.copyArea(s, top, left, bottom, right)
		return
	}
	var fill cell
	if s.final == 'x' {
		c := s.param(0, 0)
		if c < 0x20 || c > 0x7e && c < 0xa0 || c > 0xff {
			return
		}
		fill = t.pen | cell(c)
	}
	for row := top; row < bottom; row++ {
		if s.final == 'x' {
			t.page.rows[row].fill(left, right, fill)
		} else {
			t.erase(row, left, right, s.final == '{')
		}
	}
}

// copyArea is DECCRA. The terminal has only one page.
func (t *Terminal) copyArea(s *sequence, top, left, bottom, right int) {
	toTop, toLeft, _, _, ok := t.area(&sequence{n: 2, params: [maxParams]int{s.param(5, 1), s.param(6, 1)}}, 0)
	if !ok {
		return
	}
	width := min(right-left, t.cols-toLeft)
	height := min(bottom-top, t.rows-toTop)
	for i := range height {
		k := i
		if toTop > top { // it begins at the bottom, because the areas may overlap
			k = height - 1 - i
		}
		src, dst := t.page.rows[top+k], t.page.rows[toTop+k]
		piece := row{cells: slices.Clone(src.cells[left : left+width]), wide: src.wide}
		piece.blankHalves()
		dst.splitBorders(toLeft, toLeft+width)
		copy(dst.cells[toLeft:toLeft+width], piece.cells)
		dst.wide = dst.wide || src.wide
		dst.trimUsed()
	}
}
