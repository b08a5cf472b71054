package prompt

import (
	"strings"
	"unicode/utf8"
)

// ToErase returns how many characters a client must erase because the field shows the answer behind another text, such as
// a default that can be edited. The question still stands. If the program does not say where its field begins, the number
// is too large, and the program ignores the rest. ToErase returns 0 if the field may show anything else.
func ToErase(question, after Shot, answer TypedAnswer) int {
	before, now := question.line(question.cursorRow()), after.line(after.cursorRow())
	switch {
	case answer.Kind != Line || answer.Text == "" || answer.disturbed() || !question.onlyChanged(after, before, now):
		return 0
	case now.text != before.text+answer.Text || now.beforeCursor() != now.text || before.beforeCursor() != before.text:
		return 0
	}
	field := inField().decoration.ReplaceAllString(before.text, "")
	for _, mark := range inField().marks.FindAllStringIndex(field, -1) {
		if rest := field[mark[1]:]; strings.TrimSpace(rest) != "" {
			field = rest
			break
		}
	}
	return utf8.RuneCountInString(field + answer.Text)
}

// Erased reports whether nothing is left before the cursor in the field of a question, which still stands, after a client
// has erased what ToErase said. A placeholder may have come back behind the cursor.
func Erased(question, after Shot) bool {
	before, now := question.line(question.cursorRow()), after.line(after.cursorRow())
	return question.modes() == after.modes() && question.onlyChanged(after, before, now) &&
		strings.HasPrefix(withoutSign(before.text), withoutSign(now.beforeCursor()))
}

// onlyChanged reports whether nothing but the line of the question differs in two pictures.
func (s Shot) onlyChanged(after Shot, before, now fieldLine) bool {
	if before.first != now.first || !before.cursorIn || !now.cursorIn || before.visible != now.visible || before.drawn != now.drawn {
		return false
	}
	last := max(before.last, now.last)
	for _, row := range s.changed(after) {
		if row < now.first || row > last {
			return false
		}
	}
	return s.same(after, fieldLine{first: now.first, last: last}, 0)
}
