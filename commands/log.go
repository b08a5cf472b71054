package commands

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/wire"
	"devtools/screen"
)

func logCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME",
		Description: "Prints the output of the session NAME, running or ended, as the text that a person saw. Offsets count\n" +
			"the bytes of one session from 0. With --json, next says where to read on: the session's id and an offset.\n" +
			"Pass it to --since. If NAME now means another session, log prints that session's output from its start.\n\n" +
			"Example: devtools log web --tail 20 --follow",
		Flags: []cli.Flag{
			targetFlag(),
			&cli.StringFlag{Name: "since", Usage: "start at byte `OFFSET`, or at the next of an earlier answer"},
			&cli.IntFlag{Name: "tail", Aliases: []string{"n"}, Usage: "print only the last `N` lines", Value: -1, HideDefault: true},
			&cli.IntFlag{Name: "lines", Usage: "print at most `N` lines", HideDefault: true},
			&cli.StringFlag{Name: "grep", Aliases: []string{"g"}, Usage: "print only lines that match the regular expression `RE`"},
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on with new output until the session ends"},
			&cli.BoolFlag{Name: "raw", Usage: "print the bytes of the terminal unchanged"},
			&cli.BoolFlag{Name: "events", Usage: "print output, input and resizes with times, as JSON Lines"},
		},
		ArgValidator:  oneSession,
		ShellComplete: completeSessions,
		Action:        printLog,
	}
}

// A logPage is the output of log --json.
type logPage struct {
	Event     string `json:"event,omitzero"`     // kind of the line, with --follow: output or closed; closed is the last line
	Name      string `json:"name"`               // name of the session
	SessionID string `json:"sessionId"`          // id of the session
	Restarted bool   `json:"restarted,omitzero"` // --since names another session, so the output begins at the start
	Data      string `json:"data"`               // the output
	Encoding  string `json:"encoding"`           // encoding of data: utf8 or base64
	Offset    int64  `json:"offset"`             // offset of the first byte
	readOn
	GapBytes int64 `json:"gapBytes"` // deleted output between the place that was asked for and offset
	Closed   bool  `json:"closed"`   // there will be no further output
}

// logRules are the rules about the flags of log.
var logRules = []flagRule{
	{flags: []string{"lines"}, without: []string{"follow"}, reason: "--follow has no end"},
	{flags: []string{"grep", "lines", "raw"}, without: []string{"events"}},
}

// logFlags checks all flags of log. It returns the values of --since and --grep.
func logFlags(cmd *cli.Command) (since ledger.Position, pattern *regexp.Regexp, err error) {
	for _, flag := range []string{"lines", "tail"} {
		if n := cmd.Int(flag); n < 0 && cmd.IsSet(flag) {
			return since, nil, badValue(flag, n, "0 or more")
		}
	}
	if err := checkFlags(cmd, logRules); err != nil {
		return since, nil, err
	}
	if cmd.IsSet("since") {
		if since, err = ledger.ParsePosition(cmd.String("since")); err != nil {
			return since, nil, usagef("--since %q: %v", cmd.String("since"), err)
		}
	}
	if cmd.IsSet("grep") {
		if pattern, err = regexp.Compile(cmd.String("grep")); err != nil {
			return since, nil, usagef("--grep: %v", err)
		}
	}
	return since, pattern, nil
}

func printLog(ctx context.Context, cmd *cli.Command) error {
	since, pattern, err := logFlags(cmd)
	if err != nil {
		return err
	}
	var object any = logPage{}
	if cmd.Bool("events") {
		object = logEvent{}
	}
	if err := checkFields(cmd, object); err != nil {
		return err
	}
	name := target(cmd)
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	log, err := runner.OpenLog(dir, name)
	if err != nil {
		return err
	}
	defer log.Close()
	p := &logPrinter{cmd: cmd, log: log, pattern: pattern, size: log.Session().Size}
	if start := log.Session().StartSize; start.Cols > 0 {
		p.size = start
	}
	if err := p.seek(ctx, since); err != nil {
		return err
	}
	if p.restarted && !cmd.Bool("json") {
		p.sayRestarted(dir, since)
	}
	switch {
	case cmd.Bool("events"):
		events := &eventPrinter{logPrinter: p, next: p.at}
		err = errors.Join(log.Events(ctx, p.at, cmd.Bool("follow"), events.event), events.close())
	case cmd.Bool("json"):
		err = p.pages(ctx)
	default:
		err = p.text(ctx)
	}
	return brokenPipe(err)
}

// A logPrinter prints one log. It begins at the offset in its field at.
type logPrinter struct {
	cmd       *cli.Command
	log       *runner.Log
	pattern   *regexp.Regexp
	at        int64
	restarted bool        // --since names another session, and no answer has said so yet
	size      ledger.Size // size of the terminal at the offset at, as far as it is known
}

// seek goes to the position since. If the lines of --tail begin later, it goes there.
func (p *logPrinter) seek(ctx context.Context, since ledger.Position) (err error) {
	if p.at, p.restarted, err = p.log.Seek(ctx, since); err != nil {
		return err
	}
	if n := p.cmd.Int("tail"); n >= 0 {
		start, err := p.log.Tail(n)
		if err != nil {
			return err
		}
		p.at = max(p.at, start)
	}
	return nil
}

// sayRestarted prints that the output does not continue after since. If that session still exists, it also prints how
// to read on there.
func (p *logPrinter) sayRestarted(dir ledger.Dir, since ledger.Position) {
	w := p.cmd.Root().ErrWriter
	message(w, "%s belongs to another session: printing session %q from its start", since, p.log.Session().Name)
	if _, err := dir.LoadSession(since.Session); err == nil {
		hint(w, fmt.Sprintf("devtools log %s --since %s continues in that session", since.Session, since))
	}
}

// filter returns a writer that cleans and selects output on its way to w. finish writes what the filter still holds.
func (p *logPrinter) filter(w io.Writer) (in io.Writer, plain *screen.Plain, finish func() error) {
	finish = func() error { return nil }
	if p.pattern != nil {
		lines := &lineFilter{w: w, pattern: p.pattern}
		w, finish = lines, lines.close
	}
	if p.cmd.Bool("raw") || p.size.Cols == 0 { // without a terminal, the output is left as the program wrote it
		return w, nil, finish
	}
	plain = screen.NewPlain(w, p.size.Cols, p.size.Rows)
	last := finish
	return plain, plain, func() error { return errors.Join(plain.Close(), last()) }
}

// write passes data, which begins at offset, to a filter. The filter follows the size that the terminal had.
func (p *logPrinter) write(w io.Writer, plain *screen.Plain, data []byte, offset int64) error {
	if plain == nil {
		_, err := w.Write(data)
		return err
	}
	return p.log.Split(data, offset, func(e transcript.Event) error {
		if cols, rows, ok := transcript.ParseSize(e.Text); ok && e.Kind == transcript.Resize {
			p.size = ledger.Size{Cols: cols, Rows: rows}
			plain.Resize(cols, rows)
		}
		_, err := plain.Write(e.Data)
		return err
	})
}

// text prints the existing output, and with --follow also new output.
func (p *logPrinter) text(ctx context.Context) error {
	w, plain, finish := p.filter(p.cmd.Root().Writer)
	lines := p.cmd.Int("lines")
	if p.cmd.Bool("follow") {
		sink := wire.Sink{Write: func(data []byte, _ transcript.Kind, offset int64) error {
			return p.write(w, plain, data, offset)
		}}
		if plain != nil {
			out := &runOutput{plain: plain}
			sink.Quiet = out.quiet
		}
		_, missing, err := p.log.Follow(ctx, p.at, sink)
		p.missing(missing)
		return errors.Join(err, finish())
	}
	end, err := p.log.End()
	for err == nil && p.at < end {
		var page runner.Page
		page, err = p.log.Page(p.at, lines)
		if err != nil || page.Next == p.at && page.Gap == 0 {
			break
		}
		p.missing(page.Gap)
		p.at = page.Next
		if err = p.write(w, plain, page.Data, page.Offset); lines > 0 {
			if lines -= bytes.Count(page.Data, []byte("\n")); lines == 0 {
				break
			}
		}
	}
	return errors.Join(err, finish())
}

func (p *logPrinter) missing(n int64) {
	if n == 0 || p.cmd.Bool("json") {
		return
	}
	what := "were deleted"
	switch lost := max(p.log.Lost(), p.log.Session().LostBytes); {
	case n <= lost:
		what = "could not be stored"
	case lost > 0:
		what = "were deleted or could not be stored"
	}
	message(p.cmd.Root().ErrWriter, "%d bytes of the output %s", n, what)
}

// pages prints one page as JSON. With --follow it prints a page whenever there is more output.
func (p *logPrinter) pages(ctx context.Context) error {
	if !p.cmd.Bool("follow") {
		page, err := p.log.Page(p.at, p.cmd.Int("lines"))
		if err != nil {
			return err
		}
		return p.page(page, "")
	}
	more := func() error {
		for {
			page, err := p.log.Page(p.at, 0)
			if err != nil || page.Next == p.at {
				return err
			}
			p.at = page.Next
			page.Closed = false // only the last line says that the log is closed
			if err := p.page(page, "output"); err != nil {
				return err
			}
		}
	}
	_, _, err := p.log.Follow(ctx, p.at, wire.Sink{Write: func([]byte, transcript.Kind, int64) error { return more() }})
	if err = errors.Join(err, more()); err != nil {
		return err
	}
	return p.page(runner.Page{Offset: p.at, Next: p.at, Closed: true}, "closed")
}

func (p *logPrinter) page(page runner.Page, event string) error {
	var text bytes.Buffer
	w, plain, finish := p.filter(&text)
	if err := p.write(w, plain, page.Data, page.Offset); err != nil {
		return err
	}
	if err := finish(); err != nil {
		return err
	}
	s := p.log.Session()
	result := logPage{
		Event: event, Name: s.Name, SessionID: s.ID, Restarted: p.restarted,
		Offset: page.Offset, readOn: readOnFrom(s.ID, page.Next), GapBytes: page.Gap, Closed: page.Closed,
	}
	p.restarted = false // the first line has said so
	result.Data, result.Encoding = encodeBytes(text.Bytes())
	return encodeFor(p.cmd, result)
}

// encodeBytes returns data in its form for JSON: unchanged if it is UTF-8, otherwise in base64.
func encodeBytes(data []byte) (text, encoding string) {
	if utf8.Valid(data) {
		return string(data), "utf8"
	}
	return base64.StdEncoding.EncodeToString(data), "base64"
}

// completeSessions prints the names of the sessions for the shell's completion, and then their ids.
func completeSessions(ctx context.Context, cmd *cli.Command) {
	if args := cmd.Args().Slice(); len(args) > 0 && strings.HasPrefix(args[len(args)-1], "-") {
		completeFlags(ctx, cmd)
		return
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return
	}
	dir, err := ledger.Open(path)
	if err != nil {
		return
	}
	sessions, err := dir.Sessions()
	if err != nil {
		return
	}
	seen := map[string]bool{}
	for _, s := range sessions {
		if !seen[s.Name] {
			seen[s.Name] = true
			_, _ = io.WriteString(cmd.Root().Writer, s.Name+"\n")
		}
	}
	for _, s := range sessions {
		_, _ = io.WriteString(cmd.Root().Writer, s.ID+"\n")
	}
}
