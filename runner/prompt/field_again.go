package prompt

import "strings"

// drawnAgain reports whether the program has drawn its question again below the old one, with the answer in the field, and has
// printed nothing else. The field must have been empty before. Some libraries do so because they do not move the cursor back to
// the first row of a question of two rows (prompt-sync, pterm).
func (a TypedAnswer) drawnAgain(question, after Shot) bool {
	before, now := question.line(question.cursorRow()), after.line(after.cursorRow())
	head, ok := strings.CutSuffix(now.text, strings.TrimRight(a.Text, blanks))
	start := len(strings.TrimRight(head, blanks)) - len(before.beforeCursor())
	if a.Kind != Line && a.Kind != Confirm || !ok || now.last == before.last || now.beforeCursor() != now.text || start < 0 || !before.fieldBehind(head[start:], false) {
		return false
	}
	asked, answer := withoutBlanks(a.Question), withoutBlanks(a.Text)
	if asked == "" || answer == "" {
		return false
	}
	drawn := strings.Split(withoutBlanks(inField().control.ReplaceAllString(a.Output, "")), asked)
	for _, shown := range drawn {
		if !strings.HasPrefix(answer, shown) {
			return false
		}
	}
	return len(drawn) > 1 && drawn[len(drawn)-1] == answer
}

// withoutBlanks returns a text without blanks, line ends and other control characters.
func withoutBlanks(text string) string {
	return strings.Map(func(c rune) rune {
		if c <= ' ' || c == '\u00a0' {
			return -1
		}
		return c
	}, text)
}
