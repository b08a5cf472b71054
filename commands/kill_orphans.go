package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/proc"
)

func killOrphansCommand() *cli.Command {
	return &cli.Command{
		Description: `Processes of a session are orphans when the holder of the session was killed.
kill-orphans finds them by their identity, environment and descent, never by a
name, and ends them with all that they have started: with TERM, and KILL 5s
later. It touches only what sessions of this workspace have started.

EXAMPLES:
  devtools kill-orphans --dry-run
  devtools kill-orphans --older 1h

EXIT CODE: 0, also without orphans; 1 a process still runs`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "list what would be ended, and end nothing"},
			&cli.StringFlag{Name: "name", Aliases: []string{"t"}, Usage: "end only orphans of session `NAME`"},
			&cli.StringFlag{Name: "older", Usage: "end only orphans of sessions older than `DURATION`"},
			&cli.BoolFlag{Name: "deep", Usage: "also find what no record names, such as removed sessions"},
			&cli.StringFlag{Name: "signal", Aliases: []string{"s"}, Usage: "send `SIGNAL` first", Value: "TERM"},
			&cli.StringFlag{Name: "kill-after", Aliases: []string{"k"}, Usage: "send KILL `DURATION` after the first signal", Value: "5s"},
			yesFlag(),
		},
		ArgValidator: noArguments,
		Action:       killOrphans,
	}
}

func killOrphans(ctx context.Context, cmd *cli.Command) error {
	orphans := runner.Orphans{Name: cmd.String("name"), Deep: cmd.Bool("deep"), Signal: cmd.String("signal"), DryRun: cmd.Bool("dry-run")}
	var err error
	if orphans.Grace, err = duration(cmd, "kill-after"); err != nil {
		return err
	}
	if cmd.IsSet("older") {
		if orphans.Older, err = duration(cmd, "older"); err != nil {
			return err
		}
	}
	if _, err := proc.ParseSignal(orphans.Signal); err != nil {
		return badSignal("--signal", orphans.Signal, err)
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	if !orphans.DryRun {
		err = judge(cmd, path, func() []guard.Call { return []guard.Call{{Kind: guard.KindKillOrphans}} })
		if err != nil {
			return err
		}
	}
	dir, err := openOrphans(cmd, path, orphans.Deep)
	if err != nil {
		return err
	}
	ending, err := runner.KillOrphans(ctx, dir, orphans)
	if len(ending.Killed)+len(ending.Failed)+len(ending.Orphaned) == 0 {
		if err == nil && orphans.Name != "" {
			_, err = dir.Session(orphans.Name)
		}
		if err != nil {
			return err
		}
	}
	return showEnding(cmd, ending, err, nil)
}

// openOrphans opens the state folder at path, which need not exist. With deep it does not adopt the sessions whose folder was
// removed: they are to be ended.
func openOrphans(cmd *cli.Command, path string, deep bool) (dir ledger.Dir, err error) {
	if deep {
		dir, err = ledger.Open(path)
	} else {
		dir, err = openFolder(cmd, path)
	}
	if isMissing(err) { // nothing was ever started here, or it was removed
		return ledger.At(path), nil
	}
	return dir, err
}

// showEnding prints what became of the processes to end. On stderr it says what to do about those that are still
// alive. failed is what else went wrong. about has the names and ids of the sessions to end, as far as they are known.
func showEnding(cmd *cli.Command, e runner.KillResult, failed error, about []string) error {
	if cmd.Bool("json") {
		if err := printJSON(cmd, newKillResult(e, failed, about)); err != nil {
			return err
		}
		failed = told(cmd, failed)
	} else if err := showEndingText(cmd, e); err != nil {
		return errors.Join(err, failed)
	}
	if failed == nil && len(e.Failed) > 0 {
		return exitCode(codeFailed)
	}
	return failed
}

func showEndingText(cmd *cli.Command, e runner.KillResult) error {
	if err := show(cmd, e, endingTable); err != nil {
		return err
	}
	what := "still runs"
	if e.Alone {
		what = "did not get the signal"
	}
	for _, f := range e.Failed {
		message(cmd.Root().ErrWriter, "process %d %s: %s", f.PID, what, strings.ReplaceAll(f.Reason, "_", " "))
		hint(cmd.Root().ErrWriter, f.Hint)
	}
	for _, name := range e.NotRestarted {
		note(cmd, "session %q is not started again", name)
	}
	for _, o := range e.OpenPorts {
		listener := "a process"
		if o.PID != 0 {
			listener = fmt.Sprintf("process %d (%s)", o.PID, oneLine(o.Name))
		}
		message(cmd.Root().ErrWriter, "%s still listens on port %d", listener, o.Port)
	}
	return nil
}

func endingTable(w io.Writer, e runner.KillResult) error {
	for _, p := range e.Orphaned {
		if _, err := fmt.Fprintf(w, "would kill %d  %s  %s\n", p.PID, p.TerminalName, oneLine(p.CommandLine)); err != nil {
			return err
		}
	}
	for _, pid := range e.Signalled {
		if _, err := fmt.Fprintf(w, "signalled %d\n", pid); err != nil {
			return err
		}
	}
	told := map[int]bool{}
	for _, s := range e.Sessions {
		if len(s.Killed) == 0 {
			continue
		}
		if _, err := fmt.Fprintln(w, killedText(s)); err != nil {
			return err
		}
		for _, pid := range s.Killed {
			told[pid] = true
		}
	}
	for _, pid := range e.Killed {
		if told[pid] {
			continue
		}
		if _, err := fmt.Fprintf(w, "killed %d\n", pid); err != nil {
			return err
		}
	}
	return nil
}

// killedText says what was killed of a session. Its main process may have ended before.
func killedText(s runner.EndedSession) string {
	others := len(s.Killed)
	text := "killed " + oneLine(s.Name)
	if slices.Contains(s.Killed, s.PID) {
		text += fmt.Sprintf(" (pid %d)", s.PID)
		others--
	}
	if others > 0 {
		text += fmt.Sprintf(" and %d %s", others, plural(others, "child", "children"))
	}
	return text
}
