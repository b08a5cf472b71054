package runner

import (
	"context"
	"fmt"
	"io"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/wire"
	"devtools/screen"
)

// replay draws the picture again from the transcript.
func replay(ctx context.Context, dir ledger.Dir, session ledger.Session, look Look) (wire.Picture, error) {
	place := wire.Transcript(dir, session)
	reader := transcript.Open(place)
	defer reader.Close()
	first, stored, err := reader.Bounds()
	if err != nil {
		return wire.Picture{}, err
	}
	log, end := &Log{dir: dir, session: session, reader: reader}, stored
	if log.growing() && log.isIncomplete() {
		end = max(end, log.Flush(ctx))
	}
	printed := end
	if look.At != nil {
		if look.At.Offset > end {
			return wire.Picture{}, fmt.Errorf("offset %d: %w: the output ends at %d", look.At.Offset, ErrNoMoment, end)
		}
		end = look.At.Offset
	}
	timing, err := readTiming(place, look.After, end)
	if err != nil {
		return wire.Picture{}, err
	}
	if look.After != nil {
		end = timing.end
	}
	if end < first {
		return wire.Picture{}, fmt.Errorf("offset %d: %w: the output before %d is not kept any more", end, ErrNoMoment, first)
	}
	size := session.Size
	if session.StartSize != (ledger.Size{}) {
		size = session.StartSize
	}
	scrollback := wire.Scrollback(session)
	if len(timing.resizes) > 0 {
		scrollback = screen.DefaultScrollback
	}
	t := wire.NewTerminal(size, scrollback)
	at := int64(0)
	for _, r := range timing.resizes {
		if at, err = log.feed(ctx, t, at, min(r.at, end), stored); err != nil {
			return wire.Picture{}, err
		}
		if r.scrollback >= 0 {
			t.SetScrollback(r.scrollback)
		}
		if r.size != (ledger.Size{}) {
			t.Resize(r.size.Cols, r.size.Rows)
		}
	}
	if _, err = log.feed(ctx, t, at, end, stored); err != nil {
		return wire.Picture{}, err
	}
	last := !look.past() && session.Closed
	pic := finished(t, end, look, last)
	pic.Closed, pic.Printed = last, printed
	return pic, nil
}

// feed works as the function feed, and from the offset stored on takes the output that the disk did not take.
func (l *Log) feed(ctx context.Context, t io.Writer, from, to, stored int64) (int64, error) {
	at, err := feed(ctx, t, l.reader, from, min(to, stored))
	if err != nil || to <= stored {
		return at, err
	}
	return to, l.eachUnsaved(ctx, at, func(p []byte, _ transcript.Kind, offset int64) error {
		if left := to - offset; left < int64(len(p)) {
			p = p[:max(0, left)]
		}
		_, err := t.Write(p)
		return err
	})
}

// feed writes the transcript between two offsets to t, which never fails, and returns the offset it reached. It leaves
// out bytes that are not kept.
func feed(ctx context.Context, t io.Writer, r *transcript.Reader, from, to int64) (int64, error) {
	buffer := make([]byte, wire.BufferSize)
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
			_, _ = t.Write(buffer[:n])
			from += int64(n)
		}
	}
	return from, nil
}

// A resize is a change of the terminal's size or scrollback.
type resize struct {
	at         int64       // end of the output at that moment
	size       ledger.Size // zero without a terminal
	scrollback int         // -1 if not recorded
}

// A timing has what happened until a moment.
type timing struct {
	resizes []resize
	end     int64 // end of the output at that moment
}

// readTiming reads the timing up to the offset end or, if after is set, up to the time after.
func readTiming(place transcript.Place, after *time.Duration, end int64) (t timing, err error) {
	entries, err := transcript.OpenEntries(place, 0)
	if err != nil {
		return t, err
	}
	defer entries.Close()
	for {
		entry, err := entries.Next()
		if err == io.EOF {
			t.end = end // the last output may not have its time yet
			return t, nil
		}
		if err != nil {
			return t, err
		}
		if after != nil && entry.At > *after || after == nil && entry.Offset > end {
			return t, nil
		}
		switch entry.Kind {
		case transcript.Output, transcript.Stderr:
			t.end = entry.Offset + entry.Bytes
		case transcript.Resize:
			var size ledger.Size
			if cols, rows, ok := transcript.ParseSize(entry.Text); ok {
				size = ledger.Size{Cols: cols, Rows: rows}
			}
			t.resizes = append(t.resizes, resize{entry.Offset, size, entry.Scrollback})
		}
	}
}

// Play draws the picture of a recording: an asciicast, a typescript or raw bytes. The picture starts with the given
// size. A zero size means the recording's own size or, if it has none, 80x24.
func Play(ctx context.Context, r io.Reader, size ledger.Size, look Look) (wire.Picture, error) {
	recording, err := transcript.ReadRecording(r)
	if err != nil {
		return wire.Picture{}, err
	}
	if err := look.resolve(recording.Started); err != nil {
		return wire.Picture{}, err
	}
	if look.After != nil && !recording.Timed {
		return wire.Picture{}, fmt.Errorf("%w: the file has no times: use an offset in bytes", ErrNoMoment)
	}
	if size == (ledger.Size{}) {
		size = wire.DefaultSize
		if recording.Cols > 0 && recording.Rows > 0 {
			size = ledger.Size{Cols: recording.Cols, Rows: recording.Rows}
		}
	}
	t := screen.New(size.Cols, size.Rows, screen.DefaultScrollback)
	at, err := playUntil(ctx, t, recording, look)
	if err != nil {
		return wire.Picture{}, err
	}
	last := !look.past()
	pic := finished(t, at, look, last)
	pic.Closed = last
	return pic, nil
}

// playUntil writes the recording to the terminal, up to the moment of look or to its end. It returns the offset that it
// has reached.
func playUntil(ctx context.Context, t *screen.Terminal, recording *transcript.Recording, look Look) (at int64, err error) {
	for ctx.Err() == nil {
		entry, data, err := recording.Next()
		if err != nil && err != io.EOF {
			return at, err
		}
		if err == io.EOF || look.before(entry) {
			if look.At != nil && at < look.At.Offset {
				return at, fmt.Errorf("offset %d: %w: the output ends at %d", look.At.Offset, ErrNoMoment, at)
			}
			return at, nil
		}
		if entry.Kind == transcript.Resize {
			if cols, rows, ok := transcript.ParseSize(entry.Text); ok {
				t.Resize(cols, rows)
			}
			continue
		}
		if look.At != nil {
			data = data[:min(int64(len(data)), look.At.Offset-at)]
		}
		_, _ = t.Write(data) // never fails
		at += int64(len(data))
	}
	return at, ctx.Err()
}

// before reports whether the moment of a past picture is before an entry.
func (l Look) before(entry transcript.Entry) bool {
	return l.After != nil && entry.At > *l.After || l.At != nil && entry.Offset > l.At.Offset
}

// finished returns the picture of a terminal after a replay up to the offset at. With last there is no more output, so
// the picture shows an unfinished frame as it is.
func finished(t *screen.Terminal, at int64, look Look, last bool) wire.Picture {
	view := look.View
	view.Unfinished = view.Unfinished || last
	pic := wire.Picture{Snapshot: t.Snapshot(view), Offset: at, Printed: at}
	if look.Since != "" {
		pic.Compare(look.Since, nil)
	}
	return pic
}
