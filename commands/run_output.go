package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/wire"
	"devtools/screen"
)

// A runOutput passes the output of a command to where the flags want it. The output is streamed, or kept within a
// budget and printed at the end. It is the bytes of the terminal, or the text that a person would have seen. Without
// a terminal, the bytes of the program are never changed.
type runOutput struct {
	all    *outputStream                     // output in the order in which it came
	apart  map[transcript.Kind]*outputStream // without a terminal: standard output and error
	plain  *screen.Plain
	bytes  *outputStream // with --json, beside plain: the output as the terminal got it, for output that is no text
	check  textCheck     // with --json
	budget int64
	view   *alternateScreen // a person's terminal, or nil
	gone   bool             // no log has the output: it was not recorded, and the session has ended
}

// An outputStream is one output on its way to a writer or a preview.
type outputStream struct {
	w       io.Writer
	preview *runner.Preview // nil if the output is streamed
}

func newRunOutput(cmd *cli.Command, req runRequest) *runOutput {
	o := &runOutput{budget: req.maxOutput, apart: map[transcript.Kind]*outputStream{}}
	open := func(w io.Writer) *outputStream {
		if !cmd.Bool("json") && req.maxOutput == 0 {
			return &outputStream{w: w}
		}
		p := runner.NewPreview(int(req.maxOutput), req.maxLines)
		return &outputStream{w: p, preview: p}
	}
	if req.spec.NoTerminal {
		o.apart[transcript.Output] = open(cmd.Root().Writer)
		o.apart[transcript.Stderr] = open(cmd.Root().ErrWriter)
	}
	if !req.spec.NoTerminal || cmd.Bool("json") {
		o.all = open(cmd.Root().Writer)
	}
	if req.viewed {
		o.view = &alternateScreen{w: o.all.w}
		o.all.w = o.view
	}
	if !req.raw && !req.spec.NoTerminal {
		if cmd.Bool("json") {
			o.bytes = open(nil)
		}
		o.plain = screen.NewPlain(o.all.w, req.spec.Size.Cols, req.spec.Size.Rows)
	}
	return o
}

func (o *runOutput) sink() wire.Sink {
	sink := wire.Sink{Write: o.write}
	if o.plain != nil && o.all.preview == nil {
		sink.Quiet = o.quiet
	}
	return sink
}

func (o *runOutput) write(p []byte, kind transcript.Kind, offset int64) error {
	if o.all != nil && o.all.preview != nil {
		o.check.add(p, offset)
	}
	if o.bytes != nil {
		_, _ = o.bytes.w.Write(p) // a preview takes everything
	}
	if o.plain != nil {
		_, err := o.plain.Write(p)
		return err
	}
	for _, c := range []*outputStream{o.all, o.apart[kind]} {
		if c != nil {
			if _, err := c.w.Write(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// startIn prepares for the output of a command in a session. In a REPL, its line editor still draws the command, which
// stands on the screen already.
func (o *runOutput) startIn(ctx context.Context, client *runner.Client, r runner.RunInResult) (err error) {
	if o.plain != nil && r.REPL {
		o.plain, err = runner.Resumed{Client: client, From: r.Offset}.Plain(ctx, o.all.w, true)
	}
	return err
}

// endIn leaves out the prompt at which a REPL waits again.
func (o *runOutput) endIn(r runner.RunInResult) {
	if o.plain != nil && r.REPL && r.Finished && !r.Ended {
		o.plain.DropLine()
	}
}

// quiet writes the lines that no further output will change.
func (o *runOutput) quiet(since time.Duration) (again time.Duration, err error) {
	if err := o.plain.Settle(since); err != nil {
		return 0, err
	}
	if after, held := o.plain.SettleAfter(); held {
		return max(after-since, time.Millisecond), nil
	}
	return 0, nil
}

// close writes the output that is still held. Without --json it also prints the previews.
func (o *runOutput) close(cmd *cli.Command, log string) error {
	if o.plain != nil {
		if err := o.plain.Close(); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		return nil
	}
	log = o.log(log)
	var errs []error
	if o.all != nil {
		errs = append(errs, o.all.print(cmd.Root().Writer, log))
	}
	if c := o.apart[transcript.Output]; c != nil {
		errs = append(errs, c.print(cmd.Root().Writer, log))
	}
	if c := o.apart[transcript.Stderr]; c != nil {
		errs = append(errs, c.print(cmd.Root().ErrWriter, log))
	}
	return errors.Join(errs...)
}

// deleted returns how many bytes from an offset on the log no longer has, if a preview leaves any out.
func (o *runOutput) deleted(folder string, s ledger.Session, from int64) int64 {
	for _, c := range []*outputStream{o.all, o.apart[transcript.Output], o.apart[transcript.Stderr]} {
		if o.gone || c == nil || c.preview == nil || !c.preview.Cut() {
			continue
		}
		if dir, err := ledger.Open(folder); err == nil {
			return runner.Deleted(dir, s, from)
		}
	}
	return 0
}

// log returns the session whose log has the output that is left out, or "".
func (o *runOutput) log(name string) string {
	if o.gone {
		return ""
	}
	return name
}

// print writes the preview to w, if there is one.
func (c *outputStream) print(w io.Writer, log string) error {
	if c.preview == nil {
		return nil
	}
	_, err := io.WriteString(w, c.text(true, log))
	return err
}

// text returns the preview. Where output is left out, a line says how much and how to print it: by the log of a session, which
// may be "".
func (c *outputStream) text(characters bool, log string) string {
	head, tail, left := c.preview.Parts(characters)
	if left == 0 {
		return string(head)
	}
	if len(head) > 0 && !bytes.HasSuffix(head, []byte("\n")) {
		head = append(head[:len(head):len(head)], '\n')
	}
	what, where := fmt.Sprintf("%d bytes", left), ": devtools log "+log
	if lines := c.preview.LinesLeft(head, tail); lines > 0 {
		what, where = fmt.Sprintf("%d %s", lines, plural(lines, "line", "lines")), where+" --head N"
	}
	if log == "" {
		where = ", and not recorded"
	}
	return fmt.Sprintf("%s[… %s left out%s …]\n%s", head, what, where, tail)
}

// brokenPipe handles the error of a reader that is gone as a shell does: no message, and the exit code of SIGPIPE.
func brokenPipe(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return exitCode(128 + 13)
	}
	return err
}

// lostOutput adds to err, if standard output has failed, what to do about the command of a session that may still run.
func lostOutput(cmd *cli.Command, name string, err error) error {
	if !isOutput(err) {
		return err
	}
	devtools := devtoolsCommand(cmd)
	return &sessionError{err, name, fmt.Sprintf("it may still run: %s run --resume %s waits for it, %[1]s kill %[2]s ends it; df -h shows full disks", devtools, name)}
}
