package blocked

import (
	"slices"
	"time"
)

// idleTimer is the shortest timeout of a thread that counts as idle. Go's monitor thread wakes every 60 s.
const idleTimer = 50 * time.Second

// A source is a kind of file that a thread waits for.
type source uint8

const (
	otherSource    source = iota
	terminalSource        // the terminal that is being examined
	ownSource             // only the process itself can wake it: an eventfd, a pipe to itself, a signalfd
	timerSource           // a timerfd that will fire
	listenerSource
	controlSource // a listening socket of the file system, unix(7), at which other programs command this one
	socketSource
	idleSource  // a connection over which nothing seems to be owed: the other end has sent last, or was made by this process or its parent
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
	signal  bool // it waits for other threads or a signal, and the terminal sends one when there is input
	guessed bool // known only from the kernel function in which it sleeps
	noFiles bool // the call names no files: it waits for time or for another thread
	works   bool // in a call in which no thread rests: it writes, opens, locks, or waits for a device
	sources []source
	timeout time.Duration // time until it wakes by itself, negative for never

	// inner are the terminals behind the masters in sources, as far as we can inspect them.
	inner []snapshot
}

// forEver is a wait without a timeout. Other waits are made from it.
var forEver = wait{timeout: -1}

func (w wait) has(s source) bool { return slices.Contains(w.sources, s) }

// wakesWithin reports whether the thread wakes by itself within the given time. A timer among its sources always
// counts.
func (w wait) wakesWithin(within time.Duration) bool {
	return w.call != "" && (w.timeout >= 0 && w.timeout < within || w.has(timerSource))
}

// sleeps reports whether the thread only lets time pass, and more of it than one that looks at something in between. The monitor of
// Go's runtime sleeps for at most 10 ms.
func (w wait) sleeps() bool { return w.noFiles && w.call != "futex" && w.timeout > longestNap }

// external reports whether something outside the process can wake the thread, besides the terminal. A program in raw mode has an
// interface of its own, and no other programs to serve: kakoune and Neovim take commands at a socket all the same.
func (w wait) external(modes Modes) bool {
	return slices.ContainsFunc(w.sources, func(s source) bool {
		return s != terminalSource && s != ownSource && s != timerSource && (s != controlSource || modes.Canonical)
	})
}

// besideSources lists what a thread can wait for besides the terminal. If it waits for several of these, the first in
// this order says what the program is. A server that also watches its files is a server.
var besideSources = []struct {
	source source
	what   Besides
	thread bool // it also counts in another thread
}{
	{listenerSource, Listens, true},
	{controlSource, Listens, false},
	{watchSource, Watches, true},
	{socketSource, Connects, true},
	{pipeSource, Piped, false}, // such as a slowly arriving list of choices
	{processSource, Awaits, false},
	{otherSource, "", false}, // what nobody knows counts more than an idle connection
	{masterSource, "", false},
	{idleSource, Idle, true},
}

// besides returns what the thread waits for besides the terminal, or "" if that is unknown.
func (w wait) besides() Besides {
	for _, s := range besideSources {
		if w.has(s.source) {
			return s.what
		}
	}
	return ""
}

// otherThreads returns what the other threads of the process wait for, or "" if nothing there counts.
func (p process) otherThreads(index int, modes Modes) Besides {
	for i, other := range p.threads {
		switch {
		case i == index:
		case other.wait.running:
			return Runs
		case other.wait.works && !other.runtime:
			return Calls
		case other.wait.child && other.tid == p.pid: // only the main thread counts: any other may just look after a child
			return Child
		}
	}
	for _, s := range besideSources {
		for i, other := range p.threads {
			counts := s.thread || s.source == controlSource && modes.Canonical // as in external
			if counts && i != index && other.wait.has(s.source) {
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

// A process is a process that may read the terminal.
type process struct {
	pid        int
	parent     int
	name       string
	foreground bool // it is in the foreground process group
	running    bool // it runs, or waits for a disk
	stopped    bool
	hidden     bool // the system hides its threads; only the first one is listed
	threads    []thread
}

// A snapshot is what the kernel reports about a terminal and the processes that may read it.
type snapshot struct {
	Modes
	pipe      bool // what is read is a pipe
	behind    stoppedProcess
	processes []process
	cpu       time.Duration // processor time of the foreground process group
	moved     int64         // bytes read and written by the processes of this group that may work while they wait, see mayWorkAside
	counted   bool          // moved is known
	examined  int           // number of processes and threads examined
}

// A stoppedProcess is a background process that its terminal has stopped, or that has stopped itself for it. Its parent sleeps, and has not called wait(2) for it.
type stoppedProcess struct {
	pid  int // 0: there is none
	name string
	how  Way
}
