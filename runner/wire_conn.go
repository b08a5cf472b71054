package runner

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

	dir    ledger.Dir
	conn   io.ReadWriteCloser
	unlock func() // lets prune remove the session when it has ended; nil where its folder could not be locked

	seen gauge // the offset up to which Follow has handed the output on

	mu      sync.Mutex
	lastID  int
	waiting map[int]chan response
	gone    bool
	refused *response // the answer to all, when the holder serves nobody else
}

// newConn makes a connection to the holder of the session of conn. Unlock, if it is not nil, is called when it is closed.
func newConn(dir ledger.Dir, session ledger.Session, conn io.ReadWriteCloser, r *bufio.Reader, unlock func()) *Conn {
	c := &Conn{Session: session, dir: dir, conn: conn, unlock: unlock, waiting: map[int]chan response{}}
	go c.receive(r)
	return c
}

// endedConn returns the connection to a holder that is gone: no request has an answer.
func endedConn(dir ledger.Dir, session ledger.Session, unlock func()) *Conn {
	return &Conn{Session: session, dir: dir, conn: closed{}, gone: true, unlock: unlock}
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
		resp, err := readResponse(r)
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
			resp.Error = newFault(errNamed(c.Session.Name, resp.Error.err()))
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

// ask sends a request and returns where its answer will come; the channel is closed without one when
// the holder leaves.
func (c *Conn) ask(req request) <-chan response {
	answer := make(chan response, 1)
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
	req.V, req.ID = protocol, c.lastID
	c.waiting[req.ID] = answer
	if conn, ok := c.conn.(net.Conn); ok {
		_ = conn.SetWriteDeadline(time.Now().Add(answerTime)) // a holder that is stopped must not stop us
	}
	if err := writeLine(c.conn, req); err != nil && !errors.Is(err, brokenPipe) { // else receive reads the last words and the end
		_ = c.conn.Close() // ends receive, which closes answer
	}
	return answer
}

// call sends a request and waits for its answer. The error is ErrHolderGone when the holder left.
func (c *Conn) call(ctx context.Context, req request) (response, error) {
	if !quick[req.Op] && !(req.Capture != nil && req.Capture.Action != captureStop) {
		return c.await(ctx, c.ask(req))
	}
	soon, cancel := context.WithTimeout(ctx, lockWait+time.Second) // it may wait for the lock of the ledger
	defer cancel()
	resp, err := c.await(soon, c.ask(req))
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = errNamed(c.Session.Name, ErrNoAnswer)
	}
	return resp, err
}

// quick are the requests whose answers wait for nothing: without one the holder is stopped, or very busy.
var quick = map[string]bool{
	opState: true, opModes: true, opResize: true, opView: true, opTether: true, opSignal: true, opHangUp: true, opContinue: true,
	opAttach: true, opDetach: true, opRedraw: true, opWithdraw: true, opScreen: true, opOutlook: true, opReported: true, opInsight: true,
}

func (c *Conn) await(ctx context.Context, answer <-chan response) (response, error) {
	select {
	case resp, ok := <-answer:
		resp, err := answered(resp, ok)
		if errors.Is(err, ErrHolderGone) {
			err = errNamed(c.Session.Name, err)
		}
		return resp, err
	case <-ctx.Done():
		return response{}, ctx.Err()
	}
}

// record returns the end of the session as its holder has recorded it.
func (c *Conn) record() (ledger.Session, error) {
	session, err := c.dir.LoadSession(c.Session.ID)
	if err == nil && !session.Ended() {
		err = errNamed(c.Session.Name, ErrHolderGone)
	}
	return session, err
}

func (c *Conn) folder() string { return c.dir.SessionFolder(c.Session.ID) }

// Outlook returns what the session does about input at this moment.
func (c *Conn) Outlook(ctx context.Context) (Outlook, error) { return c.outlook(ctx, false) }

// outlook is Outlook, or what was found last where somebody looks already.
func (c *Conn) outlook(ctx context.Context, last bool) (Outlook, error) {
	resp, err := c.call(ctx, request{Op: opOutlook, On: last})
	if err != nil || resp.Outlook == nil {
		return Outlook{}, err
	}
	return *resp.Outlook, nil
}

// closed is the connection to a holder that is gone.
type closed struct{}

func (closed) Read([]byte) (int, error)  { return 0, ErrHolderGone }
func (closed) Write([]byte) (int, error) { return 0, ErrHolderGone }
func (closed) Close() error              { return nil }
