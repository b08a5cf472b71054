// Package attach puts a person's terminal in front of a running session. It shows the session there and sends the
// person's keys to it. It does not start sessions.
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

// The ways in which an Attach ends.
const (
	Detached    = "detached"    // the person pressed the detach keys
	Ended       = "ended"       // the command is finished
	Interrupted = "interrupted" // this process was told to end
	Closed      = "closed"      // the person's terminal is gone
)

// Options say how Attach puts a person in front of a session.
type Options struct {
	In, Out    *os.File         // person's terminal
	ReadOnly   bool             // only watch: type nothing and keep the session's size
	DetachKeys DetachKeys       // detach keys; DefaultDetachKeys if empty
	Signals    <-chan os.Signal // signals that this process gets; they end the Attach
	Linger     time.Duration    // how long earlier text stays readable, unless a key comes
}

// A Result says how an Attach ended.
type Result struct {
	How      string         // Detached, Ended, Interrupted or Closed
	Session  ledger.Session // record of the session; with its end if How is Ended
	Signal   os.Signal      // signal that interrupted the Attach
	Answered []ledger.Ask   // requests to persons that are done now
	Unsent   int            // typed bytes that the program has not taken
	Stuck    bool           // the terminal is gone or takes no output: a write to it blocks
}

// ErrNotAttachable reports a terminal that cannot be put in front of a session.
var ErrNotAttachable = errors.New("standard input and output are not a terminal")

// Reach connects a person to the holder of the living session called name. The error is ErrEnded for a session that has
// ended, and ErrNoTerminal for a session without a terminal to show.
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

// ErrInside reports an attempt to attach to a session from within that session.
var ErrInside = errors.New("this terminal is its own: it would show itself")

const (
	// paintInterval is the minimum time between two pictures in a window whose size differs from the session's.
	paintInterval = 33 * time.Millisecond

	// outPiece is the size of one write to a person's terminal, in bytes. When the view ends, at most this much is still
	// on its way there.
	outPiece = 4 << 10

	// rawPiece is how much output is passed on before anything else happens, in bytes.
	rawPiece = 64 << 10

	// maxTyped is how far typing may be ahead of the program, in bytes. More input stays in the terminal.
	maxTyped = 4 << 20
)

// A screening is what a person's terminal shows of a session. If both have the same size, this is the output itself.
// Otherwise it is a picture of the part that fits.
type screening struct {
	client   *runner.Client
	write    func([]byte) error
	model    *screen.Terminal // model of the person's terminal
	window   ledger.Size      // size of the person's terminal
	follower *wire.Follower
	filter   screen.QueryFilter
	next     int64 // known end of the output

	drawn   bool // something of the session has been shown
	synced  bool // the terminal shows the session or follows it
	joined  bool // the terminal has joined the output, and goes on where it stopped
	painted bool // the terminal shows a picture
	stale   bool // there is a newer picture
	at      time.Time
	rows    []uint64 // hashes of the picture's rows
	part    screen.Window
	title   string
	modes   screen.Modes
	filters []byte
}

// enter starts with a terminal of the size window. It moves the text there up, out of the way.
func (s *screening) enter(window ledger.Size) error {
	s.window, s.synced, s.joined, s.painted = window, false, false, false
	s.model = screen.New(window.Cols, window.Rows, 0)
	up := append([]byte("\x1b[999;1H"), bytes.Repeat([]byte{'\n'}, min(window.Rows, screen.MaxRows))...)
	return s.write(up)
}

// leave undoes the changes of the session to the terminal.
func (s *screening) leave() error {
	s.synced = false
	return s.write(s.model.Leave())
}

// resized notes a new size of the terminal.
func (s *screening) resized(window ledger.Size) {
	s.window, s.synced = window, false
	s.model.Resize(window.Cols, window.Rows)
}

// sync shows the session again. If the sizes are the same, the output goes on from there.
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

// neutral returns the modes of an unchanged terminal.
func (s *screening) neutral() screen.Modes {
	return screen.New(1, 1, 0).Snapshot(screen.Visible()).Modes
}

// pass passes on one piece of the known output and reports whether there is more.
func (s *screening) pass(ctx context.Context) (more bool, err error) {
	err = s.follower.Copy(ctx, min(s.next, s.follower.Next+rawPiece))
	return s.follower.Next < s.next, err
}

// raw writes output from the follower to the terminal. It removes queries, which the holder answers.
func (s *screening) raw(p []byte) error {
	s.filters = s.filter.Filter(s.filters[:0], p)
	return s.write(s.filters)
}

// paint draws the changed rows of the picture.
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
		s.synced = false // the sizes are the same now
		return nil
	}
	hashes, part := pic.RowHashes(), pic.Window(s.window.Cols, s.window.Rows)
	out := pic.Paint(part, func(row int) bool {
		i := part.Top + row
		return s.rows == nil || part != s.part || i < len(hashes) && (i >= len(s.rows) || hashes[i] != s.rows[i]) || i >= len(hashes) && i < len(s.rows)
	})
	modes := pic.Modes
	if part.Left > 0 || part.Top > 0 {
		modes.Mouse = screen.NoMouse // the mouse would point at another cell
	}
	out = append(out, s.modes.Switch(modes)...)
	if pic.Title != s.title {
		out = append(out, "\x1b]2;"+pic.Title+"\x1b\\"...)
	}
	s.rows, s.part, s.modes, s.title = hashes, part, modes, pic.Title
	return s.write(out)
}

// isReport reports whether all of the input consists of reports from the terminal, and has no key. Such reports say that
// the terminal has gained or lost the focus, or what became of an image (the graphics protocol of kitty).
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

// clampSize returns the nearest size that a session can have.
func clampSize(s ledger.Size) ledger.Size {
	return ledger.Size{Cols: min(max(s.Cols, 1), screen.MaxCols), Rows: min(max(s.Rows, 1), screen.MaxRows)}
}
