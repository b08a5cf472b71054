package commands

import (
	"context"

	"github.com/urfave/cli/v3"
)

func stacksCommand() *cli.Command {
	one := 1
	return &cli.Command{
		Name:      "stacks",
		Usage:     "tell what a command line does: serve, watch, build, or end by itself",
		ArgsUsage: "--classify [--] COMMAND...",
		Description: "The command is taken apart as bash would, wrappers are looked through, and scripts of the workspace are\n" +
			"followed. Nothing is executed.\n\n" +
			"Example: devtools stacks --classify 'npm run dev'\n\n" +
			"Exit code: 0, whatever the class.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "classify", Usage: "say what the command line does"},
		},
		ArgValidator: func(context.Context, *cli.Command) error { return nil },
		StopOnNthArg: &one,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if !cmd.Bool("classify") {
				return usagef("stacks: --classify COMMAND is missing")
			}
			return classify(ctx, cmd)
		},
	}
}
