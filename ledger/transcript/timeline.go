package transcript

import (
	"io"
	"time"
)

// An Event is one thing that happened to a session, with its bytes.
type Event struct {
	// Entry tells what and when. Offset is, for what is no output, that of the output so far.
	Entry
	Data []byte // of output
}

// A Timeline tells when the bytes of a transcript came, and what else happened between them. It belongs
// to one goroutine. The bytes are the truth: those whose times a full disk has refused get the time before.
type Timeline struct {
	entries *Entries
	Now     func() time.Duration // the time of bytes without one; nil is that of the bytes before
	entry   Entry                // the output that was read last; what is beyond at is still to come
	size    Entry                // the newest change of size, which each segment repeats
	at      int64                // where split has come to

	position int64 // the output before the next entry
	last     time.Duration
}

// NewTimeline returns the timeline of the transcript in folder from the segment on that holds the byte at
// since. The caller closes it.
func NewTimeline(folder string, since int64) (*Timeline, error) {
	entries, err := OpenEntries(folder, since)
	if err != nil {
		return nil, err
	}
	return &Timeline{entries: entries, at: since, position: entries.Start()}, nil
}

func (t *Timeline) Close() { _ = t.entries.Close() } // it was only read

// Split yields the bytes p, which begin at offset, in pieces with their times, and before them what
// happened before. Offsets may leap forward, but never go back.
func (t *Timeline) Split(p []byte, offset int64, yield func(Event) error) error {
	for len(p) > 0 {
		t.at = offset
		for t.entry.Offset+t.entry.Bytes <= offset {
			more, err := t.next(yield)
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
		e := Entry{At: t.last, Kind: Output, Offset: offset, Bytes: int64(len(p))}
		switch end := t.entry.Offset + t.entry.Bytes; {
		case t.entry.Offset <= offset && offset < end:
			e.At, e.Kind, e.Bytes = t.entry.At, t.entry.Kind, min(e.Bytes, end-offset)
		case offset < t.entry.Offset:
			e.Bytes = min(e.Bytes, t.entry.Offset-offset)
		case t.Now != nil:
			e.At = t.Now()
		}
		t.last = e.At
		offset += e.Bytes
		t.at = offset
		if err := yield(Event{e, p[:e.Bytes]}); err != nil {
			return err
		}
		p = p[e.Bytes:]
	}
	return nil
}

// Rest yields what has happened since the last byte of split.
func (t *Timeline) Rest(yield func(Event) error) error {
	for t.entry.Offset+t.entry.Bytes <= t.at {
		if more, err := t.next(yield); err != nil || !more {
			return err
		}
	}
	return nil
}

// next takes the next entry: output is kept, the rest yielded. It reports whether there was one.
func (t *Timeline) next(yield func(Event) error) (bool, error) {
	e, err := t.entries.Next()
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	switch e.Kind {
	case Output, Stderr:
		t.entry, t.position = e, e.Offset+e.Bytes
		return true, nil
	case Resize:
		if e.At == t.size.At && e.Text == t.size.Text && e.Scrollback == t.size.Scrollback {
			return true, nil // a segment repeats it
		}
		t.size = e
	default:
		e.Offset = t.position
	}
	t.last = max(t.last, e.At)
	return true, yield(Event{Entry: e})
}
