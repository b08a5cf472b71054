package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"devtools/ledger"
)

// A Conn is a connection to the holder of one session. Its methods may be called by several
// goroutines; each call is one request with one answer.
type Conn struct {
	// Session is the record of the session when the connection was made.
	Session ledger.Session

	Dir    ledger.Dir
	conn   io.ReadWriteCloser
	unlock func() // lets prune remove the session when it has ended; nil where its folder could not be locked

	Seen gauge // the offset up to which Follow has handed the output on

	mu      sync.Mutex
	lastID  int
	waiting map[int]chan Response
	gone    bool
	refused *Response // the answer to all, when the holder serves nobody else
}

// NewConn makes a connection to the holder of the session of conn. Unlock, if it is not nil, is called when it is closed.
func NewConn(dir ledger.Dir, session ledger.Session, conn io.ReadWriteCloser, r *bufio.Reader, unlock func()) *Conn {
	c := &Conn{Session: session, Dir: dir, conn: conn, unlock: unlock, waiting: map[int]chan Response{}}
	go c.receive(r)
	return c
}

// EndedConn returns the connection to a holder that is gone: no request has an answer.
func EndedConn(dir ledger.Dir, session ledger.Session, unlock func()) *Conn {
	return &Conn{Session: session, Dir: dir, conn: closed{}, gone: true, unlock: unlock}
}

// Close ends the connection. The session goes on; when it has ended, prune may remove it from now on.
func (c *Conn) Close() error {
	if c.unlock != nil {
		c.unlock()
	}
	return c.conn.Close()
}

// receive hands out the responses until the connection ends.
func (c *Conn) receive(r *bufio.Reader) {
	for {
		resp, err := ReadResponse(r)
		c.mu.Lock()
		if err != nil {
			c.gone = true
			for _, answer := range c.waiting {
				close(answer)
			}
			c.mu.Unlock()
			return
		}
		if resp.ID == 0 && resp.Error != nil { // of no request: it closes the connection
			resp.Error = NewFault(ledger.SessionError(c.Session.Name, resp.Error.Err()))
			c.refused = &resp
			for _, answer := range c.waiting {
				answer <- resp
			}
			clear(c.waiting)
			c.mu.Unlock()
			continue
		}
		answer := c.waiting[resp.ID]
		delete(c.waiting, resp.ID)
		c.mu.Unlock()
		if answer != nil {
			answer <- resp // has room for one
		}
	}
}

// Send sends a request and returns where its answer will come; the channel is closed without one when
// the holder leaves.
func (c *Conn) Send(req Request) <-chan Response {
	answer := make(chan Response, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.refused != nil:
		answer <- *c.refused
		return answer
	case c.gone:
		close(answer)
		return answer
	}
	c.lastID++
	req.V, req.ID = Version, c.lastID
	c.waiting[req.ID] = answer
	if conn, ok := c.conn.(net.Conn); ok {
		_ = conn.SetWriteDeadline(time.Now().Add(AnswerTime)) // a holder that is stopped must not stop us
	}
	if err := WriteLine(c.conn, req); err != nil && !errors.Is(err, brokenPipe) { // else receive reads the last words and the end
		_ = c.conn.Close() // ends receive, which closes answer
	}
	return answer
}

// Call sends a request and waits for its answer. The error is ErrHolderGone when the holder left.
func (c *Conn) Call(ctx context.Context, req Request) (Response, error) {
	if !quick[req.Op] && !(req.Capture != nil && req.Capture.Action != CaptureStop) {
		return c.Await(ctx, c.Send(req))
	}
	soon, cancel := context.WithTimeout(ctx, LockWait+time.Second) // it may wait for the lock of the ledger
	defer cancel()
	resp, err := c.Await(soon, c.Send(req))
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = ledger.SessionError(c.Session.Name, ErrNoAnswer)
	}
	return resp, err
}

// quick are the requests whose answers wait for nothing: without one the holder is stopped, or very busy.
var quick = map[string]bool{
	OpState: true, OpModes: true, OpResize: true, OpView: true, OpTether: true, OpSignal: true, OpHangUp: true, OpContinue: true,
	OpAttach: true, OpDetach: true, OpRedraw: true, OpWithdraw: true, OpScreen: true, OpInputState: true, OpReported: true, OpHolderStatus: true,
}

func (c *Conn) Await(ctx context.Context, answer <-chan Response) (Response, error) {
	select {
	case resp, ok := <-answer:
		resp, err := Answered(resp, ok)
		if errors.Is(err, ErrHolderGone) {
			err = ledger.SessionError(c.Session.Name, err)
		}
		return resp, err
	case <-ctx.Done():
		return Response{}, ctx.Err()
	}
}

// Record returns the end of the session as its holder has recorded it.
func (c *Conn) Record() (ledger.Session, error) {
	session, err := c.Dir.LoadSession(c.Session.ID)
	if err == nil && !session.Ended() {
		err = ledger.SessionError(c.Session.Name, ErrHolderGone)
	}
	return session, err
}

func (c *Conn) Folder() string { return c.Dir.SessionFolder(c.Session.ID) }

// InputState returns what the session does about input at this moment.
func (c *Conn) InputState(ctx context.Context) (InputState, error) {
	return c.AskInputState(ctx, false)
}

// AskInputState is InputState, or what was found last where somebody looks already.
func (c *Conn) AskInputState(ctx context.Context, last bool) (InputState, error) {
	resp, err := c.Call(ctx, Request{Op: OpInputState, On: last})
	if err != nil || resp.InputState == nil {
		return InputState{}, err
	}
	return *resp.InputState, nil
}

// closed is the connection to a holder that is gone.
type closed struct{}

func (closed) Read([]byte) (int, error)  { return 0, ErrHolderGone }
func (closed) Write([]byte) (int, error) { return 0, ErrHolderGone }
func (closed) Close() error              { return nil }
