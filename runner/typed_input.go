package runner

import (
	"context"
	"io"
	"strings"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

// A TypedInput is something that was typed into a session: a line, or what was typed before somebody else typed.
type TypedInput struct {
	At     time.Duration // since the start of the session
	Offset int64         // amount of output at that time
	By     string        // who typed it, one of the words in package wire; "": an older devtools has not noted it
	Text   string        // what was typed, with control characters; "" if it was not kept
	Hidden int64         // bytes that were typed and whose text was not kept; 0 if Text is known
}

// Notation returns the keys in the notation of send-keys, as one argument.
func (t TypedInput) Notation() string { return wire.KeysOf(t.Text) }

const (
	// maxHidden is how many inputs wait for a text that comes later. The program shows a text soon after it was typed, so that
	// these are the keys of some minutes. An input for which no text has come by then is told as hidden.
	maxHidden = 4096

	// maxWaiting is how much text waits behind such an input, in bytes.
	maxWaiting = 16 << 20

	// maxInputLine is the length at which a line that goes on becomes two, in bytes.
	maxInputLine = 64 << 10
)

// Input passes everything that was typed into the session to yield, in order. Text that was typed without an echo is told where it
// was typed, if the program has shown it later.
func (l *Log) Input(ctx context.Context, yield func(TypedInput) error) error {
	l.Flush(ctx) // the holder notes what waits for its echo
	entries, err := transcript.OpenEntries(wire.Transcript(l.dir, l.session), 0)
	if err != nil {
		return err
	}
	defer entries.Close()
	lines := inputLines{yield: yield}
	var waiting []TypedInput
	held := 0 // bytes of text in waiting
	offset := entries.Start()
	for ctx.Err() == nil {
		e, err := entries.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch e.Kind {
		case transcript.Output, transcript.Stderr:
			offset = e.Offset + e.Bytes
		case transcript.Input:
			waiting = withInput(waiting, e, offset)
			held += len(e.Text)
		}
		for ; len(waiting) > 0 && (waiting[0].Hidden == 0 || len(waiting) > maxHidden || held > maxWaiting); waiting = waiting[1:] {
			held -= len(waiting[0].Text)
			if err := lines.add(waiting[0]); err != nil {
				return err
			}
		}
	}
	for _, input := range waiting {
		if err := lines.add(input); err != nil {
			return err
		}
	}
	if err := lines.flush(); err != nil {
		return err
	}
	return ctx.Err()
}

// withInput adds an entry to the inputs. A text that was shown later takes the place of the hidden inputs that it was typed in.
func withInput(inputs []TypedInput, e transcript.Entry, offset int64) []TypedInput {
	input := TypedInput{At: e.At, Offset: offset, By: e.By, Text: e.Text, Hidden: e.Bytes}
	if e.Last == 0 {
		return append(inputs, input)
	}
	input.At = e.First
	kept, at := inputs[:0], len(inputs)
	for _, other := range inputs {
		if other.At >= e.First {
			at = min(at, len(kept))
		}
		if other.Hidden > 0 && other.At >= e.First && other.At <= e.Last {
			input.Offset = min(input.Offset, other.Offset)
			continue
		}
		kept = append(kept, other)
	}
	at = min(at, len(kept))
	kept = append(kept, TypedInput{})
	copy(kept[at+1:], kept[at:])
	kept[at] = input
	return kept
}

// inputLines makes lines of inputs.
type inputLines struct {
	yield func(TypedInput) error
	line  TypedInput // the line so far; zero: none
}

// add adds an input to the line that goes on with it, or begins the next one.
func (l *inputLines) add(input TypedInput) error {
	if l.goesOn(input) {
		l.line.Text += input.Text
		l.line.Hidden += input.Hidden
		return nil
	}
	if err := l.flush(); err != nil {
		return err
	}
	l.line = input
	return nil
}

// goesOn reports whether an input belongs to the same line: the same one types, and has not pressed Enter. An Escape ends the line,
// too: with what follows it would be another key. Between hidden inputs of one line the program prints nothing.
func (l *inputLines) goesOn(input TypedInput) bool {
	switch line := l.line; {
	case line == TypedInput{}, line.By != input.By, line.Hidden > 0 != (input.Hidden > 0):
		return false
	case line.Hidden > 0:
		return line.Offset == input.Offset
	default:
		return !strings.HasSuffix(line.Text, "\r") && !strings.HasSuffix(line.Text, "\n") && !strings.HasSuffix(line.Text, "\x1b") && len(line.Text) < maxInputLine
	}
}

// flush passes the line on.
func (l *inputLines) flush() error {
	line := l.line
	if l.line = (TypedInput{}); line == (TypedInput{}) {
		return nil
	}
	return l.yield(line)
}
