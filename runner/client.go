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
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// A Client is a connection to the holder of one session, with the calls that it answers.
type Client struct{ *wire.Conn }

// A Starter is a holder that is starting, and does not yet know what to hold.
type Starter struct {
	conn io.ReadWriteCloser
	err  error
}

// Prepare begins to start a holder, for one Start. The caller closes the Starter.
func Prepare() *Starter {
	s := &Starter{}
	s.prepare()
	return s
}

// Close lets the holder go, if Start has given it nothing to hold.
func (s *Starter) Close() error {
	if s.conn == nil {
		return nil
	}
	return s.conn.Close()
}

// Start starts a session and returns the connection to its holder, which goes on when the connection
// ends. With spec.Stdin, stdin is given to the command itself. The errors are ErrNameTaken,
// ErrNotFound, ErrNotExecutable, or what hindered the holder; then nothing is left of the session.
func (s *Starter) Start(ctx context.Context, spec wire.Spec, stdin *os.File) (*Client, error) {
	dir, err := ledger.Create(spec.Dir)
	if err != nil {
		return nil, err
	}
	if spec.ID, err = dir.NewSession(); err != nil {
		return nil, err
	}
	unlock, err := dir.LockNewSession(spec.ID) // first: the session may have ended before this process hears of its start
	if err != nil {
		return nil, errors.Join(err, dir.RemoveSession(spec.ID))
	}
	c, err := s.start(ctx, dir, spec, stdin, unlock)
	if err != nil {
		unlock()
	}
	return c, err
}

// start has the holder start the session, whose folder is made. The client calls unlock when it is closed.
func (s *Starter) start(ctx context.Context, dir ledger.Dir, spec wire.Spec, stdin *os.File, unlock func()) (*Client, error) {
	if !spec.Stdin {
		stdin = nil
	}
	conn, err := s.send(spec, stdin)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a holder: %w", err), dir.RemoveSession(spec.ID))
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	r := bufio.NewReaderSize(conn, 4<<10)
	var resp wire.Response
	err = wire.ReadLine(r, wire.MaxResponse, &resp)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		err = fmt.Errorf("start a holder: it ended at once: %w", err)
		if _, missing := dir.LoadSession(spec.ID); missing != nil && !dir.Held(spec.ID) {
			err = errors.Join(err, dir.RemoveSession(spec.ID)) // it had recorded nothing
		}
		return nil, err
	case resp.Error != nil:
		return nil, errors.Join(resp.Error.Err(), dir.RemoveSession(spec.ID)) // the holder may have failed before it could
	}
	s.conn = nil // it is the client's
	return &Client{wire.NewConn(dir, *resp.Session, conn, r, unlock)}, nil
}

// Dial connects to the holder of the session. The error is ErrHolderGone when it has none any more.
func Dial(dir ledger.Dir, session ledger.Session) (*Client, error) {
	conn, err := wire.Dial(dir, session)
	if err != nil {
		return nil, err
	}
	return &Client{conn}, nil
}

// dialEnded returns the client of a session without a holder, of which there are only the files. The error is
// ledger.ErrNoSession when it has been removed.
func dialEnded(dir ledger.Dir, session ledger.Session) (*Client, error) {
	unlock, err := dir.LockSession(session.ID)
	if err != nil {
		return nil, err
	}
	return &Client{wire.EndedConn(dir, session, unlock)}, nil
}

// DialLiving connects to the holder of the living session called name and takes its record. Both are nil where there
// is none.
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

// Result waits until the command is finished and returns its record: its main process has exited and
// its tree is gone and the terminal is drained, or the leftovers have outlived the grace and are
// listed. When the holder is gone the record on disk is the answer, and the error is ErrHolderGone if
// that does not know the end.
func (c *Client) Result(ctx context.Context) (ledger.Session, error) {
	return c.result(ctx, c.Send(wire.Request{Op: wire.OpResult}))
}

// result waits for the answer to opResult.
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

// HangUp ends the command as a closed terminal does: SIGHUP, and later SIGKILL.
func (c *Client) HangUp(ctx context.Context) error {
	_, err := c.Call(ctx, wire.Request{Op: wire.OpHangUp})
	return err
}

// Kill ends the tree of the session, or with a pid that of one of its processes: with the signal, and
// with SIGKILL what lives after the grace.
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
