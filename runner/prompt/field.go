package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"devtools/screen"
)

// A Field is what became of a question of a program that reads keys after the text of an answer was typed.
type Field string

const (
	// Shows: the question stands, its field shows exactly the answer, and nothing else has changed. Only then does an
	// Enter belong to the question.
	Shows Field = "shows"

	// Stands: the question stands, but its field does not show exactly the answer.
	Stands Field = "stands"

	// Left: the program took the keys and went on.
	Left Field = "left"
)

// A Shot is a picture of the whole screen, of [screen.Visible], with the number of its first row since the start: rows
// keep their numbers when the screen scrolls.
type Shot struct {
	Picture *screen.Snapshot
	First   int
}

// AfterAnswer compares the picture of a question with the one after its answer was typed. A secret answer may leave
// no trace. Asked is what the program has printed since in the line of the question, if that asks something; the rest
// of the line is the old question.
func AfterAnswer(question, after Shot, answer string, secret bool) (f Field, asked string) {
	if question.Picture == nil || after.Picture == nil || question.Picture.Modes.Alternate != after.Picture.Modes.Alternate {
		return Left, ""
	}
	changed := question.changed(after)
	if len(changed) == 0 {
		if secret {
			return Shows, ""
		}
		return Stands, ""
	}
	line := after.line(changed[0])
	if changed[len(changed)-1] <= line.last && shows(question.line(line.first), line, answer) {
		return Shows, ""
	}
	return question.rest(after, answer)
}

// changed returns the numbers of the rows that both pictures have and that do not read the same. A row that only the
// later one has counts as blank before.
func (s Shot) changed(after Shot) (rows []int) {
	for row := max(s.First, after.First); row < after.First+len(after.Picture.Lines); row++ {
		if s.text(row) != after.text(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// text returns the row with a number as it reads, "" for one that the picture does not have.
func (s Shot) text(row int) string {
	if row -= s.First; row >= 0 && row < len(s.Picture.Lines) {
		return s.Picture.Text(row, false)
	}
	return ""
}

// A fieldLine is a line of text in a picture, over as many rows as it takes.
type fieldLine struct {
	first, last int    // the numbers of its rows
	text        string // without the blanks at its end
	columns     []int  // how many columns are before each byte of text, and before its end
	cursor      int    // how many columns are before the cursor; or hidden, or elsewhere
}

// Where the cursor is not in a line.
const (
	hidden    = -1 // nowhere: the program draws its own
	elsewhere = -2 // in another line
)

// line returns the line that a row belongs to. A row that is full goes on in the next one: libraries that edit lines
// move the cursor there themselves.
func (s Shot) line(row int) fieldLine {
	full := func(row int) bool {
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
	at := s.Picture.Cursor
	l := fieldLine{first: row, last: row, cursor: elsewhere}
	if !at.Visible {
		l.cursor = hidden
	}
	for l.first > s.First && full(l.first-1) {
		l.first--
	}
	for full(l.last) {
		l.last++
	}
	var text strings.Builder
	end := 0
	for row := l.first; row <= l.last; row++ {
		i, before := row-s.First, (row-l.first)*s.Picture.Cols
		if i < 0 || i >= len(s.Picture.Lines) {
			break
		}
		for c := range s.Picture.Cells(i) {
			if c.Text == "" {
				c.Text = " "
			}
			for range len(c.Text) {
				l.columns = append(l.columns, before+c.Col)
			}
			text.WriteString(c.Text)
			end = before + c.Col + c.Width
		}
		if at.Visible && at.Row-s.Picture.First == i {
			if l.cursor = before + at.Col; at.Pending {
				l.cursor++
			}
		}
	}
	l.text = strings.TrimRight(text.String(), " \u00a0")
	l.columns = append(l.columns, end)[:len(l.text)+1]
	return l
}

// shows reports whether a line differs from the one before in its field alone, and whether that shows exactly the
// answer, or one mark for each of its characters.
func shows(before, after fieldLine, answer string) bool {
	if before.cursor == elsewhere || after.cursor == elsewhere {
		return false
	}
	answer = strings.TrimRight(answer, " \u00a0")
	if head, ok := strings.CutSuffix(after.text, answer); ok && before.asks(head) {
		return true
	}
	head, ok := maskedBy(after.text, utf8.RuneCountInString(answer))
	return ok && before.asks(head)
}

// asks reports whether the line begins with head and the field can begin behind it: there is a blank or the mark of a
// question at its end, and so no default to which text was added.
func (l fieldLine) asks(head string) bool {
	trimmed := strings.TrimRight(head, " \u00a0")
	if trimmed == "" {
		return l.cursor >= 0 // a line of its own
	}
	return strings.HasPrefix(l.text, trimmed) && (trimmed != head || ends(trimmed, ":?>›❯»$#%：？"))
}

// maskedBy returns what is before the last n characters of a text if these are one mark repeated.
func maskedBy(text string, n int) (head string, ok bool) {
	mark, _ := utf8.DecodeLastRuneInString(text)
	if n == 0 || mark == utf8.RuneError || unicode.IsLetter(mark) || unicode.IsDigit(mark) {
		return "", false
	}
	return strings.CutSuffix(text, strings.Repeat(string(mark), n))
}

// rest tells of a question whose field does not show the answer alone whether it stands, by the line of the cursor.
func (s Shot) rest(after Shot, answer string) (Field, string) {
	row := s.First + s.Picture.Cursor.Row - s.Picture.First
	before, now := s.line(row), after.line(row)
	cursor := after.First + after.Picture.Cursor.Row - after.Picture.First
	head := before.text
	switch {
	case before.cursor >= 0:
		head = head[:before.at(before.cursor)]
	case before.cursor == hidden: // its field may have held something
		head = common(head, now.text)
	}
	head = strings.TrimRight(head, " \u00a0")
	more, ok := strings.CutPrefix(now.text, head)
	if cursor < now.first || cursor > now.last || !ok || head == "" && before.text != "" {
		return Left, ""
	}
	more = strings.TrimLeft(more, " \u00a0")
	if now.cursor >= 0 {
		more = strings.TrimSuffix(more, now.text[now.at(now.cursor):])
	}
	if printed := strings.TrimPrefix(more, answer); len(printed) > 1 && ends(printed, ":?>›❯»：？])") {
		return Left, more
	}
	return Stands, ""
}

// common returns what two texts begin with, up to the last blank of it.
func common(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) {
		return a
	}
	return a[:strings.LastIndexByte(a[:n], ' ')+1]
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
