package proc

import (
	"fmt"
	"math"
	"slices"
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
	idleTimer   = 50 * time.Second // a thread that wakes this rarely does nothing; Go's monitor takes 60 s
	cpuWindow   = 200 * time.Millisecond
	maxDepth    = 16
	sightings   = 3 // of a reader that comes and goes, less the times that it was not there
)

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

// sourceWords are the words of [Verdict.Reason] for what else is waited for. Of several the first one in this order
// tells what the program is: a server that also watches its files is a server.
var sourceWords = []struct {
	source source
	word   string
	thread bool // it counts in another thread, too
}{
	{listenerSource, "listen", true},
	{watchSource, "watch", true},
	{socketSource, "socket", true},
	{pipeSource, "pipe", false}, // a list to choose from, which comes slowly
	{processSource, "process", false},
}

// beside is the word for what the thread waits for besides the terminal, "" if there is none.
func (w wait) beside() string {
	for _, s := range sourceWords {
		if w.has(s.source) {
			return s.word
		}
	}
	return ""
}

// besideThread is the word for what the other threads of the process wait for, "" for nothing that counts.
func (p member) besideThread(index int) string {
	for i, other := range p.threads {
		switch {
		case i == index:
		case other.wait.running:
			return "running"
		case other.wait.child:
			return "child"
		}
	}
	for _, s := range sourceWords {
		for i, other := range p.threads {
			if s.thread && i != index && other.wait.has(s.source) {
				return s.word
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
	reason   string
	block    Block
	comm     string
	call     string
	threads  int
	terminal reading // the one it reads
	nested   bool    // which is within the one of the watch
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
				f.class, f.reason, f.block.Alone = behind, f.reason+"+foreground_goes_on", false
			case (f.class == polled || f.class == polledAlone) && !t.wait.read && r.works(p.pid, 0):
				f.class, f.reason, f.block.Alone = mixed, f.reason+"+child_goes_on", false
			}
			if f.class > best.class || f.class == best.class && f.class != noReader && t.tid == before {
				best = f
			}
		}
	}
	return best
}

// goesOn reports whether what is in front runs, or wakes by itself: it waits for nobody then, and for no reader of another
// session, as a program waits for the one that asks for a password in its place.
func (r reading) goesOn() bool {
	return slices.ContainsFunc(r.processes, func(p member) bool { return p.front && p.goesOn() })
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
		f.class, f.reason = echoOff, "echo_off"
		return f
	case p.hidden:
		f.class, f.reason = undecided, "uninspectable"
		return f
	case !t.wait.has(terminalSource):
		return finding{}
	case t.wait.has(masterSource) && len(t.wait.inner) > 0:
		return f.relay(t.wait.inner)
	case t.wait.external():
		f.class, f.reason = mixed, "poll_tty_plus"
		if word := t.wait.beside(); word != "" {
			f.reason += "_" + word
		}
		return f
	}
	switch {
	case t.wait.read && r.Timed && !r.Canonical:
		f.class, f.reason = polled, "blocked_read_timeout"
	case t.wait.timeout >= 0 || t.wait.has(timerSource):
		f.class, f.reason = polled, "poll_tty_timeout"
	case t.wait.uring:
		f.class, f.reason = polledAlone, "uring_pending_read"
	case t.wait.guessed:
		f.class, f.reason = polledAlone, "blocked_read_wchan"
	case t.wait.read:
		f.class, f.reason = readAlone, "blocked_read"
	default:
		f.class, f.reason = polledAlone, "poll_tty_only"
	}
	f.block.Alone = true
	if word := p.besideThread(index); word != "" {
		f.class, f.reason = mixed, f.reason+"+thread_"+word
		f.block.Alone = false
		return f
	}
	for i, other := range p.threads {
		if i != index && other.wait.timed(idleTimer) && !other.runtime {
			f.class, f.reason = min(f.class, polled), f.reason+"+thread_timer"
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
		worst.reason, worst.nested = "nested_pty:"+worst.reason, true
		return worst
	case best <= relayed && best != undecided:
		f.class, f.reason = relayed, "relay_inner_not_reading"
	case worst.class == mixed && best == mixed:
		f.class, f.reason = mixed, "nested_pty:"+worst.reason
	default:
		f.class, f.reason = mixed, "nested_pty:poll_tty_plus"
	}
	return f
}

// stopped returns the reason when what is in front is stopped, or when nothing is
// in front and a job behind is stopped for reading.
func (r reading) stopped() (p member, reason string) {
	front, behind := member{}, member{}
	for _, p := range r.processes {
		switch {
		case p.front && !p.stopped:
			return member{}, ""
		case p.front:
			front = p
		case p.stopped && slices.ContainsFunc(p.threads, func(t thread) bool { return t.wait.has(terminalSource) }):
			behind = p
		}
	}
	switch {
	case front.pid != 0:
		return front, "stopped_foreground"
	case behind.pid != 0:
		return behind, "stopped_sigttin"
	}
	return member{}, ""
}

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
	used           [2]struct {
		at  time.Time
		cpu time.Duration
	}
}

// judge makes a verdict of a reading.
func (m *memory) judge(now time.Time, quiet time.Duration, r reading, prompt func(hidden bool) bool) Verdict {
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
		if p, reason := r.stopped(); reason != "" && f.class == noReader {
			v.State, v.Reason, v.PID, v.Comm = Stopped, reason, p.pid, p.name
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
			v.waiting(Heuristic, "+prompt_at_cursor", "the screen shows a prompt")
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
			v.waiting(Medium, "+repeated", fmt.Sprintf("nothing was printed for %v", quiet.Round(time.Millisecond)))
		default:
			v.Next = confirmAfter
		}
	}
	return v
}

func (v *Verdict) waiting(c Confidence, ending, evidence string) {
	v.State, v.Confidence, v.Next = Waiting, c, max(slowProbe, v.Next)
	v.Reason += ending
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
