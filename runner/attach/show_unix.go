//go:build unix

package attach

import (
	"errors"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"devtools/ledger"
	"devtools/runner/wire"
	"devtools/screen"
)

// A subscription asks the holder of a session what changes: the length of the output, the size and the requests to persons.
type subscription struct {
	grown    <-chan wire.Response // nil: to be asked
	resized  <-chan wire.Response
	asked    <-chan wire.Response // nil: the holder is of an older version
	finished bool                 // there is no more output
}

// show shows the session until the attachment ends or the command is finished.
func (a *attachment) show() error {
	if err := a.enter(); err != nil {
		return err
	}
	if a.opts.Notice != "" {
		a.display.tell(a.opts.Notice)
	}
	a.tellAsked(a.asks)
	s := subscription{resized: a.client.Send(wire.Request{Op: wire.OpSize, Size: a.size}), asked: a.client.Send(wire.Request{Op: wire.OpAsked})}
	for {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if !a.display.synced {
			if err := a.display.sync(a.ctx); err != nil {
				return a.lost(err)
			}
			continue
		}
		more, err := a.display.pass(a.ctx)
		if err != nil {
			return err
		}
		if s.finished && !more {
			if a.display.uncover() {
				continue // to show what the command has printed in the end
			}
			return nil
		}
		if s.grown == nil && !s.finished {
			s.grown = a.client.Send(wire.Request{Op: wire.OpFollow, Offset: a.display.next, Complete: true})
		}
		if err := a.handleNext(&s, more); err != nil {
			return err
		}
	}
}

// handleNext handles one event: of the holder, of the person's terminal, or of the clock. It waits for one unless there is
// more output to pass on.
func (a *attachment) handleNext(s *subscription, more bool) error {
	now := make(chan struct{})
	if more {
		close(now)
	}
	select {
	case resp, ok := <-s.grown:
		resp, err := wire.Answered(resp, ok)
		if err != nil {
			return a.lost(err)
		}
		s.grown, s.finished = nil, resp.Closed
		a.display.grow(resp.Next)
	case resp, ok := <-s.resized:
		resp, err := wire.Answered(resp, ok)
		if err != nil {
			s.resized = nil // grown gets the error, too
			return nil
		}
		a.size, a.display.synced = resp.Session.Size, false
		s.resized = a.client.Send(wire.Request{Op: wire.OpSize, Size: a.size})
	case resp, ok := <-s.asked:
		resp, err := wire.Answered(resp, ok)
		if err != nil {
			s.asked = nil // grown gets the error of a holder that is gone
			return nil
		}
		a.tellAsked(resp.Session.Asks)
		s.asked = a.client.Send(wire.Request{Op: wire.OpAsked})
	case actions := <-a.copied:
		return a.copy(actions)
	case <-a.dropped:
		a.display.tell("read-only: keys have no effect, except " + a.opts.DetachKeys.String() + " to detach and " + a.opts.CopyKeys.String() + " to scroll")
	case <-a.display.notice.timer():
		a.display.untell()
	case <-a.display.paintTimer():
		if err := a.display.paint(a.ctx); err != nil {
			return a.lost(err)
		}
	case sig := <-a.signals:
		return a.handleSignal(sig)
	case <-now:
	case <-a.ctx.Done():
	}
	return nil
}

// tellAsked tells the person what somebody asks for.
func (a *attachment) tellAsked(asks []ledger.Ask) {
	for _, ask := range asks {
		a.display.tell("asked: " + ask.Message)
	}
}

// copy does what the person does in copy mode.
func (a *attachment) copy(actions []copyAction) error {
	for _, action := range actions {
		switch {
		case action.do == beginCopy:
			if err := a.display.beginCopy(a.ctx); err != nil {
				return a.lost(err)
			}
		case a.display.copy == nil: // the session has ended
		case action.do == endCopy:
			a.display.copy = nil
		default:
			a.display.copy.do(action)
		}
	}
	a.display.synced = false
	return nil
}

// lost handles the end of the connection: it passes on the output on disk.
func (a *attachment) lost(err error) error {
	if errors.Is(err, wire.ErrHolderGone) {
		if err := a.display.passRest(a.ctx); err != nil {
			return err
		}
	}
	return err
}

// handleSignal handles a signal: a new size of the window, or the job control of the shell.
func (a *attachment) handleSignal(sig os.Signal) error {
	switch sig {
	case unix.SIGWINCH:
		a.display.resize(a.windowSize())
		return a.fitSession()
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

// enter shows the session in the window.
func (a *attachment) enter() error { return a.display.enter(a.windowSize()) }

// enterAgain makes the terminal raw and shows the session. Other programs may have used the terminal before.
func (a *attachment) enterAgain() error {
	if err := a.terminal.makeRaw(); err != nil {
		return err
	}
	if err := a.enter(); err != nil {
		return err
	}
	return a.fitSession()
}

// windowSize returns the size of the window, or the size of the session if that of the window is not known.
func (a *attachment) windowSize() ledger.Size {
	if size, known := a.terminal.size(); known {
		return size
	}
	return a.size
}

// askSize asks the holder to give the session the size of the window. It asks even if the session may have that size
// already, because only the holder knows. The channel is nil for a read-only attachment and if the window's size is not known.
func (a *attachment) askSize() <-chan wire.Response {
	size, known := a.terminal.size()
	if a.opts.ReadOnly || !known {
		return nil
	}
	return a.client.Send(wire.Request{Op: wire.OpResize, Size: clampSize(size)})
}

// fitSession waits until the session has the size of the window, or keeps its own.
func (a *attachment) fitSession() error {
	asked := a.askSize()
	if asked == nil {
		return nil
	}
	resp, err := a.client.Await(a.ctx, asked)
	switch {
	case err == nil:
		a.size = resp.Session.Size
	case errors.Is(err, wire.ErrHolderGone) || a.ctx.Err() != nil:
		return err
	}
	return nil
}

// clampSize returns the nearest size that a session can have.
func clampSize(s ledger.Size) ledger.Size {
	return ledger.Size{Cols: min(max(s.Cols, 1), screen.MaxCols), Rows: min(max(s.Rows, 1), screen.MaxRows)}
}
