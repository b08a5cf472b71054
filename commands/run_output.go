package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/wire"
	"devtools/screen"
)

// A runOutput takes the output of a command where the flags want it: streamed, or kept within a budget
// for the end; as the terminal's bytes, or as the text that a person would have seen. Without a terminal
// the bytes are the program's own and are never changed.
type runOutput struct {
	all    *channel                     // as it came
	apart  map[transcript.Kind]*channel // without a terminal: standard output and error
	plain  *screen.Plain
	budget int64
	view   *alternateScreen // a person's terminal, or nil
}

// A channel is one output on its way to a writer or a preview.
type channel struct {
	w       io.Writer
	preview *runner.Preview // nil when it is streamed
}

func newRunOutput(cmd *cli.Command, req runRequest) *runOutput {
	o := &runOutput{budget: req.maxOutput, apart: map[transcript.Kind]*channel{}}
	open := func(w io.Writer) *channel {
		if !cmd.Bool("json") && req.maxOutput == 0 {
			return &channel{w: w}
		}
		p := runner.NewPreview(int(req.maxOutput))
		return &channel{w: p, preview: p}
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

func (o *runOutput) write(p []byte, kind transcript.Kind, _ int64) error {
	if o.plain != nil {
		_, err := o.plain.Write(p)
		return err
	}
	for _, c := range []*channel{o.all, o.apart[kind]} {
		if c != nil {
			if _, err := c.w.Write(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// quiet lets lines out that nobody will change any more.
func (o *runOutput) quiet(since time.Duration) (again time.Duration, err error) {
	if err := o.plain.Settle(since); err != nil {
		return 0, err
	}
	if after, held := o.plain.SettleAfter(); held {
		return max(after-since, time.Millisecond), nil
	}
	return 0, nil
}

// close lets out what is held back, and prints the previews that were not for JSON.
func (o *runOutput) close(cmd *cli.Command, log string) error {
	if o.plain != nil {
		if err := o.plain.Close(); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		return nil
	}
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

// print writes the preview, if there is one, to w.
func (c *channel) print(w io.Writer, log string) error {
	if c.preview == nil {
		return nil
	}
	_, err := io.WriteString(w, c.text(true, log))
	return err
}

// text returns the preview with a line between its parts that tells how much is cut and where it is.
func (c *channel) text(characters bool, log string) string {
	head, tail, left := c.preview.Parts(characters)
	if left == 0 {
		return string(head)
	}
	if !bytes.HasSuffix(head, []byte("\n")) {
		head = append(head[:len(head):len(head)], '\n')
	}
	return fmt.Sprintf("%s[… %d bytes left out: devtools log %s …]\n%s", head, left, log, tail)
}

// brokenPipe makes of the error of a reader that is gone what a shell makes of it: silence and the
// code of SIGPIPE.
func brokenPipe(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return exitCode(128 + 13)
	}
	return err
}
