package prompt

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"devtools/screen"
)

// A Field is the state of a question after the text of an answer was typed. The program reads single keys.
type Field string

const (
	// Shows means that the question still stands, its field shows exactly the answer, and nothing else has changed.
	// Only in this state does an Enter belong to the question.
	Shows Field = "shows"

	// Stands means that the question still stands, or that this is uncertain, and its field does not show exactly the
	// answer.
	Stands Field = "stands"

	// Left means that the program took the keys and went on.
	Left Field = "left"
)

// A Shot is a picture of the whole screen, of [screen.Visible], with the number of its first row since the start. Rows
// keep their numbers when the screen scrolls.
type Shot struct {
	Picture *screen.Snapshot
	First   int
	Blink   *Caret // as in Scene
	Since   int    // as in Scene
}

// A TypedAnswer is the text of an answer, and what is known of its question.
type TypedAnswer struct {
	Text     string
	Question string // as Question.Text
	Kind     Kind
	Secret   bool   // the answer may leave no trace on the screen, see MentionsSecret
	Erased   bool   // the field was empty before, as AfterErasing says
	Output   string // output since the answer was typed, as the terminal received it
}

// AfterAnswer compares the picture of a question with the picture after its answer was typed.
func AfterAnswer(question, after Shot, answer TypedAnswer) Field {
	if question.Picture == nil || after.Picture == nil || question.modes() != after.modes() {
		return Left
	}
	changed := question.changed(after)
	if answer.disturbed() {
		return question.rest(after, answer.Text)
	}
	if answer.showsChoice(question, after) {
		return Shows
	}
	if len(changed) == 0 {
		if answer.Secret && answer.takenUnseen(question, after) {
			return Shows
		}
		return question.rest(after, answer.Text)
	}
	now := after.line(changed[0])
	if before := question.line(now.first); changed[len(changed)-1] <= now.last {
		for _, taken := range answer.taken(now.text) {
			if head, ok := taken.shown(before, now); ok && question.same(after, now, now.columns[len(head)]) {
				return Shows
			}
		}
	}
	if answer.drawnAgain(question, after) {
		return Shows
	}
	return question.rest(after, answer.Text)
}

// modes returns the modes of the screen, without the mode of a frame in progress.
func (s Shot) modes() screen.Modes {
	m := s.Picture.Modes
	m.Synchronized = false
	return m
}

// place returns where the next character goes.
func (s Shot) place() place { return placeIn(s.Picture, s.Blink, s.Since) }

func (s Shot) cursorRow() int { return s.First + s.place().row }

// changed returns the numbers of the rows that both pictures have and whose texts differ. A row that only the later
// picture has counts as blank before.
func (s Shot) changed(after Shot) (rows []int) {
	for row := max(s.First, after.First); row < after.First+len(after.Picture.Lines); row++ {
		if s.text(row) != after.text(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// same reports whether everything but the field looks the same, styles included. That is the rows outside the line, and
// the first columns of the line.
func (s Shot) same(after Shot, l fieldLine, columns int) bool {
	ours, theirs := s.Picture.RowHashes(), after.Picture.RowHashes()
	for row := max(s.First, after.First); row < min(s.First+len(ours), after.First+len(theirs)); row++ {
		if (row < l.first || row > l.last) && ours[row-s.First] != theirs[row-after.First] {
			return false
		}
	}
	from := 0
	if l.drawn {
		from = 1 // behind the sign, see withoutSign
	}
	return s.Picture.Title == after.Picture.Title && slices.Equal(s.styles(l.first, from, columns), after.styles(l.first, from, columns))
}

// styles returns the styles of the columns of a line that begins in a row.
func (s Shot) styles(row, from, to int) (list []screen.Style) {
	for i := row - s.First; i >= 0 && i < len(s.Picture.Lines) && to > 0; i, from, to = i+1, from-s.Picture.Cols, to-s.Picture.Cols {
		for c := range s.Picture.Cells(i) {
			if c.Col >= from && c.Col < to && strings.TrimSpace(c.Text) != "" {
				list = append(list, c.Style)
			}
		}
	}
	return list
}

// text returns the text of the row with a number, or "" if the picture does not have it.
func (s Shot) text(row int) string {
	if row -= s.First; row >= 0 && row < len(s.Picture.Lines) {
		return s.Picture.Text(row, false)
	}
	return ""
}

// shown reports whether a line differs from the line before only in its field, and whether the field shows exactly the
// answer. One mask character for each character of the answer also counts. shown returns the text before the field.
func (a TypedAnswer) shown(before, now fieldLine) (head string, ok bool) {
	text := strings.TrimRight(a.Text, blanks)
	if text == "" || !before.cursorIn || !now.cursorIn || before.visible != now.visible || before.drawn != now.drawn {
		return "", false
	}
	key := a.Kind == Confirm || a.Kind == Choice || a.Kind == Key
	n := utf8.RuneCountInString(text)
	end := now.columns[len(now.text)] + len(a.Text) - len(text)
	first := end - 1 // enquirer leaves the cursor one column short of the end
	whole, hidden := masked(now.text, n)
	if hidden = hidden && !key && (n > 1 || a.Kind == Password); hidden { // one mark may be the program's answer to a key
		first -= nonASCII(text) // enquirer does not move the cursor for these
	}
	if !hidden {
		if whole, ok = strings.CutSuffix(now.text, text); !ok {
			return "", false
		}
	}
	head = strings.TrimRight(whole, blanks)
	if now.visible && (now.cursor < first || now.cursor > end) {
		return head, !key && before.cursorLags(now, whole)
	}
	if a.Erased && before.beforeCursor() == head {
		return head, true
	}
	return head, before.fieldBehind(whole, hidden || !key)
}

// cursorLags reports whether the cursor was some columns before the end of a question with an empty field, and is the same number
// of columns before the end of the field. That is so in inquirer 8, which breaks long questions itself. head is the line now without
// the answer.
func (l fieldLine) cursorLags(now fieldLine, head string) bool {
	question := strings.TrimRight(head, blanks)
	blank := now.columns[len(head)] - now.columns[len(question)]
	lag := l.columns[len(l.text)] + blank - l.cursor
	return lag > 0 && lag == now.columns[len(now.text)]-now.cursor && !hasDefault(question, false) &&
		(question == l.text || question == withoutLastBracketed(l.text))
}

// nonASCII returns the number of characters of a text that are not ASCII.
func nonASCII(text string) (n int) {
	for _, c := range text {
		if c > unicode.MaxASCII {
			n++
		}
	}
	return n
}

// disturbed reports whether the program has since done something that no field needs. It rang the bell, erased the
// screen, or switched to or from the alternate screen.
func (a TypedAnswer) disturbed() bool {
	output := inField().titles.ReplaceAllString(a.Output, "")
	return slices.ContainsFunc([]string{"\a", "\x1b[2J", "\x1b[?1049", "\x1b[?1047", "\x1b[?47"}, func(s string) bool { return strings.Contains(output, s) })
}

// fieldBehind reports whether the line before began with head and had its field behind it. head must be all the text
// before the cursor, or all up to the last mark of a question. In the second case a placeholder behind the mark has
// gone. If brackets is true, the placeholder may also have been in brackets.
func (l fieldLine) fieldBehind(head string, brackets bool) bool {
	trimmed := strings.TrimRight(head, blanks)
	if l.drawn {
		return l.caretBehind(trimmed, head)
	}
	if trimmed == "" {
		return l.visible && l.at(l.cursor) == 0 && l.text == "" // the field has a line of its own
	}
	question := l.beforeCursor()
	marked := question
	if marks := inField().marks.FindAllStringIndex(question+" ", -1); len(marks) > 0 {
		marked = question[:marks[len(marks)-1][1]-1]
	}
	inBrackets := brackets && withoutLastBracketed(question) == trimmed
	return (question == trimmed || marked == trimmed || inBrackets) && !hasDefault(trimmed, trimmed != head)
}

// withoutLastBracketed returns a question without the brackets at its end.
func withoutLastBracketed(question string) string {
	return strings.TrimRight(inField().lastBracketed.ReplaceAllString(question, ""), blanks)
}

// caretBehind does the work of fieldBehind for a field with a caret. If the line begins with a border or a mark, its
// question stands above, and any word in front of the caret is a default.
func (l fieldLine) caretBehind(trimmed, head string) bool {
	switch question := l.beforeCursor(); {
	case question != trimmed && withoutSign(question) != withoutSign(trimmed):
		return false
	case trimmed == "" || fieldMark(trimmed+" ") != "":
		return strings.IndexFunc(trimmed, wordCharacter) < 0
	}
	return !hasDefault(trimmed, trimmed != head)
}

// withoutSign returns a line without the sign in front of its question. A library changes the sign when what was typed
// becomes valid (promptui).
func withoutSign(line string) string {
	sign, rest, ok := strings.Cut(line, " ")
	if ok && utf8.RuneCountInString(sign) == 1 && strings.Trim(sign, "✗✔?") == "" {
		return rest
	}
	return line
}

// fieldPatterns distinguish a question from its field.
type fieldPatterns struct {
	marks         *regexp.Regexp // a sign that ends a question and a blank behind it; brackets count too
	decoration    *regexp.Regexp // what a library draws at the beginning of a question
	bracketed     *regexp.Regexp // what a question says in brackets
	lastBracketed *regexp.Regexp // the same, at the end of the question
	choices       *regexp.Regexp // yes and no in brackets, as in [y/N]
	control       *regexp.Regexp // control functions for drawing, which say nothing (ECMA-48 5.4)
	titles        *regexp.Regexp // strings that a terminal does not show, such as titles (ECMA-48 5.6)
}

// inField returns the patterns. They are compiled at first use.
var inField = sync.OnceValue(func() fieldPatterns {
	return fieldPatterns{
		marks:         regexp.MustCompile(`[:?>›❯»‣：？)\]] `),
		decoration:    regexp.MustCompile(`^(?:\[\?\]|[^\pL\pN(\[])+`),
		bracketed:     regexp.MustCompile(`\([^()]*\)|\[[^\[\]]*\]`),
		choices:       regexp.MustCompile(`[(\[](\pL+)/(\pL+)[)\]]`),
		lastBracketed: regexp.MustCompile(`[(\[][^()\[\]]*[)\]]$`),
		titles:        regexp.MustCompile(`\x1b[\]PX^_][^\a\x1b]*(?:\a|\x1b\\)`),
		control:       regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|[^\[])`),
	}
})

// hasDefault reports whether a text that ends before the cursor may be a question with a default in its field. Then
// there is no blank before the cursor, and there is text behind the mark that ends the question, or no such mark. A blank
// before the cursor shows an empty field: marks within a question are common ("Path: of the data: "), and defaults that
// end with a blank are rare.
func hasDefault(text string, spaced bool) bool {
	text = inField().bracketed.ReplaceAllString(inField().decoration.ReplaceAllString(text, ""), "")
	mark := inField().marks.FindStringIndex(text + " ")
	switch {
	case spaced:
		return false
	case mark == nil:
		return true
	}
	return strings.IndexFunc(text[mark[1]-1:], wordCharacter) >= 0 || strings.ContainsAny(text[mark[1]-1:], "$#%/.")
}

// rest decides, by the line of the cursor, whether a question still stands. The field of the question does not show
// only the answer.
func (s Shot) rest(after Shot, answer string) Field {
	before, now := s.line(s.cursorRow()), after.line(after.cursorRow())
	if before.drawn && s.above(before) != after.above(before) || s.focus() != after.focus() { // another question stands in the same place
		return Left
	}
	answer = strings.TrimRight(answer, blanks)
	printed := now.beforeCursor()
	ahead, shown := strings.CutSuffix(printed, answer)
	if shown = shown && answer != ""; shown && ahead != before.beforeCursor() {
		shown = !endsInWord(ahead) // "n" at the end of "Your reason" is not an answer
	}
	if now.first != before.first { // the same question may be drawn in another row, or have a word below it
		if shown || !now.visible && added(before.text, after.line(before.first).text, answer) {
			return Stands
		}
		return Left
	}
	head := before.beforeCursor()
	if !before.visible { // the field may have held something
		head = common(head, now.text)
	}
	more, ok := strings.CutPrefix(printed, head)
	if !ok || head == "" && before.text != "" { // the same question may be drawn with another sign, such as a counter
		if shown && strings.ContainsAny(before.text, ":?>") {
			return Stands
		}
		return Left
	}
	if asksBehind(strings.TrimLeft(more, blanks), answer) {
		return Left
	}
	return Stands
}

// above returns the question above a line that is only a field, or "".
func (s Shot) above(l fieldLine) string {
	if text := l.beforeCursor(); text != "" && fieldMark(text+" ") == "" {
		return ""
	}
	if text := undrawn(s.text(l.first - 1)); text != "" {
		return text
	}
	return undrawn(s.text(l.first - 2))
}

// endsInWord reports whether the last character of a text belongs to a word.
func endsInWord(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && wordCharacter(last)
}

// added reports whether a line is the line before with a text behind it.
func added(before, now, text string) bool {
	head, ok := strings.CutSuffix(now, text)
	return ok && strings.TrimRight(head, blanks) == before
}

// letters returns the letters and digits of a text.
func letters(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, text)
}

// common returns the common beginning of two texts, up to its last blank. If that is all of a, it returns a.
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
