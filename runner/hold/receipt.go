package hold

import (
	"bytes"
	"fmt"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

const (
	// deafPatience is how long a program may take to read the keys if it did not read when they were typed.
	deafPatience = 50 * time.Millisecond

	// settlePatience is how long a program that has read the keys may take to read again. quietTime is how
	// long it must then have printed nothing, unless nobody is there who could still print. After that the screen shows
	// the effect of the keys.
	settlePatience = 100 * time.Millisecond
	quietTime      = 3 * time.Millisecond
)

// answerAtOnce answers a request to type that has failed, or whose client does not wait for the effect.
func (in *input) answerAtOnce(t *typed, r wire.Receipt, err error) {
	in.describe(&r)
	t.receipt = &r
	if err == nil && t.waiter != nil {
		in.waits.lookForStates(t.waiter)
	}
	in.answer(t, err)
}

// describe puts into a receipt what the terminal is like now, and who is in front.
func (in *input) describe(r *wire.Receipt) {
	if m, err := in.program.Tty.Modes(); err == nil {
		r.Canonical, r.Echo = m.Canonical, m.Echo
	}
	r.PID, r.Foreground = in.inFront()
}

// followUp finds out the effect of keys that were written, and makes the loop answer. It runs in a goroutine
// of its own.
func (in *input) followUp(t *typed, r wire.Receipt) {
	tty := in.program.Tty
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
		in.done <- func() {
			last, offset = in.lastBytes, in.log.Next()
			close(asked)
		}
		<-asked
	}
	escaped := time.Time{}
	if n := len(t.pieces); n > 0 && t.pieces[n-1].Escape {
		escaped = time.Now().Add(escapeTime)
	}
	waiting := false
	// settled looks whether the screen shows the effect of the keys, or at which time it does if nothing happens until then.
	settled := func() (ok bool, then time.Time) {
		block, blocked := watch.Blocked()
		waiting = blocked
		taken := in.caughtUp()
		state()
		if !taken || !waiting && t.partial == 0 {
			return in.ended.Load(), then
		}
		if then = escaped; !block.Only {
			then = later(then, last.Add(quietTime))
		}
		return !time.Now().Before(then) || in.ended.Load(), then
	}
	if consumed || t.partial > 0 {
		awaitTime(settlePatience+max(0, time.Until(escaped)), settled)
	} else {
		settled()
	}
	r.Consumed, r.Waiting = &consumed, &waiting
	switch {
	case unread > 0:
		r.Reason = bytesWait(unread) + " to be read"
	case !consumed:
		r.Reason = "the program reads lines, and " + bytesWait(t.partial) + " for Enter"
	}
	if t.waiter != nil {
		in.done <- func() { in.waits.lookForStates(t.waiter) }
	}
	r.Echoed = t.echoed(in.dir.SessionFolder(in.session.ID), offset)
	in.done <- func() { in.lookAfter(t, r) }
}

// bytesWait returns a text that says how many bytes wait.
func bytesWait(n int) string {
	if n == 1 {
		return "1 byte waits"
	}
	return fmt.Sprintf("%d bytes wait", n)
}

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
func (in *input) lookAfter(t *typed, r wire.Receipt) {
	in.describe(&r)
	if in.display.feed == nil {
		in.followed(t, r)
		return
	}
	err := in.display.picture(func(pic frame, err error) {
		if err == nil {
			r.Hash = pic.Snapshot.Hash()
			changed := r.Hash != t.before
			r.ScreenChanged = &changed
		}
		in.done <- func() { in.followed(t, r) }
	})
	if err != nil {
		in.followed(t, r)
	}
}
