package commands

import (
	"cmp"
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

// A script is code of the language --lang that is to run. Code from standard input is saved in the state folder, because the
// command may outlive this process.
type script struct {
	lang   string
	interp stack.Interp
	code   []byte   // the code from standard input; nil for that of a file
	path   string   // its file; "" for code that is not saved
	args   []string // arguments of the script
}

// readScript reads which code of the language --lang is to run: that in the file args[0], or that from standard input.
func readScript(cmd *cli.Command, s *wire.Spec, args []string) (c *script, err error) {
	c = &script{lang: cmd.String("lang")}
	if err := checkChoice("lang", c.lang, stack.Languages()); err != nil {
		return nil, err
	}
	if cmd.String("shell") != "" {
		return nil, usagef("run: --lang cannot be used with --shell: it runs a script, not a command line")
	}
	path := "-"
	if len(args) > 0 {
		path, c.args = args[0], args[1:]
	}
	if path == "-" {
		c.code, err = readCode(cmd, s)
	} else {
		c.path, err = scriptFile(path, s.Cwd)
	}
	if err != nil {
		return nil, err
	}
	if c.interp, err = stack.Interpreter(c.lang, s.Cwd, machine(s)); err != nil {
		return nil, fmt.Errorf("run --lang %s: %w: %w", c.lang, proc.ErrNotFound, err)
	}
	return c, nil
}

// save saves code from standard input, in the state folder of s.
func (c *script) save(s *wire.Spec) error {
	if c.code == nil {
		return nil
	}
	dir, err := ledger.Create(s.Dir)
	if err != nil {
		return &startError{err}
	}
	if c.path, err = dir.SaveScript(c.code, c.interp.Ext); err != nil {
		return &startError{fmt.Errorf("keep the code: %w", err)}
	}
	return nil
}

// command returns the command that runs the code. Code from standard input has a path once it is saved.
func (c *script) command() []string {
	return slices.Concat(c.interp.Argv, []string{cmp.Or(c.path, "-")}, c.args)
}

// mostJudged is how much of a script the policy is asked about, in bytes. It takes a longer one for one that is not known.
const mostJudged = 1 << 20

// judged returns the code for the policy.
func (c *script) judged() string {
	if c.code != nil {
		return string(c.code)
	}
	f, err := os.OpenFile(c.path, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	code, _ := io.ReadAll(io.LimitReader(f, mostJudged))
	return string(code)
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
			if pins, err := pinsOf(s.Agent); err != nil || len(pins) > 0 { // what PATH names would run without isolation
				return ""
			}
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

// readCode returns the code from standard input.
func readCode(cmd *cli.Command, s *wire.Spec) ([]byte, error) {
	if s.Stdin {
		return nil, usagef("run: --stdin passes standard input to the command, so --lang cannot read the code from it: name a file")
	}
	if s.NoRecord {
		return nil, usagef("run: --lang saves code from standard input in the state folder, and the session is not recorded: name a file")
	}
	stdin := cmd.Root().Reader
	if f, ok := stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return nil, usagef("run: --lang %s: the code is missing: name a file, or write the code to standard input", cmd.String("lang"))
	}
	code, err := io.ReadAll(io.LimitReader(stdin, maxScript+1))
	switch {
	case err != nil:
		return nil, &startError{fmt.Errorf("the code: %w", err)}
	case len(code) > maxScript:
		return nil, usagef("run: --lang: the code has more than %d bytes", maxScript)
	case len(code) == 0:
		return nil, &startError{errors.New("standard input has no code")}
	case masked(string(code)) != string(code):
		return nil, usagef("run: --lang saves code from standard input in the state folder, and it has the value of a secret in it: use its variable")
	}
	return code, nil
}
