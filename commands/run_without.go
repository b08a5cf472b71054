package commands

import (
	"errors"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// orInStateHome calls do, which makes the state folder *dir. Where that cannot be written, it calls do again with one in the user's own folder
// in its place, unless the caller has named the folder.
func orInStateHome(cmd *cli.Command, dir *string, do func() error) error {
	err := do()
	if !ledger.Unwritable(err) || cmd.String("dir") != "" {
		return err
	}
	other, failed := ledger.CreateInStateHome(*dir, err)
	if failed != nil {
		return &startError{failed}
	}
	note(cmd, "%v\nthe sessions of %s are kept in %s", err, filepath.Dir(*dir), other)
	*dir = other
	return do()
}

const fromMemory = " from memory: nothing of it is recorded, and no other call can reach it"

// useMemory makes the command run without a state folder, none of which can be written because of err. It reports whether that is
// possible: a command that goes on after the call could not be reached.
func (req *runRequest) useMemory(cmd *cli.Command, err error) bool {
	s := &req.spec
	if !ledger.Unwritable(err) || cmd.String("dir") != "" || !regular.HasMemory ||
		req.background || len(req.until.Until) > 0 || len(s.OnExit) > 0 || req.code != nil && req.code.code != nil {
		return false
	}
	if s.NoFolder, s.NoRecord = true, true; !cmd.IsSet("max-log") {
		s.MaxLog = min(s.MaxLog, maxUnrecorded)
	}
	if s.Leftovers == wire.LeftoversReport {
		s.Leftovers = wire.LeftoversKill
	}
	if req.keep, s.TimeLimit = false, req.timeout; req.input.OnInput == runner.OnInputReturn {
		req.input.OnInput = runner.OnInputKill
	}
	note(cmd, "%v\nthe command runs%s", err, fromMemory)
	return true
}

// usePipes makes the command run with pipes, as with --no-pty, if err says that no terminal can be opened. It reports whether no flag
// needs one.
func (req *runRequest) usePipes(cmd *cli.Command, err error) bool {
	if !errors.Is(err, proc.ErrTerminalRefused) || withoutTerminal(cmd, "") != nil || cmd.IsSet("size") || len(req.until.Until) > 0 {
		return false
	}
	req.spec.NoTerminal, req.spec.Viewed, req.viewed, req.input = true, false, false, runner.InputOptions{}
	note(cmd, "%v\nthe command has pipes in place of a terminal, as with --no-pty", err)
	return true
}
