package runner

import (
	"path/filepath"
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

// shellOf returns the kind of shell that the command is, "" when it is none, or one that is to do
// something else than to talk to a person; and whether it is a login shell, and one without the user's own files.
func shellOf(command []string) (kind string, login, bare bool) {
	kind = shellKinds[filepath.Base(command[0])]
	for _, arg := range command[1:] {
		switch {
		case arg == "-i":
		case arg == "-l", arg == "--login":
			login = true
		case kind == shellBash && (arg == "--norc" || arg == "--noprofile"), kind == shellFish && (arg == "--no-config" || arg == "-N"):
			bare = true
		default:
			return "", false, false
		}
	}
	return kind, login, bare
}

// plainCharacters mean nothing to any shell.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%"
