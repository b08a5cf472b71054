package transcript

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// maxLine is the maximum length of a line in a timing file, in bytes. A line of input has at most 64 KiB of text, in
// JSON.
const maxLine = 1 << 20

// Entries reads the timing entries of a transcript in the order of writing. It works while the transcript grows and
// after its end. It belongs to one goroutine.
type Entries struct {
	place Place
	start int64 // offset of the segment being read
	file  *os.File
	last  bool   // a later segment exists, so this file is complete
	lines []byte // bytes that were read but not parsed yet
}

// OpenEntries returns the entries, beginning with the segment that contains the byte at offset. The caller closes the
// result.
func OpenEntries(place Place, offset int64) (*Entries, error) {
	list, err := starts(place)
	if err != nil {
		return nil, err
	}
	e := &Entries{place: place}
	for _, start := range list {
		if start <= offset || e.file == nil {
			if err := e.open(start); err != nil {
				return nil, err
			}
		}
	}
	return e, nil
}

// Start returns the offset of the first byte of the segment being read.
func (e *Entries) Start() int64 { return e.start }

// open switches to the timing file of the segment that begins at start.
func (e *Entries) open(start int64) error {
	file, err := e.place.open(timingFile(start))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = e.Close() // the file was only read
	if start != e.start {
		e.start, e.last, e.lines = start, false, nil
	}
	if err == nil {
		e.file = file
	}
	return nil
}

// Close closes the file.
func (e *Entries) Close() error {
	if e.file == nil {
		return nil
	}
	err := e.file.Close()
	e.file = nil
	return err
}

// Next returns the next entry. The error is io.EOF at the end of what is written so far. The caller may call Next
// again later. Next skips lines that are not entries: a crash can leave an incomplete line.
func (e *Entries) Next() (Entry, error) {
	for {
		for {
			line, rest, whole := bytes.Cut(e.lines, []byte("\n"))
			if !whole {
				break
			}
			e.lines = rest
			var entry Entry
			if entry.UnmarshalJSON(line) == nil {
				return entry, nil
			}
		}
		if more, err := e.fill(); err != nil {
			return Entry{}, err
		} else if more {
			continue
		}
		if !e.last {
			return Entry{}, io.EOF
		}
		if err := e.advance(); err != nil {
			return Entry{}, err
		}
	}
}

// fill reads more of the open file. If there is nothing more, it looks for a later segment. The writer completes the
// timing of a segment before it begins the next. So when a later segment exists, fill reads the file once more and
// then knows that the file is complete.
func (e *Entries) fill() (more bool, err error) {
	for {
		if e.file == nil { // the writer makes the file with its first entry
			if err := e.open(e.start); err != nil {
				return false, err
			}
		}
		if e.file != nil {
			var buffer [16 << 10]byte
			n, err := e.file.Read(buffer[:])
			if n > 0 {
				if len(e.lines) > maxLine {
					e.lines = nil // not a line of the writer; the rest of the line is skipped as well
				}
				e.lines = append(e.lines, buffer[:n]...)
				return true, nil
			}
			if err != nil && err != io.EOF {
				return false, err
			}
		}
		if e.last {
			return false, nil
		}
		list, err := starts(e.place)
		if err != nil {
			return false, err
		}
		e.last = len(list) > 0 && list[len(list)-1] > e.start
		if !e.last {
			return false, nil
		}
	}
}

// advance switches to the segment after the open one.
func (e *Entries) advance() error {
	list, err := starts(e.place)
	if err != nil {
		return err
	}
	for _, start := range list {
		if start > e.start {
			return e.open(start)
		}
	}
	return io.EOF
}
