package transcript

import (
	"errors"
	"io"
	"math"
)

// Renew makes the files of the open segment anew in the folder, from which they were removed, with their content. The
// segments before are lost: readers find a gap. A transcript in memory stays as it is.
func (w *Writer) Renew() (err error) {
	if _, disk := w.place.(Folder); !disk {
		return nil
	}
	last := w.list[len(w.list)-1]
	w.list = []segment{last}
	if w.file == nil { // the disk was full: all that is kept is in memory, and begins a segment
		w.list = nil
		if err := w.open(); err != nil {
			w.list = []segment{last}
			return err
		}
		return nil
	}
	// The pending times come after those that are copied: Flush would make the new file that they are copied to.
	if w.file, err = w.renewed(w.file, outputFile(last.start)); err == nil && w.time != nil {
		w.time, err = w.renewed(w.time, timingFile(last.start))
	}
	return err
}

// renewed returns a new file with this name and the content of f, and closes f. If it fails, it returns f.
func (w *Writer) renewed(f file, name string) (file, error) {
	again, err := w.place.create(name)
	if err != nil {
		return f, err
	}
	if _, err = io.Copy(again, io.NewSectionReader(f, 0, math.MaxInt64)); err != nil {
		return f, errors.Join(err, again.Close(), w.place.remove(name))
	}
	return again, f.Close()
}

// Open returns at most limit bytes from offset on of the open segment, also if its file was removed. at is the offset of the
// first of them.
func (w *Writer) Open(offset int64, limit int) (data []byte, at int64) {
	last := w.list[len(w.list)-1]
	at = max(offset, last.start)
	if w.file == nil || at >= last.start+last.bytes {
		return w.Unsaved(offset)
	}
	data = make([]byte, min(int64(limit), last.start+last.bytes-at))
	n, _ := w.file.ReadAt(data, at-last.start) // what cannot be read is a gap
	return data[:n], at
}
