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
	quietPrompt = 1500 * time.Millisecond // where only the screen can decide

	writtenWait = 150 * time.Millisecond
	cpuWindow   = 200 * time.Millisecond
	staleAfter  = 2 * time.Second // after this time without a probe, only a sleep that still lasts counts
	sightings   = 3               // probes needed that saw a reader which comes and goes, minus probes that missed it
)

// A sighting is a reader, and the time since when it has been seen.
type sighting struct {
	tid   int
	times int
	block uint64
	since time.Time // first probe that saw the block
}

// memory is what a watch keeps from one probe to the next.
type memory struct {
	seen    sighting
	written time.Time
	// before is the block at the time written. In a nested terminal, it belongs to another thread than the reader. Then
	// beyond is the reader's block: from the last probe before the write, otherwise from the first probe after it.
	before, beyond uint64
	probed         time.Time // time of the last probe
	used           [2]struct {
		at  time.Time
		cpu time.Duration
	}
}

// judge turns a reading into a verdict.
func (m *memory) judge(now time.Time, quiet time.Duration, r reading, prompt func(hidden bool) bool) Verdict {
	m.refresh(now)
	f := r.find(m.seen.tid)
	busy := m.busy(now, f.terminal.cpu)
	v := Verdict{
		State: NotWaiting, Reason: f.reason,
		PID: f.block.PID, TID: f.block.TID, Comm: f.comm, Syscall: f.call, Block: f.block.Number(),
		Canonical: f.terminal.Canonical, Echo: f.terminal.Echo, Secret: f.terminal.Canonical && !f.terminal.Echo,
		Next: nextProbe(quiet),
	}
	if f.class == noReader || f.class == relayed {
		m.miss()
		if p, how := r.stopped(); how != nobodyReads && f.class == noReader {
			v.State, v.Reason, v.PID, v.Comm = Stopped, Reason{Way: how}, p.pid, p.name
		}
		return v
	}
	v.Evidence = append(v.Evidence, f.describe())
	v.State = AcceptsInput
	if f.class == undecided {
		v.State = Unknown
	}
	if m.old(now, f) {
		v.Evidence = append(v.Evidence, "it has not run since something was typed")
		v.Next = min(v.Next, confirmAfter)
		return v
	}
	m.see(now, f.block)

	held := now.Sub(m.seen.since)
	wait := quietPolled
	if f.threads == 1 && !f.terminal.Canonical {
		wait = quietRaw
	}
	settled := quiet >= wait && m.seen.times >= sightings && !busy
	switch f.class {
	case behind: // the foreground group does not wait for anything that a person could type
	case mixed, undecided:
		if quiet < quietPrompt {
			v.Next = min(v.Next, quietPrompt-quiet)
		} else if prompt != nil && prompt(f.class == undecided) {
			v.waiting(Heuristic, PromptAtCursor, "the screen shows a prompt")
		}
	case polled:
		if settled {
			v.waiting(Medium, "", fmt.Sprintf("nothing was printed for %v", quiet.Round(time.Millisecond)))
		} else if v.Next = min(v.Next, slowProbe); quiet < wait {
			v.Next = min(v.Next, wait-quiet)
		}
	default:
		calm := f.threads == 1 || quiet >= quietThreads
		switch {
		case held >= confirmAfter && calm && f.class == readAlone:
			v.waiting(Certain, "", fmt.Sprintf("it has not run for %v", held.Round(time.Millisecond)))
		case held >= confirmAfter && calm:
			v.waiting(High, "", fmt.Sprintf("it has not run for %v", held.Round(time.Millisecond)))
		case settled && f.class != echoOff:
			// Something wakes the reader, such as a signal, but the reader always comes back.
			v.waiting(Medium, Repeated, fmt.Sprintf("nothing was printed for %v", quiet.Round(time.Millisecond)))
		default:
			v.Next = confirmAfter
		}
	}
	return v
}

// refresh forgets outdated facts after a long time without a probe: how busy the foreground group was, and how often
// the reader was seen. It remembers the last sleep: if the reader is still in it, that sleep has lasted since then.
func (m *memory) refresh(now time.Time) {
	if now.Sub(m.probed) > staleAfter {
		m.seen.times = min(m.seen.times, 1)
		m.used[0].at, m.used[1].at = time.Time{}, time.Time{}
	}
	m.probed = now
}

func (v *Verdict) waiting(c Confidence, ground Ground, evidence string) {
	v.State, v.Confidence, v.Next = Waiting, c, max(slowProbe, v.Next)
	v.Reason.Ground = ground
	v.Evidence = append(v.Evidence, evidence)
}

// write remembers that something was typed while the terminal's reader slept.
func (m *memory) write(at time.Time, before uint64) {
	m.written, m.before, m.beyond = at, before, m.seen.block
	m.seen = sighting{}
}

// old reports whether the reader may still be in the sleep in which it was when something was typed.
func (m *memory) old(now time.Time, f finding) bool {
	block := f.block.Number()
	if m.written.IsZero() || now.Sub(m.written) >= writtenWait || block == 0 {
		return false
	}
	if f.nested && m.beyond == 0 {
		m.beyond = block
	}
	return block == m.before || block == m.beyond
}

// see remembers a reader.
func (m *memory) see(now time.Time, b Block) {
	if b.TID != m.seen.tid {
		m.seen = sighting{tid: b.TID}
	}
	m.seen.times++
	if n := b.Number(); n != m.seen.block {
		m.seen.block, m.seen.since = n, now
	}
}

// miss remembers that a probe saw no reader. A reader that comes and goes may come back.
func (m *memory) miss() {
	m.seen = sighting{tid: m.seen.tid, times: max(0, m.seen.times-1)}
}

// busy reports whether the foreground group used at least half a processor over the last measured time. As long as that
// is unknown, the group counts as busy.
func (m *memory) busy(now time.Time, cpu time.Duration) bool {
	if cpu < m.used[1].cpu { // a process has ended
		m.used[0].at, m.used[1].at = time.Time{}, time.Time{}
	}
	if m.used[1].at.IsZero() || now.Sub(m.used[1].at) >= cpuWindow {
		m.used[0] = m.used[1]
		m.used[1].at, m.used[1].cpu = now, cpu
	}
	since := m.used[0]
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
