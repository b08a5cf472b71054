package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/wire"
	"devtools/screen"
)

// A Look says which picture of a session to show.
type Look struct {
	View  screen.View
	Since string           // hash of an earlier picture, to find the lines changed since
	At    *ledger.Position // place in the output of a past picture
	After *time.Duration   // time of a past picture, since the session started
	Then  *time.Time       // date and time of a past picture
}

// past reports whether the picture is from the past. The holder does not have such pictures.
func (l Look) past() bool { return l.At != nil || l.After != nil || l.Then != nil }

// resolve converts Then to a time since the start. A zero start means that the start is not known.
func (l *Look) resolve(start time.Time) error {
	switch {
	case l.Then == nil:
		return nil
	case start.IsZero():
		return fmt.Errorf("%w: the file does not say when it was recorded: use a time since its start, such as 90s", ErrNoMoment)
	case l.Then.Before(start):
		return fmt.Errorf("%w: the start was at %s", ErrNoMoment, start.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	after := l.Then.Sub(start)
	l.After = &after
	return nil
}

// ErrNoMoment reports a time or an offset for which there is no picture.
var ErrNoMoment = errors.New("no picture of that moment")

// See returns a picture of the session called name: what its terminal shows now or showed in the past. A session that
// has ended has its last picture instead of the present one. The error is wire.ErrNoTerminal for a session without a terminal.
func See(ctx context.Context, dir ledger.Dir, name string, look Look) (ledger.Session, wire.Picture, error) {
	var stuck error
	if session, ok := dir.Living(name); ok && !look.past() {
		pic, err := current(ctx, dir, session, look)
		if err == nil || errors.Is(err, wire.ErrNoTerminal) {
			return session, pic, err
		}
		if !errors.Is(err, wire.ErrHolderGone) {
			stuck = err
		}
	}
	session, err := recorded(ctx, dir, name)
	if err != nil {
		return session, wire.Picture{}, err
	}
	if session.Size == (ledger.Size{}) {
		return session, wire.Picture{}, ledger.SessionError(session.Name, wire.ErrNoTerminal)
	}
	if look.At != nil && !look.At.Of(session.ID) {
		return session, wire.Picture{}, fmt.Errorf("%s: %w: the offset belongs to another session, not to %q", look.At, ErrNoMoment, session.Name)
	}
	if err := look.resolve(session.StartedAt.Time); err != nil {
		return session, wire.Picture{}, err
	}
	unlock, err := dir.LockSession(session.ID)
	if err != nil {
		return session, wire.Picture{}, err
	}
	defer unlock()
	pic, err := replay(ctx, dir, session, look)
	pic.Stuck = stuck
	return session, pic, errors.Join(err, ctx.Err())
}

// recorded returns the record of the session called name, reloaded because the session may have ended just now.
// For a session whose holder was killed, the record says so.
func recorded(ctx context.Context, dir ledger.Dir, name string) (ledger.Session, error) {
	session, err := dir.Session(name)
	if err == nil {
		session, err = dir.LoadSession(session.ID)
		err = asNamed(err, name)
	}
	if err != nil || session.Closed || dir.Held(session.ID) || census.Foreign(session) {
		return session, err
	}
	session.Closed = true
	if !session.Ended() {
		session.Status = ledger.StatusKilled
	}
	if active, err := census.Reconcile(ctx, dir); err == nil {
		for _, s := range active {
			if s.ID == session.ID {
				session.Status = s.Status
			}
		}
	}
	return session, nil
}

// asNamed returns err with the name that the caller knows the session by, if it says that there is no such session: one that was
// found by its name may be removed a moment later.
func asNamed(err error, name string) error {
	if errors.Is(err, ledger.ErrNoSession) {
		return ledger.SessionError(name, ledger.ErrNoSession)
	}
	return err
}

// current returns what the terminal shows now. When the program prints faster than the holder can draw, the picture is
// that of an earlier moment, as its Offset says.
func current(ctx context.Context, dir ledger.Dir, session ledger.Session, look Look) (wire.Picture, error) {
	resp, err := wire.Ask(ctx, dir, session, wire.Request{Op: wire.OpScreen, View: &look.View, Since: look.Since})
	if err != nil {
		return wire.Picture{}, err
	}
	snapshot, err := screen.Decode(resp.Payload)
	if err != nil {
		return wire.Picture{}, fmt.Errorf("the picture from the holder: %w", err)
	}
	return wire.Picture{Snapshot: snapshot, Offset: resp.Offset, Printed: resp.Next, Known: resp.Known, Changed: resp.Changed}, nil
}

// Resize changes the size of the terminal of the living session called name, or the length of its scrollback in rows.
// SIGWINCH tells the program about a new size. A zero size and a nil scrollback change nothing. Resize returns the session
// with the new values.
func Resize(ctx context.Context, dir ledger.Dir, name string, size ledger.Size, scrollback *int) (ledger.Session, error) {
	session, err := dir.Session(name)
	if err != nil {
		return session, err
	}
	if session, err = dir.LoadSession(session.ID); err != nil {
		return session, err
	}
	if session.Ended() {
		return session, ledger.SessionError(name, wire.ErrEnded)
	}
	resp, err := wire.Ask(ctx, dir, session, wire.Request{Op: wire.OpResize, Size: size, Scrollback: scrollback})
	if err != nil {
		return session, err
	}
	return *resp.Session, nil
}
