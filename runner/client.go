// Package runner has the calls that commands make about sessions: start, run, send, wait, see, follow, ask, capture
// and kill. A session is a command in a terminal that one detached holder process keeps; runner never imports the
// holder's package hold. A Client asks the holder, but reads output from the transcript on disk, and so never slows
// the command or loses output with its connection. The records in the state folder have the rest, even after the
// holder is gone.
package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// A Client is a connection to the holder of one session, with the calls that the holder answers.
type Client struct{ *wire.Conn }

// A Starter is a holder that is starting and does not have a session yet.
type Starter struct {
	// Meanwhile is called when the holder has got what to start, before Start waits for it; nil for nothing.
	Meanwhile func()

	conn io.ReadWriteCloser
	err  error
}

// Prepare begins to start a holder for one Start. The caller closes the Starter.
func Prepare() *Starter {
	s := &Starter{}
	s.prepare()
	return s
}

// Close lets the holder go if Start has given it no session.
func (s *Starter) Close() error {
	if s.conn == nil {
		return nil
	}
	return s.conn.Close()
}

// Start starts a session and returns the connection to its holder. The holder goes on when the connection ends.
// With spec.Stdin, the command itself gets stdin. The errors are ErrNameTaken, ErrNotFound, ErrNotExecutable, or the
// reason why the holder failed. After an error nothing is left of the session.
func (s *Starter) Start(ctx context.Context, spec wire.Spec, stdin *os.File) (*Client, error) {
	dir, err := census.Create(ctx, spec.Dir)
	if err != nil {
		return nil, err
	}
	if spec.ID, err = dir.NewSession(); err != nil {
		return nil, err
	}
	unlock, err := dir.LockNewSession(spec.ID) // lock first: the session may end before this process learns of its start
	if err != nil {
		return nil, errors.Join(err, dir.RemoveSession(spec.ID))
	}
	c, err := s.start(ctx, dir, spec, stdin, unlock)
	if err != nil {
		unlock()
	}
	return c, err
}

// start makes the holder start the session, whose folder exists already. The client calls unlock when it is closed.
func (s *Starter) start(ctx context.Context, dir ledger.Dir, spec wire.Spec, stdin *os.File, unlock func()) (*Client, error) {
	if !spec.Stdin {
		stdin = nil
	}
	conn, err := s.send(spec, stdin)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a holder: %w", s.reason(err)), dir.RemoveSession(spec.ID))
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if s.Meanwhile != nil {
		s.Meanwhile()
	}
	r := bufio.NewReaderSize(conn, 4<<10)
	resp, err := readStart(r)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, errors.Join(fmt.Errorf("start a holder: %w", err), removeUnstarted(dir, spec.ID))
	case resp.Error != nil:
		return nil, errors.Join(resp.Error.Err(), dir.RemoveSession(spec.ID)) // the holder may have failed before removing it
	}
	s.conn = nil // the connection now belongs to the client
	return &Client{wire.NewConn(dir, *resp.Session, conn, r, unlock)}, nil
}

// Dial connects to the holder of the session. The error is ErrHolderGone when the session has no holder any more.
func Dial(dir ledger.Dir, session ledger.Session) (*Client, error) {
	conn, err := wire.Dial(dir, session)
	if err != nil {
		return nil, err
	}
	return &Client{conn}, nil
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
