package prompt

import "strings"

// blanks are the space and the no-break space.
const blanks = " \u00a0"

// A fieldLine is a line of text in a picture. It may take several rows.
type fieldLine struct {
	first, last int    // numbers of its rows
	text        string // text without the blanks at its end
	columns     []int  // number of columns before each byte of text, and before its end
	cursorIn    bool   // the cursor is in these rows
	visible     bool   // the cursor is in these rows and is shown
	drawn       bool   // the cursor in these rows is a caret
	cursor      int    // number of columns before the cursor, if cursorIn
}

// line returns the line to which a row belongs. A full row continues in the next row, because libraries that edit lines
// move the cursor there themselves.
func (s Shot) line(row int) fieldLine {
	l := fieldLine{first: row, last: row}
	for l.first > s.First && s.full(l.first-1) {
		l.first--
	}
	for s.full(l.last) {
		l.last++
	}
	var text strings.Builder
	at, end := s.place(), 0
	for row := l.first; row <= l.last; row++ {
		i, before := row-s.First, (row-l.first)*s.Picture.Cols
		if i < 0 || i >= len(s.Picture.Lines) {
			break
		}
		for c := range s.Picture.Cells(i) {
			c.Text = at.shows(i, c)
			for range len(c.Text) {
				l.columns = append(l.columns, before+c.Col)
			}
			text.WriteString(c.Text)
			end = before + c.Col + c.Width
		}
	}
	l.text = strings.TrimRight(text.String(), blanks)
	l.columns = append(l.columns, end)[:len(l.text)+1]
	if row := s.First + at.row; row >= l.first && row <= l.last {
		l.cursorIn, l.visible, l.drawn, l.cursor = true, at.visible, at.drawn, (row-l.first)*s.Picture.Cols+at.col
	}
	if l.drawn { // behind the field there may be the border of a box
		field := strings.TrimRightFunc(l.text, func(c rune) bool { return c == ' ' || graphic(c) })
		l.text = strings.TrimRight(l.text[:max(len(field), l.at(l.cursor))], blanks)
	}
	return l
}

// full reports whether the text of a row continues in the next row.
func (s Shot) full(row int) bool {
	i := row - s.First
	if i < 0 || i >= len(s.Picture.Lines)-1 {
		return false
	}
	if s.Picture.Lines[i].Wrapped {
		return true
	}
	end := 0
	for c := range s.Picture.Cells(i) {
		if c.Text != "" && c.Text != " " {
			end = c.Col + c.Width
		}
	}
	return end == s.Picture.Cols
}

// beforeCursor returns the text before the cursor, without the blanks at its end. If the cursor is hidden, it returns
// the whole text.
func (l fieldLine) beforeCursor() string {
	text := l.text
	if l.visible {
		text = text[:l.at(l.cursor)]
	}
	return strings.TrimRight(text, blanks)
}

// at returns how many bytes of the line are before a column.
func (l fieldLine) at(column int) int {
	for i, c := range l.columns {
		if c >= column {
			return min(i, len(l.text))
		}
	}
	return len(l.text)
}
