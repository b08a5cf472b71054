package wire

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"devtools/ledger/transcript"
)

// A Sink takes the output of a session in order. Its functions are called by one goroutine.
type Sink struct {
	// Write takes bytes of one kind, which begin at offset.
	Write func(p []byte, kind transcript.Kind, offset int64) error

	// Quiet, if it is not nil, is told for how long there has been no output, and returns after how
	// much more of that it wants to be told again; 0 is never.
	Quiet func(since time.Duration) (again time.Duration, err error)
}

// Follow hands the output from offset on to sink until the session has no more, ctx ends, or sink
// fails. It returns the offset that it has reached and how many bytes before it are not kept.
func (c *Conn) Follow(ctx context.Context, offset int64, sink Sink) (next, missing int64, err error) {
	return c.FollowUntil(ctx, offset, sink, false)
}

// FollowUntil is Follow, and ends with the command when leftovers may go on printing.
func (c *Conn) FollowUntil(ctx context.Context, offset int64, sink Sink, complete bool) (next, missing int64, err error) {
	f := NewFollower(c, offset, sink)
	defer f.Close()
	for {
		grown, err := f.Wait(ctx, Request{Op: OpFollow, Complete: complete})
		if errors.Is(err, ErrHolderGone) {
			err = f.Copy(ctx, f.End())
			return f.Next, f.Missing, err
		}
		if err == nil {
			err = f.Copy(ctx, grown.Next)
		}
		if err != nil || grown.Closed {
			return f.Next, f.Missing, err
		}
	}
}

// A Follower is the state of one Follow.
type Follower struct {
	client  *Conn
	sink    Sink
	reader  *transcript.Reader
	entries *transcript.Entries // tells the kinds apart; nil where there is only one
	entry   transcript.Entry
	buffer  []byte
	Next    int64
	Missing int64
	last    time.Time // when there was output
}

func NewFollower(c *Conn, offset int64, sink Sink) *Follower {
	c.Seen.set(offset)
	return &Follower{
		client: c,
		sink:   sink,
		reader: transcript.Open(c.Folder()),
		buffer: make([]byte, BufferSize),
		Next:   offset,
		last:   time.Now(),
	}
}

func (f *Follower) Close() {
	_ = f.reader.Close() // both were only read
	if f.entries != nil {
		_ = f.entries.Close()
	}
}

// Wait waits, by the request, until there is more than f.next, or never will be.
func (f *Follower) Wait(ctx context.Context, req Request) (Response, error) {
	req.Offset = f.Next
	answer := f.client.Send(req)
	var timer <-chan time.Time
	for {
		select {
		case resp, ok := <-answer:
			return Answered(resp, ok)
		default:
		}
		if timer == nil && f.sink.Quiet != nil {
			again, err := f.sink.Quiet(time.Since(f.last))
			if err != nil {
				return Response{}, err
			}
			if again > 0 {
				timer = time.After(again)
			}
		}
		select {
		case resp, ok := <-answer:
			return Answered(resp, ok)
		case <-timer:
			timer = nil
		case <-ctx.Done():
			return Response{}, ctx.Err()
		}
	}
}

// End returns the offset after the last byte on disk.
func (f *Follower) End() int64 {
	_, next, err := f.reader.Bounds()
	if err != nil {
		return f.Next
	}
	if s, err := f.client.Dir.LoadSession(f.client.Session.ID); err == nil && s.Closed {
		next = max(next, s.OutputBytes) // the last of which may be lost
	}
	return next
}

// Copy hands the bytes up to the offset end to the sink.
func (f *Follower) Copy(ctx context.Context, end int64) error {
	for f.Next < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, gap, err := f.reader.ReadAt(f.buffer[:min(int64(len(f.buffer)), end-f.Next)], f.Next)
		data := f.buffer[:n]
		if err == io.EOF || gap > 0 {
			data, gap = f.unsaved(ctx, end, data, gap)
		} else if err != nil {
			return err
		}
		f.Missing += gap
		f.Next += gap
		if err := f.write(data); err != nil {
			return err
		}
		f.client.Seen.set(f.Next)
		f.last = time.Now()
	}
	return nil
}

// unsaved asks the holder for bytes that are not on disk. Where nobody has them they are a gap.
func (f *Follower) unsaved(ctx context.Context, end int64, stored []byte, gap int64) (data []byte, missing int64) {
	resp, err := f.client.Call(ctx, Request{Op: OpRead, Offset: f.Next})
	if err == nil && len(resp.Data) > 0 && resp.Offset <= f.Next+gap {
		data := resp.Data
		if room := end - resp.Offset; int64(len(data)) > room {
			data = data[:room]
		}
		return data, resp.Offset - f.Next
	}
	if len(stored) > 0 {
		return stored, gap
	}
	if _, next, err := f.reader.Bounds(); err == nil && next > f.Next {
		return nil, 0 // the holder has stored them in the meantime: read again
	}
	if err == nil && resp.Offset > f.Next && resp.Offset < end {
		return nil, resp.Offset - f.Next
	}
	return nil, end - f.Next
}

// write hands data, which begins at f.next, to the sink by kinds.
func (f *Follower) write(data []byte) error {
	for len(data) > 0 {
		kind, n := f.kind(int64(len(data)))
		if err := f.sink.Write(data[:n], kind, f.Next); err != nil {
			return err
		}
		data = data[n:]
		f.Next += n
	}
	return nil
}

// kind returns of what kind the bytes from f.next on are, and for how many of up to limit that holds.
func (f *Follower) kind(limit int64) (transcript.Kind, int64) {
	if f.client.Session.Size.Cols > 0 {
		return transcript.Output, limit // a terminal has one output
	}
	if f.entries == nil {
		entries, err := transcript.OpenEntries(f.client.Folder(), f.Next)
		if err != nil {
			return transcript.Output, limit
		}
		f.entries = entries
	}
	for f.Next >= f.entry.Offset+f.entry.Bytes {
		entry, err := f.entries.Next()
		if err != nil {
			return transcript.Output, limit // without timing, as a full disk or a crash leaves it
		}
		if entry.Kind == transcript.Output || entry.Kind == transcript.Stderr {
			f.entry = entry
		}
	}
	if f.Next < f.entry.Offset {
		return transcript.Output, min(limit, f.entry.Offset-f.Next)
	}
	return f.entry.Kind, min(limit, f.entry.Offset+f.entry.Bytes-f.Next)
}

// A gauge is how far the output was handed on.
type gauge struct {
	mu    sync.Mutex
	at    int64
	moved chan struct{} // closed when at changes; nil while nobody waits for that
}

func (g *gauge) set(at int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.at = at; g.moved != nil {
		close(g.moved)
		g.moved = nil
	}
}

// Await waits until the output was handed on up to an offset; it reports false when ctx ends before.
func (g *gauge) Await(ctx context.Context, at int64) bool {
	for {
		g.mu.Lock()
		if g.at >= at {
			g.mu.Unlock()
			return true
		}
		if g.moved == nil {
			g.moved = make(chan struct{})
		}
		moved := g.moved
		g.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}
