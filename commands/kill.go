package commands

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

func killCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME|PID…",
		Description: "Ends each session NAME, or the process PID of a session, with all processes that it has started. It sends\n" +
			"TERM, and KILL 5s later, and returns when the processes are gone. -9, -KILL and -SIGKILL are signals too. It\n" +
			"never touches processes that no session has started.\n\n" +
			"Example: devtools kill web --kill-after 10s; devtools kill -9 web",
		Flags: []cli.Flag{
			targetFlag(),
			labelFlag("end each running session"),
			&cli.BoolFlag{Name: "all", Usage: "end all running sessions"},
			&cli.StringFlag{Name: "signal", Aliases: []string{"s"}, Usage: "send `SIGNAL` first", Value: "TERM"},
			&cli.StringFlag{Name: "kill-after", Aliases: []string{"k"}, Usage: "send KILL `DURATION` after the first signal", Value: "5s"},
		},
		ArgValidator:  arguments(0, 1<<20, "the name of a session or a pid"),
		ShellComplete: completeSessions,
		Action:        kill,
	}
}

func kill(ctx context.Context, cmd *cli.Command) error {
	grace, err := duration(cmd, "kill-after")
	if err != nil {
		return err
	}
	if _, err := proc.ParseSignal(cmd.String("signal")); err != nil {
		return usagef("--signal: %v", err)
	}
	dir, targets, missing := killTargets(cmd)
	if missing != nil && !errors.Is(missing, errNoState) { // without a state folder, its sessions may live all the same
		return missing
	}
	ending, err := runner.Kill(ctx, dir, targets, cmd.String("signal"), grace)
	if missing != nil && len(ending.Killed)+len(ending.Failed) == 0 && errors.Is(err, ledger.ErrNoSession) {
		return missing
	}
	if cmd.Bool("all") && errors.Is(err, wire.ErrEnded) {
		err = nil // the session has ended in the meantime
	}
	if err != nil && len(ending.Killed)+len(ending.Failed) == 0 {
		return err
	}
	return showEnding(cmd, ending, err)
}

// killTargets returns the sessions and pids to end.
func killTargets(cmd *cli.Command) (dir ledger.Dir, targets []string, err error) {
	targets = cmd.Args().Slice()
	if name := cmd.String("t"); name != "" {
		targets = append([]string{name}, targets...)
	}
	if i := slices.IndexFunc(targets, func(name string) bool { return strings.HasPrefix(name, "-") }); i >= 0 {
		// such as -9x: a mistyped signal must not end the sessions beside it
		return dir, nil, usagef("kill: %q is no signal, and no name or pid begins with -", targets[i])
	}
	chooses := cmd.Bool("all") || len(cmd.StringSlice("label")) > 0
	switch {
	case chooses && len(targets) > 0:
		return dir, nil, usagef("kill: %q cannot be used with --label or --all: they choose the sessions", targets[0])
	case !chooses && len(targets) == 0:
		return dir, nil, usagef("kill: the name of a session or a pid is missing")
	case !cmd.Bool("all") && chooses:
		return chosenSessions(cmd)
	case !chooses:
		if dir, err = openState(cmd, targets[0]); errors.Is(err, errNoState) {
			path, pathErr := stateFolder(cmd)
			return ledger.At(path), targets, errors.Join(pathErr, err)
		}
		return dir, targets, err
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return dir, nil, err
	}
	if dir, err = openFolder(cmd, path); isMissing(err) {
		return dir, nil, nil // nothing was ever started here
	}
	if err != nil {
		return dir, nil, err
	}
	wanted, err := labels(cmd)
	if err != nil {
		return dir, nil, err
	}
	targets, err = runningSessions(dir, wanted)
	return dir, targets, err
}
