package prompt

import (
	"strings"
	"unicode/utf8"
)

// maxErased is how many characters at most are erased. Each takes some milliseconds.
const maxErased = 200

// ToErase returns how many characters a client must erase because the field shows the answer behind another text, such as
// a default that can be edited. The question still stands. Nothing says where the field begins, so this is all of the line:
// at the beginning of its field, the program ignores the rest. ToErase returns 0 if the field may show anything else.
func ToErase(question, after Shot, answer TypedAnswer) int {
	before, now := question.line(question.cursorRow()), after.line(after.cursorRow())
	switch {
	case answer.Kind != Line || answer.Text == "" || answer.disturbed() || !question.onlyChanged(after, before, now):
		return 0
	case now.text != before.text+answer.Text || now.beforeCursor() != now.text || before.beforeCursor() != before.text:
		return 0
	}
	if n := utf8.RuneCountInString(now.text); n <= maxErased {
		return n
	}
	return 0
}

// Erasing reports whether the line of the question shows only what it showed with the answer behind it, or the beginning of
// that. Otherwise the next key would erase something else. A default may come back in brackets once the field is empty
// (inquirer).
func Erasing(question, now Shot, answer string) bool {
	before, line := question.line(question.cursorRow()), now.line(now.cursorRow())
	if question.modes() != now.modes() || !question.onlyChanged(now, before, line) {
		return false
	}
	all, shown := withoutSign(before.text)+answer, withoutSign(line.beforeCursor())
	return strings.HasPrefix(all, shown) || strings.HasPrefix(all, strings.TrimRight(inField().lastBracketed.ReplaceAllString(shown, ""), blanks))
}

// AfterErasing compares the picture of a question with the picture after a client has erased what ToErase said. empty says
// that nothing is left before the cursor in the field. A placeholder may have come back behind the cursor.
func AfterErasing(question, after Shot) (f Field, empty bool) {
	if question.modes() != after.modes() {
		return Left, false
	}
	if Erasing(question, after, "") {
		return Stands, true
	}
	return question.rest(after, ""), false
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
