package wire

import (
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of shells that can be integrated.
const (
	ShellBash  = "bash"
	ShellZsh   = "zsh"
	ShellFish  = "fish"
	ShellPOSIX = "sh" // what reads ENV: sh, dash, busybox' ash, ksh
)

// ShellKinds tells the kind of a shell by the name of its program.
var ShellKinds = map[string]string{
	"bash": ShellBash, "zsh": ShellZsh, "fish": ShellFish,
	"sh": ShellPOSIX, "dash": ShellPOSIX, "ash": ShellPOSIX, "ksh": ShellPOSIX, "mksh": ShellPOSIX,
}

func QuoteFor(kind, text string) string {
	if kind == ShellFish {
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
	kind, _, _ := ShellOf(command)
	words := slices.Clone(args)
	for i, word := range words {
		if word == "" || strings.Trim(word, plainCharacters) != "" {
			words[i] = QuoteFor(kind, word)
		}
	}
	return strings.Join(words, " ")
}

// ShellOf returns the kind of shell that the command is, "" when it is none, or one that is to do
// something else than to talk to a person; and whether it is a login shell, and one without the user's own files.
func ShellOf(command []string) (kind string, login, bare bool) {
	kind = ShellKinds[filepath.Base(command[0])]
	for _, arg := range command[1:] {
		switch {
		case arg == "-i":
		case arg == "-l", arg == "--login":
			login = true
		case kind == ShellBash && (arg == "--norc" || arg == "--noprofile"), kind == ShellFish && (arg == "--no-config" || arg == "-N"):
			bare = true
		default:
			return "", false, false
		}
	}
	return kind, login, bare
}

// plainCharacters mean nothing to any shell.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%"
