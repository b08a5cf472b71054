package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/wire"
	"devtools/screen"
)

func logCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME",
		Description: `Prints the output of the session NAME, running or ended, as the text that a
person saw. With --json, next says where to read on: pass it to --since. If NAME
then means another session, log prints the output of that one from its start.

EXAMPLES:
  devtools log web --tail 20 --follow
  devtools log web --grep 'error|warning'
  devtools log --all --follow`,
		CustomHelpTemplate: `OUTPUT: tail grep follow since | head after-context before-context context
SESSION: all | t
FORM: raw | stdout stderr events input`,
		Flags: []cli.Flag{
			targetFlag(),
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "print all running sessions, each line with its NAME"},
			&cli.StringFlag{Name: "since", Usage: "start at byte `OFFSET`, or at the next of an earlier answer"},
			&cli.IntFlag{Name: "tail", Aliases: []string{"n"}, Usage: "print only the last `N` lines", Value: -1, HideDefault: true},
			&cli.IntFlag{Name: "head", Usage: "print only the first `N` lines", HideDefault: true},
			&cli.StringFlag{Name: "grep", Aliases: []string{"g"}, Usage: "print only lines that match the regular expression `RE`"},
			&cli.IntFlag{Name: "after-context", Aliases: []string{"A"}, Usage: "with --grep: print `N` lines after each match, too", HideDefault: true},
			&cli.IntFlag{Name: "before-context", Aliases: []string{"B"}, Usage: "with --grep: print `N` lines before each match, too", HideDefault: true},
			&cli.IntFlag{Name: "context", Aliases: []string{"C"}, Usage: "with --grep: print `N` lines before and after each match", HideDefault: true},
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on with new output until the session ends"},
			&cli.BoolFlag{Name: "raw", Usage: "print the bytes of the terminal unchanged"},
			&cli.BoolFlag{Name: "stdout", Usage: "print only standard output, of a session without a terminal"},
			&cli.BoolFlag{Name: "stderr", Usage: "print only standard error, of a session without a terminal"},
			&cli.BoolFlag{Name: "input", Usage: "print what was typed, when and by what"},
			&cli.BoolFlag{Name: "events", Usage: "print output, input and resizes with times, as JSON Lines"},
		},
		ArgValidator: oneSessionOrAll,
		Action:       printLog,
	}
}

// oneSessionOrAll is the ArgValidator of log.
func oneSessionOrAll(ctx context.Context, cmd *cli.Command) error {
	if cmd.Bool("all") {
		return noName(cmd, "all")
	}
	return oneSession(ctx, cmd)
}

// logRules are the rules about the flags of log.
var logRules = []flagRule{
	{flags: []string{"head"}, without: []string{"follow"}, reason: "--follow has no end"},
	{flags: []string{"after-context", "before-context", "context"}, needs: []string{"grep"}},
	{flags: []string{"grep", "head", "raw", "stdout", "stderr"}, without: []string{"events"}},
	{flags: []string{"grep", "since", "head", "raw", "stdout", "stderr", "events", "follow"}, without: []string{"input"}},
	{flags: []string{"stdout"}, without: []string{"stderr"}, reason: "without either, log prints both"},
	{flags: []string{"t", "since", "head", "raw", "stdout", "stderr", "events", "input", "json"}, without: []string{"all"}, reason: "read each session by its name"},
}

// logFlags checks all flags of log. It returns the values of --since and --grep.
func logFlags(cmd *cli.Command) (since ledger.Position, pattern *regexp.Regexp, err error) {
	for _, flag := range []string{"tail", "after-context", "before-context", "context"} {
		if n := cmd.Int(flag); n < 0 && cmd.IsSet(flag) {
			return since, nil, badValue(flag, n, "0 or more")
		}
	}
	if n := cmd.Int("head"); n < 1 && cmd.IsSet("head") {
		return since, nil, badValue("head", n, "1 or more")
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
		if pattern, err = condition.Pattern(cmd.String("grep")); err != nil {
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
	if cmd.Bool("all") {
		return printAllLogs(ctx, cmd, pattern)
	}
	var object any = logPage{}
	switch {
	case cmd.Bool("events"):
		object = logEvent{}
	case cmd.Bool("input"):
		object = typedResult{}
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
	p := newLogPrinter(cmd, log, cmd.Root().Writer)
	p.grep = newGrep(cmd, pattern)
	if cmd.Bool("input") {
		return brokenPipe(p.input(ctx))
	}
	if err := p.readStream(ctx); err != nil {
		return err
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
		if err = log.Events(ctx, p.at, cmd.Bool("follow"), events.event); err == io.EOF {
			err = nil // the end of --tail
		}
		err = errors.Join(err, events.close())
	case cmd.Bool("json"):
		err = p.pages(ctx)
	default:
		err = p.text(ctx)
	}
	p.sayUnknown()
	sayLost(cmd, dir, log.Session())
	return brokenPipe(err)
}

// A logPrinter prints one log. It begins at the offset in its field at, and ends before that in its field end.
type logPrinter struct {
	cmd       *cli.Command
	log       *runner.Log
	out       io.Writer // of text
	grep      *grep     // nil: print all lines
	about     string    // begins each message, to say which session it is about
	at, end   int64
	restarted bool        // --since names another session, and no answer has said so yet
	size      ledger.Size // size of the terminal at the offset at, as far as it is known
	stream    *logStream  // nil: print all output
	bytes     bool        // print the bytes of the terminal unchanged: they are no text
	head      *headWriter // counts the lines of --head; nil: print all lines
}

func newLogPrinter(cmd *cli.Command, log *runner.Log, out io.Writer) *logPrinter {
	p := &logPrinter{cmd: cmd, log: log, out: out, end: math.MaxInt64, size: log.Session().Size}
	if start := log.Session().StartSize; start.Cols > 0 {
		p.size = start
	}
	return p
}

// seek goes to the position since. If the lines of --tail begin later, it goes there. They end with what is printed now.
func (p *logPrinter) seek(ctx context.Context, since ledger.Position) (err error) {
	if p.at, p.restarted, err = p.log.Seek(ctx, since); err != nil {
		return err
	}
	if n := p.cmd.Int("tail"); n >= 0 {
		start, end, err := p.log.Tail(n)
		if err != nil {
			return err
		}
		if p.at = max(p.at, start); !p.cmd.Bool("follow") {
			p.end = min(p.end, end)
		}
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
	if p.grep != nil {
		selected := w
		lines := &lineWriter{each: func(line []byte) error { return p.grep.line(selected, line) }}
		w, finish = lines, lines.close
	}
	if n := p.cmd.Int("head"); n > 0 {
		p.head = &headWriter{w: w, left: n}
		w = p.head
	}
	if p.cmd.Bool("raw") || p.bytes || p.size.Cols == 0 { // without a terminal, the output is left as the program wrote it
		return w, nil, finish
	}
	plain = screen.NewPlain(w, p.size.Cols, p.size.Rows)
	last := finish
	return plain, plain, func() error { return errors.Join(plain.Close(), last()) }
}

// write passes data, which begins at offset, to a filter. The filter follows the size that the terminal had.
func (p *logPrinter) write(w io.Writer, plain *screen.Plain, data []byte, offset int64) error {
	if p.stream != nil {
		return p.log.Split(data, offset, func(e transcript.Event) error { return p.stream.write(w, e) })
	}
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
	w, plain, finish := p.filter(p.out)
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
	p.end = min(p.end, end)
	for err == nil && p.at < p.end && !p.head.full() {
		var page runner.Page
		page, err = p.page()
		if err != nil || page.Next == p.at && page.Gap == 0 {
			break
		}
		p.missing(page.Gap)
		p.at = page.Next
		err = p.write(w, plain, page.Data, page.Offset)
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
	message(p.cmd.Root().ErrWriter, "%s%d bytes of the output %s", p.about, n, what)
}
