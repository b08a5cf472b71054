package transcript

import (
	"bytes"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"
)

// Recent is what a transcript has got lately.
type Recent struct {
	Path string    // of the file with the newest output
	Next int64     // the offset after the newest byte
	At   time.Time // when output came last, zero if there was none

	// PerSecond is the rate of the output in bytes, on average over the window that was asked for, or since the session
	// started, but over at least a second.
	PerSecond float64
}

const (
	// timingTail is how much of the times in one segment is read for a rate: more than 5 s of output has that never
	// pauses, but for what is typed.
	timingTail = 64 << 10

	// timedSegments is in how many of the last segments.
	timedSegments = 4
)

// Latest looks at the transcript in the folder dir of a session that started at that time. What it reads is a few files'
// sizes, and of a session that has printed within the window the end of its times as well. Of a folder without a
// transcript it says that there was no output.
func Latest(dir string, started, now time.Time, window time.Duration) Recent {
	list, err := segments(dir)
	if err != nil || len(list) == 0 {
		return Recent{Path: filepath.Join(dir, outputFile(0))}
	}
	last := list[len(list)-1]
	r := Recent{Path: filepath.Join(dir, outputFile(last.start)), Next: last.start + last.bytes}
	if r.Next == 0 {
		return r
	}
	for _, s := range slices.Backward(list) { // the newest may have been made for what is still to come
		if s.bytes > 0 {
			if info, err := os.Stat(filepath.Join(dir, outputFile(s.start))); err == nil {
				r.At = info.ModTime()
			}
			break
		}
	}
	if now.Sub(r.At) >= window {
		return r
	}
	since := max(0, now.Sub(started)-window)
	from, begin := r.begun(dir, list, since)
	span := max(now.Sub(started)-begin, time.Second)
	r.PerSecond = float64(r.Next-from) / span.Seconds()
	return r
}

// begun returns the offset of the first byte that came at least so long after the start, and from when on all that came
// is counted with it: since, or later where more of the times would have to be read.
func (r Recent) begun(dir string, list []segment, since time.Duration) (from int64, begin time.Duration) {
	from, begin = r.Next, since
	for n, s := range slices.Backward(list[max(0, len(list)-timedSegments):]) {
		lines, whole := tail(filepath.Join(dir, timingFile(s.start)))
		// They are in order of time: of the many that output without a pause has, few are to be read.
		first := sort.Search(len(lines), func(i int) bool { return lines.entry(i).At >= since })
		before, known := lines.output(slices.Backward(lines[:first]))
		after, more := lines.output(slices.All(lines[first:]))
		switch {
		case more && known:
			return min(from, after.Offset), since
		case known: // what came after it has no time yet
			return min(from, before.Offset+before.Bytes), since
		case more && !whole:
			return min(from, after.Offset), after.At
		case more && n == 0 && len(list) > timedSegments:
			return min(from, after.Offset), after.At
		}
		from = min(from, s.start)
	}
	return from, since
}

// timed are lines of a timing file.
type timed [][]byte

// entry returns the entry of a line, the zero value for one that is torn.
func (t timed) entry(i int) (e Entry) {
	_ = e.UnmarshalJSON(t[i]) // leaves it zero
	return e
}

// output returns the first entry of lines that is one of output.
func (timed) output(lines iter.Seq2[int, []byte]) (e Entry, ok bool) {
	for _, line := range lines {
		if e.UnmarshalJSON(line) == nil && (e.Kind == Output || e.Kind == Stderr) {
			return e, true
		}
	}
	return Entry{}, false
}

// tail returns the last lines of a timing file; whole says that they are all.
func tail(path string) (lines timed, whole bool) {
	file, err := os.Open(path)
	if err != nil {
		return nil, true // it is made with its first entry
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, true
	}
	data := make([]byte, min(size, timingTail))
	n, err := file.ReadAt(data, size-int64(len(data)))
	if err != nil && err != io.EOF {
		return nil, true
	}
	data = data[:n]
	if whole = size <= timingTail; !whole {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	for line := range bytes.Lines(data) {
		lines = append(lines, line)
	}
	return lines, whole
}
