package completions

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A BashLine is the line of bash up to the cursor. Bash itself divides it into words also at colons and equals signs, and leaves
// the quotes there.
type BashLine struct {
	Words     []string // without their quotes; the last one is at the cursor, and may be ""
	starts    []int    // where each word starts, in characters
	replaced  int      // where in the last word the text starts that readline replaces, in bytes
	quote     rune     // the quote that is open at the cursor, or 0
	redirects bool     // the last word is the file of a redirection
}

// ParseBash parses a line. breaks is COMP_WORDBREAKS: readline replaces what follows the last of these characters.
func ParseBash(line, breaks string) BashLine {
	l := BashLine{}
	var word strings.Builder
	within, escaped, at := false, false, -1
	begin := func() {
		if !within {
			within, l.replaced = true, 0
			l.starts = append(l.starts, at)
		}
	}
	for _, r := range line {
		at++
		switch {
		case escaped:
			escaped = false
			word.WriteRune(r)
		case r == l.quote:
			l.quote = 0
		case r == '\\' && l.quote != '\'':
			begin()
			escaped = true
		case l.quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			begin()
			l.quote, l.replaced = r, word.Len()
		case unicode.IsSpace(r):
			if within {
				l.Words, within = append(l.Words, word.String()), false
				l.redirects = l.redirects && word.Len() == 0
				word.Reset()
			}
		case r == '<' || r == '>':
			l.redirects = true
		default:
			begin()
			word.WriteRune(r)
			if strings.ContainsRune(breaks, r) {
				l.replaced = word.Len()
			}
		}
	}
	if begin(); at < 0 || unicode.IsSpace(lastRune(line)) {
		l.starts[len(l.starts)-1] = at + 1
	}
	l.Words = append(l.Words, word.String())
	return l
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// Reply returns an answer as the script of bash reads it: what readline puts in place of the text that it replaces, each on a
// line. A line that begins with a tab says what is left to bash. With columns, the words are only listed, on a screen so wide:
// then the explanations stand beside them.
func (l BashLine) Reply(a Answer, columns int) string {
	current := l.Words[len(l.Words)-1]
	if l.redirects {
		a = Answer{Left: Files}
	}
	var found []Word
	width := 0
	for _, w := range a.Words {
		if w.complete() && strings.HasPrefix(w.Text, current) && len(w.Text) >= l.replaced {
			found = append(found, Word{w.Text[l.replaced:], w.about()})
			width = max(width, utf8.RuneCountInString(w.Text[l.replaced:]))
		}
	}
	var b strings.Builder
	for _, w := range found {
		if columns > 0 && len(found) > 1 && w.About != "" { // a single word is typed
			b.WriteString(Cut(fmt.Sprintf("%-*s  (%s)", width, w.Text, w.About), columns-2) + "\n")
		} else {
			b.WriteString(l.quoted(w.Text) + "\n")
		}
	}
	switch {
	case a.Left == Command:
		fmt.Fprintf(&b, "\t%s %d\n", Command, l.starts[min(a.At, len(l.starts)-1)])
	case a.Left != "":
		fmt.Fprintf(&b, "\t%s\n", a.Left)
	case len(found) == 1 && found[0].open():
		b.WriteString("\topen\n")
	}
	return b.String()
}

// Cut shortens a text to a number of characters.
func Cut(text string, most int) string {
	if runes := []rune(text); len(runes) > max(most, 1) {
		return string(runes[:max(most, 1)-1]) + "…"
	}
	return text
}

// quoted returns a text as it must be typed at the cursor.
func (l BashLine) quoted(text string) string {
	special := func(r rune) bool {
		return r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_@%+=:,./-", r)
	}
	switch l.quote {
	case '\'':
		return strings.ReplaceAll(text, "'", `'\''`)
	case '"':
		special = func(r rune) bool { return strings.ContainsRune("\"$`\\", r) }
	}
	var b strings.Builder
	for _, r := range text {
		if special(r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
