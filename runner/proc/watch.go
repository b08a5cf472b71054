package proc

import "time"

// A State is what a [Watch] says of what runs in front of a terminal.
type State string

const (
	Waiting      State = "waiting"       // it waits for input and for nothing else
	NotWaiting   State = "not_waiting"   // it runs, or waits for something else
	AcceptsInput State = "accepts_input" // it reads the terminal, but waits for something else too, or it is too early to tell
	Stopped      State = "stopped"       // job control has stopped it, as it does with a background job that reads
	Unknown      State = "unknown"       // the system does not tell
)

// A Confidence is how much a verdict is worth.
type Confidence string

const (
	Certain   Confidence = "certain"   // a read of the terminal itself that does not return
	High      Confidence = "high"      // nothing but input can wake it; or the echo is off and we may not look
	Medium    Confidence = "medium"    // it looks at the terminal again and again, and does nothing else
	Heuristic Confidence = "heuristic" // it looks at other things too, but the screen shows a prompt
)

// A Terminal is the slave of a PTY as a [Watch] needs it. The functions may be
// answered by the master, which knows both.
type Terminal struct {
	// Device and Filesystem are st_rdev and st_dev of stat(2). The kernel numbers
	// the terminals of each mount of devpts anew, so that one number alone could be
	// the terminal of a container.
	Device, Filesystem uint64

	Foreground func() (group int, err error) // tcgetpgrp(3)
	Modes      func() (Modes, error)
}

// Modes are the settings of a terminal that matter to who reads it, termios(3).
type Modes struct {
	Canonical bool // ICANON: a read waits for a line
	Echo      bool // ECHO
	Timed     bool // a read that is not canonical ends by itself: VMIN is 0, and VTIME is not
}

// A Watch follows whether what runs in front of a terminal waits for input, by what
// the kernel says of its threads. It belongs to one goroutine.
//
// The kernel lets a process look at its descendants (ptrace(2), "Ptrace access mode
// checking"), so the watch belongs into the ancestor of all that runs there, and it
// does not see what another terminal multiplexer's server started before.
type Watch struct {
	// Prompt is asked where the kernel's evidence does not decide, and no output
	// came for 1.5 s: does the line of the cursor end as a prompt does? Where hidden
	// is true the kernel does not let us look at the program at all, and a program
	// that has the whole screen (the alternate screen) counts as well. The answer of
	// a nil Prompt is no.
	Prompt func(hidden bool) bool

	root   int
	tty    Terminal
	memory memory
	lookout
}

// NewWatch watches the descendants of the process root on the terminal tty.
func NewWatch(root int, tty Terminal) *Watch {
	return &Watch{root: root, tty: tty}
}

// A Verdict is the answer of one probe. All but State, Canonical, Echo and Next is
// for the thread that was found, and zero without one.
type Verdict struct {
	State      State
	Confidence Confidence // of Waiting alone

	// Reason is zero if nobody reads the terminal, whatever else they wait for: State is NotWaiting then.
	Reason Reason

	PID, TID int    // of the reader
	Comm     string // the name of its program, see [Info]
	Syscall  string // what it is blocked in

	// Canonical and Echo are the settings of the terminal that it reads, which is
	// an inner one for a nested PTY. Secret says that what is typed is a password:
	// lines are read and not shown. A program in raw mode clears the echo too.
	Canonical, Echo, Secret bool

	// Block names this one uninterrupted sleep of the reader: it is another number
	// when the thread has run in between. 0 where there is none.
	Block uint64

	// Next is when to probe again if nothing is printed or typed until then: up to 1 s when it has been quiet for
	// long. Who is not told of output probes more often.
	Next time.Duration

	Evidence []string // what was seen, for people
}

// A Block is one uninterrupted sleep of a thread that reads the terminal.
type Block struct {
	PID, TID int
	Switches uint64 // how often the thread has left the processor, proc_pid_status(5)

	// Alone says that nothing but input, its own process and time can wake it.
	Alone bool

	// Registered says that it is a wait of epoll(7): a program may have the terminal in there long before it reads
	// it, as one in Go has from when it opens it.
	Registered bool
}

// Number is what [Verdict.Block] calls it.
func (b Block) Number() uint64 {
	if b.TID == 0 {
		return 0
	}
	return uint64(b.TID)<<40 | b.Switches&(1<<40-1)
}

// SameThread reports whether two numbers of blocks are of the same thread.
func SameThread(a, b uint64) bool { return a>>40 == b>>40 }

// Probe looks at what runs in front of the terminal. Quiet is the time since the
// last output.
//
// A verdict of Waiting needs at least two probes, because a thread that sleeps may
// be about to run: the first at 30 ms of quiet, the others when [Verdict.Next] says.
// Output starts the time anew. Where output never ends, a probe now and then still
// finds the program that waits while another one prints.
func (w *Watch) Probe(now time.Time, quiet time.Duration) Verdict {
	r, err := w.look()
	if err != nil {
		return Verdict{State: Unknown, Reason: Reason{Way: TerminalGone}, Next: slowProbe, Evidence: []string{err.Error()}}
	}
	v := w.memory.judge(now, quiet, r, w.Prompt)
	// At some 20 us for each look this bounds the cost to 2 % of a processor.
	v.Next = max(v.Next, time.Duration(r.looks)*time.Millisecond)
	return v
}

// Written says that something was typed at that moment. Before is the [Block.Number] of the thread that slept right
// before the write, as Blocked of any watch of this terminal told it then, and 0 if nobody slept: then any sleep is a
// new one. Until that thread has run, or 150 ms have passed, its sleep is the old one and says nothing.
//
// Whoever types takes the block before the write and may hand it to the goroutine of another watch afterwards. In a
// terminal within this one another thread reads what is typed: there the sleep that the last probe saw counts as an
// old one, or else the first that is seen.
func (w *Watch) Written(at time.Time, before uint64) { w.memory.write(at, before) }
