package hold

import (
	"strings"
	"time"

	"devtools/runner/proc"
	"devtools/screen/keys"
)

// awaitRoom waits until the terminal takes all of the keys ahead of the reader, or the program reads. It
// reports whether either has happened.
func (t *inputWriter) awaitRoom(ask *typed) bool {
	return t.await(time.Until(ask.until()), func() bool {
		if _, ok := t.watch.Blocked(); ok {
			t.deaf = 0
			return true
		}
		return t.hasRoom(ask)
	})
}

// hasRoom reports whether the terminal takes all of the keys ahead of the reader.
func (t *inputWriter) hasRoom(ask *typed) bool {
	unread, err := t.tty.Unread()
	return err != nil || unread+t.partial+ask.size <= queueBytes
}

// awaitReader waits for the program in front to read the terminal, and reports whether it does. If it waited
// in vain, it does not wait for the same program again until that program has read.
func (t *inputWriter) awaitReader(pieces []keys.Piece, noWait bool) bool {
	if t.reads() {
		t.deaf = 0
		return true
	}
	if !t.watch.Sees() {
		return true // this system cannot tell whether the program reads, so waiting would not help
	}
	group, err := t.tty.Foreground()
	if err != nil || group == t.deaf || noWait {
		return false
	}
	patience := readerPatience
	if id, err := proc.Identify(group); err == nil && time.Since(id.Started()) < youth && !t.interrupts(pieces) {
		patience = startPatience
	}
	if !t.await(patience, t.reads) {
		t.deaf = group
		return false
	}
	t.deaf = 0
	return true
}

// interrupts reports whether the terminal turns the first of the keys into a signal. Such a key is also for
// programs that do not read.
func (t *inputWriter) interrupts(pieces []keys.Piece) bool {
	if len(pieces) == 0 || len(pieces[0].Data) == 0 {
		return false
	}
	m, err := t.tty.Modes()
	return err == nil && m.Signals && strings.IndexByte("\x03\x1c\x1a", pieces[0].Data[0]) >= 0
}

// reads reports whether the program in front reads the terminal.
func (t *inputWriter) reads() bool {
	block, ok := t.watch.Blocked()
	if !ok || !block.Registered {
		return ok
	}
	if m, err := t.tty.Modes(); err != nil || !m.Canonical {
		return true
	}
	if block != t.early {
		t.early, t.since = block, time.Now()
	}
	return time.Since(t.since) >= registeredTime
}

// awaitTaken waits until the program has read the last keys and reads again. The next keys would mean
// something else to the program if they came in the same read. Programs drop an Enter that comes with text,
// and take an Escape for the beginning of another key. At a new prompt they discard the input that they have
// not read.
func (t *inputWriter) awaitTaken() {
	if m, err := t.tty.Modes(); err != nil || m.Canonical && t.partial > 0 {
		return // no program reads half a line
	}
	if t.deaf != 0 {
		return
	}
	if !t.await(takePatience, func() bool { n, err := t.tty.Unread(); return err != nil || n == 0 }) {
		return
	}
	t.await(readerPatience, func() bool { _, ok := t.watch.Blocked(); return ok })
}

// awaitEscape waits until the program has taken an Escape as a key of its own. Before that, the program reads
// again with a time limit of its own, perhaps several times.
func (t *inputWriter) awaitEscape() {
	if !t.escaped.IsZero() {
		t.await(time.Until(t.escaped.Add(escapeTime)), func() bool { return false })
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
