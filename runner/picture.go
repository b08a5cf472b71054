package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/screen"
)

// A Picture is what the terminal of a session shows, or showed.
type Picture struct {
	Snapshot *screen.Snapshot
	Offset   int64 // of the transcript, up to which it is the picture
	Printed  int64 // how far the transcript was when it was asked for: more than Offset in a flood
	Closed   bool  // the session has ended, and this is its last picture

	Stuck error // why the holder, which lives, did not answer: the picture is made from the transcript

	Known   bool  // the picture to compare with is known: Changed holds the lines that differ
	Changed []int // indexes of Snapshot.Lines
}

// compare notes which lines have changed since a picture with these rows, nil if it is not known.
func (p *Picture) compare(rows []uint64) {
	p.Known = rows != nil
	for i, hash := range p.Snapshot.RowHashes() {
		if !p.Known || i >= len(rows) || rows[i] != hash {
			p.Changed = append(p.Changed, i)
		}
	}
}

// A Look says which picture of a session is asked for.
type Look struct {
	View  screen.View
	Since string         // the hash of a picture: which lines have changed since?
	At    *int64         // the offset of a past picture
	After *time.Duration // the time of a past picture, since the session started
}

// past reports whether the picture is one that the holder does not have.
func (l Look) past() bool { return l.At != nil || l.After != nil }

// See returns the picture of the session called name: what its terminal shows now or, when it has ended,
// showed at last; or what it showed in the past.
func See(ctx context.Context, dir ledger.Dir, name string, look Look) (ledger.Session, Picture, error) {
	var stuck error
	if session, ok := dir.Living(name); ok {
		if look.past() {
			stuck = refresh(ctx, dir, session)
		} else {
			pic, err := current(ctx, dir, session, look)
			if err == nil {
				return session, pic, nil
			}
			stuck = err
		}
		if errors.Is(stuck, ErrHolderGone) {
			stuck = nil
		}
	}
	session, err := dir.Session(name)
	if err == nil {
		session, err = dir.LoadSession(session.ID) // its end may have been recorded since
	}
	if err != nil {
		return session, Picture{}, err
	}
	pic, err := replay(ctx, dir, session, look)
	pic.Stuck = stuck
	return session, pic, errors.Join(err, ctx.Err())
}

// A lookRequest and a lookResponse are the request and the response of opScreen with nothing else in them:
// to make the encoders of all of request and response takes longer than the answer.
type lookRequest struct {
	V     int         `json:"v"`
	Op    string      `json:"op"`
	View  screen.View `json:"view"`
	Since string      `json:"since,omitzero"`
}

type lookResponse struct {
	Error   *fault `json:"error"`
	Offset  int64  `json:"offset"`
	Next    int64  `json:"next"`
	Known   bool   `json:"known"`
	Changed []int  `json:"changed"`
	Bytes   int    `json:"bytes"`
}

// refresh has the holder bring the times of all output to disk.
func refresh(ctx context.Context, dir ledger.Dir, session ledger.Session) error {
	req := lookRequest{V: protocol, Op: opState}
	return ask(ctx, dir, session, req, func(r *bufio.Reader) error {
		_, err := readResponse(r)
		return err
	})
}

// current returns what the terminal shows now. When it prints faster than a picture can be made of it, that
// is the picture of an earlier moment, as its Offset says.
func current(ctx context.Context, dir ledger.Dir, session ledger.Session, look Look) (Picture, error) {
	var resp lookResponse
	var payload []byte
	req := lookRequest{V: protocol, Op: opScreen, View: look.View, Since: look.Since}
	err := ask(ctx, dir, session, req, func(r *bufio.Reader) (err error) {
		if err = readLine(r, maxResponse, &resp); err == nil {
			payload, err = readPayload(r, resp.Bytes)
		}
		return err
	})
	if err != nil {
		return Picture{}, err
	}
	if resp.Error != nil {
		return Picture{}, resp.Error.err()
	}
	snapshot, err := screen.Decode(payload)
	if err != nil {
		return Picture{}, fmt.Errorf("the picture from the holder: %w", err)
	}
	return Picture{Snapshot: snapshot, Offset: resp.Offset, Printed: resp.Next, Known: resp.Known, Changed: resp.Changed}, nil
}

// Resize gives the terminal of the living session called name another size, of which the program hears by
// SIGWINCH, or another length of its scrollback in rows, and returns the session with them. Zero and nil
// leave them as they are.
func Resize(ctx context.Context, dir ledger.Dir, name string, size ledger.Size, scrollback *int) (ledger.Session, error) {
	session, err := dir.Session(name)
	if err != nil {
		return session, err
	}
	if session, err = dir.LoadSession(session.ID); err != nil {
		return session, err
	}
	if session.Ended() {
		return session, errNamed(name, ErrEnded)
	}
	var resp response
	req := request{V: protocol, Op: opResize, Size: size, Scrollback: scrollback}
	err = ask(ctx, dir, session, req, func(r *bufio.Reader) (err error) {
		resp, err = readResponse(r)
		return err
	})
	if err == nil {
		resp, err = answered(resp, true)
	}
	if err != nil {
		return session, err
	}
	return *resp.Session, nil
}

// replay makes the picture anew from the transcript.
func replay(ctx context.Context, dir ledger.Dir, session ledger.Session, look Look) (Picture, error) {
	folder := dir.SessionFolder(session.ID)
	reader := transcript.Open(folder)
	defer reader.Close()
	first, end, err := reader.Bounds()
	if err != nil {
		return Picture{}, err
	}
	if look.At != nil {
		if *look.At > end || *look.At < 0 {
			return Picture{}, fmt.Errorf("offset %d: %w: the output ends at %d", *look.At, ErrNoMoment, end)
		}
		end = *look.At
	}
	events, err := happenings(folder, look.After, end)
	if err != nil {
		return Picture{}, err
	}
	if look.After != nil {
		end = events.end
	}
	if end < first {
		return Picture{}, fmt.Errorf("offset %d: %w: the output before %d is not kept any more", end, ErrNoMoment, first)
	}
	size := session.Size
	if session.StartSize != (ledger.Size{}) {
		size = session.StartSize
	}
	scrollback := Scrollback(session)
	if len(events.resizes) > 0 {
		scrollback = screen.DefaultScrollback
	}
	t := newTerminal(size, scrollback)
	at := int64(0)
	for _, r := range events.resizes {
		if at, err = feed(ctx, t, reader, at, min(r.at, end)); err != nil {
			return Picture{}, err
		}
		if r.scrollback >= 0 {
			t.SetScrollback(r.scrollback)
		}
		if r.size != (ledger.Size{}) {
			t.Resize(r.size.Cols, r.size.Rows)
		}
	}
	if _, err = feed(ctx, t, reader, at, end); err != nil {
		return Picture{}, err
	}
	last := !look.past() && session.Closed
	pic := finished(t, end, look, last)
	pic.Closed = last
	return pic, nil
}

// ErrNoMoment reports a time or an offset at which there is no picture.
var ErrNoMoment = errors.New("no picture of that moment")

// feed writes the transcript from one offset to another to the terminal and returns where it came to. What
// is not kept is left out.
func feed(ctx context.Context, t *screen.Terminal, r *transcript.Reader, from, to int64) (int64, error) {
	buffer := make([]byte, bufferSize)
	for from < to {
		if err := ctx.Err(); err != nil {
			return from, err
		}
		n, gap, err := r.ReadAt(buffer[:min(int64(len(buffer)), to-from)], from)
		if err == io.EOF {
			return to, nil
		}
		if err != nil {
			return from, err
		}
		from += gap
		if n = int(min(int64(n), to-from)); n > 0 {
			_, _ = t.Write(buffer[:n]) // never fails
			from += int64(n)
		}
	}
	return from, nil
}

// A resizing is a change of the terminal's size.
type resizing struct {
	at         int64       // the offset of the output at that moment
	size       ledger.Size // none without a terminal
	scrollback int         // -1 where it is not told
}

// happened is what the timing of a transcript tells about the time until a moment.
type happened struct {
	resizes []resizing
	end     int64 // the offset at that moment
}

// happenings reads the timing up to the offset end, or up to the time after.
func happenings(folder string, after *time.Duration, end int64) (h happened, err error) {
	entries, err := transcript.OpenEntries(folder, 0)
	if err != nil {
		return h, err
	}
	defer entries.Close()
	for {
		entry, err := entries.Next()
		if err == io.EOF {
			return h, nil
		}
		if err != nil {
			return h, err
		}
		if after != nil && entry.At > *after || after == nil && entry.Offset > end {
			return h, nil
		}
		switch entry.Kind {
		case transcript.Output, transcript.Stderr:
			h.end = entry.Offset + entry.Bytes
		case transcript.Resize:
			var size ledger.Size
			if cols, rows, ok := transcript.ParseSize(entry.Text); ok {
				size = ledger.Size{Cols: cols, Rows: rows}
			}
			h.resizes = append(h.resizes, resizing{entry.Offset, size, entry.Scrollback})
		}
	}
}

// Play makes the picture of a recording: of an asciicast, of a typescript, or of bytes as they are. The
// size is that of the start; where it is zero it is the recording's own, else 80x24.
func Play(ctx context.Context, r io.Reader, size ledger.Size, look Look) (Picture, error) {
	recording, err := transcript.ReadRecording(r)
	if err != nil {
		return Picture{}, err
	}
	if look.After != nil && !recording.Timed {
		return Picture{}, fmt.Errorf("%w: the file has no times; offsets are in bytes", ErrNoMoment)
	}
	if size == (ledger.Size{}) {
		size = defaultSize
		if recording.Cols > 0 && recording.Rows > 0 {
			size = ledger.Size{Cols: recording.Cols, Rows: recording.Rows}
		}
	}
	t := screen.New(size.Cols, size.Rows, screen.DefaultScrollback)
	at := int64(0)
	for ctx.Err() == nil {
		entry, data, err := recording.Next()
		if err != nil && err != io.EOF {
			return Picture{}, err
		}
		if err == io.EOF || look.After != nil && entry.At > *look.After || look.At != nil && entry.Offset > *look.At {
			if look.At != nil && at < *look.At {
				return Picture{}, fmt.Errorf("offset %d: %w: the output ends at %d", *look.At, ErrNoMoment, at)
			}
			pic := finished(t, at, look, !look.past())
			pic.Closed = !look.past()
			return pic, nil
		}
		if entry.Kind == transcript.Resize {
			if cols, rows, ok := transcript.ParseSize(entry.Text); ok {
				t.Resize(cols, rows)
			}
			continue
		}
		if look.At != nil {
			data = data[:min(int64(len(data)), *look.At-at)]
		}
		_, _ = t.Write(data) // never fails
		at += int64(len(data))
	}
	return Picture{}, ctx.Err()
}

// finished returns the picture of a terminal that is replayed up to an offset. Nothing completes a frame that
// is being drawn at the last of all.
func finished(t *screen.Terminal, at int64, look Look, last bool) Picture {
	view := look.View
	view.Unfinished = view.Unfinished || last
	pic := Picture{Snapshot: t.Snapshot(view), Offset: at, Printed: at}
	if look.Since != "" {
		pic.compare(nil)
	}
	return pic
}
