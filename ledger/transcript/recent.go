package transcript

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"slices"
	"sort"
	"time"
)

// Recent describes the latest output of a transcript.
type Recent struct {
	Path string    // path of the file with the newest output; "" in memory
	Next int64     // offset after the newest byte
	At   time.Time // time of the last output; zero: there was none

	// PerSecond is the average rate of the output in bytes per second. It covers the requested window, or the time
	// since the start of the session if that is shorter. It covers at least one second.
	PerSecond float64
}

const (
	// timingTail is how much of a segment's timing is read to compute a rate, in bytes. That is enough for more than
	// 5 s of output without a pause, if nothing is typed.
	timingTail = 64 << 10

	// timedSegments is the number of segments, the last ones, whose timing is read.
	timedSegments = 4
)

// Latest examines the transcript in a place. The session started at the time started. Latest reads the sizes
// of a few files. If the session printed within the window, Latest also reads the last part of its timing. For a
// place without a transcript it reports no output. The error is that of Memory if the output is gone.
func Latest(place Place, started, now time.Time, window time.Duration) (r Recent, err error) {
	list, err := starts(place)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if len(list) == 0 {
		return Recent{Path: place.path(outputFile(0))}, err
	}
	r = Recent{Path: place.path(outputFile(list[len(list)-1]))}
	for _, start := range slices.Backward(list) {
		info, err := stat(place, outputFile(start))
		if errors.Is(err, fs.ErrNotExist) { // dropped after it was listed
			continue
		}
		if err != nil {
			return r, err
		}
		r.Next = max(r.Next, start+info.Size())
		if info.Size() > 0 { // the newest segment may still be empty
			r.At = info.ModTime()
			break
		}
	}
	if r.Next == 0 || now.Sub(r.At) >= window {
		return r, nil
	}
	since := max(0, now.Sub(started)-window)
	from, begin := r.begun(place, list, since)
	span := max(now.Sub(started)-begin, time.Second)
	r.PerSecond = float64(r.Next-from) / span.Seconds()
	return r, nil
}

// Silent works as Latest for a transcript that ended at an offset when its newest file began at segment. ok is false if
// the transcript has grown since, or has grown within the window.
func Silent(place Place, segment, offset int64, now time.Time, window time.Duration) (r Recent, ok bool) {
	r = Recent{Path: place.path(outputFile(segment)), Next: offset}
	info, err := place.stat(outputFile(segment))
	switch {
	case err != nil || info.Size() != offset-segment:
		return r, false
	case offset == 0: // nothing was printed yet
		return r, true
	}
	r.At = info.ModTime()
	return r, info.Size() > 0 && now.Sub(r.At) >= window
}

// begun returns the offset of the first byte that arrived at the time since or later. Times count from the start of
// the session. begin is the time from which on all output is counted. It is since, or later if more timing would have
// to be read.
func (r Recent) begun(place Place, list []int64, since time.Duration) (from int64, begin time.Duration) {
	from, begin = r.Next, since
	for n, start := range slices.Backward(list[max(0, len(list)-timedSegments):]) {
		lines, whole := tail(place, timingFile(start))
		// The entries are in order of time, so a search parses only a few of them. Output without a pause has many.
		first := sort.Search(len(lines), func(i int) bool { return lines.entry(i).At >= since })
		before, known := lines.output(slices.Backward(lines[:first]))
		after, more := lines.output(slices.All(lines[first:]))
		switch {
		case more && known:
			return min(from, after.Offset), since
		case known: // the output after it has no time yet
			return min(from, before.Offset+before.Bytes), since
		case more && !whole:
			return min(from, after.Offset), after.At
		case more && n == 0 && len(list) > timedSegments:
			return min(from, after.Offset), after.At
		}
		from = min(from, start)
	}
	return from, since
}

// A timed is a list of lines of a timing file.
type timed [][]byte

// entry returns the entry of line i. An incomplete line gives the zero value.
func (t timed) entry(i int) (e Entry) {
	_ = e.UnmarshalJSON(t[i]) // on an error e stays zero
	return e
}

// output returns the first entry in lines that is output.
func (timed) output(lines iter.Seq2[int, []byte]) (e Entry, ok bool) {
	for _, line := range lines {
		if e.UnmarshalJSON(line) == nil && (e.Kind == Output || e.Kind == Stderr) {
			return e, true
		}
	}
	return Entry{}, false
}

// tail returns the last lines of a timing file. whole says that these are all its lines.
func tail(place Place, name string) (lines timed, whole bool) {
	file, err := place.open(name)
	if err != nil {
		return nil, true // the writer makes the file with its first entry
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
