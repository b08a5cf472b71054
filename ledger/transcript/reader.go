package transcript

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
)

// A Reader reads a transcript by offset. It works while the transcript grows and after its end. It needs only the
// writer's files, not the writer. It belongs to one goroutine.
type Reader struct {
	place Place
	file  *os.File
	start int64 // offset of the first byte of file
}

// Open returns a reader of the transcript in a place. The caller closes it.
func Open(place Place) *Reader { return &Reader{place: place} }

// Close closes the reader's file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// Bounds returns the offset of the oldest kept byte and the offset after the newest one.
func (r *Reader) Bounds() (first, next int64, err error) {
	list, err := segments(r.place)
	if err != nil || len(list) == 0 {
		return 0, 0, err
	}
	last := list[len(list)-1]
	return list[0].start, last.start + last.bytes, nil
}

// Newest returns the path of the file with the newest output. It is "" if the output is in memory.
func Newest(place Place) string {
	var start int64
	if list, err := segments(place); err == nil && len(list) > 0 {
		start = list[len(list)-1].start
	}
	return place.path(outputFile(start))
}

// ReadAt reads bytes into p, from offset on. One call reads from one segment only. If the bytes at offset are not
// kept, gap is the number of missing bytes. The bytes in p then begin at offset+gap. At the present end of the
// transcript the error is io.EOF, and n and gap are 0.
func (r *Reader) ReadAt(p []byte, offset int64) (n int, gap int64, err error) {
	if r.file != nil && offset >= r.start {
		if n, err := r.file.ReadAt(p, offset-r.start); n > 0 {
			return n, 0, nil
		} else if err != io.EOF {
			return 0, 0, err
		}
	}
	for {
		gap, err = r.seek(offset)
		if err != nil {
			return 0, 0, err
		}
		n, err = r.file.ReadAt(p, offset+gap-r.start)
		if n > 0 {
			return n, gap, nil
		}
		if err != io.EOF {
			return 0, 0, err
		}
		// The segment was dropped or came to its end after it was listed.
		if list, err := segments(r.place); err != nil || !after(list, offset+gap) {
			return 0, 0, errors.Join(err, io.EOF)
		}
	}
}

// after reports whether a segment of the list has a byte at or after offset.
func after(list []segment, offset int64) bool {
	return slices.ContainsFunc(list, func(s segment) bool { return s.bytes > 0 && s.start+s.bytes > offset })
}

// seek opens the segment that contains the byte at offset, otherwise the first one after it.
func (r *Reader) seek(offset int64) (gap int64, err error) {
	for {
		list, err := segments(r.place)
		if err != nil {
			return 0, err
		}
		i := slices.IndexFunc(list, func(s segment) bool { return s.bytes > 0 && s.start+s.bytes > offset })
		if i < 0 {
			return 0, io.EOF
		}
		file, err := r.place.open(outputFile(list[i].start))
		if errors.Is(err, fs.ErrNotExist) {
			continue // dropped after the listing: list again
		}
		if err != nil {
			return 0, err
		}
		_ = r.Close() // the file was only read
		r.file, r.start = file, list[i].start
		return max(0, r.start-offset), nil
	}
}
