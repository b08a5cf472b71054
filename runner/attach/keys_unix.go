//go:build unix

package attach

import (
	"bytes"

	"golang.org/x/sys/unix"

	"devtools/runner/wire"
)

// escapeTime is how long a lone ESC in copy mode may be the beginning of a longer key, in milliseconds: as ttimeoutlen in vim's
// defaults. Across a network the bytes of a key may come apart.
const escapeTime = 100

// readKeys reads typed keys until the attachment ends.
func (a *attachment) readKeys() {
	defer a.rescue()
	buffer := make([]byte, wire.MaxInput)
	for a.keys.awaitRoom() {
		poll := []unix.PollFd{{Fd: int32(a.wake[0].Fd()), Events: unix.POLLIN}, {Fd: int32(a.opts.In.Fd()), Events: unix.POLLIN}}
		limit := -1
		if a.copying.open() {
			limit = escapeTime
		}
		ready, err := unix.Poll(poll, limit)
		if err == unix.EINTR {
			continue
		}
		if err != nil || poll[0].Revents != 0 || a.ctx.Err() != nil {
			return
		}
		if ready == 0 {
			a.sendCopied(a.copying.settle())
			continue
		}
		n, err := unix.Read(int(a.opts.In.Fd()), buffer)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		if n <= 0 {
			a.end(Closed, nil)
			return
		}
		if detach := a.takeKeys(buffer[:n]); detach {
			a.keys.flush(wire.Farewell)
			a.end(Detached, nil)
			return
		}
	}
}

// takeKeys gives typed input to the program or to copy mode.
func (a *attachment) takeKeys(input []byte) (detach bool) {
	for len(input) > 0 {
		a.input.copying = a.copying.on
		pass, hit, rest := a.input.take(input)
		if a.copying.on {
			var actions []copyAction
			actions, pass = a.copying.take(pass)
			a.sendCopied(actions)
		}
		switch {
		case len(pass) == 0:
		case !a.opts.ReadOnly:
			a.keys.add(pass)
		case !isReport(pass):
			a.drop()
		}
		if input = rest; hit == copyKey {
			a.sendCopied([]copyAction{a.copying.begin()})
			if a.opts.CopyKeys[len(a.opts.CopyKeys)-1] == altPageUp {
				input = append([]byte(escapedPageUp), input...) // the key also scrolls
			}
		}
		if hit == detachKey {
			return true
		}
	}
	return false
}

// sendCopied tells show what the person does in copy mode.
func (a *attachment) sendCopied(actions []copyAction) {
	if len(actions) == 0 {
		return
	}
	select {
	case a.copied <- actions:
	case <-a.ctx.Done():
	}
}

// drop tells show once that a key had no effect.
func (a *attachment) drop() {
	if !a.toldDropped {
		a.toldDropped = true
		a.dropped <- struct{}{} // there is room for it
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
