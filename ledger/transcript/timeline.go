package transcript

import (
	"io"
	"time"
)

// An Event is something that happened to a session, with its bytes.
type Event struct {
	// Entry says what happened and when. Unless it is output, Offset is the amount of output so far.
	Entry
	Data    []byte // bytes of output
	Untimed bool   // no entry has the time and the kind of this output
}

// A Timeline tells when the bytes of a transcript arrived and what else happened between them. It belongs to one
// goroutine. The bytes are the truth. Where a full disk has refused their times, bytes get the time of the bytes
// before.
type Timeline struct {
	entries *Entries
	Now     func() time.Duration // gives the time of bytes without one; nil: they get that of the bytes before
	entry   Entry                // last output entry that was read; its bytes from at on are still to come
	size    Entry                // last change of size; each segment repeats it
	at      int64                // offset that Split has reached

	position int64 // amount of output before the next entry
	last     time.Duration
}

// NewTimeline returns the timeline of the transcript in a place. It begins with the segment that contains the byte at
// since. The caller closes it.
func NewTimeline(place Place, since int64) (*Timeline, error) {
	entries, err := OpenEntries(place, since)
	if err != nil {
		return nil, err
	}
	return &Timeline{entries: entries, at: since, position: entries.Start()}, nil
}

// Close closes the files.
func (t *Timeline) Close() { _ = t.entries.Close() } // the files were only read

// Split yields the bytes p, which begin at offset, in pieces with their times. Before each piece it yields the other
// events that happened earlier. The offsets of calls may jump forward, but never back.
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
		untimed := true
		e := Entry{At: t.last, Kind: Output, Offset: offset, Bytes: int64(len(p))}
		switch end := t.entry.Offset + t.entry.Bytes; {
		case t.entry.Offset <= offset && offset < end:
			untimed = false
			e.At, e.Kind, e.Bytes = t.entry.At, t.entry.Kind, min(e.Bytes, end-offset)
		case offset < t.entry.Offset:
			e.Bytes = min(e.Bytes, t.entry.Offset-offset)
		case t.Now != nil:
			e.At = t.Now()
		}
		t.last = e.At
		offset += e.Bytes
		t.at = offset
		if err := yield(Event{e, p[:e.Bytes], untimed}); err != nil {
			return err
		}
		p = p[e.Bytes:]
	}
	return nil
}

// Rest yields the events since the last byte of Split.
func (t *Timeline) Rest(yield func(Event) error) error {
	for t.entry.Offset+t.entry.Bytes <= t.at {
		if more, err := t.next(yield); err != nil || !more {
			return err
		}
	}
	return nil
}

// next reads the next entry. It keeps output and yields other events. It reports whether there was an entry.
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
			return true, nil // each segment repeats the size
		}
		t.size = e
	default:
		e.Offset = t.position
	}
	t.last = max(t.last, e.At)
	return true, yield(Event{Entry: e})
}
