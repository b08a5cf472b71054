package transcript

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// A Format is how a file holds what a terminal got.
type Format string

// The formats that a Recorder writes.
const (
	// JSONL is one object a line: timestamp (RFC 3339, in UTC, with milliseconds) and data. Bytes that are
	// no UTF-8 are in base64, which encoding says then; size is the terminal's from then on, gap a number
	// of bytes that are missing, and stream is "stderr" where it is that.
	JSONL Format = "jsonl"
	// Asciicast is version 2 of asciinema's format, AsciicastV3 its version 3
	// (docs.asciinema.org/manual/asciicast).
	Asciicast   Format = "asciicast"
	AsciicastV3 Format = "asciicast-v3"
	// Raw is the bytes as they are.
	Raw Format = "raw"
)

// Extension returns how the name of a file in the format ends.
func (f Format) Extension() string {
	switch f {
	case JSONL:
		return ".jsonl"
	case Raw:
		return ".raw"
	}
	return ".cast"
}

// A RecordingHeader says what a recording is of.
type RecordingHeader struct {
	Cols, Rows int // 0 without a terminal
	Started    time.Time
	Title      string
	Command    string
}

// A Recorder writes what a terminal gets in one of the formats: a reading of it is a Recording. A character
// whose bytes come apart is written in one piece. It belongs to one goroutine.
type Recorder struct {
	w      io.Writer
	format Format
	header RecordingHeader

	begun  bool
	last   time.Duration // when something was written last
	held   []byte        // the beginning of a character
	heldAt time.Duration
	kind   Kind // of what is held
	bare   bool // the output so far ends with no CR
	line   bytes.Buffer
	json   *json.Encoder
}

// NewRecorder returns a Recorder that writes to w, nothing before the first of its methods is called. Times
// are since header.Started.
func NewRecorder(w io.Writer, format Format, header RecordingHeader) *Recorder {
	r := &Recorder{w: w, format: format, header: header, bare: true}
	r.json = json.NewEncoder(&r.line)
	r.json.SetEscapeHTML(false)
	return r
}

// captureLine is a line of JSONL. Every one has data, so that a reader may join it without a look at the rest.
type captureLine struct {
	Timestamp string       `json:"timestamp"`
	Data      string       `json:"data"`
	Encoding  string       `json:"encoding,omitempty"`
	Stream    string       `json:"stream,omitempty"`
	Size      *captureSize `json:"size,omitempty"`
	Gap       int64        `json:"gap,omitempty"`
}

type captureSize struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// maxPiece is how much data a line has at most: the first is to be read whole at a glance.
const maxPiece = 8 << 10

// Output writes p, which came at a time.
func (r *Recorder) Output(at time.Duration, kind Kind, p []byte) error {
	if err := r.begin(); err != nil {
		return err
	}
	if r.format == Raw {
		_, err := r.w.Write(p)
		return err
	}
	if len(r.held) > 0 {
		if r.kind != kind {
			if err := r.release(); err != nil {
				return err
			}
		}
		p = append(r.held, p...)
		r.held = nil
	}
	for len(p) > 0 {
		piece := p[:min(len(p), maxPiece)]
		whole := WholeCharacters(piece)
		if whole == 0 && len(piece) == len(p) {
			break
		}
		if whole == 0 {
			whole = len(piece)
		}
		if err := r.piece(at, kind, p[:whole]); err != nil {
			return err
		}
		p = p[whole:]
	}
	r.held, r.heldAt, r.kind = bytes.Clone(p), at, kind
	return nil
}

// WholeCharacters returns the length of data without a character of which the end is missing.
func WholeCharacters(data []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if last := data[len(data)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return len(data) - i
			}
			break
		}
	}
	return len(data)
}

// release writes what is held though it is no whole character.
func (r *Recorder) release() error {
	held := r.held
	r.held = nil
	if len(held) == 0 {
		return nil
	}
	return r.piece(r.heldAt, r.kind, held)
}

// piece writes one line of output.
func (r *Recorder) piece(at time.Duration, kind Kind, p []byte) error {
	if r.format != JSONL {
		text := strings.ToValidUTF8(string(p), string(utf8.RuneError))
		if r.header.Cols == 0 { // a terminal would go down and not back
			text = r.returns(text)
		}
		return r.event(at, "o", text)
	}
	line := captureLine{Data: string(p)}
	if !utf8.Valid(p) {
		line.Data, line.Encoding = base64.StdEncoding.EncodeToString(p), "base64"
	}
	if kind == Stderr {
		line.Stream = "stderr"
	}
	if r.header.Cols > 0 { // told once, with the first output
		line.Size = &captureSize{r.header.Cols, r.header.Rows}
		r.header.Cols = 0
	}
	return r.jsonl(at, line)
}

// returns puts a CR before each line feed without one.
func (r *Recorder) returns(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if text[i] == '\n' && r.bare {
			b.WriteByte('\r')
		}
		b.WriteByte(text[i])
		r.bare = text[i] != '\r'
	}
	return b.String()
}

// Resize notes that the terminal has got another size.
func (r *Recorder) Resize(at time.Duration, cols, rows int) error {
	if err := r.begin(); err != nil {
		return err
	}
	switch r.format {
	case Raw:
		return nil
	case JSONL:
		r.header.Cols = 0
		return r.jsonl(at, captureLine{Size: &captureSize{cols, rows}})
	}
	return r.event(at, "r", fmt.Sprintf("%dx%d", cols, rows))
}

// Gap notes that n bytes are missing.
func (r *Recorder) Gap(at time.Duration, n int64) error {
	if r.format != JSONL {
		return nil // the others have no word for it
	}
	if err := r.release(); err != nil {
		return err
	}
	return r.jsonl(at, captureLine{Gap: n})
}

// Close writes what is held back. The recording is whole then, also an empty one.
func (r *Recorder) Close() error {
	if err := r.begin(); err != nil {
		return err
	}
	return r.release()
}

// begin writes the header, once.
func (r *Recorder) begin() error {
	if r.begun || r.format == Raw || r.format == JSONL {
		return nil
	}
	r.begun = true
	cols, rows := r.header.Cols, r.header.Rows
	if cols == 0 {
		cols, rows = 80, 24
	}
	if r.format == AsciicastV3 {
		type term struct {
			Cols int `json:"cols"`
			Rows int `json:"rows"`
		}
		return r.write(struct {
			Version   int    `json:"version"`
			Term      term   `json:"term"`
			Timestamp int64  `json:"timestamp,omitempty"`
			Command   string `json:"command,omitempty"`
			Title     string `json:"title,omitempty"`
		}{3, term{cols, rows}, r.unix(), r.header.Command, r.header.Title})
	}
	return r.write(struct {
		Version   int    `json:"version"`
		Width     int    `json:"width"`
		Height    int    `json:"height"`
		Timestamp int64  `json:"timestamp,omitempty"`
		Command   string `json:"command,omitempty"`
		Title     string `json:"title,omitempty"`
	}{2, cols, rows, r.unix(), r.header.Command, r.header.Title})
}

func (r *Recorder) unix() int64 {
	if r.header.Started.IsZero() {
		return 0
	}
	return r.header.Started.Unix()
}

// event writes an event of an asciicast. Its times never go back; version 3 has them since the event before.
func (r *Recorder) event(at time.Duration, code, text string) error {
	at = max(at, r.last)
	seconds := at.Seconds()
	if r.format == AsciicastV3 {
		// Rounded from the start each time, so that the errors do not add up.
		seconds = float64(at.Round(time.Microsecond)-r.last.Round(time.Microsecond)) / float64(time.Second)
	}
	r.last = at
	r.line.Reset()
	fmt.Fprintf(&r.line, "[%.6f, %q, ", seconds, code)
	if err := r.json.Encode(text); err != nil {
		return err
	}
	r.line.Truncate(r.line.Len() - 1) // its line feed
	r.line.WriteString("]\n")
	_, err := r.w.Write(r.line.Bytes())
	return err
}

func (r *Recorder) jsonl(at time.Duration, line captureLine) error {
	r.last = max(r.last, at)
	line.Timestamp = r.header.Started.Add(r.last).UTC().Format("2006-01-02T15:04:05.000Z")
	return r.write(line)
}

func (r *Recorder) write(v any) error {
	r.line.Reset()
	if err := r.json.Encode(v); err != nil {
		return err
	}
	_, err := r.w.Write(r.line.Bytes())
	return err
}
