// Package attach puts a person's terminal in front of a running session. It shows the session there and sends the
// person's keys to it. It does not start sessions.
package attach

import (
	"errors"
	"os"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/track"
	"devtools/runner/wire"
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
	DetachKeys Keys             // end the Attach; DefaultDetachKeys if empty
	CopyKeys   Keys             // begin copy mode; DefaultCopyKeys if empty
	Notice     string           // text below the first picture; "": none
	Signals    <-chan os.Signal // signals that this process gets; they end the Attach
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
var ErrInside = errors.New("this command runs in that session, which would show itself")
