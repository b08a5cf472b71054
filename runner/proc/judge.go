package proc

import (
	"fmt"
	"time"
)

// The times of the rule. They were tuned on some 160 programs.
const (
	firstProbe   = 30 * time.Millisecond  // of quiet
	fastProbe    = 100 * time.Millisecond // the longest time between probes in the first slowAfter of quiet
	slowProbe    = 250 * time.Millisecond // and then, an eighth of quiet from there on
	slowestProbe = time.Second            // at most: a probe after so long finds cold caches and takes 0.3 ms and more
	slowAfter    = 2 * time.Second
	confirmAfter = 30 * time.Millisecond // a sleep that lasts this long is one

	// An interface with several threads draws while one of them reads.
	quietThreads = 120 * time.Millisecond

	quietRaw    = 400 * time.Millisecond  // for a full-screen program that polls the terminal
	quietPolled = 1200 * time.Millisecond // for any other program that polls it
	quietPrompt = 1500 * time.Millisecond // for what only the screen can tell

	writtenWait = 150 * time.Millisecond
	cpuWindow   = 200 * time.Millisecond
	staleAfter  = 2 * time.Second // without a probe: only a sleep that still lasts says something then
	sightings   = 3               // of a reader that comes and goes, less the times that it was not there
)

// A sighting is a reader and since when it has been seen.
type sighting struct {
	tid   int
	times int
	block uint64
	since time.Time // of the block
}

// memory is what a watch keeps from one probe to the next.
type memory struct {
	seen    sighting
	written time.Time
	// before is the block at the time of written. In a nested terminal it is of another thread than the reader:
	// beyond is the reader's then, by the last probe before or else the first one after.
	before, beyond uint64
	probed         time.Time // last
	used           [2]struct {
		at  time.Time
		cpu time.Duration
	}
}

// judge makes a verdict of a reading.
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
	case behind: // what is in front waits for nothing that could be typed
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
			// Something wakes it, a signal say, but it always comes back.
			v.waiting(Medium, Repeated, fmt.Sprintf("nothing was printed for %v", quiet.Round(time.Millisecond)))
		default:
			v.Next = confirmAfter
		}
	}
	return v
}

// refresh forgets what says nothing any more when there was no probe for long: how busy what is in front was, and how
// often the reader was seen. The sleep that was seen last is remembered: if it is the same, it has lasted since.
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

// old reports whether the reader may still sleep as it did when something was typed.
func (m *memory) old(now time.Time, f finding) bool {
	block := f.block.Number()
	if m.written.IsZero() || now.Sub(m.written) >= writtenWait || block == 0 {
		return false
	}
	if f.reason.Nested > 0 && f.class >= echoOff && m.beyond == 0 {
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

// miss remembers that there was no reader. One that comes and goes may come back.
func (m *memory) miss() {
	m.seen = sighting{tid: m.seen.tid, times: max(0, m.seen.times-1)}
}

// busy reports whether the processes in front used half a processor since a while
// ago. While that is not known they are busy.
func (m *memory) busy(now time.Time, cpu time.Duration) bool {
	if cpu < m.used[1].cpu { // one has ended
		m.used[0].at, m.used[1].at = time.Time{}, time.Time{}
	}
	if m.used[1].at.IsZero() || now.Sub(m.used[1].at) >= cpuWindow {
		m.used[0] = m.used[1]
		m.used[1].at, m.used[1].cpu = now, cpu
	}
	since := m.used[0]
	return since.at.IsZero() || 2*(cpu-since.cpu) >= now.Sub(since.at)
}

// nextProbe is when to look again.
func nextProbe(quiet time.Duration) time.Duration {
	switch {
	case quiet < firstProbe:
		return firstProbe - max(quiet, 0)
	case quiet < slowAfter:
		return min(quiet/2, fastProbe)
	}
	return min(max(slowProbe, quiet/8), slowestProbe)
}
