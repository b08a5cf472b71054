package runner

import (
	"context"
	"errors"
	"io"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/wire"
	"devtools/screen"
)

// A Resumed is a command whose end a client waits for again.
type Resumed struct {
	Client *Client
	From   int64 // offset of the output that no earlier waiting client has taken
	Run    int   // number of the command in the session's shell; 0: the session's own command
	REPL   bool  // the command is in a REPL
}

// Resume returns the command of the session called name. A command that has ended is returned too, with its output.
func Resume(ctx context.Context, dir ledger.Dir, name string) (Resumed, error) {
	session, err := recorded(ctx, dir, name)
	if err != nil {
		return Resumed{}, err
	}
	c, err := dialToRead(dir, session)
	if errors.Is(err, wire.ErrHolderGone) {
		return afterEnd(dir, session)
	}
	if err != nil {
		return Resumed{}, err
	}
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpState})
	if err != nil {
		_ = c.Close()
		if errors.Is(err, wire.ErrHolderGone) {
			return afterEnd(dir, session)
		}
		return Resumed{}, err
	}
	c.Session = *resp.Session
	return Resumed{
		Client: c, From: max(c.Session.ReportedBytes, resp.Offset), Run: resp.Run,
		REPL: resp.Shell != nil && resp.Shell.REPL,
	}, nil
}

// afterEnd returns the command of a session whose holder is gone.
func afterEnd(dir ledger.Dir, session ledger.Session) (Resumed, error) {
	c, err := dialEnded(dir, session)
	if err != nil {
		return Resumed{}, err
	}
	if c.Session, err = c.Record(); err != nil {
		return Resumed{}, errors.Join(err, c.Close())
	}
	return Resumed{Client: c, From: c.Session.ReportedBytes}, nil
}

// Plain returns a Plain for w, at which the output before From has already been printed. whole is as in [screen.Plain.GoOn].
func (r Resumed) Plain(ctx context.Context, w io.Writer, whole bool) (*screen.Plain, error) {
	c := r.Client
	reader := transcript.Open(c.Transcript())
	defer reader.Close()
	timing, err := readTiming(c.Transcript(), nil, r.From)
	if err != nil {
		return nil, err
	}
	size := c.Session.Size
	if c.Session.StartSize != (ledger.Size{}) {
		size = c.Session.StartSize
	}
	p := screen.NewPlain(io.Discard, size.Cols, size.Rows)
	at := int64(0)
	for _, change := range timing.resizes {
		if at, err = feed(ctx, p, reader, at, min(change.at, r.From)); err != nil {
			return nil, err
		}
		if change.size != (ledger.Size{}) {
			p.Resize(change.size.Cols, change.size.Rows)
		}
	}
	_, err = feed(ctx, p, reader, at, r.From)
	p.GoOn(w, whole)
	return p, err
}

// ResumeIn waits again for a command in the session's shell, as RunIn does.
func (c *Client) ResumeIn(ctx context.Context, r Resumed, opts RunInOptions) (RunInResult, error) {
	return c.followRun(ctx, r.Run, RunInResult{Status: Running, ShellResult: wire.ShellResult{Offset: r.From, REPL: r.REPL}, Read: r.From}, opts)
}

// reported tells the holder how far this client took the output, for the next client that waits for the command. It returns
// the name of the session, which may be another one by now.
func (c *Client) reported(next int64) (name string) {
	ctx, cancel := context.WithTimeout(context.Background(), wire.Farewell)
	defer cancel()
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpReported, Offset: next})
	if err != nil || resp.Session == nil { // the session may have ended
		return c.Session.Name
	}
	return resp.Session.Name
}
