package commands

import (
	"context"
	"fmt"
	"io"

	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

// A logStream selects one of the two outputs of a session without a terminal.
type logStream struct {
	kind    transcript.Kind
	unknown int64 // bytes that were passed over, because nothing says which output they are of
}

// readStream reads which output to print. What a running session has printed so far is then known to be of the one or the other.
func (p *logPrinter) readStream(ctx context.Context) error {
	switch {
	case p.cmd.Bool("stdout"):
		p.stream = &logStream{kind: transcript.Output}
	case p.cmd.Bool("stderr"):
		p.stream = &logStream{kind: transcript.Stderr}
	default:
		return nil
	}
	if s := p.log.Session(); s.Size.Cols > 0 {
		return &sessionError{
			err:  fmt.Errorf("session %q: %w, in which standard output and standard error are one", s.Name, wire.ErrHasTerminal),
			name: s.Name, hint: "devtools log " + s.Name + " prints both; launch --no-pty keeps them apart",
		}
	}
	if end := p.log.Flush(ctx); end > 0 { // up to there a running session has stored what is of which output
		p.end = end
	}
	return nil
}

// name returns the stream as --json names it, or "" for all output.
func (s *logStream) name() string {
	switch {
	case s == nil:
		return ""
	case s.kind == transcript.Stderr:
		return "stderr"
	}
	return "stdout"
}

// write passes output of the stream on to w.
func (s *logStream) write(w io.Writer, e transcript.Event) (err error) {
	switch {
	case e.Untimed:
		s.unknown += int64(len(e.Data))
	case e.Kind == s.kind:
		_, err = w.Write(e.Data)
	}
	return err
}

// sayUnknown tells how much output was passed over: the holder was killed before it had stored of which output it is, or the disk
// was full.
func (p *logPrinter) sayUnknown() {
	if p.stream != nil && p.stream.unknown > 0 {
		w, name := p.cmd.Root().ErrWriter, p.log.Session().Name
		message(w, "session %q: %d bytes are left out: nothing says whether they are of standard output or of standard error", name, p.stream.unknown)
		hint(w, "devtools log "+name+" prints them")
	}
}
