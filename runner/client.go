// Package runner has the calls that commands make about sessions: start, run, send, wait, see, follow, ask, capture
// and kill. A session is a command in a terminal that one detached holder process keeps; runner never imports the
// holder's package hold. A Client asks the holder, but reads output from the transcript on disk, and so never slows
// the command or loses output with its connection. The records in the state folder have the rest, even after the
// holder is gone.
package runner

import (
	"context"
	"errors"
	"os"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/start"
	"devtools/runner/wire"
)

// A Client is a connection to the holder of one session, with the calls that the holder answers.
type Client struct{ *wire.Conn }

// A Starter is a holder that is starting and does not have a session yet.
type Starter struct{ *start.Starter }

// Prepare begins to start a holder for one Start, whose command can get stdin if that is not nil. The caller closes the Starter.
func Prepare(stdin *os.File) *Starter { return &Starter{start.Prepare(stdin)} }

// Start works as [start.Starter.Start], and returns a client.
func (s *Starter) Start(ctx context.Context, spec wire.Spec) (*Client, error) {
	conn, err := s.Starter.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &Client{conn}, nil
}

// Dial connects to the holder of the session. The error is ErrHolderGone when the session has no holder any more.
func Dial(dir ledger.Dir, session ledger.Session) (*Client, error) {
	conn, err := wire.Dial(dir, session)
	if err != nil {
		return nil, err
	}
	return &Client{conn}, nil
}

// dialToRead works as Dial. If the holder lives and cannot be reached from here, the files of the session answer what they can.
func dialToRead(dir ledger.Dir, session ledger.Session) (*Client, error) {
	c, err := Dial(dir, session)
	if !errors.Is(err, wire.ErrUnreachable) {
		return c, err
	}
	unlock, lockErr := dir.LockSession(session.ID)
	if lockErr != nil {
		return nil, asNamed(lockErr, session.Name)
	}
	return &Client{wire.FilesConn(dir, session, unlock, err)}, nil
}

// dialEnded returns a client for a session without a holder. Only the session's files are left. The error is
// ledger.ErrNoSession when the session has been removed.
func dialEnded(dir ledger.Dir, session ledger.Session) (*Client, error) {
	unlock, err := dir.LockSession(session.ID)
	if err != nil {
		return nil, asNamed(err, session.Name)
	}
	return &Client{wire.EndedConn(dir, session, unlock)}, nil
}

// DialLiving connects to the holder of the living session called name and gets its record. The Client and the error
// are nil when there is no such session.
func DialLiving(ctx context.Context, dir ledger.Dir, name string) (*Client, error) {
	session, ok := dir.Living(name)
	if !ok {
		return nil, nil
	}
	c, err := Dial(dir, session)
	if err == nil {
		var resp wire.Response
		if resp, err = c.Call(ctx, wire.Request{Op: wire.OpState}); err == nil && !resp.Session.Ended() {
			c.Session = *resp.Session
			return c, nil
		}
		_ = c.Close()
	}
	if err == nil || errors.Is(err, wire.ErrHolderGone) {
		return nil, nil
	}
	return nil, err
}

// Result waits until the command is finished and returns its record. A command is finished when its main process has
// exited, its tree is gone and the terminal is drained. It is also finished when the leftovers have outlived the grace
// and are listed. When the holder is gone, Result returns the record on disk. The error is then ErrHolderGone if that
// record does not have the end.
func (c *Client) Result(ctx context.Context) (ledger.Session, error) {
	return c.result(ctx, c.Send(wire.Request{Op: wire.OpResult}))
}

// result waits for the answer to OpResult.
func (c *Client) result(ctx context.Context, answer <-chan wire.Response) (ledger.Session, error) {
	resp, err := c.Await(ctx, answer)
	if err == nil {
		return *resp.Session, nil
	}
	if errors.Is(err, wire.ErrHolderGone) {
		return c.Record()
	}
	return c.Session, err
}

// Signal sends the signal to the foreground process group of the session.
func (c *Client) Signal(ctx context.Context, name string) error {
	_, err := c.Call(ctx, wire.Request{Op: wire.OpSignal, Signal: name})
	return err
}

// HangUp ends the command as a closed terminal does: with SIGHUP, and later with SIGKILL.
func (c *Client) HangUp(ctx context.Context) error {
	_, err := c.Call(ctx, wire.Request{Op: wire.OpHangUp})
	return err
}

// Kill ends the process tree of the session. With a pid it ends that process of the session and its tree. It sends the
// signal, and after the grace SIGKILL to the processes that are still alive.
func (c *Client) Kill(ctx context.Context, pid int, signal string, grace time.Duration) (proc.Outcome, error) {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpKill, PID: pid, Signal: signal, GraceMs: grace.Milliseconds()})
	if err != nil {
		return proc.Outcome{}, err
	}
	return *resp.Outcome, nil
}

// State returns the record of the session as its holder has it now.
func (c *Client) State(ctx context.Context) (ledger.Session, error) {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpState})
	if err != nil {
		return c.Session, err
	}
	return *resp.Session, nil
}
