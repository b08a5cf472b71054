package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/list"
	"devtools/runner/proc"
)

func killOrphansCommand() *cli.Command {
	return &cli.Command{
		Name:  "kill-orphans",
		Usage: "end what has outlived the holder of its session",
		Description: "A session's processes are orphans when the process that holds it was killed. They are found by their identity,\n" +
			"their mark and their descent, never by a name, and ended with their trees: by TERM, and by KILL after the\n" +
			"grace, until nothing is left. It returns when they are gone and their ports are free. What no session of this\n" +
			"workspace started is never touched.\n\n" +
			"Example: devtools kill-orphans --dry-run\n\n" +
			"Exit code: 0, also when there are none; 1 something lives on, and the message says why.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only list what would be ended"},
			&cli.StringFlag{Name: "name", Usage: "only those of the session `NAME`"},
			&cli.StringFlag{Name: "older", Usage: "only those of sessions that were started `DURATION` ago"},
			&cli.BoolFlag{Name: "deep", Usage: "look for the marks of sessions that have ended, too"},
			&cli.StringFlag{Name: "signal", Aliases: []string{"s"}, Usage: "the first `SIGNAL`", Value: "TERM"},
			&cli.StringFlag{Name: "grace", Usage: "send KILL after `DURATION`", Value: "5s"},
		},
		ArgValidator: noArguments,
		Action:       killOrphans,
	}
}

func killOrphans(ctx context.Context, cmd *cli.Command) error {
	orphans := runner.Orphans{Name: cmd.String("name"), Deep: cmd.Bool("deep"), Signal: cmd.String("signal"), DryRun: cmd.Bool("dry-run")}
	var err error
	if orphans.Grace, err = duration(cmd, "grace"); err != nil {
		return err
	}
	if cmd.IsSet("older") {
		if orphans.Older, err = duration(cmd, "older"); err != nil {
			return err
		}
	}
	if _, err := proc.ParseSignal(orphans.Signal); err != nil {
		return usagef("--signal: %v", err)
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	ending := runner.NewKillResult()
	dir, err := openFolder(cmd, path)
	if err == nil {
		if orphans.Name != "" {
			if _, err := dir.Session(orphans.Name); err != nil {
				return err
			}
		}
		ending, err = runner.KillOrphans(ctx, dir, orphans)
	} else if isMissing(err) { // nothing was ever started here
		err = nil
		if orphans.DryRun {
			ending.Orphaned = []list.Process{}
		}
		if orphans.Name != "" {
			err = fmt.Errorf("session %q: %w", orphans.Name, ledger.ErrNoSession)
		}
	}
	if err != nil && len(ending.Killed)+len(ending.Failed) == 0 {
		return err
	}
	err = errors.Join(showEnding(cmd, ending), err)
	if err == nil && len(ending.Failed) > 0 {
		return exitCode(codeFailed)
	}
	return err
}

// showEnding prints what became of the processes to end. On stderr it says what to do about those that are still
// alive.
func showEnding(cmd *cli.Command, e runner.KillResult) error {
	if err := show(cmd, e, endingTable); err != nil || cmd.Bool("json") {
		return err
	}
	for _, f := range e.Failed {
		message(cmd.Root().ErrWriter, "process %d lives: %s", f.PID, strings.ReplaceAll(f.Reason, "_", " "))
		hint(cmd.Root().ErrWriter, f.Hint)
	}
	for _, o := range e.OpenPorts {
		who := ""
		if o.PID != 0 {
			who = fmt.Sprintf(" by process %d (%s)", o.PID, oneLine(o.Name))
		}
		message(cmd.Root().ErrWriter, "port %d is still listened on%s", o.Port, who)
	}
	return nil
}

func endingTable(w io.Writer, e runner.KillResult) error {
	for _, p := range e.Orphaned {
		if _, err := fmt.Fprintf(w, "would kill %d  %s  %s\n", p.PID, p.TerminalName, oneLine(p.CommandLine)); err != nil {
			return err
		}
	}
	for _, pid := range e.Killed {
		if _, err := fmt.Fprintf(w, "killed %d\n", pid); err != nil {
			return err
		}
	}
	return nil
}
