//go:build unix

package attach

import (
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/wire"
)

// readKeys reads typed keys until the attachment ends.
func (a *attachment) readKeys() {
	defer a.rescue()
	d := detacher{keys: a.opts.DetachKeys}
	buffer := make([]byte, wire.MaxInput)
	for a.room() {
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
		lingers := a.lingers.Swap(false)
		a.touched.Do(func() { close(a.first) })
		pass, detach := d.take(buffer[:n])
		if lingers {
			pass = nil // the key was for the earlier text, not for a program that is not visible yet
		}
		if !a.opts.ReadOnly {
			a.mu.Lock()
			a.typed = append(a.typed, pass...)
			a.toSend.Broadcast()
			a.mu.Unlock()
		}
		if detach {
			a.sent()
			a.end(Detached, nil)
			return
		}
	}
}

// room waits until there is room for more typed input. It returns false when the attachment has ended.
func (a *attachment) room() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.typed) > maxTyped && !a.detached {
		a.toSend.Wait()
	}
	return !a.detached
}

// sent waits a moment until the typed keys have been sent.
func (a *attachment) sent() {
	until := time.Now().Add(wire.Farewell)
	late := time.AfterFunc(wire.Farewell, a.toSend.Broadcast)
	defer late.Stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	for (len(a.typed) > 0 || a.sending) && !a.detached && time.Now().Before(until) {
		a.toSend.Wait()
	}
}

// sendKeys sends the typed keys, at most as many at a time as one request holds. It waits each time until the
// program's terminal has taken them.
func (a *attachment) sendKeys() {
	defer a.rescue()
	for {
		a.mu.Lock()
		a.sending = false
		a.toSend.Broadcast()
		for len(a.typed) == 0 && !a.detached {
			a.toSend.Wait()
		}
		if a.detached {
			a.mu.Unlock()
			return
		}
		n := min(len(a.typed), wire.MaxInput)
		keys := append([]byte(nil), a.typed[:n]...)
		a.typed, a.sending = a.typed[n:], true
		a.mu.Unlock()
		if !isReport(keys) {
			a.look() // the size may have changed just now
			a.lead() // the request for the size goes before the keys
		}
		_, _ = a.client.Call(a.ctx, wire.Request{Op: wire.OpInput, Data: keys}) // a session that has ended takes no keys
	}
}
