package commands

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"devtools/runner"
	"devtools/runner/proc"
)

func killCommand() *cli.Command {
	return &cli.Command{
		Name:      "kill",
		Usage:     "end sessions or processes with their trees",
		ArgsUsage: "NAME|PID…",
		Description: "Ends each session NAME, or the process PID of one, with all that it has started: by TERM, and by KILL\n" +
			"after the grace. It returns when they are gone. Processes that no session started are never touched.\n\n" +
			"Example: devtools kill web --grace 10s",
		Flags: []cli.Flag{
			targetFlag(),
			&cli.StringFlag{Name: "signal", Aliases: []string{"s"}, Usage: "the first `SIGNAL`", Value: "TERM"},
			&cli.StringFlag{Name: "grace", Usage: "send KILL after `DURATION`", Value: "5s"},
		},
		ArgValidator:  arguments(0, 1<<20, "the name of a session or a pid"),
		ShellComplete: completeSessions,
		Action:        kill,
	}
}

func kill(ctx context.Context, cmd *cli.Command) error {
	grace, err := duration(cmd, "grace")
	if err != nil {
		return err
	}
	if _, err := runner.ParseSignal(cmd.String("signal")); err != nil {
		return usagef("--signal: %v", err)
	}
	targets := cmd.Args().Slice()
	if name := cmd.String("t"); name != "" {
		targets = append([]string{name}, targets...)
	}
	if len(targets) == 0 {
		return usagef("kill: the name of a session or a pid is missing")
	}
	dir, err := openState(cmd, targets[0])
	if err != nil {
		return err
	}
	outcome, err := runner.Kill(ctx, dir, targets, cmd.String("signal"), grace)
	if err != nil && len(outcome.Killed)+len(outcome.Failed) == 0 {
		return err
	}
	err = errors.Join(show(cmd, outcome, killTable), err)
	if err == nil && len(outcome.Failed) > 0 {
		return exitCode(codeFailed)
	}
	return err
}

func killTable(w io.Writer, outcome proc.Outcome) error {
	for _, pid := range outcome.Killed {
		fmt.Fprintf(w, "killed %d\n", pid)
	}
	for _, f := range outcome.Failed {
		fmt.Fprintf(w, "not killed %d: %s\n", f.PID, f.Reason)
	}
	return nil
}
