package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"devtools/screen"
)

const (
	most      = 2 << 10 // bytes of a question's text
	paragraph = 8       // rows of a question besides its own line
	menuRows  = 24      // rows of a menu
	listRows  = 60      // rows to search for the line above a list
)

// A view is the picture of a scene as rows of text, with the logical line that asks. That is the line of the cursor. If
// this is blank, it is the nearest line above that is not blank.
type view struct {
	Scene
	rows []string // without blanks at their ends, unless the terminal wrapped the row
	read []bool   // whether each of rows was already taken from the picture
	top  int      // first row that counts, at most the row of the cursor
	row  int      // row of the cursor, or of the caret
	col  int      // column of the cursor; one past the last column if the next character goes to the next row
	at   place    // the cursor

	behind   string // beginning of the cursor's line that was there before the last input, or is its echo; see beginBehind
	answered bool   // nothing was printed in the cursor's row since the last input, or only the echo of that input

	first, last   int    // rows of the line that asks; both -1 if there is none
	before, after string // that line up to the cursor, and from the cursor on
	placeholder   string // what a field shows in grey until something is typed; it is not in after
	line          string // before and after, as far as they belong together
}

// look returns the view of a scene.
func look(s Scene) *view {
	v := &view{Scene: s, first: -1, last: -1}
	if s.Picture == nil || len(s.Picture.Lines) == 0 {
		return v
	}
	n := len(s.Picture.Lines)
	v.rows, v.read = make([]string, n), make([]bool, n)
	v.at = placeIn(s.Picture, s.Blink, s.Since)
	v.row, v.col = min(max(v.at.row, 0), n-1), max(v.at.col, 0)
	if since := s.Since - s.Picture.First; !v.alternate() {
		since = v.unbroken(since)
		v.top = min(max(since, 0), v.row)
		v.answered = since > v.row
		v.beginBehind(s.Typed)
	}
	v.find()
	return v
}

// unbroken returns the first row, from the given row on, that does not continue the line above. A row that continues it
// is usually the echo of what was typed.
func (v *view) unbroken(row int) int {
	for row > 0 && row <= v.row && v.Picture.Lines[row-1].Wrapped {
		row++
	}
	return row
}

// alternate reports whether the program draws on the alternate screen.
func (v *view) alternate() bool { return v.Picture != nil && v.Picture.Modes.Alternate }

// visible reports whether the cursor is shown, or a caret.
func (v *view) visible() bool { return v.at.visible }

// text returns the text of a row.
func (v *view) text(row int) string {
	if !v.read[row] {
		v.rows[row], v.read[row] = v.Picture.Text(row, v.Picture.Lines[row].Wrapped), true
	}
	return v.rows[row]
}

// blank reports whether a row shows nothing.
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

// logical returns the rows of the line to which a row belongs. Rows that the terminal wrapped form one line. logical
// looks no further than the longest question.
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

// split returns the line of the cursor, divided into the text before and behind the cursor.
func (v *view) split(first, last int) (before, after string) {
	var b, a strings.Builder
	for row := first; row < v.row; row++ {
		b.WriteString(v.text(row))
	}
	col, greyed := 0, v.greyed()
	for c := range v.Picture.Cells(v.row) {
		text := v.at.shows(v.row, c)
		if c.Col >= v.col && greyed && !strings.ContainsFunc(text, graphic) {
			v.placeholder += text
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
	return strings.TrimPrefix(b.String(), v.behind), strings.TrimRight(a.String(), " ")
}

// greyed reports whether the row has nothing but grey text from the cursor on, as placeholders are. A caret takes the
// place of the first character.
func (v *view) greyed() bool {
	for c := range v.Picture.Cells(v.row) {
		if text := v.at.shows(v.row, c); c.Col >= v.col && !grey(c.Style) && strings.Trim(text, blanks) != "" &&
			!(v.at.drawn && c.Col == v.col) && !strings.ContainsFunc(text, graphic) {
			return false
		}
	}
	return true
}

// joined returns rows as text. A line ends where the program ended it. Blanks at the ends of lines are left out.
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

// above returns the logical line above a row, if a line there counts.
func (v *view) above(row int) (first, last int, ok bool) {
	if row <= v.top {
		return 0, 0, false
	}
	first, last = v.logical(row - 1)
	return first, last, true
}

// passage returns the line that asks. If the line of the cursor is blank, it also returns the lines above, up to a
// blank line.
func (v *view) passage() string {
	if v.first < 0 {
		return v.line
	}
	if v.last >= v.row {
		return v.joined(v.headed(v.opening(v.filled(v.first))), v.last)
	}
	first := v.first
	for first > v.top && first > v.last-paragraph+1 && !v.blank(first-1) {
		first--
	}
	return v.joined(first, v.last)
}

// filled returns the row in which a question begins that ends in a row, if the program edits the line itself and has moved the
// cursor where a row was full (Reline, prompt_toolkit). The row above then ends with a letter in its last column, or one column
// before that and a blank, and the next begins with a small letter. Otherwise it may be other output of the same width.
func (v *view) filled(row int) int {
	for ; row > max(v.top, v.first-paragraph) && !v.Canonical && v.at.visible && !v.at.drawn; row-- {
		next, _ := utf8.DecodeRuneInString(v.text(row))
		above := v.text(row - 1)
		last, _ := utf8.DecodeLastRuneInString(above)
		if width := screen.Width(above); !unicode.IsLower(next) || !unicode.IsLetter(last) || width < v.Picture.Cols-1 {
			break
		}
	}
	return row
}

// opening returns the row in which a bracket was opened that the line of a row closes, if the program itself has broken the
// text into rows between words (cookiecutter): the next word had no room in the row above. Otherwise it returns the row.
func (v *view) opening(row int) int {
	opened, closed := strings.IndexAny(v.line, "(["), strings.IndexAny(v.line, ")]")
	if closed < 0 || opened >= 0 && opened < closed {
		return row
	}
	next := v.line
	for above := row - 1; above >= max(v.top, row-paragraph); above-- {
		text := v.text(above)
		word, _, _ := strings.Cut(next, " ")
		if utf8.RuneCountInString(text)+1+utf8.RuneCountInString(word) <= v.Picture.Cols {
			return row
		}
		if strings.LastIndexAny(text, "([") > strings.LastIndexAny(text, ")]") {
			return above
		}
		next = text
	}
	return row
}

// headed returns the row of the heading over an indented block that ends with the line of a row. The heading is a
// single word, or a blank row separates the block. If there is no heading, headed returns the given row.
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

// bounded returns at most 2 KiB of text: its end if end is true, otherwise its beginning.
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
