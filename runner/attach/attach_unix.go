//go:build unix

package attach

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/wire"
)

// An attachment is a person's terminal in front of a running session. The goroutine in show owns the picture of the
// session. Other goroutines read keys, send them, and write to the terminal.
type attachment struct {
	client *runner.Client
	opts   Options
	screening

	ctx    context.Context // ends with the attachment
	cancel context.CancelFunc
	over   sync.Once
	how    string // reason for the end, once ctx has ended
	signal os.Signal
	wake   [2]*os.File // pipe that ends the wait for keys

	out   chan []byte // pieces on their way to the terminal
	wrote chan error
	stuck bool // the terminal has not taken a piece

	signals  chan os.Signal // signals of the window and the shell
	mu       sync.Mutex
	lingers  atomic.Bool // the earlier text can still be read
	saved    *term.State // the person's settings while the terminal is raw; otherwise nil
	size     ledger.Size // size of the session
	own      ledger.Size // size of the window
	sized    bool        // the size of the window is known
	touched  sync.Once
	first    chan struct{} // closed when the person has typed something
	typed    []byte        // typed bytes to send
	sending  bool
	toSend   *sync.Cond
	detached bool // typed keys are not read any more
}

// errStuck reports a terminal that takes no output any more.
var errStuck = errors.New("the terminal takes no output")

// Attach puts a person's terminal in front of the session. It ends when the person detaches, when the command is
// finished or when this process is told to end. Then it restores the terminal. The session has the size of the terminal in
// which a person typed last; the other terminals show the part that fits. The error is ErrHolderGone when the holder
// ends without notice, and ErrNotAttachable where there is no terminal.
func Attach(ctx context.Context, c *runner.Client, opts Options) (Result, error) {
	a, err := newAttachment(ctx, c, opts)
	if err != nil {
		return Result{Session: c.Session}, err
	}
	defer a.cancel()
	defer a.follower.Close()
	go a.printer()
	err = a.run()
	close(a.out)
	return a.finish(err)
}

// newAttachment tells the holder that a person comes.
func newAttachment(ctx context.Context, c *runner.Client, opts Options) (*attachment, error) {
	switch {
	case !term.IsTerminal(int(opts.In.Fd())) || !term.IsTerminal(int(opts.Out.Fd())):
		return nil, ledger.SessionError(c.Session.Name, ErrNotAttachable)
	case Inside(c.Session):
		return nil, ledger.SessionError(c.Session.Name, ErrInside)
	case len(opts.DetachKeys) == 0:
		opts.DetachKeys = DefaultDetachKeys
	}
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpAttach, ReadOnly: opts.ReadOnly})
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	a := &attachment{
		client: c, opts: opts, size: resp.Session.Size, wake: [2]*os.File{r, w},
		out: make(chan []byte, 1), wrote: make(chan error, 1), signals: make(chan os.Signal, 8), first: make(chan struct{}),
	}
	a.toSend = sync.NewCond(&a.mu)
	a.ctx, a.cancel = context.WithCancel(ctx)
	pass := func(p []byte, _ transcript.Kind, _ int64) error { return a.raw(p) }
	a.screening = screening{client: c, write: a.print, follower: wire.NewFollower(c.Conn, 0, wire.Sink{Write: pass})}
	return a, nil
}

// run runs the attachment until it ends.
func (a *attachment) run() error {
	defer a.rescue()
	signal.Notify(a.signals, unix.SIGWINCH, unix.SIGCONT, unix.SIGTSTP)
	defer signal.Stop(a.signals)
	if err := a.makeRaw(); err != nil {
		return err
	}
	a.look()
	if err := a.leads(); err != nil {
		a.tearDown()
		return err
	}
	a.lingers.Store(a.opts.Linger > 0)
	var keys sync.WaitGroup
	keys.Go(a.readKeys)
	keys.Go(a.sendKeys)
	go a.watch()
	err := a.show()
	a.end("", nil)
	a.tearDown()
	_ = a.wake[1].Close() // wakes readKeys
	keys.Wait()
	_ = a.wake[0].Close()
	return err
}

// finish tells the holder that the person is gone, and returns the result.
func (a *attachment) finish(err error) (Result, error) {
	result := Result{How: a.how, Session: a.client.Session, Signal: a.signal, Unsent: len(a.typed), Stuck: a.stuck}
	if a.how != "" && (errors.Is(err, a.ctx.Err()) || errors.Is(err, errStuck)) {
		err = nil // the error only says that the attachment has ended
	}
	if errors.Is(err, wire.ErrHolderGone) {
		_, err = a.client.Record() // the holder may have left because the session has ended
	}
	ctx, cancel := context.WithTimeout(context.Background(), wire.Farewell)
	defer cancel()
	if a.how == "" && err == nil && !a.drawn {
		return result, ledger.SessionError(a.client.Session.Name, wire.ErrEnded) // it ended before anything could be shown
	}
	if a.how == "" && err == nil {
		session, recordErr := a.client.Result(ctx)
		result.How, result.Session = Ended, session
		return result, recordErr
	}
	done := err == nil && (a.how == Detached || a.how == Closed)
	if resp, detachErr := a.client.Call(ctx, wire.Request{Op: wire.OpDetach, On: done}); detachErr == nil {
		result.Session = *resp.Session
		if done && !a.opts.ReadOnly {
			result.Answered = resp.Session.Asks
		}
	}
	return result, err
}

// end ends the attachment with the reason how.
func (a *attachment) end(how string, sig os.Signal) {
	a.over.Do(func() {
		a.how, a.signal = how, sig
		a.cancel()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.detached = true
		a.toSend.Broadcast()
	})
}

// watch ends the attachment when this process is told to end.
func (a *attachment) watch() {
	select {
	case sig := <-a.opts.Signals:
		if sig == unix.SIGHUP {
			a.end(Closed, sig)
		} else {
			a.end(Interrupted, sig)
		}
	case <-a.ctx.Done():
		a.end(Interrupted, nil) // unless it has ended already
	}
}

// makeRaw makes the terminal raw.
func (a *attachment) makeRaw() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	saved, err := term.MakeRaw(int(a.opts.In.Fd()))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotAttachable, err)
	}
	if a.saved == nil {
		a.saved = saved
	}
	return nil
}

// enterAgain makes the terminal raw and shows the session. Other programs may have used the terminal before.
func (a *attachment) enterAgain() error {
	if err := a.makeRaw(); err != nil {
		return err
	}
	if err := a.enter(a.look()); err != nil {
		return err
	}
	return a.leads()
}

// tearDown restores the terminal. If the terminal takes no output any more, tearDown restores only its settings.
func (a *attachment) tearDown() {
	a.mu.Lock()
	saved := a.saved
	a.saved = nil
	a.mu.Unlock()
	if saved == nil {
		return
	}
	if a.model != nil {
		_ = a.leave()
	}
	_ = term.Restore(int(a.opts.In.Fd()), saved) // a terminal that is gone needs no settings
}

// rescue restores the terminal before a panic ends this process.
func (a *attachment) rescue() {
	if v := recover(); v != nil {
		a.tearDown()
		panic(v)
	}
}

// look returns the size of the window, or the size of the session if that of the window is not known.
func (a *attachment) look() ledger.Size {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.own, a.sized = a.size, false
	if cols, rows, err := term.GetSize(int(a.opts.Out.Fd())); err == nil && cols > 0 && rows > 0 {
		a.own, a.sized = ledger.Size{Cols: cols, Rows: rows}, true
	}
	return a.own
}

// lead asks the holder to give the session the size of the window. It asks even if the session may have that size
// already, because only the holder knows. The channel is nil for a read-only attachment and if the window's size is not known.
func (a *attachment) lead() <-chan wire.Response {
	a.mu.Lock()
	own, sized := a.own, a.sized
	a.mu.Unlock()
	if a.opts.ReadOnly || !sized {
		return nil
	}
	return a.client.Send(wire.Request{Op: wire.OpResize, Size: clampSize(own)})
}

// show shows the session until the attachment ends or the command is finished.
func (a *attachment) show() error {
	if a.opts.Linger > 0 {
		select {
		case <-time.After(a.opts.Linger):
		case <-a.first:
		case <-a.ctx.Done():
		}
		a.lingers.Store(false)
	}
	if err := a.enter(a.look()); err != nil {
		return err
	}
	resized := a.client.Send(wire.Request{Op: wire.OpSize, Size: a.sessionSize()})
	var grown <-chan wire.Response
	finished := false
	for {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if !a.synced {
			if err := a.sync(a.ctx); err != nil {
				return a.lost(err)
			}
			continue
		}
		more := false
		if !a.painted {
			var err error
			if more, err = a.pass(a.ctx); err != nil {
				return err
			}
		}
		if finished && !more {
			return nil
		}
		if grown == nil && !finished {
			grown = a.client.Send(wire.Request{Op: wire.OpFollow, Offset: a.next, Complete: true})
		}
		now := make(chan struct{})
		if more {
			close(now)
		}
		select {
		case resp, ok := <-grown:
			resp, err := wire.Answered(resp, ok)
			if err != nil {
				return a.lost(err)
			}
			grown, finished = nil, resp.Closed
			a.stale = a.stale || resp.Next > a.next
			a.next = max(a.next, resp.Next)
		case resp, ok := <-resized:
			resp, err := wire.Answered(resp, ok)
			if err != nil {
				resized = nil // grown gets the error, too
				break
			}
			a.took(resp.Session.Size)
			resized = a.client.Send(wire.Request{Op: wire.OpSize, Size: resp.Session.Size})
		case <-a.repaint():
			if err := a.paint(a.ctx); err != nil {
				return a.lost(err)
			}
		case sig := <-a.signals:
			if err := a.told(sig); err != nil {
				return err
			}
		case <-now:
		case <-a.ctx.Done():
		}
	}
}

// repaint returns the timer for the next picture, or nil when none is needed.
func (a *attachment) repaint() <-chan time.Time {
	if !a.painted || !a.stale {
		return nil
	}
	return time.After(time.Until(a.at.Add(paintInterval)))
}

func (a *attachment) sessionSize() ledger.Size {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.size
}

// took notes a new size of the session.
func (a *attachment) took(size ledger.Size) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.size, a.synced = size, false
}

// lost handles the end of the connection: it passes on the output on disk.
func (a *attachment) lost(err error) error {
	if errors.Is(err, wire.ErrHolderGone) && a.joined && !a.painted {
		if err := a.follower.Copy(a.ctx, a.follower.End()); err != nil {
			return err
		}
	}
	return err
}

// told handles a signal: a new size of the window, or the job control of the shell.
func (a *attachment) told(sig os.Signal) error {
	switch sig {
	case unix.SIGWINCH:
		a.resized(a.look())
		return a.leads()
	case unix.SIGTSTP:
		a.tearDown()
		a.stop()
		return a.enterAgain()
	case unix.SIGCONT:
		return a.enterAgain() // other programs may have used the terminal in the meantime
	}
	return nil
}

// stop stops this process as the shell's ^Z does, and returns when it is continued.
func (a *attachment) stop() {
	signal.Reset(unix.SIGTSTP)
	defer func() {
		signal.Ignore(unix.SIGTSTP) // this drops a SIGTSTP that a SIGCONT has overtaken
		signal.Notify(a.signals, unix.SIGTSTP)
	}()
	if unix.Kill(os.Getpid(), unix.SIGTSTP) != nil {
		return
	}
	late := time.After(time.Second) // without a shell that could continue it, the process does not stop
	for {
		select {
		case sig := <-a.signals:
			if sig == unix.SIGCONT {
				return
			}
		case <-late:
			return
		}
	}
}

// leads waits until the session has the size of the window, or keeps its own.
func (a *attachment) leads() error {
	asked := a.lead()
	if asked == nil {
		return nil
	}
	resp, err := a.client.Await(a.ctx, asked)
	switch {
	case err == nil:
		a.mu.Lock()
		a.size = resp.Session.Size
		a.mu.Unlock()
	case errors.Is(err, wire.ErrHolderGone) || a.ctx.Err() != nil:
		return err
	}
	return nil
}

// print writes to the terminal piece by piece, so that little is on its way when the attachment ends.
func (a *attachment) print(p []byte) error {
	for len(p) > 0 {
		piece := p[:min(len(p), outPiece)]
		p = p[len(piece):]
		if err := a.printPiece(piece); err != nil {
			return err
		}
		_, _ = a.model.Write(piece) // never fails
	}
	return nil
}

// printPiece waits until the terminal has taken the piece. After the end of the attachment it waits only for a moment.
func (a *attachment) printPiece(piece []byte) error {
	if a.stuck {
		return errStuck
	}
	a.out <- piece
	var err error
	select {
	case err = <-a.wrote:
	case <-a.ctx.Done():
		select {
		case err = <-a.wrote:
		case <-time.After(wire.Farewell):
			err = errStuck
		}
	}
	if err != nil {
		a.stuck = true
		a.end(Closed, nil) // unless it has ended for another reason
		return errStuck
	}
	return nil
}

// printer writes the pieces. It may wait for ever if the terminal is stopped.
func (a *attachment) printer() {
	for piece := range a.out {
		_, err := a.opts.Out.Write(piece)
		a.wrote <- err
	}
}
