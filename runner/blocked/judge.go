package blocked

import (
	"fmt"
	"time"
)

// The times of the rule. They were tuned on some 160 programs.
const (
	firstProbe   = 30 * time.Millisecond  // of quiet before the first probe
	fastProbe    = 100 * time.Millisecond // longest interval between probes in the first slowAfter of quiet
	slowProbe    = 250 * time.Millisecond // shortest interval after that; the interval is an eighth of quiet
	slowestProbe = time.Second            // longest interval: after that, a probe finds cold caches and takes 0.3 ms and more
	slowAfter    = 2 * time.Second
	confirmAfter = 30 * time.Millisecond // a sleep that lasts this long is confirmed

	// A user interface with several threads draws while one of them reads.
	quietThreads = 120 * time.Millisecond

	quietRaw    = 400 * time.Millisecond  // for a full-screen program that polls the terminal
	quietPolled = 1200 * time.Millisecond // for any other program that polls the terminal
	// A program may have a timer after which it goes on, as setTimeout of Node.js. With 1.2 s for all, 5 of 204 dialogues with
	// pauses of up to 1.5 s were said to wait in them. Later timers are mostly those of the runtime.
	laterTimer = 3 * time.Second
	timerDelay = 200 * time.Millisecond // how late a timer may wake a program

	quietPrompt = 1500 * time.Millisecond // where only the screen can decide
	quietBack   = 100 * time.Millisecond  // where the prompt is back at which commands are typed

	typedWait  = 150 * time.Millisecond
	cpuWindow  = 200 * time.Millisecond
	staleAfter = 2 * time.Second // after this time without a probe, only a sleep that still lasts counts
	minSeen    = 3               // probes needed that saw a reader which comes and goes, minus probes that missed it
)

// A readerStreak is a reader, and the time since when it has been seen.
type readerStreak struct {
	tid   int
	times int
	block uint64
	since time.Time // first probe that saw the block
}

// A timer is what is known of the timers of a reader since an output.
type timer struct {
	printed, due time.Time     // of the output, and when the last of them is due
	length       time.Duration // of the last one
}

// A history is what a watch keeps from one probe to the next.
type history struct {
	reader  readerStreak
	typedAt time.Time
	// typedBlock is the block at the time typedAt. In a nested terminal, it belongs to another thread than the reader.
	// Then innerBlock is the reader's block: from the last probe before the write, otherwise from the first probe after it.
	typedBlock, innerBlock uint64
	probedAt               time.Time // time of the last probe
	timer                  timer
	cpuUsed                [2]struct {
		at  time.Time
		cpu time.Duration
	}
}

// judge turns a snapshot into a verdict. prompt and back are as in [Watch]; both may be nil.
func (h *history) judge(now time.Time, quiet time.Duration, s snapshot, prompt func(hidden bool) bool, back func() bool) Verdict {
	h.forgetStale(now)
	f := s.find(h.reader.tid)
	busy := h.busy(now, f.terminal.cpu)
	v := Verdict{
		State: NotWaiting, Reason: f.reason,
		PID: f.block.PID, TID: f.block.TID, Comm: f.comm, Syscall: f.call, Block: f.block.Number(),
		Canonical: f.terminal.Canonical, Echo: f.terminal.Echo, Secret: f.terminal.Canonical && !f.terminal.Echo,
		Next: nextProbe(quiet),
	}
	if f.class == noReader || f.class == relayed {
		h.sawNoReader()
		if p, how := s.stopped(); how != nobodyReads && f.class == noReader {
			v.State, v.Reason, v.PID, v.Comm = Stopped, Reason{Way: how}, p.pid, p.name
		}
		return v
	}
	v.Evidence = append(v.Evidence, f.describe())
	v.State = AcceptsInput
	if f.class == undecided {
		v.State = Unknown
	}
	if h.typedDuringSleep(now, f) {
		v.Evidence = append(v.Evidence, "it has not run since something was typed")
		v.Next = min(v.Next, confirmAfter)
		return v
	}
	h.sawReader(now, f.block)
	h.sawTimer(now, quiet, f)
	settled := quiet >= f.settlesAfter() && h.reader.times >= minSeen && !busy
	switch f.class {
	case background: // the foreground group does not wait for anything that a person could type
		return v
	case mixed, polled:
		if back != nil && quiet >= quietBack && back() {
			v.waiting(Medium, PromptAtCursor, "the prompt is back at which commands are typed")
			return v
		}
	}
	switch f.class {
	case mixed, undecided:
		v.judgeScreen(quiet, f.class == undecided, prompt)
	case polled:
		v.judgePolled(quiet, f.settlesAfter(), settled && !h.mayGoOn(now, prompt))
	default:
		v.judgeSleep(f, quiet, now.Sub(h.reader.since), settled)
	}
	return v
}

// settlesAfter returns how long a program that polls the terminal must be quiet.
func (f finding) settlesAfter() time.Duration {
	if f.threads == 1 && !f.terminal.Canonical {
		return quietRaw
	}
	return quietPolled
}

// sawTimer remembers when the last of the timers is due with which the reader has slept since the last output. Only timers that
// are due soon count. Of equal timers in a row only the first counts: a program that polls sets the same one again and again. A
// full-screen program of one thread is left out, because it polls quickly.
func (h *history) sawTimer(now time.Time, quiet time.Duration, f finding) {
	if printed := now.Add(-quiet); printed.Sub(h.timer.printed) >= firstProbe { // there is no probe between two outputs closer than that
		h.timer = timer{printed: printed, length: -1}
	}
	soon := f.timeout >= 0 && f.timeout < laterTimer && f.settlesAfter() == quietPolled
	if due := now.Add(f.timeout); soon && quiet < quietPolled && f.timeout != h.timer.length {
		h.timer.length = f.timeout
		if due.After(h.timer.due) {
			h.timer.due = due
		}
	}
}

// mayGoOn reports whether such a timer may still make the program go on. A prompt says that it waits.
func (h *history) mayGoOn(now time.Time, prompt func(hidden bool) bool) bool {
	return now.Before(h.timer.due.Add(timerDelay)) && !(prompt != nil && prompt(false))
}

// judgeScreen decides by the screen whether a program waits that has other things to wait for, or that is hidden.
func (v *Verdict) judgeScreen(quiet time.Duration, hidden bool, prompt func(hidden bool) bool) {
	if quiet < quietPrompt {
		v.Next = min(v.Next, quietPrompt-quiet)
	} else if prompt != nil && prompt(hidden) {
		v.waiting(Heuristic, PromptAtCursor, "the screen shows a prompt")
	}
}

// judgePolled decides by the quiet time whether a program waits that checks the terminal from time to time.
func (v *Verdict) judgePolled(quiet, settlesAfter time.Duration, settled bool) {
	if settled {
		v.waiting(Medium, "", fmt.Sprintf("nothing was printed for %v", quiet.Round(time.Millisecond)))
		return
	}
	v.Next = min(v.Next, slowProbe)
	if quiet < settlesAfter {
		v.Next = min(v.Next, settlesAfter-quiet)
	}
}

// judgeSleep decides by the length of its sleep whether a program waits that only input wakes.
func (v *Verdict) judgeSleep(f finding, quiet, asleep time.Duration, settled bool) {
	calm := f.threads == 1 || quiet >= quietThreads
	switch {
	case asleep >= confirmAfter && calm:
		confidence := High
		if f.class == readAlone {
			confidence = Certain
		}
		v.waiting(confidence, "", fmt.Sprintf("it has not run for %v", asleep.Round(time.Millisecond)))
	case settled && f.class != echoOff:
		// Something wakes the reader, such as a signal, but the reader always comes back.
		v.waiting(Medium, Repeated, fmt.Sprintf("nothing was printed for %v", quiet.Round(time.Millisecond)))
	default:
		v.Next = confirmAfter
	}
}

// forgetStale forgets outdated facts after a long time without a probe: how busy the foreground group was, and how
// often the reader was seen. It remembers the last sleep: if the reader is still in it, that sleep has lasted since
// then.
func (h *history) forgetStale(now time.Time) {
	if now.Sub(h.probedAt) > staleAfter {
		h.reader.times = min(h.reader.times, 1)
		h.cpuUsed[0].at, h.cpuUsed[1].at = time.Time{}, time.Time{}
	}
	h.probedAt = now
}

func (v *Verdict) waiting(c Confidence, ground Ground, evidence string) {
	v.State, v.Confidence, v.Next = Waiting, c, max(slowProbe, v.Next)
	v.Reason.Ground = ground
	v.Evidence = append(v.Evidence, evidence)
}

// typed remembers that something was typed while the terminal's reader slept.
func (h *history) typed(at time.Time, before uint64) {
	h.typedAt, h.typedBlock, h.innerBlock = at, before, h.reader.block
	h.reader = readerStreak{}
}

// typedDuringSleep reports whether the reader may still be in the sleep in which it was when something was typed.
func (h *history) typedDuringSleep(now time.Time, f finding) bool {
	block := f.block.Number()
	if h.typedAt.IsZero() || now.Sub(h.typedAt) >= typedWait || block == 0 {
		return false
	}
	if f.nested && h.innerBlock == 0 {
		h.innerBlock = block
	}
	return block == h.typedBlock || block == h.innerBlock
}

// sawReader remembers a reader.
func (h *history) sawReader(now time.Time, b Block) {
	if b.TID != h.reader.tid {
		h.reader = readerStreak{tid: b.TID}
	}
	h.reader.times++
	if n := b.Number(); n != h.reader.block {
		h.reader.block, h.reader.since = n, now
	}
}

// sawNoReader remembers that a probe saw no reader. A reader that comes and goes may come back.
func (h *history) sawNoReader() {
	h.reader = readerStreak{tid: h.reader.tid, times: max(0, h.reader.times-1)}
}

// busy reports whether the foreground group used at least half a processor over the last measured time. As long as that
// is unknown, the group counts as busy.
func (h *history) busy(now time.Time, cpu time.Duration) bool {
	if cpu < h.cpuUsed[1].cpu { // a process has ended
		h.cpuUsed[0].at, h.cpuUsed[1].at = time.Time{}, time.Time{}
	}
	if h.cpuUsed[1].at.IsZero() || now.Sub(h.cpuUsed[1].at) >= cpuWindow {
		h.cpuUsed[0] = h.cpuUsed[1]
		h.cpuUsed[1].at, h.cpuUsed[1].cpu = now, cpu
	}
	since := h.cpuUsed[0]
	return since.at.IsZero() || 2*(cpu-since.cpu) >= now.Sub(since.at)
}

// nextProbe returns the time until the next probe.
func nextProbe(quiet time.Duration) time.Duration {
	switch {
	case quiet < firstProbe:
		return firstProbe - max(quiet, 0)
	case quiet < slowAfter:
		return min(quiet/2, fastProbe)
	}
	return min(max(slowProbe, quiet/8), slowestProbe)
}
