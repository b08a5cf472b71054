package stack

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// bounded returns the form of a command that ends by itself.
func (x *fitting) bounded(how []string) (text string, variable bool) {
	start, in := x.start, x.in
	words := slices.Clone(x.args)
	insert := start + 1
	if x.words > 0 {
		insert += in.operands[x.words-1] + 1
	}
	for i := 0; i < len(how); i++ {
		switch how[i] {
		case "drop":
			for _, flag := range slices.Backward(x.flags) {
				words = slices.Delete(words, start+1+flag, start+2+flag)
			}
		case "put":
			words = slices.Insert(words, min(insert, len(words)), asWords(how[i+1:])...)
			i = len(how)
		case "add":
			words = append(words, asWords(how[i+1:])...)
			i = len(how)
		case "env":
			return how[i+1] + " " + x.at.text, true
		case "inner":
			if len(in.operands) == 0 {
				return "", false
			}
			words = words[start+1+in.operands[0]:]
		}
	}
	return render(x.at.env, words), false
}

func asWords(texts []string) []line.Word {
	var words []line.Word
	for _, text := range texts {
		words = append(words, line.Word{Text: text, Open: true}) // it is not to be quoted
	}
	return words
}

// render writes words as a line for a shell.
func render(env []string, words []line.Word) string {
	var all []string
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		all = append(all, name+"="+quote(value))
	}
	for _, word := range words {
		if word.Open {
			all = append(all, word.Text)
		} else {
			all = append(all, quote(word.Text))
		}
	}
	return strings.Join(all, " ")
}

// quote quotes a word for a shell.
func quote(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,~^", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
