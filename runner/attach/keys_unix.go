//go:build unix

package attach

import (
	"bytes"

	"golang.org/x/sys/unix"

	"devtools/runner/wire"
)

// readKeys reads typed keys until the attachment ends.
func (a *attachment) readKeys() {
	defer a.rescue()
	d := detacher{keys: a.opts.DetachKeys}
	buffer := make([]byte, wire.MaxInput)
	for a.keys.awaitRoom() {
		poll := []unix.PollFd{{Fd: int32(a.wake[0].Fd()), Events: unix.POLLIN}, {Fd: int32(a.opts.In.Fd()), Events: unix.POLLIN}}
		_, err := unix.Poll(poll, -1)
		if err == unix.EINTR {
			continue
		}
		if err != nil || poll[0].Revents != 0 || a.ctx.Err() != nil {
			return
		}
		n, err := unix.Read(int(a.opts.In.Fd()), buffer)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		if n <= 0 {
			a.end(Closed, nil)
			return
		}
		pass, detach := d.take(buffer[:n])
		if a.linger.key() {
			pass = nil // the key was for the earlier text, not for a program that is not visible yet
		}
		if !a.opts.ReadOnly {
			a.keys.add(pass)
		}
		if detach {
			a.keys.flush(wire.Farewell)
			a.end(Detached, nil)
			return
		}
	}
}

// sendKeys sends the typed keys until the attachment ends. It waits each time until the program's terminal has taken
// them.
func (a *attachment) sendKeys() {
	defer a.rescue()
	for {
		keys, ok := a.keys.take()
		if !ok {
			return
		}
		if !isReport(keys) {
			a.askSize() // the request for the size goes before the keys, because the size may have changed just now
		}
		_, _ = a.client.Call(a.ctx, wire.Request{Op: wire.OpInput, Data: keys}) // a session that has ended takes no keys
	}
}

// isReport reports whether all of the input consists of reports from the terminal, and has no key. Such reports say that
// the terminal has gained or lost the focus, or what became of an image (the graphics protocol of kitty).
func isReport(input []byte) bool {
	for len(input) > 0 {
		rest, ok := bytes.CutPrefix(input, []byte("\x1b[I"))
		if !ok {
			rest, ok = bytes.CutPrefix(input, []byte("\x1b[O"))
		}
		if !ok && bytes.HasPrefix(input, []byte("\x1b_G")) {
			_, rest, ok = bytes.Cut(input, []byte("\x1b\\"))
		}
		if !ok {
			return false
		}
		input = rest
	}
	return true
}
