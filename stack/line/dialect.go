package line

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A dialect is the language of a shell that reads words in another way than bash. Lines of all shells are parsed as those of bash; those of fish are rewritten first.
type dialect uint8

const (
	dialectBash dialect = iota // and what is like it: sh, dash, ksh
	dialectFish                // fish-language(1)
	dialectZsh                 // zshexpn(1)
)

// dialectOf returns the dialect of a shell by its base name.
func dialectOf(shell string) dialect {
	switch shell {
	case "fish":
		return dialectFish
	case "zsh":
		return dialectZsh
	}
	return dialectBash
}

// dialectOfScript returns the dialect that the first line of a script names.
func dialectOfScript(text string) dialect {
	first, _, _ := strings.Cut(text, "\n")
	if words := strings.FieldsFunc(first, func(r rune) bool { return strings.ContainsRune(" \t\r/", r) }); strings.HasPrefix(first, "#!") {
		for _, word := range words {
			if d := dialectOf(word); d != dialectBash {
				return d
			}
		}
	}
	return dialectBash
}

// leads reports whether a word stands before a command and says whether or how often it is executed, and how many words are between
// it and the command. To the parser, which knows only the words of bash, it is a program. In a shell that does not know the word, the
// line may have a function, an alias or a program of such a name. See fish-language(1), "Reserved Words" and "Precommand Modifiers" in
// zshmisc(1), and repeat in csh(1).
func leads(word string) (between int, ok bool) {
	switch word {
	case "not", "and", "or", "begin", "!", "{", "time", "-", "noglob", "nocorrect":
		return 0, true
	case "repeat":
		return 1, true
	}
	return 0, false
}

// executed takes from a command the words that lead it, and the = by which zsh finds a program. NAME=VALUE behind these words are its
// variables.
func (c *Command) executed() {
	words, led := c.Words, false
	for len(words) > 1 {
		n, leading := leads(words[0])
		if n++; leading && n < len(words) && (words[0] != "time" || !strings.HasPrefix(words[1], "-")) {
			words, led = words[n:], true
			continue
		}
		if name, _, ok := strings.Cut(words[0], "="); !led || !ok || !isName(name) {
			break
		}
		c.Env = append(slices.Clip(c.Env), words[0])
		words = words[1:]
	}
	if name, ok := strings.CutPrefix(words[0], "="); ok && name != "" {
		words = append([]string{name}, words[1:]...)
	}
	c.Words = words
}

// errQualifiers reports code in the qualifiers of a pattern of zsh.
var errQualifiers = errors.New("a pattern executes code")

// executes reports whether the qualifiers of a pattern execute code for each file: e:CODE: and +COMMAND. See "Glob Qualifiers" in
// zshexpn(1).
func executes(qualifiers string) bool {
	for i := 0; i+1 < len(qualifiers); i++ {
		next := qualifiers[i+1 : i+2]
		if qualifiers[i] == '+' || qualifiers[i] == 'e' && strings.Trim(next, "|.*?-") != "" && !isName("_"+next) {
			return true
		}
	}
	return false
}

// indexed reports whether a part of a word selects from the variable or the command before it, in a way that bash has not: $X[2], and
// $X:l of zsh.
func (s *shell) indexed(part syntax.WordPart) bool {
	lit, ok := part.(*syntax.Lit)
	if !ok || s.dialect == dialectBash {
		return false
	}
	modifier := s.dialect == dialectZsh && len(lit.Value) > 1 && lit.Value[0] == ':' && isName(lit.Value[1:2])
	return strings.HasPrefix(lit.Value, "[") || modifier
}
