package attach

import (
	"bytes"
	"context"
	"errors"
	"os"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/track"
	"devtools/runner/wire"
	"devtools/screen"
)

// How an Attach ended.
const (
	Detached    = "detached"    // by the keys for it
	Ended       = "ended"       // the command is finished
	Interrupted = "interrupted" // this process was told to end
	Closed      = "closed"      // the person's terminal is gone
)

// Options say how Attach puts a person in front of a session.
type Options struct {
	In, Out    *os.File         // the person's terminal
	ReadOnly   bool             // only look on: nothing is typed, and the size stays
	DetachKeys DetachKeys       // DefaultDetachKeys where there are none
	Signals    <-chan os.Signal // what this process is told: it ends the Attach
	Linger     time.Duration    // for how long what was printed before can be read, unless a key comes
}

// An Result is what became of an Attach.
type Result struct {
	How      string         // Detached, Ended, Interrupted or Closed
	Session  ledger.Session // with its end, if it was Ended
	Signal   os.Signal      // the one that interrupted it
	Answered []ledger.Ask   // what the person was asked for, which is done now
	Unsent   int            // bytes that were typed and that the program has not taken
	Stuck    bool           // the terminal is gone, or takes no output: whoever writes to it waits
}

// ErrNotAttachable reports a terminal that cannot be put in front of a session.
var ErrNotAttachable = errors.New("standard input and output are not a terminal")

// Reach connects to the holder of the living session called name, for a person. The error is ErrEnded for one
// that is over, and ErrNoTerminal where there is nothing to show.
func Reach(dir ledger.Dir, name string) (*runner.Client, error) {
	session, err := dir.Session(name)
	if err != nil {
		return nil, err
	}
	if session, err = dir.LoadSession(session.ID); err != nil {
		return nil, err
	}
	switch {
	case session.Ended():
		return nil, ledger.SessionError(session.Name, wire.ErrEnded)
	case session.Size == ledger.Size{}:
		return nil, ledger.SessionError(session.Name, wire.ErrNoTerminal)
	}
	c, err := runner.Dial(dir, session)
	if errors.Is(err, wire.ErrHolderGone) {
		if record, loadErr := dir.LoadSession(session.ID); loadErr == nil && record.Ended() {
			err = ledger.SessionError(session.Name, wire.ErrEnded)
		}
	}
	return c, err
}

// Inside reports whether this process runs in the session.
func Inside(session ledger.Session) bool { return os.Getenv(track.Variable) == session.ID }

// ErrInside reports an attach to the session that it was asked for in.
var ErrInside = errors.New("this terminal is its own: it would show itself")

const (
	// paintInterval is the least time between two pictures in a window that has not the session's size.
	paintInterval = 33 * time.Millisecond

	// outPiece is how much is written to a person's terminal at a time, in bytes. What is on its way there
	// when the view ends is no more.
	outPiece = 4 << 10

	// rawPiece is how much output is passed on before anything else is looked at, in bytes.
	rawPiece = 64 << 10

	// maxTyped is how much can be typed ahead of what the program takes, in bytes. More stays in the terminal.
	maxTyped = 4 << 20
)

// A screening is what a person's terminal shows of a session: the output as it is, where both have one size,
// and else a picture of as much as there is room for.
type screening struct {
	client   *runner.Client
	write    func([]byte) error
	model    *screen.Terminal // of the person's terminal
	window   ledger.Size      // its size
	follower *wire.Follower
	filter   screen.QueryFilter
	next     int64 // how far the output is known to have grown

	drawn   bool // something of the session has been shown
	synced  bool // what is shown is the session's, or follows it
	joined  bool // the output has been joined, and goes on where it was left
	painted bool // it is a picture
	stale   bool // there is a newer one
	at      time.Time
	rows    []uint64 // hashes of the picture's rows
	part    screen.Window
	title   string
	modes   screen.Modes
	filters []byte
}

// enter begins with a terminal of the size, whose text moves up, out of the way.
func (s *screening) enter(window ledger.Size) error {
	s.window, s.synced, s.joined, s.painted = window, false, false, false
	s.model = screen.New(window.Cols, window.Rows, 0)
	up := append([]byte("\x1b[999;1H"), bytes.Repeat([]byte{'\n'}, min(window.Rows, screen.MaxRows))...)
	return s.write(up)
}

// leave takes back what the session has made of the terminal.
func (s *screening) leave() error {
	s.synced = false
	return s.write(s.model.Leave())
}

// resized takes in that the terminal has another size.
func (s *screening) resized(window ledger.Size) {
	s.window, s.synced = window, false
	s.model.Resize(window.Cols, window.Rows)
}

// sync shows the session anew: as output that goes on, if the sizes agree.
func (s *screening) sync(ctx context.Context) error {
	resp, err := s.client.Call(ctx, wire.Request{Op: wire.OpRedraw})
	if err != nil {
		return err
	}
	s.next, s.synced, s.drawn = max(s.next, resp.Next), true, true
	if *resp.Size != s.window {
		if !s.painted {
			s.painted, s.rows, s.title, s.modes = true, nil, "", s.neutral()
			if err := s.write(append(s.model.Leave(), "\x1b[?1049h\x1b[H\x1b[J"...)); err != nil {
				return err
			}
		}
		s.rows = nil
		return s.paint(ctx)
	}
	s.joined, s.painted, s.filter, s.follower.Next = true, false, screen.QueryFilter{}, resp.Offset
	return s.write(append(s.model.Leave(), resp.Payload...))
}

// neutral returns the modes of a terminal that nothing has changed.
func (s *screening) neutral() screen.Modes {
	return screen.New(1, 1, 0).Snapshot(screen.Visible()).Modes
}

// pass passes on the output up to what is known, a piece of it, and reports whether there is more.
func (s *screening) pass(ctx context.Context) (more bool, err error) {
	err = s.follower.Copy(ctx, min(s.next, s.follower.Next+rawPiece))
	return s.follower.Next < s.next, err
}

// raw is where the follower leaves output: to the terminal, without the queries, which the holder answers.
func (s *screening) raw(p []byte) error {
	s.filters = s.filter.Filter(s.filters[:0], p)
	return s.write(s.filters)
}

// paint paints what has changed in the picture.
func (s *screening) paint(ctx context.Context) error {
	s.stale, s.at = false, time.Now()
	view := screen.Visible()
	resp, err := s.client.Call(ctx, wire.Request{Op: wire.OpScreen, View: &view})
	if err != nil {
		return err
	}
	pic, err := screen.Decode(resp.Payload)
	if err != nil {
		return err
	}
	if (ledger.Size{Cols: pic.Cols, Rows: pic.Rows}) == s.window {
		s.synced = false // the sizes have come to agree
		return nil
	}
	hashes, part := pic.RowHashes(), pic.Window(s.window.Cols, s.window.Rows)
	out := pic.Paint(part, func(row int) bool {
		i := part.Top + row
		return s.rows == nil || part != s.part || i < len(hashes) && (i >= len(s.rows) || hashes[i] != s.rows[i]) || i >= len(hashes) && i < len(s.rows)
	})
	modes := pic.Modes
	if part.Left > 0 || part.Top > 0 {
		modes.Mouse = screen.NoMouse // it would point at something else
	}
	out = append(out, s.modes.Switch(modes)...)
	if pic.Title != s.title {
		out = append(out, "\x1b]2;"+pic.Title+"\x1b\\"...)
	}
	s.rows, s.part, s.modes, s.title = hashes, part, modes, pic.Title
	return s.write(out)
}

// isReport reports whether what came from a terminal is no key, but a word of its own: that it has the focus
// or has lost it, or what became of an image (the graphics protocol of kitty).
func isReport(input []byte) bool {
	for len(input) > 0 {
		rest, ok := bytes.CutPrefix(input, []byte("\x1b[I"))
		if !ok {
			rest, ok = bytes.CutPrefix(input, []byte("\x1b[O"))
		}
		if !ok && bytes.HasPrefix(input, []byte("\x1b_G")) {
			_, rest, ok = bytes.Cut(input, []byte("\x1b\\"))
		}
		if !ok {
			return false
		}
		input = rest
	}
	return true
}

// clampSize returns the size that a session can have.
func clampSize(s ledger.Size) ledger.Size {
	return ledger.Size{Cols: min(max(s.Cols, 1), screen.MaxCols), Rows: min(max(s.Rows, 1), screen.MaxRows)}
}
