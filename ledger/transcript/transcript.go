// Package transcript keeps every byte that a session printed, by absolute offset, and when it came.
//
// A transcript is a folder of segments. output.N holds the bytes from offset N on; timing.N.jsonl
// tells when they came and what else happened: input, resizes, marks. Offsets start at 0 and are
// never reused: what is dropped, or could not be stored, leaves a gap that readers report. One writer
// appends; any number of readers follow, also after the writer is gone, with nothing but the files.
package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The limits of a transcript, in bytes.
const (
	SegmentBytes = 16 << 20  // a segment is closed when output and timing have grown to this
	DefaultMax   = 256 << 20 // what a transcript keeps
	MinMax       = 1 << 20   // the least that it can be told to keep
)

// A Kind tells what an entry of the timing file is about.
type Kind string

// The kinds of entries.
const (
	Output Kind = "o" // bytes printed: to the terminal, or to standard output without one
	Stderr Kind = "e" // bytes printed to standard error, without a terminal
	Input  Kind = "i" // bytes typed
	Resize Kind = "r" // a new size of the terminal, "100x30"
	Mark   Kind = "m" // a note, for instance "stopped"
)

// An Entry is one line of the timing file, written as an array: [seconds,"o",offset,bytes] for
// output, [seconds,"r","100x30",offset,rows] for a new size or scrollback, and [seconds,"i","text"] for the others.
// Hidden input has the number of bytes in place of the text.
type Entry struct {
	At     time.Duration // since the session started
	Kind   Kind
	Offset int64  // of the first byte, for output; of the output so far, for a new size
	Bytes  int64  // how many, for output and hidden input
	Text   string // for the other kinds

	Scrollback int // rows that are kept, for a new size; -1 where it is not told
}

// MarshalJSON writes e as an array.
func (e Entry) MarshalJSON() ([]byte, error) {
	seconds := strconv.AppendFloat(nil, e.At.Seconds(), 'f', 6, 64)
	switch {
	case e.Kind == Output || e.Kind == Stderr:
		return fmt.Appendf(nil, `[%s,"%s",%d,%d]`, seconds, e.Kind, e.Offset, e.Bytes), nil
	case e.Bytes > 0:
		return fmt.Appendf(nil, `[%s,"%s",%d]`, seconds, e.Kind, e.Bytes), nil
	}
	text, err := json.Marshal(e.Text)
	if e.Kind == Resize {
		return fmt.Appendf(nil, `[%s,"%s",%s,%d,%d]`, seconds, e.Kind, text, e.Offset, e.Scrollback), err
	}
	return fmt.Appendf(nil, `[%s,"%s",%s]`, seconds, e.Kind, text), err
}

// UnmarshalJSON reads what MarshalJSON writes. Further elements of the array are ignored.
func (e *Entry) UnmarshalJSON(data []byte) error {
	var fields []json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if len(fields) < 3 {
		return errors.New("timing entry: fewer than 3 elements")
	}
	var seconds float64
	var read Entry
	err := errors.Join(json.Unmarshal(fields[0], &seconds), json.Unmarshal(fields[1], &read.Kind))
	read.At = time.Duration(seconds * float64(time.Second))
	switch {
	case read.Kind == Output || read.Kind == Stderr:
		if len(fields) < 4 {
			return errors.New("timing entry: output without a length")
		}
		err = errors.Join(err, json.Unmarshal(fields[2], &read.Offset), json.Unmarshal(fields[3], &read.Bytes))
		if read.Offset < 0 || read.Bytes < 0 {
			err = errors.Join(err, errors.New("timing entry: negative offset or length"))
		}
	case json.Unmarshal(fields[2], &read.Bytes) != nil:
		read.Bytes = 0
		err = errors.Join(err, json.Unmarshal(fields[2], &read.Text))
	}
	if read.Kind == Resize && len(fields) > 3 {
		err = errors.Join(err, json.Unmarshal(fields[3], &read.Offset))
	}
	if read.Kind == Resize {
		read.Scrollback = -1
		if len(fields) > 4 {
			err = errors.Join(err, json.Unmarshal(fields[4], &read.Scrollback))
		}
	}
	if err != nil {
		return err
	}
	*e = read
	return nil
}

// A segment is one file of a transcript, by the offset of its first byte.
type segment struct {
	start int64
	bytes int64 // of output
	total int64 // of output and timing
}

func outputFile(start int64) string { return "output." + strconv.FormatInt(start, 10) }
func timingFile(start int64) string { return "timing." + strconv.FormatInt(start, 10) + ".jsonl" }

// segments lists what is in the folder, in order of offset.
func segments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []segment
	for _, entry := range entries {
		digits, ok := strings.CutPrefix(entry.Name(), "output.")
		if !ok {
			continue
		}
		start, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || start < 0 || outputFile(start) != entry.Name() {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // dropped since the folder was read
		}
		if err != nil {
			return nil, err
		}
		s := segment{start: start, bytes: info.Size(), total: info.Size()}
		if info, err := os.Stat(filepath.Join(dir, timingFile(start))); err == nil {
			s.total += info.Size()
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b segment) int { return cmp.Compare(a.start, b.start) })
	return list, nil
}
