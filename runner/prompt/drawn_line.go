package prompt

import (
	"strings"

	"devtools/screen"
)

// drawnLine returns the question of a field of one line, in which the program draws a caret. The question stands before
// the field, or in the rows above it.
func (r *reading) drawnLine() (q Question, ok bool) {
	if !r.at.drawn || r.role == fullscreen || r.role == shell {
		return q, false
	}
	if q, ok := r.dialog(); ok {
		return q, true
	}
	if last := r.itemsBelow(); last > r.row { // what is typed only filters a menu
		return Question{Kind: Choice, Text: r.tidy(r.asking(r.row), last, menuRows), Known: true, Drawn: true}, true
	}
	q = Question{Kind: Line, Text: r.before, Known: true}
	if mark := fieldMark(r.before); mark != "" || strings.TrimSpace(r.before) == "" {
		q = r.questionAbove(mark)
	}
	line := strings.TrimRight(q.Text[strings.LastIndexByte(q.Text, '\n')+1:], " ")
	switch {
	case q.Text == "" && strings.TrimSpace(r.placeholder) != "": // nothing else says what to type
		q.Text = strings.TrimSpace(undrawn(r.placeholder))
	case q.Text == "":
		return q, false
	case passwordPrompt.find(line), passwordPrompt.find(line + ":"): // a title has no colon
		q.Kind = Password
	case confirmPrompt.find(line):
		q.Kind = Confirm
	case choicePrompt.find(line):
		q.Kind = Choice
	}
	return q, true
}

// itemsBelow returns the last row of the menu directly below the caret, or the row of the caret if there is none.
func (r *reading) itemsBelow() (last int) {
	last = r.row
	for last+1 < len(r.rows) && (menuPointer.begins(r.text(last+1)) || menuTicks.begins(r.text(last+1)) || last > r.row && !r.blank(last+1)) {
		last++
	}
	return last
}

// fieldMark returns the border and the mark with which a field begins whose question stands above it. It returns "" if
// the line begins otherwise.
func fieldMark(line string) string {
	rest := strings.TrimLeft(line, " ")
	rest = strings.TrimLeftFunc(rest, graphic)
	rest = strings.TrimLeft(rest, " |")
	for _, mark := range []string{">", "›", "❯", "»"} {
		if after, ok := strings.CutPrefix(rest, mark+" "); ok {
			rest = after
		}
	}
	mark := line[:len(line)-len(rest)]
	if strings.TrimSpace(mark) == "" {
		return ""
	}
	return mark
}

// questionAbove returns the question above the row of the caret. One row between them may be blank, or only a border. If
// the field has a border, the rows above with the same border belong to the question.
func (r *reading) questionAbove(mark string) (q Question) {
	q = Question{Kind: Line, Known: true}
	last := r.row - 1
	if last >= 0 && undrawn(r.text(last)) == "" {
		last--
	}
	if last < 0 || undrawn(r.text(last)) == "" {
		return q
	}
	border := border(mark)
	first := last
	for first > max(0, last-paragraph) && !libraryQuestion.begins(r.text(first)) && border != "" && strings.HasPrefix(r.text(first-1), border) {
		first--
	}
	if first > 0 && border != "" && !libraryQuestion.begins(r.text(first)) && libraryQuestion.begins(r.text(first-1)) {
		first--
	}
	q.Text = r.tidy(first, last, paragraph)
	marked := border != "" && strings.HasPrefix(r.text(last), border) || libraryQuestion.begins(r.text(first))
	q.Above = !marked && !r.beginsDrawing(last) && !ends(q.Text, ":?>：？") && !r.styled(last)
	return q
}

// beginsDrawing reports whether a row is the first one with text since the cursor was hidden. A program that draws a caret hides
// the cursor, and then draws the question (bubbletea). What is below that row may be output.
func (r *reading) beginsDrawing(row int) bool {
	first := max(r.Hidden-r.Picture.First, r.top)
	for first < row && r.blank(first) {
		first++
	}
	return row == first && !r.alternate()
}

// border returns the border with which a row begins, or "".
func border(row string) string {
	for i, c := range row {
		if !graphic(c) && c != '|' {
			return row[:i]
		}
	}
	return row
}

// styled reports whether the first word of a row is not in the style of plain text.
func (r *reading) styled(row int) bool {
	for c := range r.Picture.Cells(row) {
		if strings.TrimSpace(c.Text) != "" {
			return c.Style.Foreground != 0 || c.Style.Has(screen.Bold)
		}
	}
	return false
}
