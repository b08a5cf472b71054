package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

// PageBytes is the largest number of bytes in one Page.
const PageBytes = 1 << 20

// A Page is a piece of a transcript.
type Page struct {
	Data   []byte
	Offset int64 // offset of the first byte of Data
	Next   int64 // offset at which to read on
	Gap    int64 // requested bytes before Offset that are not kept
	Closed bool  // there is nothing more and there never will be
}

// A Log reads the transcript of one session, which may have ended. Only one goroutine may use it.
type Log struct {
	dir     ledger.Dir
	session ledger.Session
	reader  *transcript.Reader
	times   *transcript.Timeline // timing for Split; nil before its first call
	unlock  func()

	refused int64 // bytes of output when a full disk last refused some, or at the end of the session; see growing
	lost    int64 // bytes of output that could not be stored; see growing
}

// OpenLog returns the log of the session called name. The caller closes it.
func OpenLog(dir ledger.Dir, name string) (*Log, error) {
	s, err := dir.Session(name)
	if err != nil {
		return nil, err
	}
	unlock, err := dir.LockSession(s.ID)
	if err != nil {
		return nil, asNamed(err, name)
	}
	return &Log{dir: dir, session: s, reader: transcript.Open(wire.Transcript(dir, s)), unlock: unlock}, nil
}

// LogPath returns the file with the newest output of the session. It is "" if the output is not recorded.
func LogPath(dir ledger.Dir, s ledger.Session) string {
	return transcript.Newest(wire.Transcript(dir, s))
}

// Deleted returns how many bytes of output from an offset on the log of the session no longer has, to keep within its size.
func Deleted(dir ledger.Dir, s ledger.Session, from int64) int64 {
	reader := transcript.Open(wire.Transcript(dir, s))
	defer reader.Close()
	first, _, err := reader.Bounds()
	if err != nil {
		return 0
	}
	return max(0, first-from)
}

// Session returns the session's record from the time when the log was opened.
func (l *Log) Session() ledger.Session { return l.session }

// Lost returns how many bytes of the output could not be stored, as the record says since the last Page or End.
func (l *Log) Lost() int64 { return l.lost }

// Close closes the files. If the session has ended, prune may remove it from now on.
func (l *Log) Close() error {
	l.unlock()
	if l.times != nil {
		l.times.Close()
	}
	return l.reader.Close()
}

// Split splits output of the log, which begins at offset, into pieces with their times and passes them to yield.
// Before them it yields what else has happened since the last call, as Events does. From call to call, offset never
// decreases.
func (l *Log) Split(p []byte, offset int64, yield func(transcript.Event) error) error {
	if l.times == nil {
		times, err := transcript.NewTimeline(wire.Transcript(l.dir, l.session), offset)
		if err != nil {
			return err
		}
		l.times = times
	}
	return l.times.Split(p, offset, yield)
}

// Page returns at most PageBytes bytes from since on. A page ends where a terminal's stream can be cut without harm. It ends
// within a character or an escape sequence only if there is nothing else.
func (l *Log) Page(since int64) (Page, error) {
	p := Page{Offset: since, Next: since}
	held := l.growing() // ask before reading: if the log no longer grows, the reading gets everything
	for len(p.Data) < PageBytes {
		start := len(p.Data)
		p.Data = append(p.Data, make([]byte, min(wire.BufferSize, PageBytes-start))...)
		n, gap, err := l.reader.ReadAt(p.Data[start:], p.Next)
		p.Data = p.Data[:start+n]
		if err == io.EOF {
			p.Closed = !held
			l.addLost(&p)
			if held && l.isIncomplete() {
				return l.addUnsaved(p)
			}
			break
		}
		if err != nil {
			return p, err
		}
		if gap > 0 && start > 0 { // the bytes after a gap are for the next page
			p.Data = p.Data[:start]
			return p, nil
		}
		if gap > 0 {
			p.Gap, p.Offset, p.Next = gap, since+gap, since+gap
		}
		p.Next += int64(n)
	}
	if !p.Closed {
		if whole := cut(p.Data); whole > 0 || held {
			p.Next -= int64(len(p.Data) - whole)
			p.Data = p.Data[:whole]
		}
	}
	return p, nil
}

// addLost adds a gap for output that an ended session printed after the last byte on disk.
func (l *Log) addLost(p *Page) {
	if p.Closed && len(p.Data) == 0 && l.refused > p.Next {
		p.Gap += l.refused - p.Next
		p.Offset, p.Next = l.refused, l.refused
	}
}

// growing reports whether there may be more output. It reads the session's record, which says how much output there was when
// the disk was full.
func (l *Log) growing() bool {
	held := l.dir.Held(l.session.ID)
	s, err := l.dir.LoadSession(l.session.ID)
	if l.refused = 0; err == nil {
		l.refused, l.lost = s.OutputBytes, s.LostBytes
	}
	return held && (err != nil || !s.Closed)
}

// EndAfter makes the page end after that many line feeds, if it has so many.
func (p *Page) EndAfter(lines int) {
	end := 0
	for ; lines > 0; lines-- {
		i := bytes.IndexByte(p.Data[end:], '\n')
		if i < 0 {
			return
		}
		end += i + 1
	}
	left := int64(len(p.Data) - end)
	p.Data, p.Next, p.Closed = p.Data[:end], p.Next-left, p.Closed && left == 0
}

// EndAt makes the page end at an offset if it goes beyond it, or before what is incomplete there.
func (p *Page) EndAt(end int64) {
	if p.Next <= end {
		return
	}
	whole := cut(p.Data[:max(0, int64(len(p.Data))-(p.Next-end))])
	p.Next -= int64(len(p.Data) - whole)
	p.Data, p.Closed = p.Data[:whole], false
}

// maxSequence is the maximum length of an escape sequence that stays whole at the end of a page, in bytes.
const maxSequence = 256

// cut returns how many bytes of data can be shown now. It leaves out an incomplete character, escape sequence or
// CR LF at the end.
func cut(data []byte) int {
	n := transcript.WholeCharacters(data)
	from := max(0, n-maxSequence)
	if i := bytes.LastIndexByte(data[from:n], 0x1b); i >= 0 && !sequenceEnds(data[from+i+1:n]) {
		n = from + i
	}
	if n > 0 && data[n-1] == '\r' {
		n--
	}
	return n
}

// sequenceEnds reports whether the bytes after an ESC contain the end of the sequence (ECMA-48 5.4 and 5.6).
func sequenceEnds(rest []byte) bool {
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case '[':
		return bytes.ContainsFunc(rest[1:], func(r rune) bool { return r >= 0x40 && r < 0x7f || r < 0x20 })
	case ']', 'P', 'X', '^', '_':
		return bytes.ContainsAny(rest[1:], "\a")
	}
	return bytes.ContainsFunc(rest, func(r rune) bool { return r >= 0x30 || r < 0x20 })
}

// End returns the offset after the last byte of output so far.
func (l *Log) End() (int64, error) {
	held := l.growing()
	_, next, err := l.reader.Bounds()
	switch {
	case !held:
		next = max(next, l.refused) // the last of these bytes may be lost
	case l.isIncomplete():
		next = max(next, l.Flush(context.Background()))
	}
	return next, err
}

// ErrBeyondEnd reports a position after the last byte of the output.
var ErrBeyondEnd = errors.New("beyond the end of the output")

// Seek returns the offset of p in the log. For a position in another session, it returns 0 and restarted is true.
func (l *Log) Seek(ctx context.Context, p ledger.Position) (offset int64, restarted bool, err error) {
	if !p.Of(l.session.ID) {
		return 0, true, nil
	}
	end, err := l.End()
	if err == nil && p.Offset > end {
		end = max(end, l.Flush(ctx)) // it may have printed more since
	}
	if err == nil && p.Offset > end {
		err = fmt.Errorf("session %q has printed %d bytes: offset %d is %w", l.session.Name, end, p.Offset, ErrBeyondEnd)
	}
	return p.Offset, false, err
}

// Tail returns the offset at which the last n lines of the output so far begin, and the end of that output. A last line without a
// line feed counts.
func (l *Log) Tail(n int) (start, end int64, err error) {
	first, stored, err := l.reader.Bounds()
	if held := l.growing(); held && l.isIncomplete() {
		stored = max(stored, l.Flush(context.Background()))
	} else if !held {
		end = l.refused // the last of these bytes are lost
	}
	end = max(end, stored)
	if err != nil || n == 0 {
		return stored, end, err
	}
	block := make([]byte, wire.BufferSize)
	for at := stored; at > first; {
		from := max(first, at-int64(len(block)))
		data, err := l.read(block[:at-from], from)
		if err != nil {
			return stored, end, err
		}
		for i := len(data) - 1; i >= 0; i-- {
			if data[i] != '\n' || from+int64(i) == stored-1 {
				continue
			}
			if n--; n == 0 {
				return from + int64(i) + 1, end, nil
			}
		}
		at = from
	}
	return first, end, nil
}

// read fills p with the output from offset on. Bytes that are not kept read as NUL bytes.
func (l *Log) read(p []byte, offset int64) ([]byte, error) {
	clear(p)
	for done := 0; done < len(p); {
		n, gap, err := l.reader.ReadAt(p[done:], offset+int64(done))
		if err == io.EOF {
			return p, l.readUnsaved(p[done:], offset+int64(done))
		}
		if err != nil {
			return nil, err
		}
		if gap > 0 { // read again after the gap
			done += int(min(gap, int64(len(p)-done)))
			continue
		}
		done += n
	}
	return p, nil
}

// Follow passes the output from since on to sink until the session has no more. It returns the offset it has reached
// and how many bytes before it are not kept.
func (l *Log) Follow(ctx context.Context, since int64, sink wire.Sink) (next, missing int64, err error) {
	c, err := dialToRead(l.dir, l.session)
	if errors.Is(err, wire.ErrHolderGone) {
		c, err = dialEnded(l.dir, l.session)
	}
	if err != nil {
		return since, 0, err
	}
	defer c.Close()
	return c.Follow(ctx, since, sink)
}

// Events passes everything that happened from the byte at since on to yield, in order. Before that it yields the size
// changes and the typed input since the start of the segment that contains since; their Offset is less than since. With
// follow it goes on until the session has no more. The bytes of an Event are valid until yield returns.
func (l *Log) Events(ctx context.Context, since int64, follow bool, yield func(transcript.Event) error) error {
	t, err := transcript.NewTimeline(wire.Transcript(l.dir, l.session), since)
	if err != nil {
		return err
	}
	defer t.Close()
	write := func(p []byte, _ transcript.Kind, offset int64) error { return t.Split(p, offset, yield) }
	if follow {
		quiet := func(time.Duration) (time.Duration, error) { return eventCheck, t.Rest(yield) }
		_, _, err = l.Follow(ctx, since, wire.Sink{Write: write, Quiet: quiet})
	} else {
		l.Flush(ctx)
		err = l.each(ctx, since, write)
	}
	if err != nil {
		return err
	}
	return t.Rest(yield)
}

// eventCheck is how often a follower of events looks for those without output. The holder does not announce them.
const eventCheck = 100 * time.Millisecond

// Flush makes a running holder write the times and kinds of its newest output, which it keeps in memory for a while. It returns
// the offset after that output. Without an answer they stay as they are and the offset is 0.
func (l *Log) Flush(ctx context.Context) int64 {
	if !l.dir.Held(l.session.ID) {
		return 0
	}
	resp, err := wire.Ask(ctx, l.dir, l.session, wire.Request{Op: wire.OpState})
	if err != nil || resp.Session == nil {
		return 0
	}
	return resp.Session.OutputBytes
}

// each passes the output so far to write.
func (l *Log) each(ctx context.Context, at int64, write func([]byte, transcript.Kind, int64) error) error {
	buffer := make([]byte, wire.BufferSize)
	held := l.growing()
	for ctx.Err() == nil {
		n, gap, err := l.reader.ReadAt(buffer, at)
		if err == io.EOF && held && l.isIncomplete() {
			return l.eachUnsaved(ctx, at, write)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		at += gap
		if err := write(buffer[:n], transcript.Output, at); err != nil {
			return err
		}
		at += int64(n)
	}
	return ctx.Err()
}
