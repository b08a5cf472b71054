package hold

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/blocked"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/wire"
)

const (
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

// describe puts into a receipt what the terminal is like now, if there is one, and who is in front.
func (in *input) describe(r *wire.Receipt) {
	if in.program.Tty == nil {
		return
	}
	if m, err := in.program.Tty.Modes(); err == nil {
		r.Canonical, r.Echo = m.Canonical, m.Echo
	}
	r.PID, r.Foreground = in.inFront()
}

// explain answers a request of which keys were withheld, because the program does not read. The answer says what the program
// does instead. It runs in a goroutine of its own.
func (in *input) explain(t *typed, r wire.Receipt, err error) {
	if doing := in.doing(); doing != "" {
		err = fmt.Errorf("%w: %s", err, doing)
	}
	in.done <- func() {
		in.queue.finished()
		in.answerAtOnce(t, r, err)
	}
}

// doing describes what the program in front does.
func (in *input) doing() string {
	if in.program.Tty == nil {
		return in.doingPiped()
	}
	group, err := in.program.Tty.Foreground()
	if err != nil {
		return ""
	}
	infos := slices.DeleteFunc(pty.Tree(), func(info proc.Info) bool { return info.Group != group })
	device, _ := in.program.Tty.Device()
	return busiest(blocked.Activities(context.Background(), infos, int(device)))
}

// busiest describes one of several processes: one that does not only wait for the others.
func busiest(all []blocked.Activity) string {
	if len(all) == 0 {
		return ""
	}
	a := all[0]
	if i := slices.IndexFunc(all, func(a blocked.Activity) bool { return a.Doing != blocked.DoingChild }); i >= 0 {
		a = all[i]
	}
	return fmt.Sprintf("%s (pid %d) %s", a.Name, a.PID, a.Text)
}

// followUp finds out the effect of keys that were written, and makes the loop answer. It runs in a goroutine
// of its own.
func (in *input) followUp(t *typed, r wire.Receipt) {
	watch := watchTerminal(in.program.Tty)
	defer watch.Close()
	unread := in.deliver(t, &r)
	consumed := r.Delivery == wire.Read
	if consumed || r.Delivery == wire.HalfLine || r.Delivery == wire.Unread || r.Delivery == wire.Discarded {
		r.Consumed = &consumed
	}
	offset, waiting := in.settle(t, watch, consumed || r.Delivery == wire.HalfLine)
	if !t.itself && !t.untold {
		r.Waiting = &waiting
	}
	r.Reason = t.reason(r.Delivery, unread)
	if t.waiter != nil {
		in.done <- func() { in.waits.lookForStates(t.waiter) }
	}
	r.Echoed = t.echoed(in.log.Place(), offset)
	in.done <- func() { in.lookAfter(t, r) }
}

// deliver waits until the program has read the keys, at most until the limit of the request, and notes what has become of
// them. It returns how many bytes wait to be read.
func (in *input) deliver(t *typed, r *wire.Receipt) (unread int) {
	if t.itself || t.size == 0 {
		r.Delivery = wire.Read
		return 0
	}
	patience := t.limit
	if t.untold {
		patience = min(patience, takePatience)
	}
	taken := await(patience, func() bool {
		ended := in.ended.Load() // before the look, which then sees all that the program has read
		n, err := t.proof.look(in.program.Tty)
		unread = n
		return err != nil || n == 0 || t.link.left.Load() || ended
	})
	discards := in.program.Tty.Discards()
	switch {
	case !taken || unread > 0:
		r.Delivery = wire.Unread
	case t.partial > 0 && discards != t.proof.discards:
		r.Delivery = wire.Discarded
	case t.partial > 0:
		r.Delivery = wire.HalfLine
	case pty.TellsDiscards:
		if r.Delivery = t.proof.fate(discards); r.Delivery == wire.Read && t.unsure {
			r.Delivery = wire.Unknown
		}
	}
	return unread
}

// settle waits until the screen shows the effect of the keys. It returns the end of the output by then, and whether the
// program reads again. It does not wait if the program has not got the keys, nor for a key that the terminal has taken itself.
func (in *input) settle(t *typed, watch *blocked.Watch, got bool) (offset int64, waiting bool) {
	escaped := time.Time{}
	if n := len(t.pieces); got && n > 0 && t.pieces[n-1].Escape {
		await(takePatience, func() bool { _, again := watch.Blocked(); return again || t.polls || in.ended.Load() })
		now := time.Now()
		in.escapeRead.Store(now.UnixNano())
		escaped = now.Add(escapeTime)
	}
	var last time.Time // time of the last output
	// settled looks whether the screen shows the effect of the keys, or at which time it does if nothing happens until then.
	settled := func() (ok bool, then time.Time) {
		block, reads := watch.Blocked()
		waiting = reads
		taken := in.caughtUp()
		asked := make(chan struct{})
		in.done <- func() {
			last, offset = in.lastBytes, in.log.Next()
			close(asked)
		}
		<-asked
		if !taken || !waiting && t.partial == 0 {
			return in.ended.Load(), then
		}
		if then = escaped; !block.Only {
			then = later(then, last.Add(quietTime))
		}
		return !time.Now().Before(then) || in.ended.Load(), then
	}
	if got && !t.itself {
		awaitTime(settlePatience+max(0, time.Until(escaped)), settled)
	} else {
		settled()
	}
	return offset, waiting
}

// reason says why the program has not got the keys, or why that is not known. It is empty if it has.
func (t *typed) reason(d wire.Delivery, unread int) string {
	switch d {
	case wire.Unread:
		return bytesWait(unread) + " to be read"
	case wire.HalfLine:
		return "the program reads lines, and " + bytesWait(t.partial) + " for Enter"
	case wire.Discarded:
		return "the program threw its input away before it read the keys"
	case wire.Unknown:
		return "the program threw input away, and this system does not tell whether it had read the keys"
	case "":
		return "this system does not tell whether the program has read them"
	}
	return ""
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
func (t *typed) echoed(place transcript.Place, offset int64) *bool {
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
	reader := transcript.Open(place)
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
