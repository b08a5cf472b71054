package wire

import (
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of shells that devtools can integrate.
const (
	ShellBash  = "bash"
	ShellZsh   = "zsh"
	ShellFish  = "fish"
	ShellPOSIX = "sh" // shells that read ENV: sh, dash, busybox' ash, ksh
)

// ShellKinds maps the name of a shell program to its kind.
var ShellKinds = map[string]string{
	"bash": ShellBash, "zsh": ShellZsh, "fish": ShellFish,
	"sh": ShellPOSIX, "dash": ShellPOSIX, "ash": ShellPOSIX, "ksh": ShellPOSIX, "mksh": ShellPOSIX,
}

// QuoteFor quotes text as one word for a shell of the kind.
func QuoteFor(kind, text string) string {
	if kind == ShellFish {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// ShellLine returns the arguments as one command line for the shell that command starts. The shell passes
// each argument on unchanged. ShellLine does not quote words without special characters, so that an alias
// stays an alias. A single argument is a command line already.
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

// ShellOf returns the kind of shell that the command starts, whether it is a login shell, and whether it skips
// the user's own files (bare). The kind is "" when the command is no shell. It is also "" when the command
// does something else than talk to a person.
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

// plainCharacters are the characters without a special meaning in any shell.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%"
