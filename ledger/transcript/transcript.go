// Package transcript stores every byte that a session printed, by absolute offset, with its time.
//
// A transcript is made of segments, which are files of one [Place]. output.N contains the bytes from offset N on. timing.N.jsonl tells when they
// arrived and what else happened: input, resizes, marks. Offsets start at 0 and are never reused. Bytes that were
// dropped or could not be stored leave a gap, which readers report. One writer appends. Any number of readers follow,
// even after the writer is gone if the files are on disk: they need only the files.
package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"devtools/ledger/regular"
)

// The limits of a transcript, in bytes.
const (
	SegmentBytes = 16 << 20  // size of output and timing at which a segment is closed
	DefaultMax   = 256 << 20 // default limit of a transcript
	MinMax       = 1 << 20   // smallest limit of a transcript
)

// A Kind says what a timing entry is about.
type Kind string

// The kinds of entries.
const (
	Output Kind = "o" // bytes printed to the terminal, or to standard output without a terminal
	Stderr Kind = "e" // bytes printed to standard error without a terminal
	Input  Kind = "i" // bytes typed
	Resize Kind = "r" // new size of the terminal, "100x30"
	Mark   Kind = "m" // a note, for example "stopped"
)

// An Entry is one line of the timing file, written as an array. Output is [seconds,"o",offset,bytes]. A new size or
// scrollback is [seconds,"r","100x30",offset,rows]. Everything else is [seconds,"i","text"]. Hidden input has its
// number of bytes in place of the text. Once the program has shown it, its text follows: [seconds,"i","text",first,last].
// The last element of input says who has typed it, as in [seconds,"i","text","attach"]; older versions have not written that.
type Entry struct {
	At     time.Duration // since the session started
	Kind   Kind
	Offset int64  // offset of the first byte, for output; amount of output so far, for a new size
	Bytes  int64  // number of bytes, for output and hidden input
	Text   string // for the other kinds
	By     string // for input: who has typed it, one of the words in package wire; "": not known

	Scrollback int // maximum number of scrolled-off rows, for a new size; -1: not known

	First, Last time.Duration // for the text of earlier hidden input: the times of its first and its last entry; otherwise 0
}

// MarshalJSON writes e as an array.
func (e Entry) MarshalJSON() ([]byte, error) {
	seconds := strconv.AppendFloat(nil, e.At.Seconds(), 'f', 6, 64)
	if e.Kind == Output || e.Kind == Stderr {
		return fmt.Appendf(nil, `[%s,"%s",%d,%d]`, seconds, e.Kind, e.Offset, e.Bytes), nil
	}
	kind, err := json.Marshal(e.Kind) // a damaged file may have had any
	by := ""
	if e.Kind == Input && e.By != "" {
		by = "," + strconv.Quote(e.By)
	}
	if err != nil || e.Bytes > 0 {
		return fmt.Appendf(nil, `[%s,%s,%d%s]`, seconds, kind, e.Bytes, by), err
	}
	text, err := json.Marshal(e.Text)
	if e.Kind == Resize {
		return fmt.Appendf(nil, `[%s,%s,%s,%d,%d]`, seconds, kind, text, e.Offset, e.Scrollback), err
	}
	if e.Kind == Input && e.Last > 0 {
		return fmt.Appendf(nil, `[%s,%s,%s,%.6f,%.6f%s]`, seconds, kind, text, e.First.Seconds(), e.Last.Seconds(), by), err
	}
	return fmt.Appendf(nil, `[%s,%s,%s%s]`, seconds, kind, text, by), err
}

// UnmarshalJSON reads what MarshalJSON writes. It ignores further elements of the array.
func (e *Entry) UnmarshalJSON(data []byte) error {
	var fields []json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if len(fields) < 3 {
		return errors.New("timing entry: fewer than 3 elements")
	}
	var seconds, first, last float64
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
	if read.Kind == Input && len(fields) > 4 {
		err = errors.Join(err, json.Unmarshal(fields[3], &first), json.Unmarshal(fields[4], &last))
		read.First, read.Last = time.Duration(first*float64(time.Second)), time.Duration(last*float64(time.Second))
	}
	if last := len(fields) - 1; read.Kind == Input && (last == 3 || last == 5) {
		err = errors.Join(err, json.Unmarshal(fields[last], &read.By))
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

// A segment is a part of a transcript, named by the offset of its first byte.
type segment struct {
	start int64
	bytes int64 // bytes of output
	total int64 // bytes of output and timing
}

func outputFile(start int64) string { return "output." + strconv.FormatInt(start, 10) }
func timingFile(start int64) string { return "timing." + strconv.FormatInt(start, 10) + ".jsonl" }

// starts lists the offsets of the segments, in order.
func starts(place Place) ([]int64, error) {
	names, err := place.names()
	if err != nil {
		return nil, err
	}
	var list []int64
	for _, name := range names {
		digits, ok := strings.CutPrefix(name, "output.")
		if !ok {
			continue
		}
		start, err := strconv.ParseInt(digits, 10, 64)
		if err == nil && start >= 0 && outputFile(start) == name {
			list = append(list, start)
		}
	}
	slices.Sort(list)
	return list, nil
}

// maxFile is the maximum size of a file of a transcript, in bytes. A segment is closed when it has SegmentBytes, and what is
// written at once is much less.
const maxFile = 2 * SegmentBytes

// stat describes a file of a transcript. The error is regular.ErrOther if something else stands in its place. Another one says
// that the file is larger than any that devtools writes.
func stat(place Place, name string) (fs.FileInfo, error) {
	info, err := place.stat(name)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: %w", place.path(name), regular.ErrOther)
	case info.Size() > maxFile:
		err = fmt.Errorf("%s has %d bytes, and devtools writes at most %d into one file", place.path(name), info.Size(), maxFile)
	}
	return info, err
}

// segments lists the segments, in order of offset.
func segments(place Place) ([]segment, error) {
	place, err := place.listed()
	if err != nil {
		return nil, err
	}
	offsets, err := starts(place)
	if err != nil {
		return nil, err
	}
	var list []segment
	for _, start := range offsets {
		info, err := stat(place, outputFile(start))
		if errors.Is(err, fs.ErrNotExist) {
			continue // dropped after it was listed
		}
		if err != nil {
			return nil, err
		}
		s := segment{start: start, bytes: info.Size(), total: info.Size()}
		if info, err := stat(place, timingFile(start)); err == nil {
			s.total += info.Size()
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}
