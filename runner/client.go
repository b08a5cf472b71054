package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
)

// A Client is a connection to the holder of one session. Its methods may be called by several
// goroutines; each call is one request with one answer.
type Client struct {
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
func (s *Starter) Start(ctx context.Context, spec Spec, stdin *os.File) (*Client, error) {
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
	c, err := s.start(ctx, dir, spec, stdin)
	if err != nil {
		unlock()
		return nil, err
	}
	c.unlock = unlock
	return c, nil
}

// start has the holder start the session, whose folder is made.
func (s *Starter) start(ctx context.Context, dir ledger.Dir, spec Spec, stdin *os.File) (*Client, error) {
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
	var resp response
	err = readLine(r, maxResponse, &resp)
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
		return nil, errors.Join(resp.Error.err(), dir.RemoveSession(spec.ID)) // the holder may have failed before it could
	}
	s.conn = nil // it is the client's
	return newClient(dir, *resp.Session, conn, r), nil
}

// Dial connects to the holder of the session. The error is ErrHolderGone when it has none any more.
func Dial(dir ledger.Dir, session ledger.Session) (*Client, error) {
	unlock, err := dir.LockSession(session.ID)
	if errors.Is(err, ledger.ErrNoSession) { // without its folder a living session is still reached
		unlock, err = func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	conn, err := connect(dir, session)
	if err != nil {
		unlock()
		return nil, err
	}
	c := newClient(dir, session, conn, bufio.NewReaderSize(conn, 4<<10))
	c.unlock = unlock
	return c, nil
}

// dialEnded returns the client of a session without a holder, of which there are only the files. The error is
// ledger.ErrNoSession when it has been removed.
func dialEnded(dir ledger.Dir, session ledger.Session) (*Client, error) {
	unlock, err := dir.LockSession(session.ID)
	if err != nil {
		return nil, err
	}
	return &Client{Session: session, dir: dir, conn: closed{}, gone: true, unlock: unlock}, nil
}

// closed is the connection to a holder that is gone.
type closed struct{}

func (closed) Read([]byte) (int, error)  { return 0, ErrHolderGone }
func (closed) Write([]byte) (int, error) { return 0, ErrHolderGone }
func (closed) Close() error              { return nil }

// DialLiving connects to the holder of the living session called name and takes its record. Both are nil where there
// is none.
func DialLiving(ctx context.Context, dir ledger.Dir, name string) (*Client, error) {
	session, ok := dir.Living(name)
	if !ok {
		return nil, nil
	}
	c, err := Dial(dir, session)
	if err == nil {
		var resp response
		if resp, err = c.call(ctx, request{Op: opState}); err == nil && !resp.Session.Ended() {
			c.Session = *resp.Session
			return c, nil
		}
		_ = c.Close()
	}
	if err == nil || errors.Is(err, ErrHolderGone) {
		return nil, nil
	}
	return nil, err
}

// ask sends one request to the holder of the session, over a connection of its own, and has read take the
// answer. The error is ErrHolderGone when there is none.
func ask(ctx context.Context, dir ledger.Dir, session ledger.Session, req any, read func(*bufio.Reader) error) error {
	conn, err := connect(dir, session)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return err
	}
	if err = writeLine(conn, req); err == nil || errors.Is(err, brokenPipe) { // it may have said why
		err = read(bufio.NewReaderSize(conn, 4<<10))
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errNamed(session.Name, ErrNoAnswer)
	case errors.Is(err, ErrNoDescriptors):
		return errNamed(session.Name, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, connectionReset), errors.Is(err, brokenPipe): // it left before it had answered
		return errNamed(session.Name, ErrHolderGone)
	}
	return err
}

// answerTime is how long a holder may take for an answer that does not wait for anything.
const answerTime = 3 * time.Second

// connect opens a connection to the holder of the session.
func connect(dir ledger.Dir, session ledger.Session) (net.Conn, error) {
	if session.Socket == "" || dir.Copied(session) {
		return nil, errNamed(session.Name, ErrHolderGone)
	}
	conn, err := dial(session.Socket)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, connectionRefused) {
		// It is gone, or leaving, which it does when its record is complete, or somebody took the socket away.
		if record, loadErr := dir.LoadSession(session.ID); loadErr == nil && !record.Closed && dir.Held(session.ID) {
			err = fmt.Errorf("%w: %w", errNoSocket, err)
		} else {
			err = ErrHolderGone
		}
	}
	if err != nil {
		return nil, errNamed(session.Name, err)
	}
	return conn, nil
}

// errNoSocket reports a living holder that cannot be reached.
var errNoSocket = errors.New("its socket is gone")

func newClient(dir ledger.Dir, session ledger.Session, conn io.ReadWriteCloser, r *bufio.Reader) *Client {
	c := &Client{Session: session, dir: dir, conn: conn, waiting: map[int]chan response{}}
	go c.receive(r)
	return c
}

// Close ends the connection. The session goes on; when it has ended, prune may remove it from now on.
func (c *Client) Close() error {
	if c.unlock != nil {
		c.unlock()
	}
	return c.conn.Close()
}

// receive hands out the responses until the connection ends.
func (c *Client) receive(r *bufio.Reader) {
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
func (c *Client) ask(req request) <-chan response {
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
func (c *Client) call(ctx context.Context, req request) (response, error) {
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

func (c *Client) await(ctx context.Context, answer <-chan response) (response, error) {
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

// Result waits until the command is finished and returns its record: its main process has exited and
// its tree is gone and the terminal is drained, or the leftovers have outlived the grace and are
// listed. When the holder is gone the record on disk is the answer, and the error is ErrHolderGone if
// that does not know the end.
func (c *Client) Result(ctx context.Context) (ledger.Session, error) {
	return c.result(ctx, c.ask(request{Op: opResult}))
}

// result waits for the answer to opResult.
func (c *Client) result(ctx context.Context, answer <-chan response) (ledger.Session, error) {
	resp, err := c.await(ctx, answer)
	if err == nil {
		return *resp.Session, nil
	}
	if errors.Is(err, ErrHolderGone) {
		return c.record()
	}
	return c.Session, err
}

// record returns the end of the session as its holder has recorded it.
func (c *Client) record() (ledger.Session, error) {
	session, err := c.dir.LoadSession(c.Session.ID)
	if err == nil && !session.Ended() {
		err = errNamed(c.Session.Name, ErrHolderGone)
	}
	return session, err
}

// Signal sends the signal to the foreground process group of the session.
func (c *Client) Signal(ctx context.Context, name string) error {
	_, err := c.call(ctx, request{Op: opSignal, Signal: name})
	return err
}

// HangUp ends the command as a closed terminal does: SIGHUP, and later SIGKILL.
func (c *Client) HangUp(ctx context.Context) error {
	_, err := c.call(ctx, request{Op: opHangUp})
	return err
}

// Kill ends the tree of the session, or with a pid that of one of its processes: with the signal, and
// with SIGKILL what lives after the grace.
func (c *Client) Kill(ctx context.Context, pid int, signal string, grace time.Duration) (proc.Outcome, error) {
	resp, err := c.call(ctx, request{Op: opKill, PID: pid, Signal: signal, GraceMs: grace.Milliseconds()})
	if err != nil {
		return proc.Outcome{}, err
	}
	return *resp.Outcome, nil
}

// ParseSignal returns the signal called name: "TERM", "SIGTERM" or its number.
func ParseSignal(name string) (syscall.Signal, error) { return signalNumber(name) }
