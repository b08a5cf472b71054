package commands

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/condition"
)

func historyCommand() *cli.Command {
	return &cli.Command{
		Description: `Lists the events of all sessions, oldest first: processes that were started,
spawned, completed, killed or orphaned, what failed to start, what was asked. A
TIME is 2h (ago), 7d, 2026-01-15, "2026-01-15 10:30" or 2026-01-15T10:30:00Z.

EXAMPLES:
  devtools history --failed --since 2h
  devtools history --follow --json`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "commands", Usage: "show what was run: by run, by run --in, and typed in shells"},
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "with --json: print what becomes of sessions, as it happens"},
			&cli.StringFlag{Name: "since", Usage: "begin at `TIME`; with --follow also at the next of a line"},
			&cli.StringFlag{Name: "until", Usage: "show only events at `TIME` or earlier"},
			&cli.StringFlag{Name: "session", Aliases: []string{"t"}, Usage: "show only events of sessions with name or id `NAME`"},
			&cli.StringSliceFlag{Name: "event", Usage: "show `KIND`, such as started, killed or watched"},
			&cli.BoolFlag{Name: "failed", Usage: "show only failed ends (code or signal) and failed starts"},
			&cli.StringFlag{Name: "grep", Aliases: []string{"g"}, Usage: "show only command lines and names that match `RE`"},
			&cli.IntFlag{Name: "tail", Aliases: []string{"n"}, Usage: "show only the last `N` events", HideDefault: true},
		},
		ArgsUsage:    "[NAME]",
		ArgValidator: historyArguments,
		Action:       history,
	}
}

// historyArguments is the ArgValidator of history.
func historyArguments(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Present() && cmd.IsSet("session") {
		return usagef("history: the session is named twice: leave out --session %s", cmd.String("session"))
	}
	return arguments(0, 1, "the name of a session")(ctx, cmd)
}

func history(ctx context.Context, cmd *cli.Command) error {
	if err := checkFlags(cmd, historyRules); err != nil {
		return err
	}
	query, err := historyQuery(cmd, time.Now())
	if err != nil {
		return err
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	if cmd.Bool("follow") {
		return brokenPipe(followHistory(ctx, cmd, path, query))
	}
	printer := newListPrinter(cmd, "events")
	show := historyLine
	if query.Commands {
		show = commandLine
	}
	if cmd.Bool("json") {
		show = historyObject(fieldsOf(cmd).of("events"))
	}
	dir, err := openFolder(cmd, path)
	switch {
	case err == nil:
		err = dir.History(query, show, printer.write)
	case isMissing(err) && query.Session == "": // nothing was ever started here
		err = nil
	case isMissing(err):
		err = fmt.Errorf("session %q: %w: there is no %s", query.Session, errNoState, path)
	}
	if err == nil {
		err = printer.close()
	}
	return brokenPipe(err)
}

func historyQuery(cmd *cli.Command, now time.Time) (q ledger.Query, err error) {
	if _, err := ledger.ParseLogPlace(cmd.String("since")); cmd.IsSet("since") && (err != nil || !cmd.Bool("follow")) {
		if q.Since, err = pastTime(cmd, "since", now); err != nil && cmd.Bool("follow") {
			err = &usageError{err.Error(), "with --follow it may also be next of an earlier line"}
		}
		if err != nil {
			return q, err
		}
	}
	if cmd.IsSet("until") {
		if q.Until, err = pastTime(cmd, "until", now); err != nil {
			return q, err
		}
	}
	if !q.Since.IsZero() && !q.Until.IsZero() && q.Until.Before(q.Since) {
		return q, usagef("history: --until %s is before --since %s", cmd.String("until"), cmd.String("since"))
	}
	q.Session, q.Kinds, q.Commands = cmd.String("session"), cmd.StringSlice("event"), cmd.Bool("commands")
	q.Sessions = cmd.Bool("follow") && len(q.Kinds) == 0
	if cmd.Args().Present() {
		q.Session = cmd.Args().First()
	}
	for _, kind := range q.Kinds {
		if err := checkChoice("event", kind, ledger.EventKinds); err != nil {
			return q, err
		}
	}
	q.Failed = cmd.Bool("failed")
	if cmd.IsSet("grep") {
		if q.Pattern, err = condition.Pattern(cmd.String("grep")); err != nil {
			return q, usagef("--grep: %v", err)
		}
	}
	if q.Tail = cmd.Int("tail"); cmd.IsSet("tail") && q.Tail < 1 {
		return q, badValue("tail", q.Tail, "1 or more")
	}
	return q, nil
}

// historyObject returns a function that appends an event as JSON. asked are members of events.
func historyObject(asked fields) ledger.Show {
	return func(text []byte, line string, _ *ledger.Event) []byte { return appendEntry(text, asked, []byte(line)) }
}

// historyLine appends the line of an event for people. It has the time, the event, the session, the process, how it
// ended and the command line.
func historyLine(text []byte, _ string, e *ledger.Event) []byte {
	text = e.TS.Local().AppendFormat(text, time.DateTime)
	text = appendCell(append(text, "  "...), e.Event, len(ledger.EventCompleted))
	text = appendCell(append(text, "  "...), e.Terminal, 12)
	text = append(text, "  "...)
	before := len(text)
	text = strconv.AppendInt(text, int64(e.PID), 10)
	text = pad(text, before, 7)
	text = append(text, "  "...)
	text = append(appendEnd(text, e), "  "...)
	if e.Cmd != "" {
		text = appendLines(text, e.Cmd)
	} else {
		text = appendClean(text, e.Name)
	}
	if e.PreviousName != "" {
		text = append(appendClean(append(text, "  (was "...), e.PreviousName), ')')
	}
	if e.Reason != "" {
		text = append(appendClean(append(text, "  ("...), e.Reason), ')')
	}
	return append(bytes.TrimRight(text, " "), '\n')
}

// appendEnd appends the cell that says how a process or a command has ended: its exit code, or the signal.
func appendEnd(text []byte, e *ledger.Event) []byte {
	before := len(text)
	switch {
	case e.Signal != "":
		text = appendClean(text, e.Signal)
	case e.ExitCode != nil:
		text = strconv.AppendInt(text, int64(*e.ExitCode), 10)
	default:
		text = append(text, '-')
	}
	return pad(text, before, 7)
}

// commandLine appends the line of a command for people. It has the time of its start, the session, what ran it, how it ended, how
// long it took, and the command line. If that is several lines, they stand below each other.
func commandLine(text []byte, _ string, e *ledger.Event) []byte {
	took, begun := "-", e.TS.Time
	if e.DurationMs != nil {
		d := time.Duration(*e.DurationMs) * time.Millisecond
		took, begun = shortDuration(d), begun.Add(-d)
	}
	text = begun.Local().AppendFormat(text, time.DateTime)
	text = appendCell(append(text, "  "...), e.Terminal, 12)
	text = appendCell(append(text, "  "...), e.By, len(ledger.ByRunIn))
	text = appendEnd(append(text, "  "...), e)
	text = appendCell(append(text, "  "...), took, 6)
	text = appendLines(append(text, "  "...), e.Cmd)
	return append(text, '\n')
}

// nextLine is before each line of a command but its first one.
const nextLine = "\n    "

// appendLines appends a command line. A shell or a REPL may have got several lines: in one line it would be another command.
func appendLines(text []byte, command string) []byte {
	for i, line := range strings.Split(strings.TrimRight(command, "\n"), "\n") {
		if i > 0 {
			text = append(text, nextLine...)
		}
		text = appendClean(text, line)
	}
	return text
}

// appendCell appends a table cell, padded to the width. Wider content stays as it is.
func appendCell(text []byte, content string, width int) []byte {
	return pad(appendClean(text, content), len(text), width)
}

// pad appends spaces until the text from index before on has the width.
func pad(text []byte, before, width int) []byte {
	for len(text)-before < width {
		text = append(text, ' ')
	}
	return text
}

// appendClean appends content in the form of oneLine.
func appendClean(text []byte, content string) []byte {
	for i := range len(content) {
		if c := content[i]; c < ' ' || c > '~' {
			return append(text, oneLine(content)...)
		}
	}
	return append(text, content...)
}
