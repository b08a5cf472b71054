package hold

import (
	"fmt"
	"time"

	"devtools/runner/blocked"
	"devtools/runner/wire"
	"devtools/screen/keys"
)

const (
	// pollSleeps is how often a program in front must have slept to be worth a try with a key, and how often it may sleep
	// after that without having read the key.
	pollSleeps = 3

	// pollTime is how long it must have done so: a program may sleep at its start, and then wait for input. tryTime is how
	// long it may take to read the key, whatever it does.
	pollTime = time.Second
	tryTime  = 3 * time.Second

	// triedBytes is how long a key may be that is taken back. No name of a key sends more.
	triedBytes = 32
)

// A poller is a program in front that sleeps again and again while the terminal gives single keys and shows none. It may look
// for input between its sleeps, as games do. The kernel does not show that: no thread ever waits for the terminal. What it
// shows is that a key was read.
type poller struct {
	sleep  blocked.Block // last sleep that was seen
	since  time.Time     // when the first one was seen
	sleeps int           // number of sleeps after the first one, or after the last try
	enough int           // number that is worth a try

	discards int64 // pty.Terminal.Discards at the last look
}

// polls reports whether the program has read a key that it was tried with, and sleeps again. The inputWriter has looked for a
// reader just before.
func (t *inputWriter) polls() bool {
	sleep, ok := t.watch.Asleep()
	return ok && t.poller != 0 && sleep.PID == t.poller && t.takesKeys()
}

// due reports whether the program is worth a try with the first key of rest. A paste is never tried, nor a key behind others
// that are still to be read.
func (p *poller) due(t *inputWriter, ask *typed, rest keys.Piece) bool {
	p.look(t)
	_, sleeps := t.watch.Asleep()
	if !sleeps || p.sleeps < p.enough || time.Since(p.since) < pollTime || rest.Paste || len(firstKey(rest)) > triedBytes {
		return false
	}
	unread, err := t.tty.Unread()
	return err == nil && unread == 0 && ask.req.Type.Question == 0 && time.Since(t.escaped) >= escapeTime
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
		p.sleep, p.sleeps, p.since = sleep, 0, time.Now()
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
	started, entered, slept := ask.started, t.entered, p.sleep
	read, counted := slept.BytesRead()
	if !started {
		if err := t.input.checkHalfLine(ask.req.Type); err != nil {
			return err
		}
	}
	ask.started, p.sleeps = true, 0
	n, err := t.typeKeys(ask, key)
	if ask.tried = n; err != nil {
		return err
	}
	ask.proof.reader, ask.proof.read, ask.proof.counted = slept, read, counted
	t.awaitOpen(ask, min(time.Until(deadline), tryTime), func() bool {
		t.reads()
		p.look(t)
		unread, err := ask.proof.look(t.tty)
		return err != nil || unread == 0 || p.sleeps >= pollSleeps
	})
	unread, err := ask.proof.look(t.tty) // of what was read before the program ended, too
	if err == nil && unread == n {       // nothing else waits that would be thrown away
		unread, err = 0, t.discardInput()
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
		ask.started, ask.tried, ask.proof, t.entered = started, 0, proof{}, entered
		p.sleeps, p.enough = 0, 2*p.enough
		return nil
	case fate == wire.Read && t.pollsOn(ask, slept, deadline):
		ask.polls, t.poller = true, slept.PID
		return nil
	case fate == wire.Unknown:
		return fmt.Errorf("%w: the program threw input away, and nobody can tell whether it had read them", wire.ErrNotRead)
	}
	return fmt.Errorf("%w: the program has not waited for them", wire.ErrNotRead)
}

// pollsOn waits until a process that has read a key sleeps again or has ended, or another one waits for input. If the process
// itself waits for input, it may only have read away what was typed too early.
func (t *inputWriter) pollsOn(ask *typed, slept blocked.Block, deadline time.Time) (ok bool) {
	pid := slept.PID
	t.awaitOpen(ask, time.Until(deadline), func() bool {
		reader, reads := t.watch.Blocked()
		sleep, sleeps := t.watch.Asleep()
		_, alive := slept.BytesRead()
		ok = reads && reader.PID != pid || sleeps && sleep.PID == pid || !alive
		return ok || reads
	})
	return ok || t.input.ended.Load()
}
