package commands

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"devtools/ledger"
	"devtools/runner"
)

// A typedResult is the output of log --input --json.
type typedResult struct {
	InputHistory []typedLine `json:"inputHistory"` // what was typed, oldest first
}

// A typedLine is something that was typed into a session: a line, or what was typed before somebody else typed.
type typedLine struct {
	Timestamp   ledger.Time `json:"timestamp"`            // time of its first key
	SessionID   string      `json:"sessionId"`            // id of the session
	AtMs        float64     `json:"atMs"`                 // time since the session started, with a fraction
	Offset      int64       `json:"offset"`               // amount of output at that time
	By          string      `json:"by,omitzero"`          // who typed it: send-keys, paste, answer, attach, ask, run or run --in
	Notation    string      `json:"notation"`             // the keys in the notation of send-keys, as one argument; <hidden> where the text was not kept
	Data        string      `json:"data,omitzero"`        // the text, where it was kept: what the program showed, if it reads single keys
	HiddenBytes int64       `json:"hiddenBytes,omitzero"` // number of bytes that were typed, where the text was not kept
}

// hiddenKeys stands for keys whose text was not kept.
const hiddenKeys = "<hidden>"

// input prints what was typed into the session, with --tail only the last lines of it.
func (p *logPrinter) input(ctx context.Context) error {
	printer := newListPrinter(p.cmd, "inputHistory")
	show := inputText
	if p.cmd.Bool("json") {
		show = inputObject(fieldsOf(p.cmd).of("inputHistory"))
	}
	var last []runner.TypedInput
	tail := p.cmd.Int("tail")
	err := p.log.Input(ctx, func(input runner.TypedInput) error {
		if tail < 0 {
			return printer.write(show(nil, p.inputLine(input)))
		}
		if last = append(last, input); len(last) > tail {
			last = last[1:]
		}
		return nil
	})
	for _, input := range last {
		if err == nil {
			err = printer.write(show(nil, p.inputLine(input)))
		}
	}
	if err == nil {
		err = printer.close()
	}
	return err
}

// inputLine returns what was typed as --json has it.
func (p *logPrinter) inputLine(input runner.TypedInput) typedLine {
	session := p.log.Session()
	line := typedLine{
		Timestamp: ledger.Time{Time: session.StartedAt.Add(input.At)}, SessionID: session.ID, AtMs: milliseconds(input.At),
		Offset: input.Offset, By: input.By, Notation: input.Notation(), Data: input.Text, HiddenBytes: input.Hidden,
	}
	if input.Hidden > 0 {
		line.Notation = hiddenKeys
	}
	return line
}

// inputText appends a line for people: its time, who typed it, and the keys.
func inputText(text []byte, line typedLine) []byte {
	by := line.By
	if by == "" {
		by = "-"
	}
	text = line.Timestamp.Local().AppendFormat(text, time.DateTime)
	text = append(appendCell(append(text, "  "...), by, len("send-keys")), "  "...)
	text = appendClean(text, line.Notation)
	if line.HiddenBytes > 0 {
		text = fmt.Appendf(text, " %d %s", line.HiddenBytes, plural(int(line.HiddenBytes), "byte", "bytes"))
	}
	return append(text, '\n')
}

// inputObject returns a function that appends a line as JSON. asked are members of inputHistory.
func inputObject(asked fields) func([]byte, typedLine) []byte {
	return func(text []byte, line typedLine) []byte {
		var object bytes.Buffer
		_ = encode(&object, line) // never fails: it has texts and numbers
		return appendEntry(text, asked, object.Bytes())
	}
}
