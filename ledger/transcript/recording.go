package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxCastLine is the maximum length of a line in an asciicast, in bytes.
const maxCastLine = 64 << 20

// A Recording reads the output of a terminal from a file. The file is an asciicast (versions 2 and 3), a typescript
// of script(1), raw bytes or the file of a Recorder. A Recording belongs to one goroutine.
type Recording struct {
	// Cols and Rows are the size of the terminal at the start. They are 0 if the file does not say.
	Cols, Rows int
	// Started is the time of the recording. It is zero if the file does not say.
	Started time.Time
	// Timed says whether the file has the times of the output.
	Timed bool

	r      *bufio.Reader
	cast   bool
	delays bool // times count from the previous entry (version 3)
	lines  bool // the file is a JSONL capture of devtools
	first  bool // the time of a capture's first line is known
	script bool
	held   []byte // last bytes of a typescript so far; script(1) itself may have written them
	line   int
	at     time.Duration
	offset int64
}

// scriptStart begins the first line of a typescript; scriptEnd begins the last.
const (
	scriptStart = "Script started on "
	scriptEnd   = "Script done on "
)

// maxScriptEnd is the maximum length of the text that script(1) writes at the end, in bytes.
const maxScriptEnd = 256

// ReadRecording returns a reader of the recording r. It recognizes the format by the beginning of r.
func ReadRecording(r io.Reader) (*Recording, error) {
	rec := &Recording{r: bufio.NewReaderSize(r, 64<<10)}
	start, err := rec.r.Peek(max(len(scriptStart), len(captureStart)))
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case strings.HasPrefix(string(start), scriptStart):
		return rec, rec.typescript()
	case strings.HasPrefix(string(start), captureStart):
		return rec, rec.capture()
	case len(start) > 0 && start[0] == '{':
		return rec, rec.asciicast()
	}
	return rec, nil
}

// typescript reads the first line of a typescript.
func (r *Recording) typescript() error {
	line, err := r.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull || err == io.EOF {
		return errors.New("typescript: its first line has no end")
	}
	if err != nil {
		return err
	}
	r.script = true
	r.Cols, r.Rows = setting(line, "COLUMNS"), setting(line, "LINES")
	return nil
}

// setting returns the number in name="NUMBER", or 0 if there is none.
func setting(line []byte, name string) int {
	_, rest, _ := strings.Cut(string(line), name+`="`)
	digits, _, _ := strings.Cut(rest, `"`)
	n, _ := strconv.Atoi(digits)
	return n
}

// withoutEnd returns the end of a typescript without the text that script(1) itself wrote.
func withoutEnd(data []byte) []byte {
	i := bytes.LastIndex(data, []byte(scriptEnd))
	if i < 0 || bytes.IndexByte(bytes.TrimSuffix(data[i:], []byte("\n")), '\n') >= 0 {
		return data
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(data[:i], []byte("\n")), []byte("\r"))
}

// asciicast reads the header of an asciicast. If the first line is not such a header, the file is treated as raw
// bytes.
func (r *Recording) asciicast() error {
	first, err := r.r.Peek(r.r.Size())
	if err != nil && err != io.EOF {
		return err
	}
	line, _, _ := bytes.Cut(first, []byte("\n"))
	var header struct {
		Version       int
		Width, Height int
		Timestamp     int64
		Term          struct{ Cols, Rows int }
	}
	if json.Unmarshal(line, &header) != nil || header.Version == 0 {
		return nil
	}
	if header.Timestamp > 0 {
		r.Started = time.Unix(header.Timestamp, 0)
	}
	switch header.Version {
	case 2:
		r.Cols, r.Rows = header.Width, header.Height
	case 3:
		r.Cols, r.Rows, r.delays = header.Term.Cols, header.Term.Rows, true
	default:
		return fmt.Errorf("asciicast: unknown version %d: use 2 or 3", header.Version)
	}
	if r.Cols < 0 || r.Rows < 0 || max(r.Cols, r.Rows) > math.MaxUint16 { // a terminal counts with 16 bits, tty_ioctl(4)
		return fmt.Errorf("asciicast: its header has the size %dx%d, which no terminal has", r.Cols, r.Rows)
	}
	r.cast, r.Timed, r.line = true, true, 1
	_, err = r.r.Discard(min(len(line)+1, len(first)))
	return err
}

// Next returns the next output with its bytes, or the next change of size. At is 0 if the file has no times. The
// bytes are valid until the next call. At the end the error is io.EOF.
func (r *Recording) Next() (Entry, []byte, error) {
	if r.cast {
		return r.nextCast()
	}
	if r.lines {
		return r.nextCapture()
	}
	buffer := make([]byte, 32<<10)
	n, err := r.r.Read(buffer)
	data := buffer[:n]
	if r.script {
		data = append(r.held, data...)
		keep := min(len(data), maxScriptEnd)
		if err == io.EOF {
			data, keep, err = withoutEnd(data), 0, nil
			r.script = false
		}
		r.held = bytes.Clone(data[len(data)-keep:])
		data = data[:len(data)-keep]
	}
	if err != nil {
		return Entry{}, nil, err
	}
	return r.output(data), data, nil
}

// output returns the entry for data.
func (r *Recording) output(data []byte) Entry {
	e := Entry{At: r.at, Kind: Output, Offset: r.offset, Bytes: int64(len(data))}
	r.offset += e.Bytes
	return e
}

// nextCast returns the next event of an asciicast that is output or a change of size.
func (r *Recording) nextCast() (Entry, []byte, error) {
	for {
		line, err := r.readLine()
		if err != nil {
			return Entry{}, nil, err
		}
		r.line++
		whole := bytes.HasSuffix(line, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		var fields []json.RawMessage
		var seconds float64
		var kind, text string
		err = json.Unmarshal(line, &fields)
		if err == nil && len(fields) < 3 {
			err = io.ErrUnexpectedEOF
		}
		if err == nil {
			err = errors.Join(json.Unmarshal(fields[0], &seconds), json.Unmarshal(fields[1], &kind))
		}
		if err == nil && (kind == "o" || kind == "r") {
			err = json.Unmarshal(fields[2], &text)
		}
		if err != nil {
			err = errors.New("use [SECONDS, KIND, TEXT]")
		}
		if err != nil && !whole {
			return Entry{}, nil, io.EOF // the last line is incomplete, for example after a crash
		}
		if err != nil {
			return Entry{}, nil, fmt.Errorf("asciicast: line %d is not an event: %w", r.line, err)
		}
		at := time.Duration(seconds * float64(time.Second))
		if r.delays {
			at += r.at
		}
		r.at = at
		switch kind {
		case "o":
			return r.output([]byte(text)), []byte(text), nil
		case "r":
			return Entry{At: r.at, Kind: Resize, Offset: r.offset, Text: text}, nil, nil
		}
	}
}

// readLine returns the next line. It refuses a line that is too long for the memory.
func (r *Recording) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := r.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxCastLine:
			return nil, fmt.Errorf("asciicast: line %d has more than %d bytes", r.line+1, maxCastLine)
		case err == bufio.ErrBufferFull:
		case err == io.EOF && len(line) > 0:
			return line, nil
		default:
			return line, err
		}
	}
}

// ParseSize parses a size as in entries, such as "100x30".
func ParseSize(text string) (cols, rows int, ok bool) {
	c, r, _ := strings.Cut(text, "x")
	cols, errCols := strconv.Atoi(c)
	rows, errRows := strconv.Atoi(r)
	return cols, rows, errCols == nil && errRows == nil && cols > 0 && rows > 0
}
