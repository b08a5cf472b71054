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
// does something else than talk to a person. The shell may be started with env(1).
func ShellOf(command []string) (kind string, login, bare bool) {
	kind, options, odd := shellOptions(command)
	if odd != "" {
		return "", false, false
	}
	login = slices.Contains(options, "-l") || slices.Contains(options, "--login")
	skips := []string{"-f", "--no-rcs", "-N", "--no-config", "--norc"}
	if kind == ShellBash && login {
		skips = []string{"--noprofile"} // it reads no .bashrc anyway
	}
	return kind, login, slices.ContainsFunc(options, func(option string) bool { return slices.Contains(skips, option) })
}

// OddArgument returns the argument because of which a shell is not one that ShellOf knows, or "".
func OddArgument(command []string) string {
	_, _, odd := shellOptions(command)
	return odd
}

// shellOptions returns the kind of shell that the command starts, or "", and its options, of which single letters are apart.
// It also returns the first argument that makes the shell do something else than talk to a person, or do so in another way.
func shellOptions(command []string) (kind string, options []string, odd string) {
	at := ShellIndex(command)
	if at < 0 {
		return "", nil, ""
	}
	kind = ShellKinds[filepath.Base(command[at])]
	known := []string{"-i", "-l", "--login"}
	switch kind {
	case ShellBash:
		known = append(known, "--norc", "--noprofile")
	case ShellZsh:
		known = append(known, "-f", "--no-rcs", "-d", "--no-global-rcs")
	case ShellFish:
		known = append(known, "-N", "--no-config", "--interactive")
	}
	for _, arg := range command[at+1:] {
		given := []string{arg}
		if strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") {
			given = given[:0]
			for _, letter := range arg[1:] {
				given = append(given, "-"+string(letter))
			}
		}
		if len(given) == 0 || slices.ContainsFunc(given, func(option string) bool { return !slices.Contains(known, option) }) {
			return kind, nil, arg
		}
		options = append(options, given...)
	}
	return kind, options, ""
}

// ShellIndex returns which word of the command is the name of a shell, or -1. It is the first one, or the one that env(1)
// executes.
func ShellIndex(command []string) int {
	at := 0
	if filepath.Base(command[0]) == "env" {
		for at++; at < len(command) && (command[at] == "-i" || command[at] == "-" || strings.Contains(command[at], "=") && command[at][0] != '-'); at++ {
		}
	}
	if at == len(command) || ShellKinds[filepath.Base(command[at])] == "" {
		return -1
	}
	return at
}

// plainCharacters are the characters without a special meaning in any shell.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%"
