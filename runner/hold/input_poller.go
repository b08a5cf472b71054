package hold

import (
	"fmt"
	"time"

	"devtools/runner/blocked"
	"devtools/runner/wire"
	"devtools/screen/keys"
)

// pollSleeps is how many sleeps of a program in front make it worth a try with a key, and how many more it may sleep without
// having read that key.
const pollSleeps = 3

// A poller is a program in front that sleeps again and again while the terminal gives single keys and shows none. It may look
// for input between its sleeps, as games do. The kernel does not show that: no thread ever waits for the terminal. What it
// shows is that a key was read.
type poller struct {
	pid    int           // process that has read a key; 0 while none has
	sleep  blocked.Block // last sleep that was seen
	sleeps int           // how many were seen after the first one, or after the last try
	enough int           // so many of them are worth a try

	discards int64 // pty.Terminal.Discards at the last look
}

// known reports whether the program has read a key and sleeps again. The inputWriter has looked for a reader just before.
func (p *poller) known(t *inputWriter) bool {
	sleep, ok := t.watch.Asleep()
	return ok && sleep.PID == p.pid && t.takesKeys()
}

// due reports whether the program is worth a try with the first key of rest. A paste is never tried.
func (p *poller) due(t *inputWriter, ask *typed, rest keys.Piece) bool {
	p.look(t)
	_, sleeps := t.watch.Asleep()
	return sleeps && p.sleeps >= p.enough && !rest.Paste && ask.req.Type.Question == 0 && time.Since(t.escaped) >= escapeTime
}

// look counts the sleeps of the program. One that throws its input away is not ready for a key.
func (p *poller) look(t *inputWriter) {
	sleep, ok := t.watch.Asleep()
	discards := p.discards
	p.discards = t.tty.Discards()
	switch {
	case t.seen || !t.takesKeys() || p.discards != discards:
		p.sleep, p.sleeps = blocked.Block{}, 0
	case !ok:
	case sleep.TID != p.sleep.TID:
		p.sleep, p.sleeps = sleep, 0
	case sleep.Switches != p.sleep.Switches:
		p.sleep, p.sleeps = sleep, p.sleeps+1
	}
}

// takesKeys reports whether the terminal gives single keys, and does not show them.
func (t *inputWriter) takesKeys() bool {
	m, err := t.tty.Modes()
	return err == nil && !m.Canonical && !m.Echo
}

// try types the first key of rest. If the program has read it, ask.tried is its length. Otherwise the key is taken back, or the
// program has thrown it away: it was not typed.
func (t *inputWriter) try(ask *typed, p *poller, rest keys.Piece, deadline time.Time) error {
	key := rest
	key.Data = firstKey(rest)
	started, slept := ask.started, p.sleep
	read, counted := slept.BytesRead()
	ask.started, p.sleeps = true, 0
	n, err := t.typeKeys(ask, key)
	if ask.tried = n; err != nil {
		return err
	}
	ask.proof.reader, ask.proof.read, ask.proof.counted = slept, read, counted
	t.awaitOpen(ask, time.Until(deadline), func() bool {
		t.reads()
		p.look(t)
		unread, err := ask.proof.look(t.tty)
		return err != nil || unread == 0 || p.sleeps >= pollSleeps
	})
	unread, err := ask.proof.look(t.tty) // of what was read before the program ended, too
	if err == nil && unread == n {       // nothing else waits that would be thrown away
		unread, err = 0, t.tty.DiscardInput()
	}
	if err != nil {
		return err
	}
	fate := wire.Unread
	if unread == 0 {
		fate = ask.proof.exactFate(t.tty.Discards())
	}
	switch {
	case fate == wire.Discarded:
		ask.started, ask.tried, ask.proof, t.entered = started, 0, proof{}, false
		p.sleeps, p.enough = 0, 2*p.enough
		return nil
	case fate == wire.Read && t.pollsOn(ask, slept.PID, deadline):
		ask.poller = slept.PID
		return nil
	}
	return fmt.Errorf("%w: the program has not waited for them", wire.ErrNotRead)
}

// pollsOn waits until a process that has read a key sleeps again, or another one waits for input. If the process itself waits
// for input, it may only have read away what was typed too early.
func (t *inputWriter) pollsOn(ask *typed, pid int, deadline time.Time) (ok bool) {
	t.awaitOpen(ask, time.Until(deadline), func() bool {
		reader, reads := t.watch.Blocked()
		sleep, sleeps := t.watch.Asleep()
		ok = reads && reader.PID != pid || sleeps && sleep.PID == pid
		return ok || reads
	})
	return ok || t.input.ended.Load()
}
