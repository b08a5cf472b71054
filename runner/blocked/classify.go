package blocked

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// A class is a way in which a program reads the terminal. Of two readers, the one with the higher class decides.
type class uint8

const (
	noReader    class = iota
	undecided         // the system hides what the program does
	relayed           // it only relays input to another terminal, whose program does not read
	background        // it reads the terminal, but the foreground group goes on
	mixed             // it reads the terminal and waits for other things too
	echoOff           // the system hides what the program does, but it wants a password
	polled            // it checks the terminal from time to time
	polledAlone       // only input wakes it
	readAlone         // it is blocked in a read of the terminal
)

// A finding describes the reader that decides.
type finding struct {
	class    class
	reason   Reason
	block    Block
	comm     string
	call     string
	threads  int
	loop     bool     // it waits in an event loop, or beside other threads
	sleeper  bool     // another thread of the program sleeps, perhaps between two steps of its work
	idle     bool     // all else that a mixed reader waits for are idle connections
	nested   bool     // the reader is in a terminal within the watched one, and waits
	terminal snapshot // the terminal that it reads
}

// maxDepth bounds how many generations of processes are followed.
const maxDepth = 16

// find finds the reader of the terminal. If several have the highest class, it prefers the thread with the TID before.
func (s snapshot) find(before int) finding {
	best := finding{terminal: s}
	for _, p := range s.processes {
		for i, t := range p.threads {
			f := p.classify(i, s)
			switch {
			case f.class > background && !p.foreground && s.foregroundGoesOn():
				f.class, f.reason.Meanwhile, f.block.Alone = background, ForegroundGoesOn, false
			case (f.class == polled || f.class == polledAlone) && t.wait.inEventLoop(p) && s.descendant(p.pid, process.works, 0):
				f.class, f.reason.Meanwhile, f.block.Alone = mixed, ChildGoesOn, false
			case f.idle: // a child that only serves its parent is the other end of a connection: node inspect, jshell
				f.idle = !s.foregroundGoesOn() && !s.descendant(p.pid, process.mainGoesOn, 0)
			case f.class > mixed && p.awaitsOther(i) && s.descendant(p.pid, process.works, 0):
				f.class, f.reason.Meanwhile, f.block.Alone = mixed, ChildAwaited, false
			}
			if f.class > best.class || f.class == best.class && f.class != noReader && t.tid == before {
				best = f
			}
		}
	}
	return best
}

// foregroundGoesOn reports whether the foreground group runs, or whether a main thread in it sleeps for some time. Such
// a group waits for nobody, and so not for a reader in another kernel session. Other programs do wait for such a
// reader, while it asks for a password in their place. They may wait by polling now and then, so a poll with a timeout
// does not count as going on.
func (s snapshot) foregroundGoesOn() bool {
	return slices.ContainsFunc(s.processes, func(p process) bool {
		return p.foreground && !p.stopped && (p.running || slices.ContainsFunc(p.threads, func(t thread) bool {
			return t.wait.running || t.tid == p.pid && (t.wait.call == "nanosleep" || t.wait.call == "clock_nanosleep")
		}))
	})
}

// goesOn reports whether the process runs, or wakes by itself.
func (p process) goesOn() bool {
	return !p.stopped && (p.running || slices.ContainsFunc(p.threads, func(t thread) bool {
		within := idleTimer
		if t.tid == p.pid { // the main thread does not only look after the others
			within = math.MaxInt64
		}
		return t.wait.running || !t.runtime && !t.wait.has(terminalSource) && t.wait.wakesWithin(within)
	}))
}

// inEventLoop reports whether a thread of p waits in an event loop, which its own process or its children can end too.
// Then the wait includes a source that only the process itself wakes, or p has other threads. A plain read is no event
// loop.
func (w wait) inEventLoop(p process) bool { return !w.read && (w.has(ownSource) || len(p.threads) > 1) }

// awaitsOther reports whether a thread other than the one with this index waits for a child, or for what it prints.
func (p process) awaitsOther(index int) bool {
	for i, t := range p.threads {
		if i != index && !t.runtime && (t.wait.child || t.wait.has(processSource) || t.wait.has(pipeSource)) {
			return true
		}
	}
	return false
}

// works reports whether the process goes on, serves or watches files.
func (p process) works() bool {
	return p.goesOn() || slices.ContainsFunc(p.threads, func(t thread) bool {
		return t.wait.has(listenerSource) || t.wait.has(controlSource) || t.wait.has(watchSource)
	})
}

// mainGoesOn reports whether the process runs, or its main thread wakes by itself.
func (p process) mainGoesOn() bool {
	return !p.stopped && (p.running || slices.ContainsFunc(p.threads, func(t thread) bool {
		return t.wait.running || t.tid == p.pid && t.wait.wakesWithin(math.MaxInt64)
	}))
}

// descendant reports whether does holds for a foreground descendant of parent. The path to the descendant must lie in the foreground
// too. A parent whose descendant works waits for that process, although it checks the terminal meanwhile.
func (s snapshot) descendant(parent int, does func(process) bool, depth int) bool {
	if depth > maxDepth { // while processes come and go, their parents may seem to form a ring
		return false
	}
	return slices.ContainsFunc(s.processes, func(p process) bool {
		return p.parent == parent && p.foreground && p.pid != parent && (does(p) || s.descendant(p.pid, does, depth+1))
	})
}

// classify classifies the thread with this index.
func (p process) classify(index int, s snapshot) finding {
	t := p.threads[index]
	f := finding{
		block: Block{PID: p.pid, TID: t.tid, Switches: t.switches},
		comm:  p.name, call: t.wait.call, threads: len(p.threads), loop: len(p.threads) > 1 || t.wait.has(ownSource), terminal: s,
	}
	switch {
	case p.stopped:
		return finding{}
	case p.hidden && !p.foreground:
		return finding{}
	case p.hidden && s.Canonical && !s.Echo:
		f.class, f.reason.Way = echoOff, EchoOff
		return f
	case p.hidden:
		f.class, f.reason.Way = undecided, Uninspectable
		return f
	case !t.wait.has(terminalSource):
		return finding{}
	case t.wait.has(masterSource) && len(t.wait.inner) > 0:
		return f.relay(t.wait.inner)
	case t.wait.external(s.Modes):
		f.class, f.reason.Way, f.reason.Beside = mixed, PollPlus, t.wait.besides()
		if f.idle = f.reason.Beside == Idle && f.loop; f.idle {
			other := p.otherThreads(index, s.Modes)
			f.idle = other == "" || other == Idle
		}
		return f
	}
	if f.class, f.reason.Way = t.wait.classifyAlone(s.Modes); t.wait.signal && len(p.threads) > 1 {
		f.class = polled // its own threads may wake it as well
	}
	switch other := p.otherThreads(index, s.Modes); {
	case other != "":
		// A plain read of keys beside a connection is that of a program which passes them on, such as kubectl.
		f.idle = other == Idle && (s.Canonical || f.reason.Way != Blocked)
		f.class, f.reason.Thread = mixed, other
		return f
	case p.otherThreadWakes(index):
		f.reason.Thread, f.sleeper = Wakes, p.otherThreadSleeps(index)
		// A read of a line is a question beside threads that keep time, if they came later: the first threads of a program
		// have started the others to help them. A main thread that sleeps is at work between two steps, and so may be an event
		// loop with a timer: Go waits in one for a goroutine that sleeps.
		switch first := p.threads[0]; {
		case index > 0 && first.wait.noFiles && first.wait.timeout >= 0 && first.wait.call != "futex":
			f.class = mixed
			return f
		case !s.Canonical || f.class != readAlone || p.elderWakes(index) || slices.ContainsFunc(p.threads, thread.loops):
			f.class = min(f.class, polled)
		}
	}
	f.block.Alone = true
	return f
}

// classifyAlone classifies a wait for the terminal and for nothing else from outside.
func (w wait) classifyAlone(modes Modes) (class, Way) {
	switch {
	case w.read && modes.Timed && !modes.Canonical:
		return polled, BlockedTimeout
	case w.timeout >= 0 || w.has(timerSource):
		return polled, PollTimeout
	case w.has(controlSource):
		return polled, PollOnly
	case w.uring:
		return polledAlone, PendingRead
	case w.guessed:
		return polledAlone, BlockedGuessed
	case w.signal:
		return polledAlone, Signalled
	case w.read:
		return readAlone, Blocked
	}
	return polledAlone, PollOnly
}

// otherThreadWakes reports whether a thread other than the one with this index, and not of the language's runtime,
// wakes by itself soon.
func (p process) otherThreadWakes(index int) bool {
	return p.elderWakes(index) || slices.ContainsFunc(p.threads[index+1:], thread.wakes)
}

// elderWakes is otherThreadWakes for the threads that were started before the one with this index.
func (p process) elderWakes(index int) bool {
	return slices.ContainsFunc(p.threads[:index], thread.wakes)
}

// otherThreadSleeps reports whether a thread other than the one with this index sleeps.
func (p process) otherThreadSleeps(index int) bool {
	for i, t := range p.threads {
		if i != index && t.wakes() && t.wait.sleeps() {
			return true
		}
	}
	return false
}

// wakes reports whether the thread is not of the language's runtime, and wakes by itself soon.
func (t thread) wakes() bool { return t.wait.wakesWithin(idleTimer) && !t.runtime }

// loops reports whether the thread waits in an event loop, and wakes by itself soon.
func (t thread) loops() bool { return t.wakes() && t.wait.has(ownSource) }

// relay decides for a thread that passes on what is typed. The thread waits for input if everything behind it waits. If
// two windows are behind it, we do not know which of them is shown.
func (f finding) relay(inner []snapshot) finding {
	worst, best := finding{}, noReader
	for i, s := range inner {
		g := s.find(0)
		if i == 0 || g.class < worst.class {
			worst = g
		}
		best = max(best, g.class)
	}
	switch {
	case worst.class >= echoOff:
		worst.reason.Nested, worst.nested = worst.reason.Nested+1, true
		worst.reason.Inner, worst.reason.Meanwhile = worst.reason.Meanwhile, ""
		return worst
	case best <= relayed && best != undecided:
		f.class, f.reason.Way = relayed, InnerNotReading
	case worst.class == mixed && best == mixed:
		f.class, f.reason = mixed, worst.reason
		f.reason.Nested++
		f.reason.Inner, f.reason.Meanwhile = f.reason.Meanwhile, ""
	default:
		f.class, f.reason = mixed, Reason{Nested: 1, Way: PollPlus}
	}
	return f
}

// stopped finds a stopped process of the foreground group, if all of that group are stopped. If nothing is in the
// foreground, it finds a background job that is stopped because it read the terminal.
func (s snapshot) stopped() (p process, how Way) {
	front, behind := process{}, process{}
	for _, p := range s.processes {
		switch {
		case p.foreground && !p.stopped:
			return process{}, nobodyReads
		case p.foreground:
			front = p
		case p.stopped && slices.ContainsFunc(p.threads, func(t thread) bool { return t.wait.has(terminalSource) }):
			behind = p
		}
	}
	switch {
	case front.pid != 0:
		return front, StoppedInFront
	case behind.pid != 0:
		return behind, StoppedForInput
	}
	return process{}, nobodyReads
}

// longestNap is how long a program sleeps at most that looks at the keyboard in between: asciimatics 50 ms, go-prompt 10 ms.
const longestNap = 100 * time.Millisecond

// naps finds a process of the foreground that may look at the terminal between two short sleeps. Then the terminal gives single
// keys, and nobody in front does anything but sleep or wait for that process.
func (s snapshot) naps() (napper process, ok bool) {
	if s.Canonical {
		return process{}, false
	}
	for _, p := range s.processes {
		if p.hidden || p.stopped || p.running || !p.foreground {
			return process{}, false
		}
		for _, t := range p.threads {
			switch {
			case t.wait.running || t.wait.works || t.wait.external(s.Modes):
				return process{}, false
			case t.wait.child:
			case !t.runtime && t.wait.wakesWithin(longestNap):
				napper, ok = p, true
			}
		}
	}
	return napper, ok
}

func (f finding) describe() string {
	who := fmt.Sprintf("%s (pid %d)", f.comm, f.block.PID)
	if f.block.TID != f.block.PID {
		who = fmt.Sprintf("%s (pid %d, thread %d)", f.comm, f.block.PID, f.block.TID)
	}
	from := "the terminal"
	if f.terminal.pipe {
		from = "its standard input"
	}
	switch f.class {
	case undecided:
		return who + " may not be inspected"
	case echoOff:
		return who + " may not be inspected, and the terminal reads lines without echo"
	case readAlone:
		return who + " is blocked in " + f.call + " of " + from
	case mixed:
		return who + " is blocked in " + f.call + " of " + from + ", and waits for something else"
	}
	return who + " is blocked in " + f.call + ", waiting for " + from
}
