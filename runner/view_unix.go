//go:build unix

package runner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/runner/wire"
)

// The control characters with a meaning for the view: ^Z suspends it. ^C ends the wait for the command when no
// foreground process is left to interrupt. The view remembers ctrl-\ (VSUSP, VINTR and VQUIT of termios(3)).
const (
	quitKey      = 0x1c
	suspendKey   = 0x1a
	interruptKey = 0x03
)

// frontCheck is how often, in milliseconds, a view in the background checks whether it is in the foreground now. A shell
// tells this only to a job that was stopped.
const frontCheck = 250

// A view is a person's terminal in front of a session. The terminal is raw, every key goes to the session, and the
// session's terminal keeps the same size. The person's shell keeps its job control: ^Z suspends the view and the session
// goes on. When the program itself stops, the view is suspended with it.
type view struct {
	client *Client
	tty    *os.File
	ctx    context.Context
	cancel context.CancelFunc
	wake   [2]*os.File // pipe that ends the wait for keys
	keys   sync.WaitGroup

	quit atomic.Bool // ctrl-\ was passed on

	mu    sync.Mutex
	saved *term.State // the person's settings while the terminal is raw; otherwise nil
	ended bool
}

// openView puts the terminal in front of the session. It does so at once if this process is in the foreground there, or
// otherwise as soon as it is.
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
		_, _ = c.Call(v.ctx, wire.Request{Op: wire.OpView}) // a background job does not answer queries
	}
	v.keys.Add(1)
	go v.passKeys()
	go v.passSignals()
	go v.followStops()
	return v, nil
}

// close restores the terminal.
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

// quitPressed reports whether the person has pressed ctrl-\, which a terminal makes SIGQUIT unless the program reads it as a key.
func (v *view) quitPressed() bool { return v.quit.Load() }

// inFront reports whether this process may use the terminal. The kernel stops a background job that reads the terminal or
// changes its settings.
func (v *view) inFront() bool {
	group, err := unix.IoctlGetInt(int(v.tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// enter makes the terminal raw if this process is in the foreground.
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

// restore restores the settings of the terminal. The caller holds mu.
func (v *view) restore() {
	if v.saved != nil {
		_ = term.Restore(int(v.tty.Fd()), v.saved) // a terminal that is gone needs no settings
		v.saved = nil
	}
}

// passKeys sends typed keys to the session until the view ends.
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

// pass sends keys to the session. A ^Z that would stop the command suspends the view instead.
func (v *view) pass(keys []byte) {
	for len(keys) > 0 {
		before, after, suspend := bytes.Cut(keys, []byte{suspendKey})
		if suspend {
			resp, err := v.client.Call(v.ctx, wire.Request{Op: wire.OpModes})
			if err != nil || !resp.Modes.Signals {
				before, after, suspend = keys, nil, false // ^Z is an ordinary key now
			}
		}
		if bytes.IndexByte(before, interruptKey) >= 0 && v.client.ended(v.ctx) {
			_ = unix.Kill(os.Getpid(), unix.SIGINT) // no foreground process gets it, so it ends the wait
		}
		if bytes.IndexByte(before, quitKey) >= 0 {
			v.quit.Store(true)
		}
		if len(before) > 0 {
			_, _ = v.client.Call(v.ctx, wire.Request{Op: wire.OpInput, Data: before}) // a session that has ended takes no keys
		}
		if suspend {
			v.suspend()
		}
		keys = after
	}
}

// suspend stops this process as ^Z does and returns when it is continued. Before that it restores the terminal as the
// shell left it.
func (v *view) suspend() {
	v.mu.Lock()
	v.restore()
	v.mu.Unlock()
	_, _ = v.client.Call(v.ctx, wire.Request{Op: wire.OpView}) // the view does not answer the program's queries any more
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(0, unix.SIGTSTP) == nil {
		select {
		case <-continued:
		case <-time.After(time.Second): // without a shell that could continue it, the process does not stop
		}
	}
	v.resume()
}

// resume runs after SIGCONT. If this process is in the foreground again, it makes the terminal raw again.
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

// followStops suspends the view when the program has stopped itself, and later continues both together.
func (v *view) followStops() {
	for {
		stop, err := v.client.Call(v.ctx, wire.Request{Op: wire.OpStopped})
		if err != nil {
			return
		}
		if !v.client.Seen.Await(v.ctx, stop.Next) { // the earlier output is shown first
			return
		}
		v.suspend()
		if _, err := v.client.Call(v.ctx, wire.Request{Op: wire.OpContinue}); err != nil {
			return
		}
	}
}
