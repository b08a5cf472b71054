package transcript

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// captureStart begins each line of a capture in JSONL.
const captureStart = `{"timestamp":"`

// capture reads the start time and the size from the first line of a capture in JSONL. It consumes nothing.
func (r *Recording) capture() error {
	r.lines, r.Timed = true, true
	start, err := r.r.Peek(r.r.Size())
	if err != nil && err != io.EOF {
		return err
	}
	line, _, whole := bytes.Cut(start, []byte("\n"))
	var first captureLine
	if whole && json.Unmarshal(line, &first) == nil {
		if at, err := time.Parse(time.RFC3339Nano, first.Timestamp); err == nil {
			r.Started, r.first = at, true
		}
		if first.Size != nil && first.Size.Cols > 0 && first.Size.Rows > 0 {
			r.Cols, r.Rows = first.Size.Cols, first.Size.Rows
		}
	}
	return nil
}

// nextCapture returns the content of the next line of a JSONL capture. It does not return a size beside output, which
// is the size at the start.
func (r *Recording) nextCapture() (Entry, []byte, error) {
	for {
		text, err := r.readLine()
		if err != nil {
			return Entry{}, nil, err
		}
		r.line++
		whole := bytes.HasSuffix(text, []byte("\n"))
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		var line captureLine
		var at time.Time
		var data []byte
		if err = json.Unmarshal(text, &line); err == nil {
			at, err = time.Parse(time.RFC3339Nano, line.Timestamp)
		}
		if data = []byte(line.Data); err == nil && line.Encoding == "base64" {
			data, err = base64.StdEncoding.DecodeString(line.Data)
		}
		if err != nil && !whole {
			return Entry{}, nil, io.EOF // the last line is incomplete, for example after a crash
		}
		if err != nil {
			return Entry{}, nil, fmt.Errorf("capture: line %d: %w", r.line, err)
		}
		if !r.first {
			r.Started, r.first = at, true
		}
		r.at = max(r.at, at.Sub(r.Started))
		r.offset += max(line.Gap, 0)
		switch {
		case len(data) > 0: // a size beside output is the size at the start
			e := r.output(data)
			if line.Stream == "stderr" {
				e.Kind = Stderr
			}
			return e, data, nil
		case line.Size != nil:
			return Entry{At: r.at, Kind: Resize, Offset: r.offset, Text: fmt.Sprintf("%dx%d", line.Size.Cols, line.Size.Rows)}, nil, nil
		}
	}
}
