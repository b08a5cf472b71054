package hold

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"devtools/runner/blocked"
	"devtools/runner/proc"
	"devtools/runner/prompt"
	"devtools/runner/wire"
)

// awaitRoom waits until the terminal takes all of the keys ahead of the reader, or the program reads. It
// reports whether either has happened.
func (t *inputWriter) awaitRoom(ask *typed) bool {
	return t.await(time.Until(ask.until()), func() bool {
		t.typeUrgent()
		return ask.link.left.Load() || t.reads() || t.hasRoom(ask)
	}) && !ask.link.isGone()
}

// hasRoom reports whether the terminal takes all of the keys ahead of the reader.
func (t *inputWriter) hasRoom(ask *typed) bool {
	unread, err := t.tty.Unread()
	return err != nil || unread+t.partial+ask.size <= queueBytes
}

// errNotReading says that the program did not read until the limit of the request.
var errNotReading = errors.New("the program has not read its terminal")

// awaitReader waits for the program in front to read the terminal, at most until the limit of the request. Where the system
// does not tell, it gives the program some time, and notes that. A program that only seems to look for input now and then is
// tried with the first key of what is to be typed: the piece i without the bytes that are done.
func (t *inputWriter) awaitReader(ask *typed, i, done int) error {
	if !t.watch.Sees() {
		ask.untold = true // waiting would not help
		return nil
	}
	t.first = blocked.Block{}
	var hidden hiddenReader
	p := poller{enough: pollSleeps}
	for deadline := time.Now().Add(ask.limit); ; {
		reads := false
		if !t.awaitOpen(ask, time.Until(deadline), func() bool {
			reads = t.reads()
			ask.polls = !reads && t.polls()
			reads = reads || ask.polls
			ask.untold = !reads && t.watch.Hides() && hidden.due(t)
			ready := reads && !(t.entered && t.mayWork()) || ask.untold || p.due(t, ask, ask.rest(i, done))
			return ready && !t.asksTerminal()
		}) {
			return t.interrupted(errNotReading)
		}
		if reads || ask.untold {
			return nil
		}
		if done == 0 {
			t.renew(ask, i)
		}
		if err := t.try(ask, &p, ask.rest(i, done), deadline); err != nil || ask.tried > 0 {
			return err
		}
	}
}

// asksTerminal reports whether the terminal has a reply for the program that is not typed yet. Keys would become part of that
// reply. After new output, the picture first comes to its end, so that all queries in it are known.
func (t *inputWriter) asksTerminal() bool {
	t.await(settlePatience, t.input.caughtUp)
	asks := make(chan bool, 1)
	t.input.done <- func() {
		at := t.input.log.Next()
		if at == t.answered {
			asks <- t.input.queue.replies()
			return
		}
		known := func() { t.input.done <- func() { asks <- t.input.queue.replies() } }
		if t.input.display.order(order{at: at, then: known}) != nil {
			asks <- false // the picture is far behind
			return
		}
		t.answered = at
	}
	return <-asks || len(t.replies.held) > 0 && !t.canonical()
}

// mayWork reports whether a program that has got an Enter of the same request may be at work, although it has its terminal in an
// event loop: it shows no question, and more than input can end its wait. A line that such a program reads is for nobody. After
// workTime it counts as one that reads on, such as a server with timers.
func (t *inputWriter) mayWork() bool {
	if time.Since(t.enteredAt) >= workTime {
		return false
	}
	block, ok := t.watch.Blocked()
	if !ok || !block.Registered || block.Listens || !t.onEmptyLine() {
		return false
	}
	t.watch.Close() // what the other threads and processes do counts now
	block, ok = t.watch.Blocked()
	if now := time.Now(); !ok || !block.Alone || block.Timeout >= 0 || block.Number() != t.calm {
		t.calm, t.calmSince = block.Number(), now
	}
	return !ok || !block.Alone || block.Timeout >= 0 || time.Since(t.calmSince) < calmTime
}

// onEmptyLine reports whether a person would see the cursor on an empty line. An editor with a screen of its own has empty lines
// too.
func (t *inputWriter) onEmptyLine() bool {
	t.await(settlePatience, t.input.caughtUp)
	empty := make(chan bool, 1)
	t.input.done <- func() {
		err := t.input.display.picture(func(pic frame, err error) {
			s := pic.Snapshot
			empty <- err == nil && s.Cursor.Visible && !s.Modes.Alternate && strings.TrimSpace(prompt.CursorLine(s)) == ""
		})
		if err != nil {
			empty <- false
		}
	}
	return <-empty
}

// canonical reports whether the program reads lines. It gets no replies.
func (t *inputWriter) canonical() bool {
	m, err := t.tty.Modes()
	return err != nil || m.Canonical
}

// A hiddenReader is a program in front that the system hides. Nobody can tell whether it reads.
type hiddenReader struct {
	group int
	since time.Time
}

// due reports whether it is time to type for the hidden program: at once if it has got keys before, soon if it seems to
// ask for a password, and otherwise when it has had the time to begin to read.
func (h *hiddenReader) due(t *inputWriter) bool {
	group, err := t.tty.Foreground()
	if err != nil {
		return false
	}
	if group != h.group {
		h.group, h.since = group, time.Now()
	}
	patience := hiddenPatience
	if m, err := t.tty.Modes(); err == nil && m.Canonical && !m.Echo {
		patience = registeredTime
	} else if id, err := proc.Identify(group); err == nil && time.Since(id.Started()) < youth {
		patience = youngPatience
	}
	if group != t.hidden && time.Since(h.since) < patience {
		return false
	}
	t.hidden = group
	return true
}

// reads reports whether the program in front reads the terminal.
func (t *inputWriter) reads() bool {
	block, ok := t.watch.Blocked()
	if t.seen = ok; !ok || block.Number() == t.before && time.Since(t.beforeAt) < oldSleep {
		return false
	}
	m, err := t.tty.Modes()
	switch {
	case err != nil:
		return true
	case block.Registered && m.Canonical:
		now := time.Now()
		if block.TID != t.early.TID || now.Sub(t.earlySeen) > timedPause { // a thread with a timer waits again and again
			t.early, t.since = block, now
		}
		t.earlySeen = now
		return time.Since(t.since) >= registeredTime
	case block.Timeout >= 0 && block.Timeout < longWait, block.Read && m.Timed && !m.Canonical:
		return t.asksAgain(block)
	}
	return true
}

// asksAgain reports whether a thread that waits with a short time limit has waited before, and its time was over. A loop
// that only reads away what was typed too early stops then.
func (t *inputWriter) asksAgain(block blocked.Block) bool {
	now := time.Now()
	if block.TID != t.first.TID || now.Sub(t.lastSeen) > timedPause {
		t.first, t.firstSeen = block, now
	}
	t.lastSeen = now
	return block.Switches != t.first.Switches && now.Sub(t.firstSeen) >= block.Timeout
}

// awaitTaken waits until the program has read the last keys and reads again. The next keys would mean
// something else to the program if they came in the same read. Programs drop an Enter that comes with text,
// and take an Escape for the beginning of another key. At a new prompt they discard the input that they have
// not read.
func (t *inputWriter) awaitTaken(ask *typed, i, done int) error {
	if m, err := t.tty.Modes(); err != nil || m.Canonical && t.partial > 0 {
		if t.tty.Discards() != ask.proof.discards { // no program can have read half a line
			return errDiscarded
		}
		return err
	}
	if !t.awaitOpen(ask, ask.limit, func() bool {
		n, err := ask.proof.look(t.tty)
		return err != nil || n == 0
	}) {
		return t.interrupted(errNotReading)
	}
	switch ask.proof.fate(t.tty.Discards()) {
	case wire.Discarded:
		return errDiscarded
	case wire.Unknown:
		ask.unsure = true
	}
	if err := t.awaitEscapeRead(ask); err != nil {
		return err
	}
	return t.awaitReader(ask, i, done)
}

// awaitEscapeRead notes when the program has read the Escape that was typed last and waits for input again, if only for a
// short time.
func (t *inputWriter) awaitEscapeRead(ask *typed) error {
	if t.escaped.IsZero() || t.input.escapeRead.Load() != 0 {
		return nil
	}
	if !t.awaitOpen(ask, ask.limit, func() bool {
		n, err := t.tty.Unread()
		_, waits := t.watch.Blocked()
		return ask.untold || err == nil && n == 0 && (waits || ask.polls)
	}) {
		return t.interrupted(errNotReading)
	}
	t.input.escapeRead.Store(time.Now().UnixNano())
	return nil
}

// errDiscarded says that a program has thrown away keys that it had not read.
var errDiscarded = fmt.Errorf("%w: the program threw away its input", wire.ErrNotRead)

// awaitEscape waits until the program has taken an Escape as a key of its own. Before that, the program reads
// again with a time limit of its own, perhaps several times. The time counts from when the program has read the Escape and
// reads again, which on a busy machine is later than when the Escape was typed. On such a machine the program may not have run
// since its time limit was over: then its next wait counts.
func (t *inputWriter) awaitEscape() {
	if t.escaped.IsZero() {
		return
	}
	if read := t.input.escapeRead.Swap(0); read != 0 {
		t.escaped = time.Unix(0, read)
	}
	left := time.Until(t.escaped.Add(escapeTime))
	before, timed := t.watch.Blocked()
	t.await(left, func() bool { return false })
	if left > 0 && timed && before.Timeout >= 0 && before.Timeout < longWait {
		t.await(takePatience, func() bool {
			block, waits := t.watch.Blocked()
			return waits && block.Number() != before.Number()
		})
	}
}

// interrupted returns why a wait has ended without success: the program has ended, or for the reason.
func (t *inputWriter) interrupted(reason error) error {
	if t.input.ended.Load() {
		return wire.ErrProgramEnded
	}
	return reason
}

// awaitOpen waits for there, for a request. Meanwhile it types what does not wait for the request. It
// ends when the client of the request is gone.
func (t *inputWriter) awaitOpen(ask *typed, patience time.Duration, there func() bool) bool {
	early := t.input.early
	if ask.started {
		early = nil // the keys of a request arrive together
	}
	return t.await(patience, func() bool {
		select {
		case k := <-t.input.urgent:
			t.write(k)
		case k := <-early:
			t.write(k)
		default:
			t.typeReplies()
		}
		return ask.link.left.Load() || there()
	}) && !ask.link.isGone()
}

// typeUrgent types what waits for nothing, if there is something: keys that the terminal takes itself, and its replies.
func (t *inputWriter) typeUrgent() {
	select {
	case k := <-t.input.urgent:
		t.write(k)
	default:
		t.typeReplies()
	}
}

// await is the function await, but it ends when the program ends.
func (t *inputWriter) await(patience time.Duration, there func() bool) bool {
	return await(patience, func() bool { return t.input.ended.Load() || there() }) && !t.input.ended.Load()
}

// await looks again and again until there reports true or the time is over. It reports whether there was true.
func await(patience time.Duration, there func() bool) bool {
	return awaitTime(patience, func() (bool, time.Time) { return there(), time.Time{} })
}

// awaitTime works as await, for a function that may know when the next look is worth it. A zero time says nothing.
func awaitTime(patience time.Duration, there func() (ok bool, then time.Time)) bool {
	deadline := time.Now().Add(patience)
	for pause := lookFirst; ; pause = min(2*pause, lookMost) {
		ok, then := there()
		if ok || !time.Now().Before(deadline) {
			return ok
		}
		wait := min(pause, time.Until(deadline))
		if !then.IsZero() {
			wait = min(time.Until(then), time.Until(deadline))
		}
		<-time.After(wait)
	}
}
