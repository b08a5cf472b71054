package commands

import (
	"context"

	"github.com/urfave/cli/v3"

	"devtools/runner/hold"
)

func holdCommand() *cli.Command {
	return &cli.Command{
		Name:   "hold",
		Usage:  "hold a session; started by run",
		Hidden: true,
		Action: func(context.Context, *cli.Command) error { return hold.Hold() },
	}
}
