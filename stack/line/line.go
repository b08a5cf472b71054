// Package line splits command lines into commands and words.
package line

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// shellCharacters are blanks and the characters with a meaning in a POSIX shell.
const shellCharacters = " \t\r\n|&;<>()$`\\\"'*?[]#~!{}"

// Argv returns the command to execute for the arguments of a user. One argument with blanks or shell
// characters is a line for a shell (shell -c line). Everything else is executed directly. The shell
// is bash if there is one, otherwise sh. If the user names a shell, one argument is always a line. A
// single argument that is the path of a file, seen from the folder dir, is executed directly.
func Argv(args []string, shell, dir string) ([]string, error) {
	switch {
	case len(args) == 0:
		return nil, errors.New("no command")
	case shell != "" && len(args) != 1:
		return nil, errors.New("a shell takes the command as one argument: quote it")
	case shell == "" && (len(args) > 1 || !strings.ContainsAny(args[0], shellCharacters) || isFile(args[0], dir)):
		return args, nil
	case shell == "":
		shell = defaultShell()
	}
	return []string{shell, "-c", args[0]}, nil
}

func isFile(path, dir string) bool {
	if !strings.ContainsRune(path, os.PathSeparator) {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func defaultShell() string {
	if _, err := exec.LookPath("bash"); err == nil {
		return "bash"
	}
	return "sh"
}

// Quote writes words so that a shell reads them as they are.
func Quote(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("'" + strings.ReplaceAll(word, "'", `'\''`) + "'")
	}
	return b.String()
}
