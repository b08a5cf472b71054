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
	"devtools/ledger/transcript"
)

// A Conn is a connection to the holder of one session. Several goroutines may call its methods.
// Each call is one request with one answer.
type Conn struct {
	// Session is the session's record from the time when the connection was made.
	Session ledger.Session

	Dir  ledger.Dir
	conn io.ReadWriteCloser
	// unlock lets prune remove the session after its end. It is nil where the session's folder could not be locked.
	unlock func()

	Seen progress // offset up to which Follow has passed on the output

	mu      sync.Mutex
	lastID  int
	waiting map[int]chan Response
	gone    bool
	// refused is the answer to every request. It is set when the holder serves no more clients.
	refused *Response
}

// NewConn makes a Conn of conn, an open connection to the holder of the session. Close calls unlock, if that is not nil.
func NewConn(dir ledger.Dir, session ledger.Session, conn io.ReadWriteCloser, r *bufio.Reader, unlock func()) *Conn {
	c := &Conn{Session: session, Dir: dir, conn: conn, unlock: unlock, waiting: map[int]chan Response{}}
	go c.receive(r)
	return c
}

// EndedConn returns a connection for a session whose holder is gone. No request on it gets an answer.
func EndedConn(dir ledger.Dir, session ledger.Session, unlock func()) *Conn {
	return &Conn{Session: session, Dir: dir, conn: closed{}, gone: true, unlock: unlock}
}

// Close closes the connection. The session goes on. If the session has ended, prune may remove it from now on.
func (c *Conn) Close() error {
	if c.unlock != nil {
		c.unlock()
	}
	return c.conn.Close()
}

// receive delivers the responses until the connection ends.
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
		if resp.ID == 0 && resp.Error != nil { // answers no single request: the holder closes the connection
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
			answer <- resp // the channel has room for one
		}
	}
}

// Send sends a request and returns the channel for its answer. When the holder leaves, the channel is
// closed without an answer.
func (c *Conn) Send(req Request) <-chan Response {
	answer := make(chan Response, 1)
	if f, ok := c.conn.(*files); ok {
		go f.answer(c, req, answer)
		return answer
	}
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
	req.V, req.ID, req.Agent = Version, c.lastID, ByAgent.Load()
	c.waiting[req.ID] = answer
	if conn, ok := c.conn.(net.Conn); ok {
		_ = conn.SetWriteDeadline(time.Now().Add(AnswerTime)) // a stopped holder must not block the client
	}
	// After a broken pipe, receive still reads the holder's last response and the end of the stream.
	if err := WriteLine(c.conn, req); err != nil && !errors.Is(err, brokenPipe) {
		_ = c.conn.Close() // ends receive, which closes the channel
	}
	return answer
}

// Call sends a request and waits for its answer. The error is ErrHolderGone when the holder has left.
func (c *Conn) Call(ctx context.Context, req Request) (Response, error) {
	if !quick[req.Op] && !(req.Capture != nil && req.Capture.Action != CaptureStop) {
		return c.Await(ctx, c.Send(req))
	}
	soon, cancel := context.WithTimeout(ctx, LockWait+time.Second) // the holder may have to wait for the lock of the ledger
	defer cancel()
	resp, err := c.Await(soon, c.Send(req))
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = ledger.SessionError(c.Session.Name, ErrNoAnswer)
	}
	return resp, err
}

// quick lists the requests that the holder answers at once. Without an answer the holder is stopped or very busy.
var quick = map[string]bool{
	OpState: true, OpModes: true, OpResize: true, OpView: true, OpTether: true, OpSignal: true, OpHangUp: true, OpContinue: true,
	OpAttach: true, OpDetach: true, OpRedraw: true, OpWithdraw: true, OpScreen: true, OpInputState: true, OpReported: true, OpHolderStatus: true,
}

// Await waits for the answer that Send has announced. The error is ErrHolderGone when the holder has left.
func (c *Conn) Await(ctx context.Context, answer <-chan Response) (Response, error) {
	select {
	case resp, ok := <-answer:
		resp, err := Answered(resp, ok)
		if errors.Is(err, ErrHolderGone) {
			err = gone(c.Dir, c.Session)
		}
		return resp, older(err, c.Session.Name)
	case <-ctx.Done():
		return Response{}, ctx.Err()
	}
}

// Record returns the session's record after its end, as the holder has written it.
func (c *Conn) Record() (ledger.Session, error) {
	session, err := c.Dir.LoadSession(c.Session.ID)
	if err == nil && !session.Ended() {
		err = gone(c.Dir, c.Session)
	}
	return session, err
}

// Transcript returns where the session's output is.
func (c *Conn) Transcript() transcript.Place { return Transcript(c.Dir, c.Session) }

// InputState returns what the session's program does about input at this moment.
func (c *Conn) InputState(ctx context.Context) (InputState, error) {
	return c.AskInputState(ctx, false)
}

// AskInputState works as InputState. With last it takes the latest result if the holder is looking at the input state already.
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

// Answered returns the answer, and an error when the answer is an error or did not come.
func Answered(resp Response, ok bool) (Response, error) {
	switch {
	case !ok:
		return resp, ErrHolderGone
	case resp.Error != nil:
		return resp, resp.Error.Err()
	}
	return resp, nil
}
