package prompt

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// MentionsSecret reports whether a text mentions a secret. A program that asks for one may show nothing of the answer.
func MentionsSecret(text string) bool { return secretWord.find(text) }

// takenUnseen reports whether a program has taken a secret of which it shows nothing, and waits for its Enter.
func (a TypedAnswer) takenUnseen(question, after Shot) bool {
	now := after.line(after.cursorRow())
	return question.cursorRow() == after.cursorRow() && question.same(after, now, now.columns[len(now.text)]) && a.redrawn(question)
}

// printed returns the words that the program has printed since the answer was typed.
func (a TypedAnswer) printed() []string {
	return words(inField().control.ReplaceAllString(a.Output, " "))
}

// redrawn reports whether the program has since printed nothing, or only its question: once for each character, or at least
// twice (prompt-sync draws it for every third character, bubbletea for its caret). The text below the question may be part of
// that. If so, the program has neither said that a secret was wrong nor asked for it again.
func (a TypedAnswer) redrawn(question Shot) bool {
	printed := a.printed()
	if len(printed) == 0 {
		return true
	}
	line := question.line(question.cursorRow())
	asked := words(line.text)
	n := utf8.RuneCountInString(a.Text)
	if slices.Equal(printed, slices.Repeat(asked, n)) {
		return true
	}
	if n == 1 {
		return false // the program may have refused the character, and asked for all of it again
	}
	if times := len(printed) / max(len(asked), 1); times > 1 && slices.Equal(printed, slices.Repeat(asked, times)) {
		return true
	}
	for row := line.last + 1; row < question.First+len(question.Picture.Lines); row++ {
		asked = append(asked, words(question.text(row))...)
		if slices.Equal(printed, slices.Repeat(asked, n)) {
			return true
		}
	}
	return false
}

// words returns the words of a text.
func words(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return !wordCharacter(c) })
}

// masks are the characters that are shown in place of others.
const masks = "*•●∙✱■▪"

// masked returns the text before the last n characters, if these are all the same mask character.
func masked(text string, n int) (head string, ok bool) {
	mark, _ := utf8.DecodeLastRuneInString(text)
	if mark == utf8.RuneError || !strings.ContainsRune(masks, mark) {
		return "", false
	}
	return strings.CutSuffix(text, strings.Repeat(string(mark), n))
}
