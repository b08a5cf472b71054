package runner

import (
	"slices"
	"strings"
)

// The kinds of shells that can be integrated.
const (
	shellBash  = "bash"
	shellZsh   = "zsh"
	shellFish  = "fish"
	shellPOSIX = "sh" // what reads ENV: sh, dash, busybox' ash, ksh
)

// shellKinds tells the kind of a shell by the name of its program.
var shellKinds = map[string]string{
	"bash": shellBash, "zsh": shellZsh, "fish": shellFish,
	"sh": shellPOSIX, "dash": shellPOSIX, "ash": shellPOSIX, "ksh": shellPOSIX, "mksh": shellPOSIX,
}

func quoteFor(kind, text string) string {
	if kind == shellFish {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// ShellLine returns the arguments as a command line of the shell that command starts, which gives each of
// them on as it is. Words without a character that means something are left alone, so that an alias
// stays one. One argument is a line already.
func ShellLine(command, args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	kind, _, _ := shellOf(command)
	words := slices.Clone(args)
	for i, word := range words {
		if word == "" || strings.Trim(word, plainCharacters) != "" {
			words[i] = quoteFor(kind, word)
		}
	}
	return strings.Join(words, " ")
}
