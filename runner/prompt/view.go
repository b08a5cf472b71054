package prompt

import "strings"

const (
	most      = 2 << 10 // bytes of a question's text
	paragraph = 8       // rows that belong to a question besides its own line
	menuRows  = 24      // rows of a menu
	listRows  = 60      // rows that are looked through for the line above a list
)

// A view is the picture of a scene as rows of text, with the logical line that asks: that of the cursor, or where it
// is blank the nearest one above that is not.
type view struct {
	Scene
	rows []string // without blanks at their ends, unless the terminal broke them
	read []bool   // which of rows were taken from the picture
	top  int      // the first row that counts, at most that of the cursor
	row  int      // of the cursor
	col  int      // of the cursor; one behind the last column where the next character goes to the next row

	answered bool // nothing came in the row of the cursor since the last input, or it is the echo of that

	first, last   int    // the rows of the line that asks; both -1 without one
	before, after string // that line up to the cursor, and from there on
	line          string // both, as far as they belong together
}

// look makes the view of a scene.
func look(s Scene) *view {
	v := &view{Scene: s, first: -1, last: -1}
	if s.Picture == nil || len(s.Picture.Lines) == 0 {
		return v
	}
	n := len(s.Picture.Lines)
	v.rows, v.read = make([]string, n), make([]bool, n)
	cursor := s.Picture.Cursor
	v.row = min(max(cursor.Row-s.Picture.First, 0), n-1)
	v.col = max(cursor.Col, 0)
	if cursor.Pending {
		v.col++
	}
	if since := s.Since - s.Picture.First; !v.alternate() {
		since = v.unbroken(since)
		v.top = min(max(since, 0), v.row)
		v.answered = since > v.row
	}
	v.find()
	return v
}

// unbroken returns the first row from a row on that does not go on with the line above: as a rule that is the echo of
// what was typed.
func (v *view) unbroken(row int) int {
	for row > 0 && row <= v.row && v.Picture.Lines[row-1].Wrapped {
		row++
	}
	return row
}

// alternate reports whether the program draws on the alternate screen.
func (v *view) alternate() bool { return v.Picture != nil && v.Picture.Modes.Alternate }

// visible reports whether the cursor is shown.
func (v *view) visible() bool { return v.Picture != nil && v.Picture.Cursor.Visible }

// text returns a row.
func (v *view) text(row int) string {
	if !v.read[row] {
		v.rows[row], v.read[row] = v.Picture.Text(row, v.Picture.Lines[row].Wrapped), true
	}
	return v.rows[row]
}

// blank reports whether nothing is to be seen in a row.
func (v *view) blank(row int) bool { return strings.TrimSpace(v.text(row)) == "" }

// find sets the line that asks.
func (v *view) find() {
	first, last := v.logical(v.row)
	before, after := v.split(first, last)
	if strings.TrimSpace(before+after) != "" {
		v.first, v.last = first, last
		v.before, v.after = before, after
		v.line = before + after
		if strings.TrimSpace(after) == "" {
			v.line = before
		}
		return
	}
	for row := v.row - 1; row >= v.top; row-- {
		if !v.blank(row) {
			v.first, v.last = v.logical(row)
			v.line = v.joined(v.first, v.last)
			return
		}
	}
}

// logical returns the rows of the line to which a row belongs: those that the terminal broke are one. It looks no
// further than a question can be long.
func (v *view) logical(row int) (first, last int) {
	first, last = row, row
	for size := 0; first > v.top && v.Picture.Lines[first-1].Wrapped && size < most; first-- {
		size += len(v.text(first - 1))
	}
	for size := 0; last < len(v.rows)-1 && v.Picture.Lines[last].Wrapped && size < most; last++ {
		size += len(v.text(last + 1))
	}
	return first, last
}

// split returns the text of the line of the cursor before and behind it.
func (v *view) split(first, last int) (before, after string) {
	var b, a strings.Builder
	for row := first; row < v.row; row++ {
		b.WriteString(v.text(row))
	}
	col := 0
	for c := range v.Picture.Cells(v.row) {
		text := c.Text
		if text == "" {
			text = " "
		}
		if c.Col < v.col {
			b.WriteString(text)
		} else {
			a.WriteString(text)
		}
		col = c.Col + c.Width
	}
	for ; col < v.col && col < v.Picture.Cols; col++ {
		b.WriteByte(' ')
	}
	for row := v.row + 1; row <= last; row++ {
		a.WriteString(v.text(row))
	}
	return b.String(), strings.TrimRight(a.String(), " ")
}

// joined is rows as text: a line ends where the program ended it, and blanks at the ends of lines are left out.
func (v *view) joined(first, last int) string {
	var b strings.Builder
	for row := first; row <= last; row++ {
		if row == v.first && v.before != "" && v.last <= last {
			b.WriteString(v.line)
			row = v.last
		} else {
			b.WriteString(v.text(row))
		}
		if row < last && !v.Picture.Lines[row].Wrapped {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// above returns the logical line over a row, if there is one that counts.
func (v *view) above(row int) (first, last int, ok bool) {
	if row <= v.top {
		return 0, 0, false
	}
	first, last = v.logical(row - 1)
	return first, last, true
}

// passage is the line that asks, and where the line of the cursor is blank the lines above it up to a blank one.
func (v *view) passage() string {
	if v.first < 0 {
		return v.line
	}
	if v.last >= v.row {
		return v.joined(v.headed(v.first), v.last)
	}
	first := v.first
	for first > v.top && first > v.last-paragraph+1 && !v.blank(first-1) {
		first--
	}
	return v.joined(first, v.last)
}

// headed returns the row of the line over an indented block that ends with the line of a row, or that row: the block
// begins with a word alone, or a blank row is within it.
func (v *view) headed(row int) int {
	indent := indented(v.line)
	above := row - 1
	if indent == 0 || above < v.top {
		return row
	}
	apart := v.blank(above)
	if apart {
		above--
	}
	for ; above >= max(v.top, row-paragraph); above-- {
		text := v.text(above)
		switch in := indented(text); {
		case strings.TrimSpace(text) == "":
			return row
		case in < indent && (apart || !strings.Contains(strings.TrimSpace(text), " ")):
			return above
		case in != indent:
			return row
		}
	}
	return row
}

// indented returns how many blanks a line begins with.
func indented(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// bounded returns text with at most 2 KiB of it: the end, or else the beginning.
func bounded(text string, end bool) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= most {
		return text
	}
	if end {
		return tail(text, most)
	}
	return strings.ToValidUTF8(text[:most], "")
}
