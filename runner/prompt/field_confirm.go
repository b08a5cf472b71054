package prompt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// taken returns the answers that a field with this text may show. That is the answer itself. For yes or no it is also its
// first letter, if the program takes only one (requestty). In the question of a library it is also the word for the letter
// (questionary). Any other program may have printed that word, and wait for another key.
func (a TypedAnswer) taken(line string) []TypedAnswer {
	all := []TypedAnswer{a}
	if a.Kind != Confirm {
		return all
	}
	_, n := utf8.DecodeRuneInString(a.Text)
	all = append(all, TypedAnswer{Text: a.Text[:n], Kind: a.Kind})
	if word := lastWord(line); libraryQuestion.begins(line) && yesOrNo.find(word) && sameInitial(word, a.Text) {
		all = append(all, TypedAnswer{Text: word, Kind: a.Kind})
	}
	return all
}

// showsChoice reports whether a question for yes or no shows the answer as what Enter takes (dialoguer): by a capital letter,
// as in [Y/n], or by a word behind the brackets. The program must have drawn the line again, and nothing else. If the line looks
// as before, the program must hide the cursor: one that shows it may have asked the same question again.
func (a TypedAnswer) showsChoice(question, after Shot) bool {
	before, now := question.line(question.cursorRow()), after.line(after.cursorRow())
	switch {
	case a.Kind != Confirm || a.Text == "" || !question.onlyChanged(after, before, now) || !strings.EqualFold(before.text, now.text) || before.cursor != now.cursor:
		return false
	case !slices.EqualFunc(a.printed(), words(now.text), strings.EqualFold):
		return false
	case before.text == now.text && (question.Picture.Cursor.Visible || after.Picture.Cursor.Visible):
		return false
	}
	choices := inField().choices.FindAllStringSubmatchIndex(now.text, -1)
	if len(choices) == 0 {
		return false
	}
	c := choices[len(choices)-1]
	yes, no, behind := now.text[c[2]:c[3]], now.text[c[4]:c[5]], strings.Trim(now.text[c[1]:], " :>›❯»")
	if behind != "" {
		return yesOrNo.find(behind) && sameInitial(behind, a.Text)
	}
	return capital(yes) != capital(no) && (capital(yes) && sameInitial(yes, a.Text) || capital(no) && sameInitial(no, a.Text))
}

// lastWord returns what stands behind the last blank of a line.
func lastWord(line string) string { return line[strings.LastIndex(line, " ")+1:] }

// sameInitial reports whether two words begin with the same letter, in either case.
func sameInitial(a, b string) bool {
	x, _ := utf8.DecodeRuneInString(a)
	y, _ := utf8.DecodeRuneInString(b)
	return unicode.ToLower(x) == unicode.ToLower(y)
}

// capital reports whether a word begins with a capital letter.
func capital(word string) bool {
	c, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(c)
}
