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

	// A program that polls the terminal, or a client at its prompt, while its picture asks something: how long it must rest. One thread
	// cannot be at work while it sleeps; with several, or an event loop, the signs of work need their time.
	quietOne  = 400 * time.Millisecond
	quietMany = 700 * time.Millisecond

	// The same without such a picture, for a program of one thread without an event loop, such as read -t of a shell. Others are
	// never said to wait then: a thread that sleeps between two steps looks like one that only keeps time.
	quietPolled = 3 * time.Second

	quietPrompt = 1500 * time.Millisecond // where only the screen can decide
	quietBack   = 100 * time.Millisecond  // where the prompt is back at which commands are typed

	typedWait  = 150 * time.Millisecond
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

// A history is what a watch keeps from one probe to the next.
type history struct {
	reader  readerStreak
	typedAt time.Time
	// typedBlock is the block at the time typedAt. In a nested terminal, it belongs to another thread than the reader.
	// Then innerBlock is the reader's block: from the last probe before the write, otherwise from the first probe after it.
	typedBlock, innerBlock uint64
	probedAt               time.Time // time of the last probe
	work                   work
	rhythm                 rhythm
	steppedAt              time.Time      // when a thread was last seen in a long sleep
	behind                 stoppedProcess // as the last probe has seen it
}

// judge turns a snapshot into a verdict. printed is how many bytes have been printed so far, negative if that is not known.
func (h *history) judge(now time.Time, quiet time.Duration, s snapshot, printed int64, look Picture) Verdict {
	before := h.forgetStale(now)
	f := s.find(h.reader.tid)
	h.work.saw(usage{now, f.terminal.cpu, f.terminal.moved - printed, f.terminal.counted && printed >= 0}, f.class == mixed && !f.idle)
	h.rhythm.saw(now.Add(-quiet), before, h.typedAt, f.class >= polled)
	v := Verdict{
		State: NotWaiting, Reason: f.reason,
		PID: f.block.PID, TID: f.block.TID, Comm: f.comm, Syscall: f.call, Block: f.block.Number(),
		Canonical: f.terminal.Canonical, Echo: f.terminal.Echo, Secret: f.terminal.Canonical && !f.terminal.Echo,
		Next: nextProbe(quiet),
	}
	if f.class == noReader || f.class == relayed {
		h.sawNoReader()
		if f.class == noReader {
			h.judgeOthers(&v, s, h.work.rest(now, quiet), look)
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
	switch f.class {
	case background: // the foreground group does not wait for anything that a person could type
		v.After = Never
		return v
	case mixed, polled:
		if quiet >= quietBack && look.back() {
			v.waiting(Medium, PromptAtCursor, "the prompt is back at which commands are typed")
			return v
		}
	}
	rest := h.work.rest(now, quiet)
	switch f.class {
	case mixed, undecided:
		if !f.idle || !h.judgeClient(&v, quiet, rest, look) {
			v.judgeScreen(f, quiet, look)
			if f.idle && v.State == Waiting && !h.known() {
				v.After = slowProbe
			}
		}
	case polled:
		h.judgePolled(&v, f, rest, h.wants(now, f), "", look)
	default:
		h.judgeSleep(&v, f, now, rest, look)
	}
	return v
}

// judgeScreen decides by the screen whether a program waits that has other things to wait for, or that is hidden.
func (v *Verdict) judgeScreen(f finding, quiet time.Duration, look Picture) {
	lasts := f.reason.Meanwhile == "" && f.reason.Thread == "" // what else goes on may end at any time
	if quiet < quietPrompt {
		if v.Next = min(v.Next, quietPrompt-quiet); lasts {
			v.After = quietPrompt - quiet
		}
		return
	}
	if lasts {
		v.After = Never
	}
	// A program in raw mode that is no server may ask anywhere on the screen: a mail program watches its folders.
	full := f.class == mixed && lasts && !f.terminal.Canonical && !f.reason.Also(Listens)
	if look.prompt(*v, f.class == undecided) || full && look.offers(*v, WholeScreen) {
		v.waiting(Heuristic, PromptAtCursor, "the screen shows a prompt")
	}
}

// judgeClient decides whether a client waits at its prompt whose connections are idle: npx, node inspect, erl. decided is false where
// only the screen can tell.
func (h *history) judgeClient(v *Verdict, quiet, rest time.Duration, look Picture) (decided bool) {
	switch asked := max(quietMany, h.rhythm.needs()); {
	case rest < asked:
		v.await(asked - rest)
		return quiet < quietPrompt
	case !h.known() || !look.offers(*v, Command):
		return false
	}
	v.waiting(Medium, PromptAtCursor, fmt.Sprintf("it has rested for %v at its prompt", rest.Round(time.Millisecond)))
	return true
}

// wants returns what the picture must show before a program can be said to wait that looks at the terminal now and then. Keys are not
// enough where a thread may be at work between two sleeps: a file manager names them, and so does a backup. Nor are they for a program
// that a signal wakes.
func (h *history) wants(now time.Time, f finding) Wanted {
	if f.sleeper {
		h.steppedAt = now
	}
	if f.reason.Way == Signalled || now.Sub(h.steppedAt) < staleAfter {
		return Question
	}
	return Anything
}

// known reports whether there were enough probes to tell work from rest.
func (h *history) known() bool { return h.reader.times >= minSeen && h.work.measured }

// judgePolled decides by the time of rest whether a program waits that checks the terminal from time to time.
func (h *history) judgePolled(v *Verdict, f finding, rest time.Duration, wanted Wanted, ground Ground, look Picture) {
	asked, unasked := quietMany, Never
	if !f.loop {
		unasked = max(quietPolled, h.rhythm.needs())
		if !f.terminal.Canonical {
			asked = quietOne
		}
	}
	asked = max(asked, h.rhythm.needs())
	v.Next = min(v.Next, slowProbe)
	switch {
	case rest < asked:
		v.await(asked - rest)
	case !h.known():
	case look.offers(*v, wanted):
		v.waiting(Medium, ground, fmt.Sprintf("it has rested for %v, and the screen asks for input", rest.Round(time.Millisecond)))
	case rest >= unasked:
		v.waiting(Medium, ground, fmt.Sprintf("it has rested for %v", rest.Round(time.Millisecond)))
	case unasked == Never:
		v.After = Never
	default:
		v.await(unasked - rest)
	}
}

// judgeOthers decides where nobody reads the terminal. The foreground may be stopped. A program may also look at the terminal
// between two short sleeps; then the screen decides.
func (h *history) judgeOthers(v *Verdict, s snapshot, rest time.Duration, look Picture) {
	if p, how := s.stopped(); how != nobodyReads {
		v.State, v.Reason, v.PID, v.Comm = Stopped, Reason{Way: how}, p.pid, p.name
		return
	}
	if b, before := s.behind, h.behind; b.pid != 0 {
		if h.behind = b; b == before { // a shell with job control that was about to take notice has done so since
			v.State, v.Reason, v.PID, v.Comm, v.StoppedUnnoticed = Stopped, Reason{Way: b.how}, b.pid, b.name, true
			return
		}
	}
	p, ok := s.naps()
	if !ok {
		return
	}
	v.State, v.Reason.Way, v.PID, v.TID, v.Comm = AcceptsInput, ShortSleeps, p.pid, p.pid, p.name
	v.Evidence = append(v.Evidence, fmt.Sprintf("%s (pid %d) sleeps for short times", p.name, p.pid))
	switch {
	case rest < quietPrompt:
		v.await(quietPrompt - rest)
	case !h.work.measured:
	case look.offers(*v, Anything):
		v.waiting(Heuristic, PromptAtCursor, "the screen asks for input")
	default:
		v.After = Never
	}
}

// await makes the next probe come when the verdict can become Waiting.
func (v *Verdict) await(after time.Duration) {
	v.After, v.Next = after, min(v.Next, after)
}

// judgeSleep decides by the length of its sleep whether a program waits that only input wakes.
func (h *history) judgeSleep(v *Verdict, f finding, now time.Time, rest time.Duration, look Picture) {
	asleep := now.Sub(h.reader.since)
	calm := f.threads == 1 || rest >= quietThreads
	switch {
	case asleep >= confirmAfter && calm:
		confidence := High
		if f.class == readAlone {
			confidence = Certain
		}
		v.waiting(confidence, "", fmt.Sprintf("it has not run for %v", asleep.Round(time.Millisecond)))
		return
	case f.class != echoOff:
		// Something wakes the reader, such as a signal, but the reader always comes back.
		h.judgePolled(v, f, rest, h.wants(now, f), Repeated, look)
	}
	if v.State != Waiting {
		if v.After != Never {
			v.Next = confirmAfter
		}
		v.After = 0 // the next sleep may last
	}
}

// forgetStale forgets after a long time without a probe how often the reader was seen. It remembers the last sleep: if the
// reader is still in it, that sleep has lasted since then. forgetStale returns the time of the last probe.
func (h *history) forgetStale(now time.Time) (before time.Time) {
	before = h.probedAt
	if now.Sub(before) > staleAfter {
		h.reader.times = min(h.reader.times, 1)
	}
	h.probedAt = now
	return before
}

func (v *Verdict) waiting(c Confidence, ground Ground, evidence string) {
	v.State, v.Confidence, v.Next, v.After = Waiting, c, max(slowProbe, v.Next), 0
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
