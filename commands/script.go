package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/wire"
	"devtools/stack"
)

// maxScript is the maximum size of code from standard input, in bytes.
const maxScript = 64 << 20

// versionTime is the time limit for an interpreter to print its version.
const versionTime = 5 * time.Second

// commandOrScript is the ArgValidator of run.
func commandOrScript(ctx context.Context, cmd *cli.Command) error {
	switch {
	case cmd.IsSet("resume") && cmd.Args().Len() > 0:
		return usagef("run: --resume waits for a running command, and takes no other command: %s", cmd.Args().First())
	case cmd.IsSet("stack"):
		return commandOrStack(ctx, cmd)
	case cmd.IsSet("resume"), cmd.IsSet("lang"): // without a file, the code comes from standard input
		return nil
	}
	return arguments(1, 1<<20, "a command")(ctx, cmd)
}

// scriptCommand returns the command that runs code of the language --lang, and the variables for its environment. The
// code is in the file args[0] or comes from standard input. Code from standard input is saved in the state folder,
// because the command may outlive this process.
func scriptCommand(cmd *cli.Command, s *wire.Spec, args []string) (command, env []string, err error) {
	lang := cmd.String("lang")
	if err := checkChoice("lang", lang, stack.Languages()); err != nil {
		return nil, nil, err
	}
	if cmd.String("shell") != "" {
		return nil, nil, usagef("run: --lang cannot be used with --shell: it runs a script, not a command line")
	}
	interp, err := stack.Interpreter(lang, s.Cwd, machine(s))
	if err != nil {
		return nil, nil, fmt.Errorf("run --lang %s: %w: %w", lang, proc.ErrNotFound, err)
	}
	path := "-"
	if len(args) > 0 {
		path, args = args[0], args[1:]
	}
	if path == "-" {
		path, err = keepScript(cmd, s, interp.Ext)
	} else {
		path, err = scriptFile(path, s.Cwd)
	}
	return slices.Concat(interp.Argv, []string{path}, args), interp.Env, err
}

// machine returns what the choice of an interpreter depends on, in the environment of the session.
func machine(s *wire.Spec) stack.Machine {
	return stack.Machine{
		Look: func(program string) (string, bool) {
			path, err := proc.Lookup(program, s.Cwd, s.Env)
			return path, err == nil
		},
		Getenv: func(name string) string {
			for _, pair := range slices.Backward(s.Env) {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value
				}
			}
			return ""
		},
		Version: func(path string) string {
			ctx, cancel := context.WithTimeout(context.Background(), versionTime)
			defer cancel()
			ask := exec.CommandContext(ctx, path, "--version")
			ask.Env = s.Env
			out, _ := ask.Output() // without an answer the version is unknown
			return string(out)
		},
	}
}

// scriptFile returns the path of an existing script, in the form for the interpreter.
func scriptFile(path, cwd string) (string, error) {
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(cwd, path)
	}
	info, err := os.Stat(full)
	switch {
	case isMissing(err):
		return "", &scriptError{path}
	case err != nil:
		return "", &startError{err}
	case info.IsDir():
		return "", &startError{fmt.Errorf("script %s: is a directory", path)}
	}
	return full, nil
}

// A scriptError reports a script that does not exist.
type scriptError struct{ path string }

func (e *scriptError) Error() string { return "script " + e.path + ": no such file" }
func (e *scriptError) Unwrap() error { return proc.ErrNotFound }

// keepScript saves the code from standard input in a file of the state folder.
func keepScript(cmd *cli.Command, s *wire.Spec, ext string) (string, error) {
	if s.Stdin {
		return "", usagef("run: --stdin passes standard input to the command, so --lang cannot read the code from it: name a file")
	}
	if s.NoRecord {
		return "", usagef("run: --lang saves code from standard input in the state folder, and the session is not recorded: name a file")
	}
	stdin := cmd.Root().Reader
	if f, ok := stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return "", usagef("run: --lang %s: the code is missing: name a file, or write the code to standard input", cmd.String("lang"))
	}
	code, err := io.ReadAll(io.LimitReader(stdin, maxScript+1))
	switch {
	case err != nil:
		return "", &startError{fmt.Errorf("the code: %w", err)}
	case len(code) > maxScript:
		return "", usagef("run: --lang: the code has more than %d bytes", maxScript)
	case len(code) == 0:
		return "", &startError{errors.New("standard input has no code")}
	case masked(string(code)) != string(code):
		return "", usagef("run: --lang saves code from standard input in the state folder, and it has the value of a secret in it: use its variable")
	}
	dir, err := ledger.Create(s.Dir)
	if err != nil {
		return "", &startError{err}
	}
	path, err := dir.SaveScript(code, ext)
	if err != nil {
		return "", &startError{fmt.Errorf("keep the code: %w", err)}
	}
	return path, nil
}
