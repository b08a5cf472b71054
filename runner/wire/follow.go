package wire

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"devtools/ledger/transcript"
)

// A Sink takes the output of a session in order. Only one goroutine calls its functions.
type Sink struct {
	// Write takes bytes of one kind. The first of them is at offset.
	Write func(p []byte, kind transcript.Kind, offset int64) error

	// Quiet, if it is not nil, learns how long there has been no output. It returns how much longer the quiet
	// must last before the next call; 0 means no further call.
	Quiet func(since time.Duration) (again time.Duration, err error)
}

// Follow passes the output from offset on to sink. It ends when the session has no more output, when ctx ends
// or when sink fails. It returns the offset it has reached and how many bytes before it are not kept.
func (c *Conn) Follow(ctx context.Context, offset int64, sink Sink) (next, missing int64, err error) {
	f, err := c.FollowUntil(ctx, offset, sink, false)
	return f.Next, f.Missing + f.Deleted, err
}

// Followed says how far a follower has come.
type Followed struct {
	Next    int64 // offset that it has reached
	Missing int64 // bytes before it that could not be stored
	Deleted int64 // bytes before it that the transcript no longer has, to keep within its size
}

// FollowUntil works as Follow. With complete it ends with the command, even if leftovers may still print.
func (c *Conn) FollowUntil(ctx context.Context, offset int64, sink Sink, complete bool) (Followed, error) {
	f := NewFollower(c, offset, sink)
	defer f.Close()
	for {
		grown, err := f.Wait(ctx, Request{Op: OpFollow, Complete: complete})
		if errors.Is(err, ErrHolderGone) {
			err = f.CopyRest(ctx)
			return f.Followed, err
		}
		if err == nil {
			err = f.Copy(ctx, grown.Next)
		}
		if err != nil || grown.Closed {
			return f.Followed, err
		}
	}
}

// A Follower keeps the state of one Follow call.
type Follower struct {
	client  *Conn
	sink    Sink
	reader  *transcript.Reader
	entries *transcript.Entries // timing entries with the kinds of output; nil where there is only one kind
	entry   transcript.Entry
	buffer  []byte
	last    time.Time // time of the last output
	Followed
}

// NewFollower returns a Follower that begins at offset. The caller closes it.
func NewFollower(c *Conn, offset int64, sink Sink) *Follower {
	c.Seen.set(offset)
	return &Follower{
		client: c,
		sink:   sink,
		reader: transcript.Open(c.Transcript()),
		buffer: make([]byte, BufferSize),
		last:   time.Now(),

		Followed: Followed{Next: offset},
	}
}

// Close closes the transcript.
func (f *Follower) Close() {
	_ = f.reader.Close() // both files were only read
	if f.entries != nil {
		_ = f.entries.Close()
	}
}

// Wait sends the request and waits until there is output beyond f.Next, or until there will be no more.
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

// CopyRest passes on what is left of the output of a session whose holder is gone. The error is ErrNotRecorded if it may have
// been more.
func (f *Follower) CopyRest(ctx context.Context) error {
	_, next, err := f.reader.Bounds()
	s, loadErr := f.client.Dir.LoadSession(f.client.Session.ID)
	closed := loadErr == nil && s.Closed
	switch {
	case errors.Is(err, ErrNotRecorded) && !(closed && s.OutputBytes <= f.Next):
		return err
	case err != nil:
		return nil
	case closed:
		next = max(next, s.OutputBytes) // the last of these bytes may be lost
	}
	return f.Copy(ctx, next)
}

// Copy passes the output up to the offset end to the sink.
func (f *Follower) Copy(ctx context.Context, end int64) error {
	for f.Next < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, gap, err := f.reader.ReadAt(f.buffer[:min(int64(len(f.buffer)), end-f.Next)], f.Next)
		data := f.buffer[:n]
		if err == io.EOF || gap > 0 || errors.Is(err, fs.ErrNotExist) { // not stored, or removed
			data, gap = f.unsaved(ctx, end, data, gap)
		} else if err != nil {
			return err
		}
		if gap > 0 {
			f.skip(gap)
		}
		if err := f.write(data); err != nil {
			return err
		}
		f.client.Seen.set(f.Next)
		f.last = time.Now()
	}
	return nil
}

// skip goes on after a gap.
func (f *Follower) skip(gap int64) {
	deleted := int64(0)
	if first, _, err := f.reader.Bounds(); err == nil {
		deleted = min(max(first-f.Next, 0), gap)
	}
	f.Deleted += deleted
	f.Missing += gap - deleted
	f.Next += gap
}

// unsaved asks the holder for output that is not on disk. Output that nobody has becomes a gap.
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
		return nil, 0 // the holder has stored the bytes in the meantime: read again
	}
	if err == nil && resp.Offset > f.Next && resp.Offset < end {
		return nil, resp.Offset - f.Next
	}
	return nil, end - f.Next
}

// write passes data to the sink in pieces of one kind each. The data begins at f.Next.
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

// kind returns the kind of the output at f.Next, and how many of the next limit bytes have this kind.
func (f *Follower) kind(limit int64) (transcript.Kind, int64) {
	if f.client.Session.Size.Cols > 0 {
		return transcript.Output, limit // a terminal has only one kind of output
	}
	if f.entries == nil {
		entries, err := transcript.OpenEntries(f.client.Transcript(), f.Next)
		if err != nil {
			return transcript.Output, limit
		}
		f.entries = entries
	}
	for f.Next >= f.entry.Offset+f.entry.Bytes {
		entry, err := f.entries.Next()
		if err != nil {
			return transcript.Output, limit // the timing is missing, as after a full disk or a crash
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

// A progress holds the offset up to which the output was passed on.
type progress struct {
	mu    sync.Mutex
	at    int64
	moved chan struct{} // closed when at changes; nil while nobody waits
}

func (g *progress) set(at int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.at = at; g.moved != nil {
		close(g.moved)
		g.moved = nil
	}
}

// Await waits until the output was passed on up to the offset at. It returns false when ctx ends first.
func (g *progress) Await(ctx context.Context, at int64) bool {
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

// Beyond waits until more output was passed on than up to the offset at, and returns up to where. ok is false when ctx ends first.
func (g *progress) Beyond(ctx context.Context, at int64) (now int64, ok bool) {
	if !g.Await(ctx, at+1) {
		return at, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at, true
}
