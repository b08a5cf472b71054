package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// taken returns the answers that a field with this text may show. That is the answer itself. For yes or no it is also its
// first letter, if the program takes only one (requestty), and the word that the program shows for it (questionary).
func (a TypedAnswer) taken(text string) []TypedAnswer {
	all := []TypedAnswer{a}
	if a.Kind != Confirm {
		return all
	}
	_, n := utf8.DecodeRuneInString(a.Text)
	all = append(all, TypedAnswer{Text: a.Text[:n], Kind: a.Kind})
	if word := text[strings.LastIndex(text, " ")+1:]; yesOrNo.find(word) && sameInitial(word, a.Text) {
		all = append(all, TypedAnswer{Text: word, Kind: a.Kind})
	}
	return all
}

// marked reports whether a question for yes or no shows the answer as what Enter takes, and whether nothing else has become
// of its line: by a capital letter, as in [Y/n], or by the word at its end (dialoguer).
func (a TypedAnswer) marked(before, now fieldLine) bool {
	if a.Kind != Confirm || a.Text == "" || !strings.EqualFold(before.text, now.text) || before.cursor != now.cursor {
		return false
	}
	if word := now.text[strings.LastIndex(now.text, " ")+1:]; yesOrNo.find(word) {
		return sameInitial(word, a.Text)
	}
	choices := inField().choices.FindAllStringSubmatch(now.text, -1)
	if len(choices) == 0 {
		return false
	}
	yes, no := choices[len(choices)-1][1], choices[len(choices)-1][2]
	return initialUpper(yes) != initialUpper(no) && (initialUpper(yes) && sameInitial(yes, a.Text) || initialUpper(no) && sameInitial(no, a.Text))
}

// sameInitial reports whether two words begin with the same letter, in either case.
func sameInitial(a, b string) bool {
	x, _ := utf8.DecodeRuneInString(a)
	y, _ := utf8.DecodeRuneInString(b)
	return unicode.ToLower(x) == unicode.ToLower(y)
}

// initialUpper reports whether a word begins with a capital letter.
func initialUpper(word string) bool {
	c, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(c)
}
