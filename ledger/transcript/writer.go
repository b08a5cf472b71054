package transcript

import (
	"errors"
	"time"
)

// coalesce is the maximum time span of output that shares one timing entry.
const coalesce = 10 * time.Millisecond

// MaxUnsaved is how much output is kept in memory while the disk is full, in bytes.
const MaxUnsaved = 1 << 20

// keepOnFullDisk is how much stays when old segments are dropped on a full disk, in bytes. It is what a reader that
// is not too far behind has still to read.
const keepOnFullDisk = 80 << 20

// retryBytes is how much output comes between two attempts to write to a full disk, in bytes.
const retryBytes = 64 << 10

// A Writer appends to a transcript. It belongs to one goroutine.
//
// When the disk is full, a Writer with many segments drops its oldest ones. Otherwise it keeps the last MaxUnsaved
// bytes in memory, where Unsaved finds them. It stores them as soon as it can.
type Writer struct {
	place Place
	max   int64
	list  []segment // oldest first; the last is open
	file  file      // output of the open segment; nil if it could not be opened
	time  file      // timing of the open segment; nil before its first entry

	next    int64 // offset after the last appended byte
	pending Entry // output without a timing entry, if Bytes > 0
	size    Entry // last Resize; every further segment begins with it

	unsaved []byte // bytes before next that are not on disk
	retryAt int64  // offset at which the disk is tried again
	lost    int64
	failure error // last error of the disk
}

// Create begins a transcript in a place that contains none. The transcript keeps at most limit bytes; a limit below
// MinMax counts as MinMax. It keeps at least two segments.
func Create(place Place, limit int64) (*Writer, error) {
	w := &Writer{place: place, max: max(limit, MinMax)}
	return w, w.open()
}

// Place returns where the transcript is. Any goroutine may call it.
func (w *Writer) Place() Place { return w.place }

// Next returns the offset after the last appended byte.
func (w *Writer) Next() int64 { return w.next }

// Path returns the path of the file with the newest output. It is "" in memory.
func (w *Writer) Path() string { return w.place.path(outputFile(w.list[len(w.list)-1].start)) }

// Segment returns the offset at which the file with the newest output begins.
func (w *Writer) Segment() int64 { return w.list[len(w.list)-1].start }

// Lost returns the number of bytes that could not be stored, and the last error of the disk.
func (w *Writer) Lost() (int64, error) { return w.lost, w.failure }

// open begins a segment at the offset of the first unsaved byte.
func (w *Writer) open() error {
	start := w.next - int64(len(w.unsaved))
	output, err := w.place.create(outputFile(start))
	if err != nil {
		return err
	}
	w.file = output
	if n := len(w.list); n == 0 || w.list[n-1].start != start {
		w.list = append(w.list, segment{start: start})
	}
	return nil
}

// close closes the files of the open segment.
func (w *Writer) close() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	if w.time != nil {
		err = errors.Join(err, w.time.Close())
	}
	w.file, w.time = nil, nil
	return err
}

// Append appends p, which arrived at the time at since the start of the session. From now on the bytes have an
// offset, whatever happens to the disk.
func (w *Writer) Append(p []byte, kind Kind, at time.Duration) {
	if w.pending.Bytes > 0 && (w.pending.Kind != kind || at-w.pending.At >= coalesce) {
		w.Flush()
	}
	rest := p
	if len(w.unsaved) == 0 {
		w.makeRoom(int64(len(p)))
		rest = w.store(p)
	}
	if w.pending.Bytes == 0 {
		w.pending = Entry{At: at, Kind: kind, Offset: w.next}
	}
	w.pending.Bytes += int64(len(p))
	w.next += int64(len(p))
	if len(rest) > 0 {
		w.keep(rest)
	}
}

// makeRoom begins a new segment when the open one is full. It drops the oldest segments until n more bytes fit within
// the limit.
func (w *Writer) makeRoom(n int64) {
	if w.list[len(w.list)-1].total >= min(SegmentBytes, w.max/4) {
		w.Flush()
		_ = w.close() // all bytes are written already
		if err := w.open(); err != nil {
			w.failure = err
		}
	}
	for w.stored()+n > w.max && w.dropOldest() {
	}
}

func (w *Writer) stored() (total int64) {
	for _, s := range w.list {
		total += s.total
	}
	return total
}

// dropOldest deletes the oldest segment. It never deletes the open one.
func (w *Writer) dropOldest() bool {
	if len(w.list) < 2 {
		return false
	}
	start := w.list[0].start
	if err := w.place.remove(outputFile(start)); err != nil {
		return false
	}
	_ = w.place.remove(timingFile(start)) // useless without its output
	w.list = w.list[1:]
	return true
}

// store writes p to the open segment and returns the bytes that could not be written.
func (w *Writer) store(p []byte) (rest []byte) {
	for w.file != nil && len(p) > 0 {
		n, err := w.file.Write(p)
		last := &w.list[len(w.list)-1]
		last.bytes += int64(n)
		last.total += int64(n)
		p = p[n:]
		if err != nil {
			w.failure = err
			if w.stored() <= keepOnFullDisk || !w.dropOldest() {
				break
			}
		}
	}
	return p
}

// keep holds p in memory until it can be stored. It drops the oldest bytes beyond MaxUnsaved and counts them as lost.
func (w *Writer) keep(p []byte) {
	if len(w.unsaved) == 0 {
		w.retryAt = w.next + retryBytes
		_ = w.close() // later output may not continue this segment without a gap
	}
	w.unsaved = append(w.unsaved, p...)
	if w.next >= w.retryAt {
		w.retry()
	}
	if over := len(w.unsaved) - MaxUnsaved; over > 0 {
		w.lost += int64(over)
		w.unsaved = append(w.unsaved[:0], w.unsaved[over:]...)
	}
}

// Retry tries to write the unsaved bytes to the disk, which may have room again.
func (w *Writer) Retry() {
	if len(w.unsaved) > 0 {
		w.retry()
	}
}

// retry tries to write the unsaved bytes to the disk.
func (w *Writer) retry() {
	w.retryAt = w.next + retryBytes
	if w.file == nil && w.open() != nil {
		return
	}
	rest := w.store(w.unsaved)
	if len(rest) == 0 {
		w.unsaved = nil
		return
	}
	w.unsaved = append(w.unsaved[:0], rest...)
	_ = w.close()
	if last := len(w.list) - 1; w.list[last].bytes == 0 && last > 0 { // nothing was written: leave no empty files
		_ = w.place.remove(outputFile(w.list[last].start))
		_ = w.place.remove(timingFile(w.list[last].start))
		w.list = w.list[:last]
	}
}

// Unsaved returns the bytes from offset on that are in memory because the disk has refused them. at is the offset of the first of
// them: those before it are on disk or lost. The slice is valid until the next Append.
func (w *Writer) Unsaved(offset int64) (data []byte, at int64) {
	start := w.next - int64(len(w.unsaved))
	offset = min(max(offset, start), w.next)
	return w.unsaved[offset-start:], offset
}

// Note adds an entry that is not output. Each further segment begins with the latest size. For input that was typed
// while the terminal did not echo, the entry has only the number of bytes. The transcript receives that text only in a
// later entry, after the program has shown it.
func (w *Writer) Note(e Entry) {
	w.Flush()
	w.write(e)
	if e.Kind == Resize {
		w.size = e
	}
}

// Pending reports whether the timing of some output is not written yet.
func (w *Writer) Pending() bool { return w.pending.Bytes > 0 }

// Flush writes the timing of all output so far, so that readers can tell its kind.
func (w *Writer) Flush() {
	if w.pending.Bytes > 0 {
		w.write(w.pending)
		w.pending.Bytes = 0
	}
}

func (w *Writer) write(e Entry) {
	if w.file == nil {
		return // the disk is full: the output that is kept has no times
	}
	line, err := e.MarshalJSON()
	if err == nil && w.time == nil {
		w.time, err = w.place.create(timingFile(w.list[len(w.list)-1].start))
		if size := w.size; err == nil && size.Kind == Resize { // the segment with the entry may be dropped before this one
			size.Offset = max(size.Offset, w.list[len(w.list)-1].start)
			w.write(size)
		}
	}
	if err == nil {
		var n int
		n, err = w.time.Write(append(line, '\n'))
		w.list[len(w.list)-1].total += int64(n)
	}
	if err != nil && w.failure == nil {
		w.failure = err
	}
}

// Close flushes and closes the files. Bytes that are still unsaved are lost.
func (w *Writer) Close() error {
	w.Flush()
	if len(w.unsaved) > 0 {
		w.retry()
		w.lost += int64(len(w.unsaved))
		w.unsaved = nil
	}
	return w.close()
}
