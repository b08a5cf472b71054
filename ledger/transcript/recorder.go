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

// A Format is the form in which a file stores the output of a terminal.
type Format string

// The formats that a Recorder writes.
const (
	// JSONL has one JSON object per line, with timestamp (RFC 3339, in UTC, with milliseconds) and data. Bytes that
	// are not UTF-8 are in base64; encoding then says so. size is the size of the terminal from then on. gap is a
	// number of missing bytes. stream is "stderr" for standard error.
	JSONL Format = "jsonl"
	// Asciicast is version 2 of asciinema's format. AsciicastV3 is version 3 (docs.asciinema.org/manual/asciicast).
	Asciicast   Format = "asciicast"
	AsciicastV3 Format = "asciicast-v3"
	// Raw has the unchanged bytes.
	Raw Format = "raw"
)

// Extension returns the file name extension for the format, with its dot.
func (f Format) Extension() string {
	switch f {
	case JSONL:
		return ".jsonl"
	case Raw:
		return ".raw"
	}
	return ".cast"
}

// A RecordingHeader describes a recording.
type RecordingHeader struct {
	Cols, Rows int // 0 without a terminal
	Started    time.Time
	Title      string
	Command    string
}

// A Recorder writes the output of a terminal in one of the formats. A Recording reads it back. If the bytes of a
// character arrive separately, the Recorder writes them together. It belongs to one goroutine.
type Recorder struct {
	w      io.Writer
	format Format
	header RecordingHeader

	begun  bool
	last   time.Duration // time of the last write
	held   []byte        // beginning of an incomplete character
	heldAt time.Duration
	kind   Kind // kind of the held bytes
	bare   bool // the output so far does not end with CR
	line   bytes.Buffer
	json   *json.Encoder
}

// NewRecorder returns a Recorder that writes to w. It writes nothing before the first call of a method. Times count
// from header.Started.
func NewRecorder(w io.Writer, format Format, header RecordingHeader) *Recorder {
	r := &Recorder{w: w, format: format, header: header, bare: true}
	r.json = json.NewEncoder(&r.line)
	r.json.SetEscapeHTML(false)
	return r
}

// A captureLine is a line of JSONL. Every line has data, so that a reader can join the data without looking at the
// other fields.
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

// maxPiece is the maximum amount of data in one line, in bytes. It is small, because a Recording must find the whole
// first line in its read buffer.
const maxPiece = 8 << 10

// Output writes p, which arrived at the time at.
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

// WholeCharacters returns the length of data without an incomplete character at the end.
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

// release writes the held bytes, although they are not a whole character.
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
		if r.header.Cols == 0 { // a terminal would go down, but not back to the first column
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
	if r.header.Cols > 0 { // reported once, with the first output
		line.Size = &captureSize{r.header.Cols, r.header.Rows}
		r.header.Cols = 0
	}
	return r.jsonl(at, line)
}

// returns inserts a CR before each line feed without one.
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

// Resize notes that the terminal has a new size.
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
		return nil // the other formats cannot express it
	}
	if err := r.release(); err != nil {
		return err
	}
	return r.jsonl(at, captureLine{Gap: n})
}

// Close writes the held bytes. After that the recording is complete, even if it is empty.
func (r *Recorder) Close() error {
	if err := r.begin(); err != nil {
		return err
	}
	return r.release()
}

// begin writes the header once.
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

// event writes an event of an asciicast. The times never decrease. In version 3 they count from the previous event.
func (r *Recorder) event(at time.Duration, code, text string) error {
	at = max(at, r.last)
	seconds := at.Seconds()
	if r.format == AsciicastV3 {
		// Each time is rounded as a time since the start, so that errors do not add up.
		seconds = float64(at.Round(time.Microsecond)-r.last.Round(time.Microsecond)) / float64(time.Second)
	}
	r.last = at
	r.line.Reset()
	fmt.Fprintf(&r.line, "[%.6f, %q, ", seconds, code)
	if err := r.json.Encode(text); err != nil {
		return err
	}
	r.line.Truncate(r.line.Len() - 1) // removes the line feed
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
