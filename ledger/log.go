package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"devtools/ledger/regular"
)

// The log is a file that only grows. Each write appends whole lines under the lock. A full file is renamed to its
// next number, and the next writer begins a new file. So each event is in exactly one file at every moment. A reader
// needs no lock.

// Maximum sizes in bytes of one file of the log, and of all files together. Beyond the second limit the oldest file
// is deleted. They are variables for tests.
var (
	segmentBytes int64 = 16 << 20
	logBytes     int64 = 512 << 20
)

// The name of a full file is eventFile with a number of segmentDigits digits before the extension.
const (
	segmentDigits = 8
	maxSegment    = 99999999
)

func segmentName(n int) string {
	return strings.TrimSuffix(eventFile, ".jsonl") + fmt.Sprintf(".%0*d.jsonl", segmentDigits, n)
}

// segments returns the numbers of the full files of the log, oldest first.
func (d Dir) segments() (numbers []int, err error) {
	f, err := os.Open(d.root)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for _, name := range names {
		if len(name) != len(eventFile)+1+segmentDigits {
			continue
		}
		if n, err := strconv.Atoi(name[len(name)-len(".jsonl")-segmentDigits : len(name)-len(".jsonl")]); err == nil && n > 0 && segmentName(n) == name {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// Append appends events to the log.
func (d Dir) Append(ctx context.Context, events []Event) error {
	if d.discards {
		return nil
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return d.appendEvents(events)
}

// appendEvents appends whole lines to the log in one write. First it ends a line that a crash cut short. The caller
// holds the lock.
func (d Dir) appendEvents(events []Event) error {
	if len(events) == 0 {
		return nil
	}
	lines, err := encodeEvents(events)
	if err != nil {
		return err
	}
	f, size, err := d.openLogEnd()
	if err != nil {
		return err
	}
	if size >= segmentBytes {
		if err := f.Close(); err != nil {
			return err
		}
		_ = d.rotate() // a file that cannot be renamed grows further
		if f, size, err = d.openLogEnd(); err != nil {
			return err
		}
	}
	if _, err = f.Write(lines); err != nil {
		err = errors.Join(err, f.Truncate(size)) // after a full disk, leave no half line
	}
	return errors.Join(err, f.Close())
}

// openLogEnd opens the newest file of the log for appending and returns its size. If the last line was cut short,
// openLogEnd ends it first. A file that has another name is not appended to: it becomes the last of the full ones. A copy in
// its place would be another file to those who follow the log.
func (d Dir) openLogEnd() (f *os.File, size int64, err error) {
	const end = os.O_RDWR | os.O_APPEND | os.O_CREATE
	path := d.file(eventFile)
	f, info, err := regular.Open(path, end)
	if errors.Is(err, regular.ErrLinked) {
		_ = d.rotate() // a file that cannot be renamed becomes a copy
	}
	if err != nil {
		f, info, err = openRegular(path, end)
	}
	if err != nil {
		return nil, 0, err
	}
	var last [1]byte
	if size = info.Size(); size > 0 {
		if _, err := f.ReadAt(last[:], size-1); err != nil || last[0] != '\n' {
			if _, err := f.Write([]byte("\n")); err != nil {
				return nil, 0, errors.Join(err, f.Close())
			}
			size++
		}
	}
	return f, size, nil
}

// rotate renames the newest file of the log to the next number. If all full files together are too large, it deletes
// the oldest. The caller holds the lock.
func (d Dir) rotate() error {
	numbers, err := d.segments()
	if err != nil {
		return err
	}
	next := 1
	if len(numbers) > 0 {
		next = numbers[len(numbers)-1] + 1
	}
	if next > maxSegment {
		return errors.New("the numbers of the log's files are used up")
	}
	if err := os.Rename(d.file(eventFile), d.file(segmentName(next))); err != nil {
		return err
	}
	room := logBytes - segmentBytes // for the full files
	for _, n := range slices.Backward(append(numbers, next)) {
		path := d.file(segmentName(n))
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // not a file of the log
		}
		size := info.Size()
		if used := diskBytes(info); used > 0 { // some file systems do not tell
			size = min(size, used)
		}
		if room -= size; room < 0 && n != next {
			_ = os.Remove(path) // if this fails, the next rotation removes it
		}
	}
	return nil
}

// A logFiles is the log at one moment.
type logFiles struct {
	newest   *os.File // nil if there is none
	segments []int
}

// openLog returns the files of the log as they are at one moment. The caller closes them.
func (d Dir) openLog() (l logFiles, err error) {
	path := d.file(eventFile)
	for range 10000 {
		l = logFiles{}
		if l.newest, _, err = openRegular(path, os.O_RDONLY); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return l, err
		}
		if l.segments, err = d.segments(); err != nil {
			return l, errors.Join(err, l.close())
		}
		// The list belongs to this newest file only if the newest file has not become full in the meantime.
		if same, err := l.isNewest(path); err != nil {
			return l, errors.Join(err, l.close())
		} else if same {
			return l, nil
		}
		if err := l.close(); err != nil {
			return l, err
		}
	}
	return logFiles{}, fmt.Errorf("%s is renamed faster than it can be opened", path)
}

func (l logFiles) isNewest(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l.newest == nil, nil
	}
	if err != nil || l.newest == nil {
		return false, err
	}
	opened, err := l.newest.Stat()
	return err == nil && os.SameFile(info, opened), err
}

func (l logFiles) close() error {
	if l.newest == nil {
		return nil
	}
	return l.newest.Close()
}

// blockBytes is the size of a block that is read from the log, in bytes.
const blockBytes = 512 << 10

// blocks yields the files of the log l in blocks of whole lines, oldest first. Each block uses memory from buffer.
// blocks does not use that memory again until buffer returns it again. blocks leaves out lines that are too long, and
// an unfinished line at the end of a file. It stops at the first error.
func (d Dir) blocks(l logFiles, buffer func() []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, n := range l.segments {
			f, _, err := openRegular(d.file(segmentName(n)), os.O_RDONLY)
			if errors.Is(err, fs.ErrNotExist) {
				continue // the oldest file, which rotate has deleted
			}
			if err != nil {
				yield(nil, err)
				return
			}
			more := readBlocks(f, buffer, yield)
			if err := f.Close(); err != nil && more {
				more = yield(nil, err)
			}
			if !more {
				return
			}
		}
		if l.newest != nil {
			readBlocks(l.newest, buffer, yield)
		}
	}
}

// readBlocks yields the blocks of one file of the log. It reports whether the caller wants more.
func readBlocks(f *os.File, buffer func() []byte, yield func([]byte, error) bool) (more bool) {
	block := buffer()
	n := 0           // number of bytes in block; they are the beginning of a line
	tooLong := false // the line is too long and is left out
	for {
		if n == len(block) {
			if tooLong = tooLong || n >= maxLine; tooLong {
				n = 0
				skipHole(f)
			} else {
				block = append(block, make([]byte, len(block))...)
			}
		}
		got, err := f.Read(block[n:])
		begun := n
		n += got
		if end := begun + bytes.LastIndexByte(block[begun:n], '\n') + 1; end > begun {
			start := 0
			if tooLong {
				start = bytes.IndexByte(block, '\n') + 1
				tooLong = false
			}
			if start < end && !yield(block[start:end], nil) {
				return false
			}
			next := buffer()
			if len(next) < n-end {
				next = make([]byte, len(block))
			}
			n = copy(next, block[end:n])
			block = next
		}
		if err == io.EOF {
			return true
		}
		if err != nil {
			yield(nil, err)
			return false
		}
	}
}

// Events yields the events of the log, oldest first. It skips lines that are not events, such as damaged lines or a
// last line that a crash cut short. It stops at the first read error.
func (d Dir) Events() iter.Seq2[Event, error] {
	return d.eventsWith("", time.Time{}, func(*Event) bool { return true })
}

// EventsSince works as Events, for a caller that needs those later than since. It skips files with older content only.
func (d Dir) EventsSince(since time.Time) iter.Seq2[Event, error] {
	return d.eventsWith("", since, func(*Event) bool { return true })
}

// RanSince yields the ends of commands that ran in shells and REPLs, as EventsSince does. It is faster, because it decodes no other
// lines.
func (d Dir) RanSince(since time.Time) iter.Seq2[Event, error] {
	return d.eventsWith(`"`+EventRan+`"`, since, func(e *Event) bool { return e.Event == EventRan })
}

// SessionEvents yields the events of session id, as Events does. It is faster, because it does not decode lines
// without this id. The caller knows that all these events are later than since. So SessionEvents skips files with
// older content only.
func (d Dir) SessionEvents(id string, since time.Time) iter.Seq2[Event, error] {
	return d.eventsWith(id, since, func(e *Event) bool { return e.SessionID == id })
}

// eventsWith yields the events that are wanted. Their lines contain text.
func (d Dir) eventsWith(text string, since time.Time, wanted func(*Event) bool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		l, err := d.openLog()
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer l.close()
		l.segments = slices.DeleteFunc(l.segments, func(n int) bool {
			info, err := os.Lstat(d.file(segmentName(n)))
			return err == nil && info.ModTime().Before(since)
		})
		memory := make([]byte, blockBytes)
		for block, err := range d.blocks(l, func() []byte { return memory }) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			for line := range linesWith(block, []byte(text)) {
				var e Event
				if e.decode(string(line)) && wanted(&e) && !yield(e, nil) {
					return
				}
			}
		}
	}
}

// linesWith yields the lines of block that contain what, without their newlines.
func linesWith(block, what []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(block) > 0 {
			at := bytes.Index(block, what)
			if at < 0 {
				return
			}
			start := bytes.LastIndexByte(block[:at], '\n') + 1
			end := start + bytes.IndexByte(block[start:], '\n')
			if !yield(block[start:end]) {
				return
			}
			block = block[end+1:]
		}
	}
}
