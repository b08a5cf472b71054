package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence reports whether a line ends like one that belongs to the lines after it.
func sentence(line string) bool { return ends(line, ".:?!;,。：？！") }

// withReason returns the line that asks, with the lines above it that give the reason. These are the lines that end
// like sentences, and the lists under a line that ends with a colon.
func (r *reading) withReason() string {
	if r.first < 0 {
		return r.line
	}
	start := r.first
	if row, ok := r.onlyYesRow(); ok {
		start = row
	}
	return r.joined(r.reasonFrom(start, r.first-paragraph), r.last)
}

// overChoices returns the row in which the choices begin that the lines above the line that asks name. It returns the row of that line
// if they name none.
func (r *reading) overChoices() int {
	start, text := r.first, r.line
	for first, last, ok := r.above(start); ok && first >= r.first-paragraph; first, last, ok = r.above(start) {
		line := r.joined(first, last)
		text = line + "\n" + text
		some, _ := keyedChoices(line, Line)
		if all, _ := keyedChoices(text, Line); len(some) == 0 || len(all) < 2 {
			break
		}
		start = first
	}
	return start
}

// reasonFrom returns the first row of the lines that lead up to a row. It is not before the row from.
func (r *reading) reasonFrom(start, from int) int {
	from = max(from, r.top)
	asks := start
	for {
		first, last, ok := r.above(start)
		if !ok || first < from || r.blank(last) {
			return start
		}
		if sentence(r.text(last)) {
			start = first
			continue
		}
		head, ok := r.listHead(first)
		if !ok {
			return start
		}
		if head < from && start < asks { // the end of a list without its head would mislead
			return start
		}
		if start = max(head, from); start == from {
			return start
		}
	}
}

// listHead returns the row above the list to which a row belongs, if that row ends with a colon.
func (r *reading) listHead(row int) (head int, ok bool) {
	for end := max(row-listRows, r.top); row >= end; row-- {
		first, last := r.logical(row)
		if ends(r.text(last), ":：") {
			return first, true
		}
		row = first
		text := r.text(row)
		if trimmed := strings.TrimLeft(text, " "); trimmed == "" || trimmed == text && !strings.ContainsAny(trimmed[:1], "-*+") {
			return 0, false
		}
	}
	return 0, false
}

// onlyYesRow returns the row, above the line that asks, that says that only yes is accepted.
func (r *reading) onlyYesRow() (row int, ok bool) {
	if r.first < 0 || !ends(r.line, ":") {
		return 0, false
	}
	for row = r.first - 1; row >= max(r.top, r.first-4); row-- {
		if onlyYesNote.find(r.text(row)) {
			return row, true
		}
	}
	return 0, false
}

// numbered returns the rows of a menu above the line that asks. The menu may also end with that line. first > last
// means that there is no menu. slack is how many other rows may lie between.
func (r *reading) numbered(slack int) (first, last int) { return r.items(menuItem, slack) }

// items does the work of numbered for menus whose lines match the pattern item.
func (r *reading) items(item pattern, slack int) (first, last int) {
	if r.first < 0 {
		return 0, -1
	}
	row := r.first - 1
	if r.last < r.row { // the line of the cursor is blank
		row = r.last
	}
	for ; slack > 0 && row >= r.top && !item.begins(r.text(row)); slack-- {
		row--
	}
	first, last = row+1, row
	items := 0
	for ; row >= max(r.top, r.first-menuRows); row-- {
		text := r.text(row)
		switch {
		case item.begins(text):
			first = row
			if items++; menuColumns.begins(text) {
				items++
			}
		case !strings.HasPrefix(text, "    "): // otherwise the description of an item continues
			row = -1
		}
	}
	if items < 2 {
		return 0, -1
	}
	return first, last
}

// withMenu returns the line that asks, with the menu above it and the question above the menu.
func (r *reading) withMenu() string {
	first, last := r.numbered(3)
	if first > last {
		first, last = r.items(menuTable, 3)
	}
	if first > last {
		return r.withReason()
	}
	from := max(r.top, r.first-menuRows)
	head := first - 1
	if head > from && r.blank(head) {
		head--
	}
	if head < from || r.blank(head) {
		return r.joined(first, r.last)
	}
	for head > from && !r.blank(head-1) && (lower(r.text(head)) || ruled(r.text(head))) {
		head--
	}
	if head > from+1 && ruled(r.text(first-1)) && r.blank(head-1) && sentence(r.text(head-2)) { // what the table is about
		head -= 2
	}
	return r.joined(r.reasonFrom(head, from), r.last)
}

// lower reports whether a line begins with a lower-case letter, like one that continues the line above.
func lower(line string) bool { return unicode.IsLower(leading(line)) }

// ruled reports whether a line only underlines the line above.
func ruled(line string) bool { return strings.Trim(line, " -=_~*─═") == "" }

// pointed returns the rows of a menu near the cursor that is operated with arrow keys. The question above the menu is
// included.
func (r *reading) pointed() (first, last int, ok bool) {
	if first, last, ok = r.pointedRows(); ok {
		first = r.asking(first)
	}
	return first, last, ok
}

// pointedRows returns the rows of that menu alone.
func (r *reading) pointedRows() (first, last int, ok bool) {
	for row := min(len(r.rows)-1, r.row+menuRows); row >= max(r.top, r.row-menuRows); row-- {
		text := r.text(row)
		if !menuPointer.begins(text) || row+1 < len(r.rows) && yesAndNo.find(r.text(row+1)) { // the arrow of a question (consola)
			continue
		}
		column, mark := textColumn(text), pointerMark(text)
		first, last = row, row
		for last+1 < len(r.rows) && r.sibling(last+1, column, mark) {
			last++
		}
		for first > r.top && r.sibling(first-1, column, mark) {
			first--
		}
		if first < last && r.row >= first-2 && r.row <= last+4 {
			return first, last, true
		}
	}
	return 0, 0, false
}

// sibling reports whether a row is a line of the menu whose items begin in this column, and whose selected item has this mark. A
// second line with that mark would make them a quotation, or the hints of a server (Vite, Metro, Jest).
func (r *reading) sibling(row, column int, mark string) bool {
	text := r.text(row)
	return !libraryQuestion.begins(text) && textColumn(text) == column && (mark == "" || pointerMark(text) != mark)
}

// pointerMark returns the mark in front of the selected item of a menu, or "". Several items may be ticked, but one has this mark.
func pointerMark(text string) string {
	text = strings.TrimLeft(text, " │┃|")
	_, size := utf8.DecodeRuneInString(text)
	if mark := text[:size]; mark != "" && strings.Contains("❯›»▸▶►➤➜→‣>", mark) {
		return mark
	}
	return ""
}

// unmarked returns the rows of a menu in which no item is selected yet, with the question above it: indented rows directly above
// the hidden cursor (dialoguer without a default).
func (r *reading) unmarked() (first, last int, ok bool) {
	last = r.row - 1
	first = r.row
	for first > r.top+1 && indented(r.text(first-1)) > 0 && !r.blank(first-1) {
		first--
	}
	if r.visible() || first >= last || first <= r.top {
		return 0, 0, false
	}
	head := r.text(first - 1)
	return first - 1, last, libraryQuestion.begins(head) || ends(head, ":?") && !logLine.find(head)
}

// numberedBelow returns the rows of a menu with numbers that has its question directly above it, and the hidden cursor below it: the
// number alone is the answer.
func (r *reading) numberedBelow() (first, last int, ok bool) {
	if r.visible() {
		return 0, 0, false
	}
	for row := max(r.top, r.row-menuRows) + 1; row < min(r.row, len(r.rows)-1); row++ {
		if !ends(undrawn(r.text(row-1)), "?？") || !menuItem.begins(undrawn(r.text(row))) {
			continue
		}
		for last = row; last+1 <= r.row && last+1 < len(r.rows) && menuItem.begins(undrawn(r.text(last+1))); {
			last++
		}
		return row - 1, last, last > row
	}
	return 0, 0, false
}

// textColumn returns the column where the text of an item begins, or -1. The text comes after a border, a pointer and a
// check box.
func textColumn(text string) int {
	column := 0
	for i, c := range text {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || !strings.ContainsRune(" │┃|>*()[]"+drawn, c) {
			if strings.HasPrefix(text[i:], "x] ") || strings.HasPrefix(text[i:], "X] ") {
				column++
				continue
			}
			return column
		}
		column++
	}
	return -1
}

// asking returns the first row of the question above a menu that begins in the row first. It is a row that is marked as
// a question, or otherwise the row above the menu.
func (r *reading) asking(first int) int {
	for row := first - 1; row >= max(0, first-paragraph) && !r.blank(row); row-- { // the program may have drawn it again
		if libraryQuestion.begins(r.text(row)) {
			return row
		}
	}
	head := first - 1
	if head > r.top && strings.Trim(r.text(head), " │┃") == "" {
		head--
	}
	if head >= r.top && !r.blank(head) {
		first, _ = r.logical(head)
	}
	return first
}

// asked returns the question that a prompt library has drawn around the cursor.
func (r *reading) asked() (q Question, ok bool) {
	if r.first < 0 {
		return q, false
	}
	for row := r.last; row >= max(r.top, r.first-paragraph) && !r.blank(row); row-- {
		text := r.text(row)
		first, last := r.logical(row)
		if !libraryQuestion.begins(text) && !r.overTicks(text, last) {
			continue
		}
		q = Question{Kind: Line, Text: r.joined(first, last), Known: true}
		switch {
		case passwordPrompt.find(text):
			q.Kind = Password
		default:
			if end, drawn, ok := r.listBelow(last); ok {
				q.Kind, q.Text, q.Drawn = Choice, r.tidy(first, end, menuRows), drawn
			}
		}
		return q, true
	}
	return q, false
}

// overTicks reports whether the question in the row of the cursor, which ends in the row last, has a list with boxes to tick below it.
func (r *reading) overTicks(text string, last int) bool {
	return r.row <= last && ends(strings.TrimRight(text, " …›»"), "?:") && last+1 < len(r.rows) && menuBoxes.begins(r.text(last+1))
}

// listBelow returns the last row of the menu below the question that ends in a row. Between them may be instructions, without
// blank rows (prompts). drawn says that the arrow keys select an item; otherwise its number is the answer.
func (r *reading) listBelow(last int) (end int, drawn, ok bool) {
	first := last + 1
	for first < min(len(r.rows), last+paragraph) && !r.blank(first) && !r.item(first) {
		first++
	}
	end = first
	for end < len(r.rows) && r.item(end) {
		end++
	}
	end--
	return end, end >= first && menuTicks.begins(r.text(end)), end > first
}

// item reports whether a row is a line of a menu.
func (r *reading) item(row int) bool {
	return menuItem.begins(r.text(row)) || menuTicks.begins(r.text(row))
}

// bothWays returns the question around the cursor under which yes and no can be chosen.
func (r *reading) bothWays() (q Question, ok bool) {
	row := r.yesNoRow()
	if row < 0 {
		return q, false
	}
	if q, ok = r.dialog(); ok {
		return q, true
	}
	return Question{Kind: Confirm, Text: r.tidy(r.asking(row), row, paragraph), Known: true}, true
}

// yesNoRow returns the row around the cursor that has yes and no side by side, or -1.
func (r *reading) yesNoRow() int {
	for row := min(len(r.rows)-1, r.row+2); row >= max(r.top, r.row-paragraph); row-- {
		if yesAndNo.find(r.text(row)) {
			return row
		}
	}
	return -1
}

// field returns the question above a field that a program draws itself, without the cursor of the terminal.
func (r *reading) field() (q Question, ok bool) {
	for row := min(len(r.rows)-1, r.row+1); row >= max(r.top, r.row-4); row-- {
		if !drawnField.begins(r.text(row)) {
			continue
		}
		first := r.asking(row)
		q = Question{Kind: Line, Text: r.tidy(first, row, paragraph), Known: true}
		if secretWord.find(r.text(first)) {
			q.Kind = Password
		}
		return q, first < row
	}
	return q, false
}

// tidy returns rows as text, with at most this many lines. It leaves out blank lines and drawn parts.
func (v *view) tidy(first, last, lines int) string {
	var kept []string
	for row := first; row <= last && len(kept) < lines; row++ {
		text := v.text(row)
		for ; row < last && v.Picture.Lines[row].Wrapped && len(text) < most; row++ {
			text += v.text(row + 1)
		}
		if text = undrawn(text); text != "" && text != "~" { // vi(1) shows "~" where no text is
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n")
}

// undrawn returns a line without the borders and boxes in it. It keeps apart what they kept apart.
func undrawn(line string) string {
	if strings.IndexFunc(line, graphic) >= 0 {
		line = strings.Join(strings.FieldsFunc(line, graphic), "  ")
	}
	return strings.TrimSpace(line)
}

// graphic reports whether c is a character for drawing lines, boxes or blocks.
func graphic(c rune) bool { return c >= 0x2500 && c < 0x25a0 }
