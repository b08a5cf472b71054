package hold

import (
	"bytes"
	"fmt"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/wire"
	"devtools/screen"
)

const (
	// deafPatience is how long a program may take to read the keys if it did not read when they were typed.
	deafPatience = 50 * time.Millisecond

	// settlePatience is how long a program that has read the keys may take to read again. quietTime is how
	// long it must then have printed nothing. After that the screen shows the effect of the keys.
	settlePatience = 100 * time.Millisecond
	quietTime      = 3 * time.Millisecond
)

// followUp finds out the effect of keys that were written, and makes the loop answer. It runs in a goroutine
// of its own.
func (h *holder) followUp(t *typed, r wire.Receipt) {
	tty := h.program.Tty
	watch := watchTerminal(tty)
	defer watch.Close()
	unread, patience := 0, takePatience
	if t.deaf {
		patience = deafPatience
	}
	consumed := await(patience, func() bool {
		n, err := tty.Unread()
		unread = n
		return err != nil || n == 0
	}) && t.partial == 0
	var last time.Time // time of the last output
	var offset int64
	state := func() {
		asked := make(chan struct{})
		h.done <- func() {
			last, offset = h.lastBytes, h.log.Next()
			close(asked)
		}
		<-asked
	}
	escaped := time.Time{}
	if n := len(t.pieces); n > 0 && t.pieces[n-1].Escape {
		escaped = time.Now().Add(escapeTime)
	}
	waiting := false
	settled := func() bool {
		_, waiting = watch.Blocked()
		taken := h.caughtUp()
		state()
		return (waiting || t.partial > 0) && taken && time.Since(last) >= quietTime && !time.Now().Before(escaped) || h.ended.Load()
	}
	if settled(); consumed || t.partial > 0 {
		await(settlePatience+max(0, time.Until(escaped)), settled)
	}
	r.Consumed, r.Waiting = &consumed, &waiting
	switch {
	case unread > 0:
		r.Reason = waits(unread) + " to be read"
	case !consumed:
		r.Reason = "the program reads lines, and " + waits(t.partial) + " for Enter"
	}
	if t.waiter != nil {
		h.done <- func() { h.lookForStates(t.waiter) }
	}
	r.Echoed = t.echoed(h.dir.SessionFolder(h.session.ID), offset)
	h.done <- func() { h.lookAfter(t, r) }
}

// waits returns a text that says how many bytes wait.
func waits(n int) string {
	if n == 1 {
		return "1 byte waits"
	}
	return fmt.Sprintf("%d bytes wait", n)
}

// caughtUp reports whether all output so far has been read, and reaches the loop before any later request
// does. The order of the two calls matters: the reader is not idle while it has output that the terminal no
// longer has.
func (h *holder) caughtUp() bool { return !h.program.Tty.Printed() && h.idle.Load() }

// echoSample is how many bytes of the typed text are looked for in the output.
const echoSample = 16

// echoed reports whether the output since the keys were typed, up to an offset, shows them. It returns nil if
// the keys have no text.
func (t *typed) echoed(folder string, offset int64) *bool {
	var text []byte
	for _, p := range t.pieces {
		for _, b := range p.Data {
			if b < ' ' || b == 0x7f {
				if len(text) > 0 {
					break
				}
				continue
			}
			text = append(text, b)
		}
		if len(text) > 0 {
			break
		}
	}
	if text = text[:min(len(text), echoSample)]; len(text) == 0 {
		return nil
	}
	reader := transcript.Open(folder)
	defer reader.Close()
	output := make([]byte, min(offset-t.offset, 64<<10))
	n, _, err := reader.ReadAt(output, t.offset)
	seen := err == nil && bytes.Contains(output[:n], text)
	return &seen
}

// lookAfter takes the picture after the keys, and then answers.
func (h *holder) lookAfter(t *typed, r wire.Receipt) {
	if m, err := h.program.Tty.Modes(); err == nil {
		r.Canonical, r.Echo = m.Canonical, m.Echo
	}
	r.PID, r.Foreground = h.inFront()
	if h.screenFeed == nil {
		h.followed(t, r)
		return
	}
	s := show{view: screen.Visible(), at: h.log.Next(), until: time.Now().Add(maxPaintLag)}
	s.answer = func(pic frame, err error) {
		if err == nil {
			r.Hash = pic.Snapshot.Hash()
			changed := r.Hash != t.before
			r.ScreenChanged = &changed
		}
		h.done <- func() { h.followed(t, r) }
	}
	if !h.screenFeed.order(order{show: &s}) {
		h.followed(t, r)
	}
}
