package commands

import (
	"bytes"
	"io"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
)

// A logEvent is one line of log --events, with and without --json.
type logEvent struct {
	Timestamp ledger.Time  `json:"timestamp"`          // time of the event
	SessionID string       `json:"sessionId"`          // id of the session
	Restarted bool         `json:"restarted,omitzero"` // --since names another session, so the output begins at the start
	Direction string       `json:"direction"`          // kind of the event: output, stderr, input, resize or mark
	AtMs      float64      `json:"atMs"`               // time since the session started, with a fraction
	Offset    int64        `json:"offset"`             // offset of the first byte of output; amount of output so far for other events
	GapBytes  int64        `json:"gapBytes,omitzero"`  // deleted output before this output
	DataBytes int64        `json:"dataBytes,omitzero"` // length of the output or of hidden input
	By        string       `json:"by,omitzero"`        // who typed the input: send-keys, paste, answer, attach, ask, run or run --in
	Data      string       `json:"data,omitzero"`      // the output, the input or the mark
	Encoding  string       `json:"encoding,omitzero"`  // encoding of output: utf8 or base64
	Hidden    bool         `json:"hidden,omitzero"`    // typed while the terminal did not echo; its text follows in a later event if the program shows it
	FirstAtMs float64      `json:"firstAtMs,omitzero"` // atMs of the first hidden input of which data is the text
	LastAtMs  float64      `json:"lastAtMs,omitzero"`  // atMs of the last one
	Size      *ledger.Size `json:"size,omitempty"`     // new size of the terminal
}

// An eventPrinter prints events. It holds the beginning of a character until the rest arrives.
type eventPrinter struct {
	*logPrinter
	held transcript.Event // held output, if it has data
	next int64            // offset at which the output continues
	gap  int64            // deleted output that no line has told of
}

// event prints an event, or holds it. The error is io.EOF behind the end.
func (p *eventPrinter) event(e transcript.Event) error {
	if e.Offset > p.end || e.Offset == p.end && len(e.Data) > 0 {
		return io.EOF
	}
	e.Data = e.Data[:min(int64(len(e.Data)), p.end-e.Offset)]
	if e.Kind != transcript.Output && e.Kind != transcript.Stderr {
		if e.Offset < p.at {
			return nil // before the requested offset
		}
		return p.print(e)
	}
	if n := len(p.held.Data); n > 0 && e.Kind == p.held.Kind && e.Offset == p.held.Offset+int64(n) {
		e.Data, e.Offset = append(p.held.Data, e.Data...), p.held.Offset
		p.held.Data = nil
	} else if err := p.close(); err != nil {
		return err
	}
	end := e.Offset + int64(len(e.Data))
	if gap := e.Offset - p.next; gap > 0 {
		p.gap += gap
		p.missing(gap)
	}
	p.next = end
	whole := transcript.WholeCharacters(e.Data)
	if rest := e.Data[whole:]; len(rest) > 0 {
		p.held = e
		p.held.Data, p.held.Offset = bytes.Clone(rest), e.Offset+int64(whole)
	}
	if e.Data = e.Data[:whole]; whole == 0 {
		return nil
	}
	return p.print(e)
}

// close prints the held bytes, although they are not a whole character.
func (p *eventPrinter) close() error {
	e := p.held
	p.held.Data = nil
	if len(e.Data) == 0 {
		return nil
	}
	return p.print(e)
}

func (p *eventPrinter) print(e transcript.Event) error {
	session := p.log.Session()
	line := logEvent{
		Timestamp: ledger.Time{Time: session.StartedAt.Add(e.At)}, SessionID: session.ID,
		AtMs:   milliseconds(e.At),
		Offset: e.Offset, DataBytes: e.Bytes, Restarted: p.restarted,
	}
	p.restarted = false // the first line has said so
	switch e.Kind {
	case transcript.Output, transcript.Stderr:
		line.Direction, line.DataBytes = "output", int64(len(e.Data))
		line.GapBytes, p.gap = p.gap, 0
		if e.Kind == transcript.Stderr {
			line.Direction = "stderr"
		}
		line.Data, line.Encoding = encodeBytes(e.Data)
	case transcript.Input:
		line.Direction, line.Data, line.Hidden = "input", e.Text, e.Bytes > 0
		line.By = e.By
		line.FirstAtMs, line.LastAtMs = milliseconds(e.First), milliseconds(e.Last)
	case transcript.Resize:
		line.Direction = "resize"
		if cols, rows, ok := transcript.ParseSize(e.Text); ok {
			line.Size = &ledger.Size{Cols: cols, Rows: rows}
		}
	default:
		line.Direction, line.Data = "mark", e.Text
	}
	return encodeFor(p.cmd, line)
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}
