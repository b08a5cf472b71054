//go:build unix

package attach

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/wire"
)

// An attachment is a person's terminal in front of a running session. The goroutine of show owns the display. Other
// goroutines read keys, send them, and write to the terminal.
type attachment struct {
	client      *runner.Client
	opts        Options
	terminal    *terminal
	output      *outputWriter
	display     *display
	size        ledger.Size // size of the session; of the goroutine of show
	keys        *keyQueue
	input       hotkeys           // of the goroutine of readKeys
	copying     copyInput         // of the goroutine of readKeys
	copied      chan []copyAction // what the person does in copy mode
	dropped     chan struct{}     // a key had no effect, because the person only watches
	toldDropped bool              // of the goroutine of readKeys
	asks        []ledger.Ask      // requests that are there when show begins
	wake        [2]*os.File       // pipe that ends the wait for keys
	signals     chan os.Signal    // signals of the window and the shell

	ctx    context.Context // ends with the attachment
	cancel context.CancelFunc
	ending
}

// An ending says how an attachment has ended, once its ctx has ended.
type ending struct {
	once   sync.Once
	how    string // "": the command is finished, or an error
	signal os.Signal
}

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
	defer a.display.follower.Close()
	err = a.run()
	a.output.close()
	return a.finish(err)
}

// newAttachment tells the holder that a person comes.
func newAttachment(ctx context.Context, c *runner.Client, opts Options) (*attachment, error) {
	switch {
	case !term.IsTerminal(int(opts.In.Fd())) || !term.IsTerminal(int(opts.Out.Fd())):
		return nil, ledger.SessionError(c.Session.Name, ErrNotAttachable)
	case Inside(c.Session):
		return nil, ledger.SessionError(c.Session.Name, ErrInside)
	}
	if len(opts.DetachKeys) == 0 {
		opts.DetachKeys = DefaultDetachKeys
	}
	if len(opts.CopyKeys) == 0 {
		opts.CopyKeys = DefaultCopyKeys
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
		client: c, opts: opts, terminal: &terminal{in: opts.In, out: opts.Out}, output: newOutputWriter(opts.Out),
		display: newDisplay(c), size: resp.Session.Size, keys: newKeyQueue(),
		input: hotkeys{keys: [...]Keys{detachKey: opts.DetachKeys, copyKey: opts.CopyKeys}}, copied: make(chan []copyAction),
		dropped: make(chan struct{}, 1), wake: [2]*os.File{r, w}, signals: make(chan os.Signal, 8),
	}
	a.asks = resp.Session.Asks
	a.ctx, a.cancel = context.WithCancel(ctx)
	a.display.write = a.writePiece
	return a, nil
}

// run runs the attachment until it ends.
func (a *attachment) run() error {
	defer a.rescue()
	signal.Notify(a.signals, unix.SIGWINCH, unix.SIGCONT, unix.SIGTSTP)
	defer signal.Stop(a.signals)
	if err := a.terminal.makeRaw(); err != nil {
		return err
	}
	if err := a.fitSession(); err != nil {
		a.tearDown()
		return err
	}
	var keys sync.WaitGroup
	keys.Go(a.readKeys)
	keys.Go(a.sendKeys)
	go a.watch()
	err := a.show()
	a.end("", nil)
	a.uncover()
	a.tearDown()
	_ = a.wake[1].Close() // wakes readKeys
	keys.Wait()
	_ = a.wake[0].Close()
	return err
}

// finish tells the holder that the person is gone, and returns the result.
func (a *attachment) finish(err error) (Result, error) {
	result := Result{How: a.how, Session: a.client.Session, Signal: a.signal, Unsent: a.keys.size(), Stuck: a.output.stuck}
	if a.how != "" && (errors.Is(err, a.ctx.Err()) || errors.Is(err, errStuck)) {
		err = nil // the error only says that the attachment has ended
	}
	if errors.Is(err, wire.ErrHolderGone) {
		_, err = a.client.Record() // the holder may have left because the session has ended
	}
	ctx, cancel := context.WithTimeout(context.Background(), wire.Farewell)
	defer cancel()
	if a.how == "" && err == nil && !a.display.drawn {
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
	a.once.Do(func() {
		a.how, a.signal = how, sig
		a.cancel()
		a.keys.close()
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

// uncover shows the session once more if the person has detached in copy mode or beside a notice: what the session shows then
// stays above the next prompt.
func (a *attachment) uncover() {
	if a.how != Detached || !a.display.uncover() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), wire.Farewell)
	defer cancel()
	_ = a.display.sync(ctx) // without it, an earlier picture stays
}

// tearDown restores the terminal. If the terminal takes no output any more, tearDown restores only its settings.
func (a *attachment) tearDown() {
	a.terminal.restore(func() { _ = a.display.leave() })
}

// rescue restores the terminal before a panic ends this process.
func (a *attachment) rescue() {
	if v := recover(); v != nil {
		a.tearDown()
		panic(v)
	}
}

// writePiece writes to the terminal. A terminal that takes no output ends the attachment.
func (a *attachment) writePiece(piece []byte) error {
	err := a.output.write(a.ctx, piece)
	if err != nil {
		a.end(Closed, nil) // unless it has ended for another reason
	}
	return err
}
