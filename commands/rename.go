package commands

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/wire"
)

func renameCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME NEW",
		Description: `Gives the running session NAME the name NEW, which no other running session may
have. From then on, NAME means another session, or none. The id of the session
stays, and so do its output and its history.

EXAMPLES:
  devtools rename bash deploy`,
		Flags:        []cli.Flag{targetFlag()},
		ArgValidator: sessionAndName,
		Action:       rename,
	}
}

// sessionAndName is the ArgValidator of rename.
func sessionAndName(ctx context.Context, cmd *cli.Command) error {
	if cmd.String("t") != "" {
		return arguments(1, 1, "the new name")(ctx, cmd)
	}
	if cmd.Args().Len() == 1 {
		return usagef("rename: the new name is missing")
	}
	return arguments(2, 2, "the name of a session")(ctx, cmd)
}

// A renameResult is the output of rename --json.
type renameResult struct {
	Name         string `json:"name"`         // name of the session now
	PreviousName string `json:"previousName"` // name of the session before
	SessionID    string `json:"sessionId"`    // id of the session
}

// A renameError is ErrNameTaken of rename: nothing was to be started.
type renameError struct{ err error }

func (e *renameError) Error() string { return e.err.Error() }
func (e *renameError) Unwrap() error { return e.err }

func rename(ctx context.Context, cmd *cli.Command) error {
	name, next := target(cmd), cmd.Args().Get(cmd.Args().Len()-1)
	if err := ledger.CheckName(next); err != nil {
		return err
	}
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	session, was, err := runner.Rename(ctx, dir, name, next)
	if errors.Is(err, wire.ErrNameTaken) {
		return &sessionError{err: &renameError{err}, name: next}
	}
	if err != nil {
		return err
	}
	return show(cmd, renameResult{session.Name, was, session.ID}, func(io.Writer, renameResult) error { return nil })
}
