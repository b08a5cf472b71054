package hold

import (
	"strings"

	"devtools/screen"
)

// A place is a cell of the picture. Rows count from the start of the output.
type place struct{ row, col int }

// A rowsPicture is a picture whose rows are found by their number from the start of the output. The zero value has no rows.
type rowsPicture struct {
	*screen.Snapshot
	top int // number of the first of Lines
}

// cells returns the cells of a row by their column, and nil for a row that is not in the picture. A blank is " ", and the second
// half of a wide character is "".
func (p rowsPicture) cells(row int) []string {
	if p.Snapshot == nil || row < p.top || row-p.top >= len(p.Lines) {
		return nil
	}
	list := make([]string, p.Cols)
	for i := range list {
		list[i] = " "
	}
	for c := range p.Cells(row - p.top) {
		if c.Col >= len(list) {
			break
		}
		if c.Text != "" {
			list[c.Col] = c.Text
		}
		if c.Width == 2 && c.Col+1 < len(list) {
			list[c.Col+1] = ""
		}
	}
	return list
}

// visible reports whether a cell shows a character.
func visible(cell string) bool { return cell != " " && cell != "" }

// stale reports whether a cell shows a character that it has shown before.
func stale(cells, before []string, col int) bool {
	return visible(cells[col]) && col < len(before) && before[col] == cells[col]
}

// goesOn reports whether the picture shows a character at a place that was not there before, without the cursor. Just before that
// place, a word is not at its end.
func goesOn(now, before rowsPicture, at place) bool {
	if at == (place{now.top - now.First + now.Cursor.Row, now.Cursor.Col}) {
		return false // the rest of the row was moved
	}
	if at.col == now.Cols && now.Lines[at.row-now.top].Wrapped {
		at = place{at.row + 1, 0}
	}
	cells := now.cells(at.row)
	return at.col < len(cells) && visible(cells[at.col]) && !stale(cells, before.cells(at.row), at.col)
}

// shownAt reports whether the picture shows text from a place on, without a gap, in cells that have shown something else before.
// After the last column it goes on in the next row, and so does what follows a line end in a pasted text. A text that ends in the
// middle of a word was not shown: the word is another text.
func shownAt(now, before rowsPicture, at place, text string) bool {
	some, inWord, end := false, false, at
	for text != "" {
		cells, old := now.cells(at.row), before.cells(at.row)
		if cells == nil {
			return false
		}
		for col := at.col; col < len(cells) && text != ""; col++ {
			if text[0] == '\r' || text[0] == '\n' {
				break
			}
			rest, ok := strings.CutPrefix(text, cells[col])
			switch {
			case !ok && cells[col] == " " && col == len(cells)-1: // no room for a wide character
				continue
			case !ok, stale(cells, old, col):
				return false
			}
			if text = rest; cells[col] != "" {
				inWord = visible(cells[col])
			}
			some, end = some || inWord, place{at.row, col + 1}
		}
		if text != "" && (text[0] == '\r' || text[0] == '\n') {
			text, inWord = text[1:], false
		}
		at = place{at.row + 1, 0}
	}
	return some && !(inWord && goesOn(now, before, end))
}

// shownBefore returns the longest end of text that the picture shows just before a place, in the same way.
func shownBefore(now, before rowsPicture, at place, text string) string {
	rest := text
	for rest != "" {
		cells, old := now.cells(at.row), before.cells(at.row)
		for col := min(at.col, len(cells)) - 1; col >= 0; col-- {
			cut, ok := strings.CutSuffix(rest, cells[col])
			if !ok || stale(cells, old, col) {
				return text[len(rest):]
			}
			rest = cut
		}
		if cells == nil {
			break
		}
		at = place{at.row - 1, now.Cols}
	}
	return text[len(rest):]
}
