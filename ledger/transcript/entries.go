package transcript

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLine is how long a line of a timing file may be: input has at most 64 KiB a line, in JSON.
const maxLine = 1 << 20

// Entries reads the timing of a transcript in the order in which it was written, while it grows and
// after its end. It belongs to one goroutine.
type Entries struct {
	dir   string
	start int64 // the segment that is read
	file  *os.File
	last  bool   // a later segment exists: when this file ends, it has ended for good
	lines []byte // read and not yet taken apart
}

// OpenEntries returns the entries from the segment on that holds the byte at offset. The caller
// closes it.
func OpenEntries(dir string, offset int64) (*Entries, error) {
	list, err := segments(dir)
	if err != nil {
		return nil, err
	}
	e := &Entries{dir: dir}
	for _, s := range list {
		if s.start <= offset || e.file == nil {
			if err := e.open(s.start); err != nil {
				return nil, err
			}
		}
	}
	return e, nil
}

// Start returns the offset of the first byte of the segment that is read.
func (e *Entries) Start() int64 { return e.start }

// open goes to the timing of the segment that starts at start.
func (e *Entries) open(start int64) error {
	file, err := os.Open(filepath.Join(e.dir, timingFile(start)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = e.Close() // it was only read
	if start != e.start {
		e.start, e.last, e.lines = start, false, nil
	}
	if err == nil {
		e.file = file
	}
	return nil
}

// Close frees the file.
func (e *Entries) Close() error {
	if e.file == nil {
		return nil
	}
	err := e.file.Close()
	e.file = nil
	return err
}

// Next returns the next entry. At the end of what is written so far the error is io.EOF, and Next
// may be called again later. Lines that are no entries (a crash can tear one) are skipped.
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

// fill reads more of the open file. When there is none it finds out whether there will be: the
// writer completes the timing of a segment before it starts the next, so the file is read once more
// after that was seen.
func (e *Entries) fill() (more bool, err error) {
	for {
		if e.file == nil { // it is made with its first entry
			if err := e.open(e.start); err != nil {
				return false, err
			}
		}
		if e.file != nil {
			var buffer [16 << 10]byte
			n, err := e.file.Read(buffer[:])
			if n > 0 {
				if len(e.lines) > maxLine {
					e.lines = nil // no line of ours: what it ends with is skipped like it
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
		list, err := segments(e.dir)
		if err != nil {
			return false, err
		}
		e.last = len(list) > 0 && list[len(list)-1].start > e.start
		if !e.last {
			return false, nil
		}
	}
}

// advance goes to the segment after the open one.
func (e *Entries) advance() error {
	list, err := segments(e.dir)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.start > e.start {
			return e.open(s.start)
		}
	}
	return io.EOF
}
