package commands

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/screen"
)

// screenFlag returns the flag of commands that print the screen as their result, which saves a call of screen.
func screenFlag() cli.Flag {
	return &cli.BoolFlag{Name: "screen", Usage: "print the screen afterwards, as screen --trim does"}
}

// askedScreen returns the screen of a session if the flag asks for it, or nil.
func askedScreen(ctx context.Context, cmd *cli.Command, dir ledger.Dir, id string) (*screenResult, error) {
	if !cmd.Bool("screen") {
		return nil, nil
	}
	return screenAfter(ctx, cmd, dir, id)
}

// screenAfter returns the screen of a session, running or ended, without the empty rows at its end.
func screenAfter(ctx context.Context, cmd *cli.Command, dir ledger.Dir, id string) (*screenResult, error) {
	session, pic, err := runner.See(ctx, dir, id, runner.Look{View: screen.Visible()})
	if err != nil {
		return nil, err
	}
	r := newScreenResult(cmd, session, pic)
	r.Rows = screenRows(pic.Snapshot, false, false, true)
	return &r, nil
}

// printRows prints the rows of a screen, if there is one.
func printRows(w io.Writer, r *screenResult) error {
	if r == nil {
		return nil
	}
	for _, row := range r.Rows {
		if _, err := fmt.Fprintln(w, row); err != nil {
			return err
		}
	}
	return nil
}
