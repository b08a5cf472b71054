// Package replay plays the output of a session or a recording again with its timing. It plays on a terminal, where
// keys pause and seek. It also writes files of other formats, such as animations.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/screen"
)

// A Cut says which part of a recording is played, and limits its pauses.
type Cut struct {
	From, To  Moment
	IdleLimit time.Duration // maximum length of a pause; 0: no limit
}

// A Moment is a time since the start of a recording, or a point in time. The zero value means that none was given.
type Moment struct {
	After time.Duration
	Then  time.Time
	Given bool
}

// Before reports whether m is before other, as far as that can be known without the recording: both count from its start, or
// both are times on a clock.
func (m Moment) Before(other Moment) bool {
	switch {
	case !m.Given || !other.Given:
		return false
	case m.Then.IsZero() && other.Then.IsZero():
		return m.After < other.After
	}
	return !m.Then.IsZero() && !other.Then.IsZero() && m.Then.Before(other.Then)
}

// since returns the time of the moment since start.
func (m Moment) since(start time.Time) (time.Duration, error) {
	switch {
	case m.Then.IsZero():
		return m.After, nil
	case start.IsZero():
		return 0, errors.New("it does not say when it was recorded: give a time since its start, as 90s")
	}
	return max(m.Then.Sub(start), 0), nil
}

// A Tape is the output of a terminal. It can be played any number of times. It belongs to one goroutine.
type Tape struct {
	// Size is the size of the terminal at the start. It is zero for a session without a terminal, which prints to
	// pipes.
	Size ledger.Size
	// Largest is the maximum size of the terminal. Measure sets it. A session without a terminal is shown in a
	// terminal of 80x24.
	Largest ledger.Size
	// Duration is the playing time of the cut part. Measure sets it.
	Duration time.Duration
	// Timed says whether times are known. Without times, all output comes at once.
	Timed   bool
	Started time.Time // zero: not known
	Title   string
	Command string

	cut      Cut
	from, to time.Duration
	source   func(context.Context, func(transcript.Event) error) error
	close    func() error
}

// defaultSize is the size of the terminal if the recording does not say.
var defaultSize = ledger.Size{Cols: 80, Rows: 24}

// A SessionLog is the open log of one session.
type SessionLog struct {
	Session ledger.Session
	// End is the offset after the last byte that is played.
	End int64
	// Events yields the events of the log from its start. It can be called again. The bytes of an event are valid
	// until yield returns.
	Events func(ctx context.Context, yield func(transcript.Event) error) error
	Close  func() error
}

// OpenSession returns the tape of a session, running or ended, up to End. The caller closes the tape, which closes
// the log. After an error the log is already closed.
func OpenSession(log SessionLog, cut Cut) (*Tape, error) {
	session := log.Session
	t := &Tape{
		Size: session.Size, Timed: true, Started: session.StartedAt.Time,
		Title: session.Name, Command: strings.Join(session.Command, " "),
		cut: cut, close: log.Close,
	}
	if session.StartSize != (ledger.Size{}) {
		t.Size = session.StartSize
	}
	t.source = func(ctx context.Context, yield func(transcript.Event) error) error {
		return log.Events(ctx, func(e transcript.Event) error {
			if e.Offset >= log.End && len(e.Data) > 0 {
				return errEnd // the output came later
			}
			return yield(e)
		})
	}
	return t, t.opened()
}

// Open returns the tape of a recording: an asciicast, a typescript, a capture or raw bytes. If size is not zero, it
// replaces the terminal size in the file. The caller closes the file.
func Open(file io.ReadSeeker, size ledger.Size, cut Cut) (*Tape, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	recording, err := transcript.ReadRecording(file)
	if err != nil {
		return nil, err
	}
	t := &Tape{
		Size: ledger.Size{Cols: recording.Cols, Rows: recording.Rows}, Timed: recording.Timed, Started: recording.Started,
		cut: cut, close: func() error { return nil },
	}
	if size != (ledger.Size{}) {
		t.Size = size
	} else if t.Size.Cols <= 0 || t.Size.Rows <= 0 {
		t.Size = defaultSize
	}
	t.Size.Cols, t.Size.Rows = min(t.Size.Cols, screen.MaxCols), min(t.Size.Rows, screen.MaxRows)
	if !t.Timed && (cut.From.Given || cut.To.Given) {
		return nil, errors.New("it has no times that --from and --to could name")
	}
	t.source = func(ctx context.Context, yield func(transcript.Event) error) error {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		recording, err := transcript.ReadRecording(file)
		for err == nil && ctx.Err() == nil {
			var e transcript.Entry
			var data []byte
			if e, data, err = recording.Next(); err == nil {
				err = yield(transcript.Event{Entry: e, Data: data})
			} else if err != io.EOF && t.Title != "" {
				err = fmt.Errorf("%s: %w", t.Title, err)
			}
		}
		if err == io.EOF {
			err = nil
		}
		return errors.Join(err, ctx.Err())
	}
	return t, t.opened()
}

// opened computes the beginning and the end of the cut.
func (t *Tape) opened() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	if t.from, err = t.cut.From.since(t.Started); err == nil {
		t.to, err = t.cut.To.since(t.Started)
	}
	if err == nil && t.cut.To.Given && t.to < t.from { // one of them is a time on a clock
		err = fmt.Errorf("--to is %v after its start, and --from %v", t.to, t.from)
	}
	return err
}

// Measure computes the length of the tape and the maximum size of the terminal. For that it plays the tape once
// without waiting.
func (t *Tape) Measure(ctx context.Context) error {
	t.Largest = t.Size
	if t.Size == (ledger.Size{}) {
		t.Largest = defaultSize
	}
	return t.Play(ctx, func(at time.Duration, e transcript.Event) error {
		t.Duration = at
		if cols, rows, ok := transcript.ParseSize(e.Text); ok && e.Kind == transcript.Resize {
			t.Largest.Cols = max(t.Largest.Cols, min(cols, screen.MaxCols))
			t.Largest.Rows = max(t.Largest.Rows, min(rows, screen.MaxRows))
		}
		return nil
	})
}

// Close closes the files of the tape.
func (t *Tape) Close() error { return t.close() }

// errEnd ends a source.
var errEnd = errors.New("end of the tape")

// Play yields output and changes of size. Each has the time since the start at which it is shown. Everything before
// the start of the cut comes at once. The bytes are valid until yield returns.
func (t *Tape) Play(ctx context.Context, yield func(at time.Duration, e transcript.Event) error) error {
	before, at, begun := t.from, time.Duration(0), false
	err := t.source(ctx, func(e transcript.Event) error {
		if e.Kind == transcript.Input || e.Kind == transcript.Mark {
			return nil
		}
		if !begun && e.Offset > 0 && !t.cut.From.Given {
			before = e.At // the log begins here: earlier output is not kept
		}
		begun = begun || e.Kind != transcript.Resize
		if t.cut.To.Given && e.At > t.to {
			return errEnd
		}
		if pause := e.At - before; pause > 0 {
			if t.cut.IdleLimit > 0 {
				pause = min(pause, t.cut.IdleLimit)
			}
			at += pause
			before = e.At
		}
		return yield(at, e)
	})
	if errors.Is(err, errEnd) {
		err = nil
	}
	return err
}

// terminal returns a terminal in which the tape is shown.
func (t *Tape) terminal(scrollback int) *screen.Terminal {
	if t.Size != (ledger.Size{}) {
		return screen.New(t.Size.Cols, t.Size.Rows, scrollback)
	}
	terminal := screen.New(defaultSize.Cols, defaultSize.Rows, scrollback)
	_, _ = terminal.Write([]byte("\x1b[20h")) // LNM: a bare line feed ends a line
	return terminal
}

// A frameTimer finds frames of synchronized output (mode 2026) that take too long. Such a frame is shown unfinished.
type frameTimer struct {
	number int
	since  time.Duration
}

// maxFrame is the maximum time for a frame of synchronized output.
const maxFrame = time.Second

// overdue reports whether the terminal is drawing a frame at the time at, and for longer than maxFrame.
func (f *frameTimer) overdue(terminal *screen.Terminal, at time.Duration) bool {
	number, drawing := terminal.Drawing()
	if !drawing || number != f.number || at < f.since {
		f.number, f.since = number, at
	}
	return drawing && at-f.since > maxFrame
}

// apply applies the event to a terminal.
func apply(terminal *screen.Terminal, e transcript.Event) {
	if cols, rows, ok := transcript.ParseSize(e.Text); ok && e.Kind == transcript.Resize {
		terminal.Resize(cols, rows)
	}
	_, _ = terminal.Write(e.Data) // never fails
}

// Stream writes the bytes to w when their time has come, at a multiple of the speed.
func (t *Tape) Stream(ctx context.Context, w io.Writer, speed float64) error {
	begin := time.Now()
	return t.Play(ctx, func(at time.Duration, e transcript.Event) error {
		if wait := time.Until(begin.Add(scaled(at, speed))); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		_, err := w.Write(e.Data)
		return err
	})
}

// scaled returns the time that d takes at the given speed.
func scaled(d time.Duration, speed float64) time.Duration { return time.Duration(float64(d) / speed) }
