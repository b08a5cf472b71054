package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/doctor"
)

func pruneCommand() *cli.Command {
	return &cli.Command{
		Description: `Removes the records and the output of ended sessions, and files that nothing
uses any more. With both --older and --keep, a session must be old enough and
not among the newest. prune keeps running sessions, the history, and each
session that a devtools process is reading.

EXAMPLES:
  devtools prune --older 7d --keep 20
  devtools prune --keep 0 --dry-run`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "older", Usage: "remove only sessions that ended `DURATION` ago or earlier"},
			&cli.IntFlag{Name: "keep", Usage: "keep the newest `N` ended sessions", HideDefault: true},
			&cli.BoolFlag{Name: "dry-run", Usage: "list what would be removed, and remove nothing"},
		},
		Action: prune,
	}
}

func prune(ctx context.Context, cmd *cli.Command) error {
	older, keep := cmd.IsSet("older"), cmd.IsSet("keep")
	if !older && !keep {
		return usagef("prune: --older or --keep is missing: use --older 7d, --keep 20 or both; --dry-run removes nothing")
	}
	age, least := time.Duration(0), cmd.Int("keep")
	if older {
		var err error
		if age, err = duration(cmd, "older"); err != nil {
			return err
		}
	}
	if least < 0 {
		return badValue("keep", least, "0 or more")
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	pruned := ledger.NewPruned(cmd.Bool("dry-run"))
	dir, err := openFolder(cmd, path)
	if err == nil {
		pruned, err = census.Prune(ctx, dir, ledger.Pruning{
			Goes: func(rank int, since time.Duration, _ int64) bool {
				return rank >= least && since >= age
			},
			Before: time.Now().Add(-age),
			Dry:    pruned.Dry,
		})
	}
	if isMissing(err) { // nothing was ever started here
		err = nil
	}
	if err != nil && len(pruned.Sessions)+len(pruned.InUse)+pruned.Files == 0 {
		return err
	}
	if cmd.Bool("json") {
		if err := printJSON(cmd, newPruneResult(pruned, err)); err != nil {
			return err
		}
		return told(cmd, err)
	}
	err = errors.Join(show(cmd, pruned, pruneTable), err)
	if stopped := stoppedReaders(pruned); len(stopped) > 0 {
		hint(cmd.Root().ErrWriter, "kill -CONT "+strings.Join(stopped, " "))
	}
	return err
}

// pruneTable writes a line for each removed session and for each process that reads another session. The last line
// has the sum.
func pruneTable(w io.Writer, p ledger.Pruned) error {
	word := "removed"
	if p.Dry {
		word = "would remove"
	}
	for _, s := range p.Sessions {
		fmt.Fprintf(w, "%s %s %s  %s\n", word, s.ID, oneLine(s.Name), doctor.BytesText(s.Bytes))
	}
	for _, s := range p.InUse {
		if len(s.PIDs) == 0 { // the reader has just ended, or the system does not tell
			fmt.Fprintf(w, "kept %s %s: a process reads it\n", s.ID, oneLine(s.Name))
		}
		for _, pid := range s.PIDs {
			state := ""
			if slices.Contains(s.Stopped, pid) {
				state = " and is stopped"
			}
			fmt.Fprintf(w, "kept %s %s: process %d reads it%s\n", s.ID, oneLine(s.Name), pid, state)
		}
	}
	if p.Files > 0 {
		fmt.Fprintf(w, "%s %d other files\n", word, p.Files)
	}
	fmt.Fprintf(w, "%s %s in %d %s; %d ended %s kept\n", word, doctor.BytesText(p.Bytes), len(p.Sessions), plural(len(p.Sessions), "session", "sessions"),
		p.Kept, plural(p.Kept, "session is", "sessions are"))
	return nil
}

// stoppedReaders returns the stopped processes that read a session, each of them once.
func stoppedReaders(p ledger.Pruned) (pids []string) {
	for _, s := range p.InUse {
		for _, pid := range s.Stopped {
			if text := strconv.Itoa(pid); !slices.Contains(pids, text) {
				pids = append(pids, text)
			}
		}
	}
	return pids
}

// retention returns how much the workspace keeps of ended sessions. Environment variables can change the default.
func retention() (r ledger.Retention, err error) {
	r = ledger.DefaultRetention
	if text := os.Getenv("DEVTOOLS_KEEP_AGE"); text != "" {
		if r.Age, err = parseDuration(text); err != nil {
			return r, usagef("DEVTOOLS_KEEP_AGE: %v", err)
		}
	}
	if text := os.Getenv("DEVTOOLS_KEEP_SESSIONS"); text != "" {
		if r.Sessions, err = parseCount(text); err != nil {
			return r, usagef("DEVTOOLS_KEEP_SESSIONS: %v", err)
		}
	}
	if text := os.Getenv("DEVTOOLS_KEEP_SIZE"); text != "" {
		if r.Bytes, err = parseBytes(text); err != nil {
			return r, usagef("DEVTOOLS_KEEP_SIZE: %v", err)
		}
	}
	return r, nil
}
