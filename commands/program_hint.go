package commands

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// builtIn returns what to do in place of a command of the shell that is no program, or "".
func builtIn(command string) string {
	instead := ""
	switch command {
	case "cd", "pushd":
		instead = "--cwd DIR runs the command in DIR; "
	case "export", "set":
		instead = "--env NAME=VALUE (-e) sets a variable; "
	case ".", "source", "alias", "bg", "declare", "eval", "exec", "fg", "jobs", "read", "shopt", "trap", "type", "ulimit", "umask", "unset", "wait":
	default:
		return ""
	}
	return command + " is a command of the shell: " + instead + "a line for the shell is one argument, in quotes"
}

// programHint adds to err, why the program of s cannot be run, what may be meant.
func programHint(s *wire.Spec, err error) error {
	if err == nil || len(s.Command) == 0 {
		return err
	}
	program := s.Command[0]
	path := program
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Cwd, path)
	}
	info, missing := os.Stat(path)
	isFile := missing == nil && info.Mode().IsRegular()
	hint, variable := "", strings.IndexByte(program, '=') > 0 && !strings.ContainsRune(program, '/')
	switch {
	case errors.Is(err, proc.ErrNotExecutable) && errors.Is(err, fs.ErrPermission) && isFile && info.Mode()&0o111 != 0:
		hint = "its file system may be mounted with noexec, it may be for others alone, or its interpreter may not be executed"
	case errors.Is(err, proc.ErrNotExecutable) && errors.Is(err, fs.ErrPermission) && isFile:
		hint = "chmod +x makes it executable: " + wire.ShellLine([]string{"sh"}, []string{"chmod", "+x", program})
	case !errors.Is(err, proc.ErrNotFound):
	case variable:
		hint = "-e " + program + " sets a variable; a line for the shell is one argument, in quotes"
	case builtIn(program) != "":
		hint = builtIn(program)
	case strings.ContainsAny(program, " \t") && len(s.Command) > 1:
		hint = "it is one word with blanks: write each word as an argument of its own, or the whole line as one argument, in quotes"
	case isFile && !strings.ContainsRune(program, '/'):
		hint = "./" + program + " is the file in " + s.Cwd + ", which is not searched"
	case isDeclared(ledger.At(s.Dir), program):
		hint = "devtools launch --all starts " + program + ", which sessions.toml declares"
	}
	if hint == "" {
		return err
	}
	return &hintedError{err, hint}
}
