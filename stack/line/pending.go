package line

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Waits reports whether a shell reads on behind a text: the last command has not ended.
func Waits(text string) bool {
	text = strings.TrimSuffix(text, "\n")
	_, why := missing(text + "\n")
	return why != "" || (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

// Closed returns a text with what ends its last command, if a shell reads on behind it: quotes, brackets, the end words of
// here-documents, and words such as done.
func Closed(text string) string {
	met := map[string]bool{} // errors
	for token, why := missing(text); why != "" && !met[why] && len(met) < 30; token, why = missing(text) {
		met[why] = true
		for _, end := range []string{token, "\n" + token, "\n:"} {
			if _, err := parse(text + end); err == nil || !met[err.Error()] {
				text += end
				break
			}
		}
	}
	return text
}

// missing returns what the parser misses at the end of a text, "" for a command, and its error: "" if it misses nothing, or if no end
// could make it a text of a shell.
func missing(text string) (token, why string) {
	_, err := parse(text)
	wrong, _ := errors.AsType[syntax.ParseError](err)
	if document, unclosed := strings.CutPrefix(wrong.Text, "unclosed here-document "); unclosed {
		return "\n\n" + document[1:len(document)-1], err.Error() // the last line may end with a backslash
	}
	if !syntax.IsIncomplete(err) {
		return "", ""
	}
	if token = wrong.Text[strings.LastIndexByte(wrong.Text, ' ')+1:]; len(token) > 2 && strings.Contains("`\"", token[:1]) {
		return token[1 : len(token)-1], err.Error()
	}
	return "", err.Error()
}

// Expands reports whether a shell may put earlier commands into a text, for a ! or ^ in it: bash(1), HISTORY EXPANSION.
func Expands(text string) (expands bool) {
	text = Closed(text)
	file, err := parse(text)
	if err != nil {
		return strings.ContainsAny(text, "!^")
	}
	text = "\n" + text + "\n"
	syntax.Walk(file, func(node syntax.Node) bool {
		switch x := node.(type) {
		case *syntax.Redirect:
			return x.Hdoc == nil
		case *syntax.Lit:
			for i := int(x.Pos().Offset()) + 1; i <= int(x.End().Offset()); i++ {
				before, after := text[i-1], text[i+1]
				expands = expands || text[i] == '^' && before == '\n' ||
					text[i] == '!' && !strings.ContainsRune(`\[`, rune(before)) && !strings.ContainsRune(" \t\n=(\"", rune(after))
			}
		}
		return true
	})
	return expands
}
