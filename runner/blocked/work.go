package blocked

import "time"

// A program that reads its terminal may also be at work, in another thread or between two polls. The kernel shows it by the signs
// of this file: another thread or a child goes on ([mixed]), processor time, and bytes that move.

const (
	// workWindow is the time over which processor time is measured: the kernel tells it in steps of 10 ms.
	workWindow = 400 * time.Millisecond

	// workShare is the part of a processor that is work, one in so many. Bubbletea with its 60 ticks a second uses 1.3 % at
	// rest. A thread that copies files, with an fsync after each, uses 11 %.
	workShare = 20

	// workBytes is how many bytes may move in a window beside those that are printed. The 60 ticks may wake another thread
	// with 8 bytes each, an eventfd(2).
	workBytes = 1 << 10
)

// A usage is what the processes in front have used so far.
type usage struct {
	at      time.Time
	cpu     time.Duration
	moved   int64 // bytes that they read and wrote, without those that the terminal got
	counted bool  // moved is known
}

// A work remembers the signs of work.
type work struct {
	seen     time.Time // the last sign
	from     usage     // at the beginning of the window
	last     usage     // at the last probe
	ran      time.Time // last probe that saw that processor time was used
	measured bool      // a whole window has passed since the first probe
}

// saw takes the usage at a probe into account. sign says that the probe itself has seen work.
func (w *work) saw(now usage, sign bool) {
	if w.last.at.IsZero() || now.at.Sub(w.last.at) > staleAfter || now.cpu < w.last.cpu || now.moved < w.last.moved-workBytes || now.counted != w.last.counted { // another process
		*w = work{seen: w.seen, from: now, ran: now.at}
	}
	if now.cpu > w.last.cpu {
		w.ran = now.at
	}
	w.last = now
	elapsed := now.at.Sub(w.from.at)
	switch {
	case sign, now.moved-w.from.moved > workBytes:
		w.seen = now.at
	case elapsed < workWindow:
		return
	default:
		w.measured = true
		if workShare*(now.cpu-w.from.cpu) >= elapsed {
			w.seen = w.ran
		}
	}
	w.from = now
}

// rest returns for how long there was neither a sign of work nor output or input. quiet is how long there was neither of the
// latter.
func (w *work) rest(now time.Time, quiet time.Duration) time.Duration {
	return min(quiet, now.Sub(w.seen))
}

// A rhythm knows when a program that polls its terminal has printed by itself: a clock, a game, a countdown.
type rhythm struct {
	printed time.Time        // last output
	polled  bool             // the last probe saw it poll, or wait for input alone
	pauses  [2]time.Duration // the last two pauses that it ended by itself
}

// saw takes a probe into account. before is the time of the probe before, and typed when something was last typed.
func (r *rhythm) saw(printed, before, typed time.Time, polls bool) {
	if printed.Sub(r.printed) >= firstProbe { // no probe is closer to an output
		if r.polled && typed.Before(r.printed) {
			r.pauses[0], r.pauses[1] = r.pauses[1], max(0, before.Sub(r.printed))
		} else {
			r.pauses = [2]time.Duration{}
		}
		r.printed = printed
	}
	r.polled = polls
}

// needs returns how long the program must rest before it can be said to wait. Two pauses make a rhythm: one may have been work
// before a question.
func (r *rhythm) needs() time.Duration {
	if pause := min(r.pauses[0], r.pauses[1]); pause > 0 {
		return pause + pause/2 + slowProbe
	}
	return 0
}
