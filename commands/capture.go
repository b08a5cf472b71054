package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
)

func captureCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "start|stop|list NAME [ID]",
		Description: `start writes what the session NAME prints from now on to a file, and returns.
The file is complete when stop returns, or when the session has ended. list
shows the captures of a session, running or ended. If several captures run, stop
needs an ID.

EXAMPLES:
  devtools capture start web --format asciicast -o web.cast
  devtools capture stop web`,
		Flags: []cli.Flag{
			targetFlag(),
			oneOf(&cli.StringFlag{Name: "format", Usage: "`FORMAT` for start: jsonl, asciicast, asciicast-v3 or raw", Value: "jsonl"}, "jsonl", "asciicast", "asciicast-v3", "raw"),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, with start", DefaultText: "a new file in the session's folder"},
			&cli.BoolFlag{Name: "force", Usage: "replace FILE if it exists, with start"},
		},
		ArgValidator: captureArguments,
		Action:       capture,
	}
}

// captureArguments is the ArgValidator of capture.
func captureArguments(ctx context.Context, cmd *cli.Command) error {
	action := cmd.Args().First()
	named := 2
	if cmd.String("t") != "" {
		named = 1
	}
	most := named
	switch action {
	case "start", "list":
	case "stop":
		most++
	case "":
		return usagef("capture: start, stop or list is missing")
	default:
		return notOneOf("capture: invalid action", action, []string{"start", "stop", "list"})
	}
	if flag := firstGiven(cmd, []string{"format", "output", "force"}); action != "start" && flag != "" {
		return usagef("capture: --%s cannot be used with %s, only with start", flag, action)
	}
	if cmd.String("output") == "-" {
		return usagef("capture: --output needs a file; devtools log --follow prints the output instead")
	}
	return arguments(named, most, "the name of a session")(ctx, cmd)
}

// A captureResult is the output of capture start and capture stop with --json.
type captureResult struct {
	Name      string `json:"name"`      // name of the session
	SessionID string `json:"sessionId"` // id of the session
	captureEntry
}

// A captureEntry describes a capture, as in capture list.
type captureEntry struct {
	ID        string      `json:"id"`               // number within the session, from 1
	File      string      `json:"captureFile"`      // path of the file
	Format    string      `json:"format"`           // format of the file: jsonl, asciicast, asciicast-v3 or raw
	StartedAt ledger.Time `json:"startedAt"`        // start of the capture
	EndedAt   ledger.Time `json:"endedAt,omitzero"` // end of the capture
	Offset    int64       `json:"offset"`           // offset of the first byte
	Bytes     int64       `json:"bytesCaptured"`    // output in the file; the file may be longer
	GapBytes  int64       `json:"gapBytes"`         // output that was deleted before it could be captured
	Reason    string      `json:"reason,omitzero"`  // why the capture ended
	Complete  bool        `json:"complete"`         // it has ended at its time, and has all output; false while it runs
	Status    string      `json:"status"`           // status of the capture: running or ended
	Duration  float64     `json:"durationSeconds"`  // duration, with a fraction
}

// A captureListing is the output of capture list --json.
type captureListing struct {
	Name      string         `json:"name"`      // name of the session
	SessionID string         `json:"sessionId"` // id of the session
	Captures  []captureEntry `json:"captures"`  // captures of the session, oldest first
}

func newCaptureEntry(c ledger.Capture) captureEntry {
	e := captureEntry{
		ID: c.ID, File: c.File, Format: c.Format, StartedAt: c.StartedAt, EndedAt: c.EndedAt, Offset: c.Offset, Bytes: c.Bytes,
		GapBytes: c.Gap, Reason: c.Reason, Complete: !c.Running() && captureFailure(c) == nil, Status: "ended",
	}
	end := c.EndedAt.Time
	if c.Running() {
		e.Status, end = "running", time.Now()
	}
	e.Duration = max(0, end.Sub(c.StartedAt.Time)).Round(time.Millisecond).Seconds() // the clock may have been set
	return e
}

func capture(ctx context.Context, cmd *cli.Command) error {
	action, name, id := cmd.Args().First(), cmd.Args().Get(1), cmd.Args().Get(2)
	if target := cmd.String("t"); target != "" {
		name, id = target, name
	}
	if action != "list" {
		if err := checkFields(cmd, captureResult{}); err != nil {
			return err
		}
	}
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	switch action {
	case "start":
		return startCapture(ctx, cmd, dir, name)
	case "stop":
		session, c, err := runner.StopCapture(ctx, dir, name, id)
		if err != nil {
			return err
		}
		if err := showCapture(cmd, session, c); err != nil {
			return errors.Join(err, captureFailure(c))
		}
		return told(cmd, captureFailure(c))
	}
	session, list, err := runner.Captures(ctx, dir, name)
	if err != nil {
		return err
	}
	listing := captureListing{Name: session.Name, SessionID: session.ID, Captures: []captureEntry{}}
	for _, c := range list {
		listing.Captures = append(listing.Captures, newCaptureEntry(c))
	}
	return show(cmd, listing, captureTable)
}

func startCapture(ctx context.Context, cmd *cli.Command, dir ledger.Dir, name string) error {
	format, err := choice(cmd, "format")
	if err != nil {
		return err
	}
	spec := runner.CaptureSpec{Format: transcript.Format(format), Force: cmd.Bool("force")}
	if file := cmd.String("output"); file != "" {
		if spec.File, err = filepath.Abs(file); err != nil {
			return err
		}
	}
	session, c, err := runner.StartCapture(ctx, dir, name, spec)
	if err != nil {
		return err
	}
	return showCapture(cmd, session, c)
}

// showCapture prints one capture: the path of its file and, if it has ended, its size and duration.
func showCapture(cmd *cli.Command, session ledger.Session, c ledger.Capture) error {
	result := captureResult{session.Name, session.ID, newCaptureEntry(c)}
	return show(cmd, result, func(w io.Writer, r captureResult) error {
		if c.Running() {
			_, err := fmt.Fprintln(w, r.File)
			return err
		}
		_, err := fmt.Fprintf(w, "%s: %d bytes in %s\n", oneLine(r.File), r.Bytes, shortDuration(time.Duration(r.Duration*float64(time.Second))))
		return err
	})
}

// captureFailure returns why a capture is not complete, or nil.
func captureFailure(c ledger.Capture) error {
	switch {
	case c.Failed:
		return fmt.Errorf("capture %s stopped early: %s", c.ID, c.Reason)
	case c.Gap > 0:
		return fmt.Errorf("capture %s is incomplete: %d bytes were deleted before it could read them", c.ID, c.Gap)
	}
	return nil
}

// captureTable writes a table with one row for each capture.
func captureTable(w io.Writer, l captureListing) error {
	if len(l.Captures) == 0 {
		return nil
	}
	rows := [][]string{{"ID", "STATUS", "FORMAT", "TIME", "BYTES", "FILE", "REASON"}}
	for _, c := range l.Captures {
		rows = append(rows, []string{
			c.ID, c.Status, c.Format, shortDuration(time.Duration(c.Duration * float64(time.Second))),
			strconv.FormatInt(c.Bytes, 10), oneLine(c.File), oneLine(c.Reason),
		})
	}
	return writeColumns(w, rows)
}
