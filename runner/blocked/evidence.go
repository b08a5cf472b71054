package blocked

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// idleTimer is the shortest timeout of a thread that counts as idle. Go's monitor thread wakes every 60 s.
const idleTimer = 50 * time.Second

// maxDepth bounds how many generations of processes are followed.
const maxDepth = 16

// A source is a kind of file that a thread waits for.
type source uint8

const (
	otherSource    source = iota
	terminalSource        // the terminal that is being examined
	ownSource             // only the process itself can wake it: an eventfd, a pipe to itself, a signalfd
	timerSource           // a timerfd that will fire
	listenerSource
	socketSource
	watchSource // inotify
	pipeSource
	processSource // a pidfd
	masterSource  // the master of another PTY
)

// A wait describes the system call in which a thread is blocked. The zero wait means that we know nothing.
type wait struct {
	call    string // name of the system call
	read    bool   // it reads: it does not only ask whether it could read
	uring   bool
	child   bool // it waits for a child to end
	running bool // it does not wait: it is on a processor or ready to run
	guessed bool // known only from the kernel function in which it sleeps
	sources []source
	timeout time.Duration // time until it wakes by itself, negative for never

	// inner are the terminals behind the masters in sources, as far as we can inspect them.
	inner []reading
}

// forEver is a wait without a timeout. Other waits are made from it.
var forEver = wait{timeout: -1}

func (w wait) has(s source) bool { return slices.Contains(w.sources, s) }

// timed reports whether the thread wakes by itself within the given time. A timer among its sources always counts.
func (w wait) timed(within time.Duration) bool {
	return w.call != "" && (w.timeout >= 0 && w.timeout < within || w.has(timerSource))
}

// external reports whether something outside the process can wake the thread, besides the terminal.
func (w wait) external() bool {
	return slices.ContainsFunc(w.sources, func(s source) bool {
		return s != terminalSource && s != ownSource && s != timerSource
	})
}

// sourcesBeside lists what a thread can wait for besides the terminal. If it waits for several of these, the first in
// this order says what the program is. A server that also watches its files is a server.
var sourcesBeside = []struct {
	source source
	what   Else
	thread bool // it also counts in another thread
}{
	{listenerSource, Listens, true},
	{watchSource, Watches, true},
	{socketSource, Connects, true},
	{pipeSource, Piped, false}, // such as a slowly arriving list of choices
	{processSource, Awaits, false},
}

// beside returns what the thread waits for besides the terminal, or "" if that is unknown.
func (w wait) beside() Else {
	for _, s := range sourcesBeside {
		if w.has(s.source) {
			return s.what
		}
	}
	return ""
}

// besideThread returns what the other threads of the process wait for, or "" if nothing there counts.
func (p member) besideThread(index int) Else {
	for i, other := range p.threads {
		switch {
		case i == index:
		case other.wait.running:
			return Runs
		case other.wait.child && other.tid == p.pid: // only the main thread counts: any other may just look after a child
			return Child
		}
	}
	for _, s := range sourcesBeside {
		for i, other := range p.threads {
			if s.thread && i != index && other.wait.has(s.source) {
				return s.what
			}
		}
	}
	return ""
}

type thread struct {
	tid      int
	switches uint64
	wait     wait
	runtime  bool // part of the language's runtime, not of the program
}

// runtimeThreads are the names of threads that Java's runtime (HotSpot) starts and that wake from time to time. Their
// work never ends a wait for input. The kernel cuts names to 15 bytes.
var runtimeThreads = []string{
	"VM Periodic Tas", "VM Thread", "Monitor Deflati", "Sweeper thread", "C1 CompilerThre", "C2 CompilerThre",
	"G1 Service", "Common-Cleaner", "process reaper",
}

// A member is a process that may read the terminal.
type member struct {
	pid     int
	parent  int
	name    string
	front   bool // it is in the foreground process group
	running bool // it runs, or waits for a disk
	stopped bool
	hidden  bool // the system hides its threads; only the first one is listed
	threads []thread
}

// A reading is what the kernel reports about a terminal and the processes that may read it.
type reading struct {
	Modes
	processes []member
	cpu       time.Duration // processor time of the foreground process group
	looks     int           // number of processes and threads examined
}

// A class is a way in which a program reads the terminal. Of two readers, the one with the higher class decides.
type class uint8

const (
	noReader    class = iota
	undecided         // the system hides what the program does
	relayed           // it only relays input to another terminal, whose program does not read
	behind            // it reads the terminal, but the foreground group goes on
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
	nested   bool    // the reader is in a terminal within the watched one, and waits
	terminal reading // the terminal that it reads
}

// find finds the reader of the terminal. If several have the highest class, it prefers the thread with the TID before.
func (r reading) find(before int) finding {
	best := finding{terminal: r}
	for _, p := range r.processes {
		for i, t := range p.threads {
			f := p.classify(i, r)
			switch {
			case f.class > behind && !p.front && r.goesOn():
				f.class, f.reason.Meanwhile, f.block.Alone = behind, ForegroundGoesOn, false
			case (f.class == polled || f.class == polledAlone) && t.wait.loops(p) && r.works(p.pid, 0):
				f.class, f.reason.Meanwhile, f.block.Alone = mixed, ChildGoesOn, false
			case f.class > mixed && p.looksAfter(i) && r.works(p.pid, 0):
				f.class, f.reason.Meanwhile, f.block.Alone = mixed, ChildAwaited, false
			}
			if f.class > best.class || f.class == best.class && f.class != noReader && t.tid == before {
				best = f
			}
		}
	}
	return best
}

// goesOn reports whether the foreground group runs, or whether a main thread in it sleeps for some time. Such a group
// waits for nobody, and so not for a reader in another kernel session. Other programs do wait for such a reader, while
// it asks for a password in their place. They may wait by polling now and then, so a poll with a timeout does not count
// as going on.
func (r reading) goesOn() bool {
	return slices.ContainsFunc(r.processes, func(p member) bool {
		return p.front && !p.stopped && (p.running || slices.ContainsFunc(p.threads, func(t thread) bool {
			return t.wait.running || t.tid == p.pid && (t.wait.call == "nanosleep" || t.wait.call == "clock_nanosleep")
		}))
	})
}

// goesOn reports whether the process runs, or wakes by itself.
func (p member) goesOn() bool {
	return !p.stopped && (p.running || slices.ContainsFunc(p.threads, func(t thread) bool {
		within := idleTimer
		if t.tid == p.pid { // the main thread does not only look after the others
			within = math.MaxInt64
		}
		return t.wait.running || !t.runtime && !t.wait.has(terminalSource) && t.wait.timed(within)
	}))
}

// loops reports whether a thread of p waits in an event loop, which its own process or its children can end too. Then
// the wait includes a source that only the process itself wakes, or p has other threads. A plain read is no event loop.
func (w wait) loops(p member) bool { return !w.read && (w.has(ownSource) || len(p.threads) > 1) }

// looksAfter reports whether a thread other than the one with this index waits for a child.
func (p member) looksAfter(index int) bool {
	for i, t := range p.threads {
		if i != index && t.wait.child && !t.runtime {
			return true
		}
	}
	return false
}

// works reports whether a foreground descendant of parent goes on, serves or watches files. Then parent waits for that
// process, although it checks the terminal meanwhile. The path to the descendant must lie in the foreground too.
func (r reading) works(parent, depth int) bool {
	if depth > maxDepth { // while processes come and go, their parents may seem to form a ring
		return false
	}
	for _, p := range r.processes {
		if p.parent != parent || !p.front || p.pid == parent {
			continue
		}
		serves := slices.ContainsFunc(p.threads, func(t thread) bool { return t.wait.has(listenerSource) || t.wait.has(watchSource) })
		if serves || p.goesOn() || r.works(p.pid, depth+1) {
			return true
		}
	}
	return false
}

// classify classifies the thread with this index.
func (p member) classify(index int, r reading) finding {
	t := p.threads[index]
	f := finding{
		block: Block{PID: p.pid, TID: t.tid, Switches: t.switches},
		comm:  p.name, call: t.wait.call, threads: len(p.threads), terminal: r,
	}
	switch {
	case p.stopped:
		return finding{}
	case p.hidden && !p.front:
		return finding{}
	case p.hidden && r.Canonical && !r.Echo:
		f.class, f.reason.Way = echoOff, EchoOff
		return f
	case p.hidden:
		f.class, f.reason.Way = undecided, Uninspectable
		return f
	case !t.wait.has(terminalSource):
		return finding{}
	case t.wait.has(masterSource) && len(t.wait.inner) > 0:
		return f.relay(t.wait.inner)
	case t.wait.external():
		f.class, f.reason.Way, f.reason.Beside = mixed, PollPlus, t.wait.beside()
		return f
	}
	switch {
	case t.wait.read && r.Timed && !r.Canonical:
		f.class, f.reason.Way = polled, BlockedTimeout
	case t.wait.timeout >= 0 || t.wait.has(timerSource):
		f.class, f.reason.Way = polled, PollTimeout
	case t.wait.uring:
		f.class, f.reason.Way = polledAlone, PendingRead
	case t.wait.guessed:
		f.class, f.reason.Way = polledAlone, BlockedGuessed
	case t.wait.read:
		f.class, f.reason.Way = readAlone, Blocked
	default:
		f.class, f.reason.Way = polledAlone, PollOnly
	}
	f.block.Alone = true
	if other := p.besideThread(index); other != "" {
		f.class, f.reason.Thread = mixed, other
		f.block.Alone = false
		return f
	}
	for i, other := range p.threads {
		if i != index && other.wait.timed(idleTimer) && !other.runtime {
			f.class, f.reason.Thread = min(f.class, polled), Wakes
			// A program with an interface of its own would be in raw mode. A program that asks for a password does no
			// other work meanwhile. In canonical mode with echo, the program may therefore be at work.
			if r.Canonical && r.Echo {
				f.class = mixed
			}
			return f
		}
	}
	return f
}

// relay decides for a thread that passes on what is typed. The thread waits for input if everything behind it waits. If
// two windows are behind it, we do not know which of them is shown.
func (f finding) relay(inner []reading) finding {
	worst, best := finding{}, noReader
	for i, r := range inner {
		g := r.find(0)
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
func (r reading) stopped() (p member, how Way) {
	front, behind := member{}, member{}
	for _, p := range r.processes {
		switch {
		case p.front && !p.stopped:
			return member{}, nobodyReads
		case p.front:
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
	return member{}, nobodyReads
}

func (f finding) describe() string {
	who := fmt.Sprintf("%s (pid %d)", f.comm, f.block.PID)
	if f.block.TID != f.block.PID {
		who = fmt.Sprintf("%s (pid %d, thread %d)", f.comm, f.block.PID, f.block.TID)
	}
	switch f.class {
	case undecided:
		return who + " may not be inspected"
	case echoOff:
		return who + " may not be inspected, and the terminal reads lines without echo"
	case readAlone:
		return who + " is blocked in " + f.call + " of the terminal"
	case mixed:
		return who + " is blocked in " + f.call + " of the terminal, and waits for something else"
	}
	return who + " is blocked in " + f.call + ", waiting for the terminal"
}
