package commands

import (
	"context"
	"io"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/wire"
)

func resizeCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME [SIZE]",
		Description: `Gives the terminal of the session NAME the SIZE COLSxROWS. The program gets
SIGWINCH. Long lines wrap at the new width.

EXAMPLES:
  devtools resize web 132x43
  devtools resize web --scrollback 5000`,
		Flags: []cli.Flag{
			targetFlag(),
			scrollbackFlag(),
		},
		ArgValidator: sessionAndSize,
		Action:       resize,
	}
}

// sessionAndSize is the ArgValidator of resize.
func sessionAndSize(ctx context.Context, cmd *cli.Command) error {
	named := 1
	if cmd.String("t") != "" {
		named = 0
	}
	if cmd.Args().Len() == named && !cmd.IsSet("scrollback") {
		return usagef("resize: a size (132x43) or --scrollback is missing")
	}
	return arguments(named, named+1, "the name of a session")(ctx, cmd)
}

// A resizeResult is the output of resize --json.
type resizeResult struct {
	Name       string      `json:"name"`       // name of the session
	SessionID  string      `json:"sessionId"`  // id of the session
	Size       ledger.Size `json:"size"`       // size of the terminal now
	Scrollback int         `json:"scrollback"` // maximum number of scrolled-off rows
}

func resize(ctx context.Context, cmd *cli.Command) error {
	name, text := target(cmd), cmd.Args().Get(1)
	if cmd.String("t") != "" {
		text = cmd.Args().First()
	}
	var size ledger.Size
	if text != "" {
		var err error
		if size, err = parseSize("size", text); err != nil {
			return err
		}
	}
	scrollback, err := readScrollback(cmd)
	if err != nil {
		return err
	}
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	session, err := runner.Resize(ctx, dir, name, size, scrollback)
	if err != nil {
		return err
	}
	result := resizeResult{Name: session.Name, SessionID: session.ID, Size: session.Size, Scrollback: wire.Scrollback(session)}
	return show(cmd, result, func(io.Writer, resizeResult) error { return nil })
}
