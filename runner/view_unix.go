//go:build unix

package runner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/runner/wire"
)

// The control characters that mean something to the view: ^Z, which suspends it, and ^C, when nothing is
// left in front to interrupt (VSUSP and VINTR of termios(3)).
const (
	suspendKey   = 0x1a
	interruptKey = 0x03
)

// frontCheck is how often, in milliseconds, a view in the background looks whether it has come to the
// front: a shell tells only a job that was stopped.
const frontCheck = 250

// A view is a person's terminal in front of a session: raw, with every key passed on and with the
// session's terminal kept at its size. The person's shell keeps its job control: ^Z suspends the view
// and the session goes on, unless the program itself stops, which suspends both.
type view struct {
	client *Client
	tty    *os.File
	ctx    context.Context
	cancel context.CancelFunc
	wake   [2]*os.File // ends the waiting for keys
	keys   sync.WaitGroup

	mu    sync.Mutex
	saved *term.State // the person's settings while the terminal is raw; else nil
	ended bool
}

// openView puts the terminal in front of the session, if this process is in the foreground there, or
// as soon as it is.
func openView(c *Client, tty *os.File) (*view, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	v := &view{client: c, tty: tty, wake: [2]*os.File{r, w}}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	if err := v.enter(); err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	if !v.raw() {
		_, _ = c.Call(v.ctx, wire.Request{Op: wire.OpView}) // the queries of a background job are not ours to answer
	}
	v.keys.Add(1)
	go v.passKeys()
	go v.passSignals()
	go v.followStops()
	return v, nil
}

// close gives the terminal back as it was.
func (v *view) close() {
	v.cancel()
	_ = v.wake[1].Close() // wakes passKeys
	v.keys.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended = true
	v.restore()
	_ = v.wake[0].Close()
}

// inFront reports whether this process may use the terminal: a background job is stopped when it
// reads it or changes its settings.
func (v *view) inFront() bool {
	group, err := unix.IoctlGetInt(int(v.tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// enter makes the terminal raw when we are in front, and tells the session its size.
func (v *view) enter() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended || v.saved != nil || !v.inFront() {
		return nil
	}
	saved, err := term.MakeRaw(int(v.tty.Fd()))
	v.saved = saved
	return err
}

// restore gives the terminal its settings back. The caller holds mu.
func (v *view) restore() {
	if v.saved != nil {
		_ = term.Restore(int(v.tty.Fd()), v.saved) // a terminal that is gone needs none
		v.saved = nil
	}
}

// passKeys sends what is typed to the session until the view ends.
func (v *view) passKeys() {
	defer v.keys.Done()
	buffer := make([]byte, 4096)
	for {
		poll := []unix.PollFd{{Fd: int32(v.wake[0].Fd()), Events: unix.POLLIN}, {Fd: -1, Events: unix.POLLIN}}
		timeout := frontCheck
		if v.raw() {
			poll[1].Fd, timeout = int32(v.tty.Fd()), -1
		}
		ready, err := unix.Poll(poll, timeout)
		if err == unix.EINTR {
			continue
		}
		if err == nil && ready == 0 {
			v.resume()
			continue
		}
		if err != nil || v.ctx.Err() != nil {
			return
		}
		if poll[0].Revents != 0 { // the view was entered again
			var one [1]byte
			if n, err := v.wake[0].Read(one[:]); n == 0 || err != nil {
				return
			}
		}
		if poll[1].Revents == 0 || !v.raw() {
			continue
		}
		n, err := unix.Read(int(v.tty.Fd()), buffer)
		if n <= 0 && err != unix.EINTR && err != unix.EAGAIN {
			return // the terminal is gone: the command goes on without it
		}
		v.pass(buffer[:max(n, 0)])
	}
}

func (v *view) raw() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.saved != nil
}

// pass sends keys, but for a ^Z that would stop the command: that suspends the view.
func (v *view) pass(keys []byte) {
	for len(keys) > 0 {
		before, after, suspend := bytes.Cut(keys, []byte{suspendKey})
		if suspend {
			resp, err := v.client.Call(v.ctx, wire.Request{Op: wire.OpModes})
			if err != nil || !resp.Modes.Signals {
				before, after, suspend = keys, nil, false // it is a key like others
			}
		}
		if bytes.IndexByte(before, interruptKey) >= 0 && v.client.ended(v.ctx) {
			_ = unix.Kill(os.Getpid(), unix.SIGINT) // no process is in front to get it: it is for the waiting
		}
		if len(before) > 0 {
			_, _ = v.client.Call(v.ctx, wire.Request{Op: wire.OpInput, Data: before}) // a session that has ended takes none
		}
		if suspend {
			v.suspend()
		}
		keys = after
	}
}

// suspend stops this process as ^Z does, with the terminal as its shell left it, and returns when it
// is continued.
func (v *view) suspend() {
	v.mu.Lock()
	v.restore()
	v.mu.Unlock()
	_, _ = v.client.Call(v.ctx, wire.Request{Op: wire.OpView}) // its queries are ours no more
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(0, unix.SIGTSTP) == nil {
		select {
		case <-continued:
		case <-time.After(time.Second): // without a shell that could continue us, we are not stopped
		}
	}
	v.resume()
}

// resume is what follows SIGCONT: in front again, the terminal is raw again.
func (v *view) resume() {
	if v.enter() != nil || !v.raw() {
		return
	}
	_, _ = v.client.Call(v.ctx, wire.Request{Op: wire.OpView, On: true})
	v.resize()
	_, _ = v.wake[1].Write([]byte{0})
}

// resize tells the session the size of the terminal.
func (v *view) resize() {
	cols, rows, err := term.GetSize(int(v.tty.Fd()))
	if err == nil && cols > 0 && rows > 0 {
		_, _ = v.client.Call(v.ctx, wire.Request{Op: wire.OpResize, Size: ledger.Size{Cols: cols, Rows: rows}})
	}
}

// passSignals follows the size of the window and the job control of the shell.
func (v *view) passSignals() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGWINCH, unix.SIGCONT)
	defer signal.Stop(signals)
	for {
		select {
		case sig := <-signals:
			if sig == unix.SIGWINCH {
				v.resize()
			} else {
				v.resume()
			}
		case <-v.ctx.Done():
			return
		}
	}
}

// followStops suspends the view when the program has stopped itself, and continues both together.
func (v *view) followStops() {
	for {
		stop, err := v.client.Call(v.ctx, wire.Request{Op: wire.OpStopped})
		if err != nil {
			return
		}
		if !v.client.Seen.Await(v.ctx, stop.Next) { // what it printed before is to be seen first
			return
		}
		v.suspend()
		if _, err := v.client.Call(v.ctx, wire.Request{Op: wire.OpContinue}); err != nil {
			return
		}
	}
}
