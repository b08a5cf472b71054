package commands

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
)

func historyCommand() *cli.Command {
	return &cli.Command{
		Description: "Lists the events of all sessions, oldest first: processes that were started, spawned, completed, killed or\n" +
			"orphaned. A TIME is 2h (ago), 7d, 2026-01-15, \"2026-01-15 10:30\" or 2026-01-15T10:30:00Z.\n\n" +
			"Example: devtools history --failed --since 2h",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "show only events at `TIME` or later"},
			&cli.StringFlag{Name: "until", Usage: "show only events at `TIME` or earlier"},
			&cli.StringFlag{Name: "session", Aliases: []string{"t"}, Usage: "show only events of sessions with name or id `NAME`"},
			&cli.StringSliceFlag{Name: "event", Usage: "show `KIND`, such as started, killed or watched"},
			&cli.BoolFlag{Name: "failed", Usage: "show only ends with a code other than 0, or by a signal"},
			&cli.StringFlag{Name: "grep", Aliases: []string{"g"}, Usage: "show only command lines and names that match `RE`"},
			&cli.IntFlag{Name: "tail", Aliases: []string{"n"}, Usage: "show only the last `N` events", HideDefault: true},
		},
		Action: history,
	}
}

func history(_ context.Context, cmd *cli.Command) error {
	query, err := historyQuery(cmd, time.Now())
	if err != nil {
		return err
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	printer := historyPrinter{w: cmd.Root().Writer}
	show := historyLine
	if cmd.Bool("json") {
		printer.head, printer.tail, printer.between = `{"events":[`, "]}\n", 1
		printer.w = observed(printer.w)
		show = historyObject(fieldsOf(cmd))
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
	if cmd.IsSet("since") {
		if q.Since, err = pastTime(cmd, "since", now); err != nil {
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
	if q.Session = cmd.String("session"); cmd.IsSet("session") && q.Session == "" {
		return q, usagef("--session: the name of a session is missing")
	}
	q.Kinds = cmd.StringSlice("event")
	for _, kind := range q.Kinds {
		if !slices.Contains(ledger.EventKinds, kind) {
			return q, badValue("event", kind, orList(ledger.EventKinds))
		}
	}
	q.Failed = cmd.Bool("failed")
	if cmd.IsSet("grep") {
		if q.Pattern, err = regexp.Compile(cmd.String("grep")); err != nil {
			return q, usagef("--grep: %v", err)
		}
	}
	if q.Tail = cmd.Int("tail"); cmd.IsSet("tail") && q.Tail < 1 {
		return q, badValue("tail", q.Tail, "1 or more")
	}
	return q, nil
}

// A historyPrinter prints events as they come, many at a time.
type historyPrinter struct {
	w          io.Writer
	head, tail string
	between    int // length of the separator before each event, in bytes; the first event has none
	begun      bool
}

func (p *historyPrinter) write(text []byte) error {
	if !p.begun {
		if err := p.begin(); err != nil {
			return err
		}
		text = text[p.between:]
	}
	_, err := p.w.Write(text)
	return err
}

func (p *historyPrinter) begin() error {
	p.begun = true
	_, err := io.WriteString(p.w, p.head)
	return err
}

func (p *historyPrinter) close() error {
	var err error
	if !p.begun {
		err = p.begin()
	}
	if err == nil {
		_, err = io.WriteString(p.w, p.tail)
	}
	return err
}

// historyObject returns a function that appends an event as JSON, with a comma before it. Of asked it uses the members
// of events, the only member of the result.
func historyObject(asked fields) ledger.Show {
	if len(asked) == 0 || len(asked[0].sub) == 0 {
		return func(text []byte, line string, _ *ledger.Event) []byte { return append(append(text, ','), line...) }
	}
	return func(text []byte, line string, _ *ledger.Event) []byte {
		object := bytes.NewBuffer(append(text, ','))
		if err := asked[0].sub.choose(object, []byte(line)); err != nil { // never: ledger has parsed the line
			return append(text, `,{}`...)
		}
		return object.Bytes()
	}
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
	before = len(text)
	switch {
	case e.Signal != "":
		text = appendClean(text, e.Signal)
	case e.ExitCode != nil:
		text = strconv.AppendInt(text, int64(*e.ExitCode), 10)
	default:
		text = append(text, '-')
	}
	text = append(pad(text, before, 7), "  "...)
	if e.Cmd != "" {
		text = appendClean(text, e.Cmd)
	} else {
		text = appendClean(text, e.Name)
	}
	if e.Reason != "" {
		text = append(appendClean(append(text, "  ("...), e.Reason), ')')
	}
	return append(bytes.TrimRight(text, " "), '\n')
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
