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
	first, n := utf8.DecodeRuneInString(a.Text)
	for _, shown := range []string{a.Text[:n], text[strings.LastIndex(text, " ")+1:]} {
		if c, _ := utf8.DecodeRuneInString(shown); shown != a.Text && alike(c, first) && (len(shown) == n || yesOrNo.find(shown)) {
			all = append(all, TypedAnswer{Text: shown, Kind: a.Kind})
		}
	}
	return all
}

// marked reports whether a question for yes or no marks the answer by a capital letter, as in [Y/n], and whether nothing
// else has become of its line. Enter takes what is marked (dialoguer).
func (a TypedAnswer) marked(before, now fieldLine) bool {
	choices := inField().choices.FindAllStringSubmatch(now.text, -1)
	if a.Kind != Confirm || a.Text == "" || len(choices) == 0 || !strings.EqualFold(before.text, now.text) || before.cursor != now.cursor {
		return false
	}
	last := choices[len(choices)-1]
	yes, _ := utf8.DecodeRuneInString(last[1])
	no, _ := utf8.DecodeRuneInString(last[2])
	typed, _ := utf8.DecodeRuneInString(a.Text)
	return unicode.IsUpper(yes) != unicode.IsUpper(no) && (unicode.IsUpper(yes) && alike(yes, typed) || unicode.IsUpper(no) && alike(no, typed))
}

// alike reports whether two letters differ at most in their case.
func alike(a, b rune) bool { return unicode.ToLower(a) == unicode.ToLower(b) }
