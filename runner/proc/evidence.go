package proc

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// idleTimer is how rarely a thread wakes that does nothing; Go's monitor takes 60 s.
const idleTimer = 50 * time.Second

// maxDepth is how many generations of processes are followed.
const maxDepth = 16

// A source is a kind of file that a thread waits for.
type source uint8

const (
	otherSource    source = iota
	terminalSource        // the terminal of the reading
	ownSource             // only the process itself can wake it: an eventfd, a pipe to itself, a signalfd
	timerSource           // a timerfd that will fire
	listenerSource
	socketSource
	watchSource // inotify
	pipeSource
	processSource // a pidfd
	masterSource  // of another PTY
)

// A wait is what a thread is blocked in. The zero wait is nothing that we know.
type wait struct {
	call    string // name of the system call
	read    bool   // it reads, and does not only ask what could be read
	uring   bool
	child   bool // it waits for a child to end
	running bool // it does not wait: it is on a processor, or waits for one
	guessed bool // from the place in the kernel alone
	sources []source
	timeout time.Duration // until it wakes by itself, negative for never

	// inner is what runs behind the masters in sources, of those that we can look at.
	inner []reading
}

// forEver is a wait for ever, from which others are made.
var forEver = wait{timeout: -1}

func (w wait) has(s source) bool { return slices.Contains(w.sources, s) }

// timed reports whether it wakes by itself soon.
func (w wait) timed(within time.Duration) bool {
	return w.call != "" && (w.timeout >= 0 && w.timeout < within || w.has(timerSource))
}

// external reports whether something outside of the process wakes it, besides the
// terminal.
func (w wait) external() bool {
	return slices.ContainsFunc(w.sources, func(s source) bool {
		return s != terminalSource && s != ownSource && s != timerSource
	})
}

// sourcesBeside are what else is waited for. Of several the first one in this order tells what the program is: a server
// that also watches its files is a server.
var sourcesBeside = []struct {
	source source
	what   Else
	thread bool // it counts in another thread, too
}{
	{listenerSource, Listens, true},
	{watchSource, Watches, true},
	{socketSource, Connects, true},
	{pipeSource, Piped, false}, // a list to choose from, which comes slowly
	{processSource, Awaits, false},
}

// beside tells what the thread waits for besides the terminal, "" where that is not known.
func (w wait) beside() Else {
	for _, s := range sourcesBeside {
		if w.has(s.source) {
			return s.what
		}
	}
	return ""
}

// besideThread tells what the other threads of the process wait for, "" for nothing that counts.
func (p member) besideThread(index int) Else {
	for i, other := range p.threads {
		switch {
		case i == index:
		case other.wait.running:
			return Runs
		case other.wait.child && other.tid == p.pid: // another thread may only look after one
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
	runtime  bool // it belongs to the language, and not to the program
}

// runtimeThreads are the names of threads of Java's own (HotSpot), as far as they wake from time to time: what they do
// then never ends a wait for input. The kernel cuts names to 15 bytes.
var runtimeThreads = []string{
	"VM Periodic Tas", "VM Thread", "Monitor Deflati", "Sweeper thread", "C1 CompilerThre", "C2 CompilerThre",
	"G1 Service", "Common-Cleaner", "process reaper",
}

// A member is a process that may read the terminal.
type member struct {
	pid     int
	parent  int
	name    string
	front   bool // it is of the foreground process group
	running bool // it runs, or waits for a disk
	stopped bool
	hidden  bool // we may not look at its threads, of which only the first is listed
	threads []thread
}

// A reading is what the kernel said of a terminal and of who may read it.
type reading struct {
	Modes
	processes []member
	cpu       time.Duration // of the processes in front
	looks     int           // at how many processes and threads it took
}

// A class is how a terminal is read. Of two readers the one with the higher class
// decides.
type class uint8

const (
	noReader    class = iota
	undecided         // we may not look at the program
	relayed           // it only passes on what another terminal's program does not read
	behind            // it reads the terminal, but what is in front goes on
	mixed             // it reads the terminal among other things
	echoOff           // we may not look at the program, but it wants a password
	polled            // it looks at the terminal from time to time
	polledAlone       // nothing but input wakes it
	readAlone         // it is blocked in a read of the terminal
)

// A finding is the reader that decides.
type finding struct {
	class    class
	reason   Reason
	block    Block
	comm     string
	call     string
	threads  int
	terminal reading // the one it reads
}

// find finds the reader of the terminal. Of several equal ones it takes the one of
// before, a TID.
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

// goesOn reports whether what is in front runs or sleeps for a time: it waits for nobody then, and for no reader of another
// session, as a program waits for the one that asks for a password in its place. That may be a poll now and then.
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
		if t.tid == p.pid { // it is not one that only looks after the others
			within = math.MaxInt64
		}
		return t.wait.running || !t.runtime && !t.wait.has(terminalSource) && t.wait.timed(within)
	}))
}

// loops reports whether the wait of a thread of p is that of a loop of events, which its own process or its children can
// end as well: it has more than the terminal in it, or there are other threads.
func (w wait) loops(p member) bool { return !w.read && (w.has(ownSource) || len(p.threads) > 1) }

// looksAfter reports whether another thread than that with the index waits for a child.
func (p member) looksAfter(index int) bool {
	for i, t := range p.threads {
		if i != index && t.wait.child && !t.runtime {
			return true
		}
	}
	return false
}

// works reports whether a process in front that parent has started, or that one of those has, goes on, serves or watches:
// parent waits for it then, though it looks at the terminal meanwhile.
func (r reading) works(parent, depth int) bool {
	if depth > maxDepth { // processes that come and go meanwhile may seem to be a ring
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
			// A program with an interface of its own would be in raw mode, and one that works meanwhile does not
			// ask for a password.
			if r.Canonical && r.Echo {
				f.class = mixed
			}
			return f
		}
	}
	return f
}

// relay decides for a thread that passes on what is typed: it waits when all that
// it passes it on to waits. Of two windows we do not know which one is shown.
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
		worst.reason.Nested++
		return worst
	case best <= relayed && best != undecided:
		f.class, f.reason.Way = relayed, InnerNotReading
	case worst.class == mixed && best == mixed:
		f.class, f.reason = mixed, worst.reason
		f.reason.Nested++
	default:
		f.class, f.reason = mixed, Reason{Nested: 1, Way: PollPlus}
	}
	return f
}

// stopped tells when what is in front is stopped, or when nothing is
// in front and a job behind is stopped for reading.
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
