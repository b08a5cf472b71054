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
	if question.cursorRow() != after.cursorRow() || !question.same(after, fieldLine{last: -1}, 0) {
		return false
	}
	return a.redrawn(question) || a.moved(question, after)
}

// moved reports whether the program has moved the cursor as if it showed the secret, and has printed nothing but its question
// (prompt-sync).
func (a TypedAnswer) moved(question, after Shot) bool {
	n := utf8.RuneCountInString(a.Text)
	asked, printed := words(question.line(question.cursorRow()).text), a.printed()
	if n < 2 || len(asked) == 0 || after.place().col-question.place().col != n {
		return false
	}
	return slices.Equal(printed, slices.Repeat(asked, len(printed)/len(asked)))
}

// printed returns the words that the program has printed since the answer was typed.
func (a TypedAnswer) printed() []string {
	return words(inField().control.ReplaceAllString(a.Output, " "))
}

// redrawn reports whether the program has since printed nothing, or only its question once for each character. The text
// below the question may be part of that. If so, the program has neither said that a secret was wrong nor asked for it
// again.
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
