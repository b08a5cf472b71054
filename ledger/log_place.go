package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
)

// A LogPlace is a place in the log, between two lines. As text it is one word, FILE:OFFSET:SUM. The zero value is the beginning.
type LogPlace struct {
	file   int    // number that the file has, or gets when it is full
	offset int64  // bytes of the file before the place
	sum    uint32 // of the last of these bytes: another log, begun after this one was removed, has others there
}

// summed is how many bytes before a place its sum is of. They have times of events, which are never those of another log.
const summed = 4 << 10

// ParseLogPlace parses what String returns.
func ParseLogPlace(text string) (p LogPlace, err error) {
	if _, err := fmt.Sscanf(text, "%d:%d:%x", &p.file, &p.offset, &p.sum); err != nil || p.String() != text || p.offset < 0 {
		return LogPlace{}, errors.New("invalid position: use next of an earlier line (FILE:OFFSET:SUM)")
	}
	return p, nil
}

func (p LogPlace) String() string { return fmt.Sprintf("%d:%d:%08x", p.file, p.offset, p.sum) }

// placeAt returns the place at an offset of the file with the number.
func placeAt(f *os.File, number int, offset int64) (LogPlace, error) {
	text, sum := make([]byte, min(offset, summed)), fnv.New32a()
	_, err := f.ReadAt(text, offset-int64(len(text)))
	_, _ = sum.Write(text) // never fails
	return LogPlace{number, offset, sum.Sum32()}, err
}

// LogEnd returns the place at the end of the log.
func (d Dir) LogEnd() (p LogPlace, err error) {
	l, err := d.openLog()
	if err != nil || l.newest == nil {
		return LogPlace{file: l.number()}, err
	}
	defer l.close()
	end, err := l.newest.Seek(0, io.SeekEnd)
	if err == nil {
		p, err = placeAt(l.newest, l.number(), end)
	}
	return p, err
}

// number returns the number that the newest file gets when it is full.
func (l logFiles) number() int {
	if len(l.segments) == 0 {
		return 1
	}
	return l.segments[len(l.segments)-1] + 1
}

// open opens the file of a place. It is nil if that is the newest one, and yet to come. The error is fs.ErrNotExist if there is no such
// place.
func (l logFiles) open(d Dir, p LogPlace) (f *os.File, err error) {
	if f = l.newest; p.file != l.number() {
		f, _, err = openRegular(d.file(segmentName(p.file)), os.O_RDONLY)
	}
	if here, failed := placeAt(f, p.file, p.offset); err == nil && p.offset > 0 && (failed != nil || here != p) {
		if f != l.newest {
			_ = f.Close() // it was only read
		}
		return nil, fs.ErrNotExist
	}
	return f, err
}

// EventsAfter passes what show makes of each event behind a place that q selects to write, with the place behind the event. It returns
// the place that it has reached. Where the log has no such place, it calls lost and begins with the oldest file: the log was removed,
// or has lost that file.
func (d Dir) EventsAfter(at LogPlace, q *Query, show Show, write func(text []byte, behind LogPlace) error, lost func()) (LogPlace, error) {
	l, err := d.openLog()
	if err != nil {
		return at, err
	}
	defer l.close()
	f, err := l.open(d, at)
	if errors.Is(err, fs.ErrNotExist) {
		if at != (LogPlace{}) {
			lost()
		}
		at = LogPlace{file: append(slices.Clip(l.segments), l.number())[0]}
		f, err = l.open(d, at)
	}
	for f != nil && err == nil {
		at, err = q.after(f, at, show, write)
		_ = f.Close()
		if err != nil || at.file == l.number() {
			break
		}
		at = LogPlace{file: at.file + 1}
		f, err = l.open(d, at)
	}
	return at, err
}

// after does the work of EventsAfter for one file.
func (q *Query) after(f *os.File, at LogPlace, show Show, write func(text []byte, behind LogPlace) error) (LogPlace, error) {
	if info, err := f.Stat(); err != nil || info.Size() <= at.offset {
		return at, err
	}
	lines := bufio.NewReaderSize(io.NewSectionReader(f, at.offset, math.MaxInt64-at.offset), maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF:
			return placeAt(f, at.file, at.offset)
		case err != nil && err != bufio.ErrBufferFull: // no event is so long: its pieces are none
			return at, err
		}
		at.offset += int64(len(line))
		if p := q.piece(string(line), show, nil); len(p.text) > 0 {
			behind, err := placeAt(f, at.file, at.offset)
			if err = errors.Join(err, write(p.text, behind)); err != nil {
				return at, err
			}
		}
	}
}
