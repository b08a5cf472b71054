package commands

import (
	"context"

	"github.com/urfave/cli/v3"

	"devtools/runner/hold"
)

func holdCommand() *cli.Command {
	return &cli.Command{
		Action: func(context.Context, *cli.Command) error { return hold.Hold() },
	}
}
