package proc

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainCharacters are the characters that mean themselves to a shell, inside a word.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_"

// Quote returns text as one word of a shell line (POSIX). Text with characters that cannot be seen, or that is no UTF-8, is in $'…'
// (POSIX.1-2024; not in dash or fish).
func Quote(text string) string {
	switch {
	case text != "" && text[0] != '=' && strings.Trim(text, plainCharacters) == "":
		return text
	case !utf8.ValidString(text), strings.ContainsFunc(text, isUnseen):
		return "$'" + escape(text) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func isUnseen(r rune) bool { return !unicode.IsGraphic(r) }

// escape returns text as it stands in $'…'. A code has three octal digits, as a digit may follow it.
func escape(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\'' || r == '\\':
			b.WriteString(`\` + text[:n])
		case isUnseen(r), r == utf8.RuneError && n == 1:
			for _, c := range []byte(text[:n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// Line returns the arguments of a process as a line that a shell takes apart into the same arguments.
func Line(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = Quote(arg)
		if i == 0 && words[i] == arg && strings.Contains(arg, "=") { // as in A=1, which would set a variable
			words[i] = "'" + arg + "'"
		}
	}
	return strings.Join(words, " ")
}
