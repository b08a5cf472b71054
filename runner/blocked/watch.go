// Package blocked tells what a program is blocked on: above all whether it waits for input.
//
// A [Watch] gathers the kernel's evidence about the programs in front of a terminal: the system call in which each
// thread sleeps, and the files that can end the sleep (evidence.go, and *_linux.go). The evidence says how each program
// reads the terminal (classify.go). A rule over time turns that into a [Verdict] (judge.go). [Activities] describes for
// people what processes do.
//
// Only Linux shows what a thread waits for. [CheckVisibility] tells what this machine shows.
package blocked

import (
	"math"
	"time"
)

// A State is what a [Watch] reports about the foreground program of a terminal.
type State string

const (
	Waiting      State = "waiting"       // it waits for input and for nothing else
	NotWaiting   State = "not_waiting"   // it runs, or waits for something else
	AcceptsInput State = "accepts_input" // it reads the terminal, but waits for something else too, or it is too early to tell
	Stopped      State = "stopped"       // job control has stopped it, as it stops a background job that reads
	Unknown      State = "unknown"       // the system does not tell
)

// A Confidence is how reliable a verdict is.
type Confidence string

const (
	Certain   Confidence = "certain"   // a read of the terminal itself that does not return
	High      Confidence = "high"      // only input can wake it, or the echo is off and the system hides the program
	Medium    Confidence = "medium"    // it looks at the terminal now and then, or has idle connections; it rests, and the screen asks
	Heuristic Confidence = "heuristic" // it waits for other things too, or is hidden, but the screen shows a prompt
)

// A Terminal is the slave of a PTY, as a [Watch] needs it. The functions may ask the master, which gives the same
// answers.
type Terminal struct {
	// Device and Filesystem are st_rdev and st_dev of stat(2). The kernel numbers the terminals of each devpts mount
	// separately. Device alone could therefore also mean a terminal in a container.
	Device, Filesystem uint64

	Pipe *Pipe // the pipe that is watched in place of a terminal; nil: none

	Foreground func() (group int, err error) // tcgetpgrp(3)
	Modes      func() (Modes, error)
}

// A Pipe is the standard input of programs without a terminal, by st_ino and st_dev of stat(2). None of them can write to it.
type Pipe struct{ Inode, Filesystem uint64 }

// Modes are the settings of a terminal that matter for its readers, termios(3).
type Modes struct {
	Canonical bool // ICANON: a read waits for a line
	Echo      bool // ECHO
	Timed     bool // a read in non-canonical mode ends by itself: VMIN is 0, VTIME is not
}

// A Watch tracks whether the foreground program of a terminal waits for input. Its evidence is what the kernel reports
// about the program's threads. A Watch belongs to one goroutine.
//
// The kernel lets a process inspect its descendants (ptrace(2), "Ptrace access mode checking"). A watch therefore
// belongs in the ancestor of everything that runs on the terminal. It does not see processes that the server of another
// terminal multiplexer started earlier.
type Watch struct {
	Picture Picture

	// Printed returns how many bytes the program has printed so far, about. A nil Printed means that it is not known: then the
	// bytes that the program reads and writes are no evidence of work.
	Printed func() int64

	root    int
	tty     Terminal
	history history
	watchState
}

// A Picture answers what the kernel cannot tell, from what the terminal shows. A nil function means no.
type Picture struct {
	// Prompt reports whether the line of the cursor ends like a prompt. The watch calls it when the kernel's evidence
	// does not decide and no output came for 1.5 s. If hidden is true, the kernel does not let us inspect the program.
	// A program that uses the whole screen (the alternate screen) then counts as a prompt too.
	Prompt func(v Verdict, hidden bool) bool

	// Back reports whether the line of the cursor is the prompt of a REPL at which commands are typed. A program that also
	// waits for other things has then done the last command.
	Back func() bool

	// Offers reports whether the picture shows something that a person can act on. The verdict has what is known of the reader.
	Offers func(v Verdict, wanted Wanted) bool
}

// Wanted is what a picture must show.
type Wanted uint8

const (
	Anything    Wanted = iota // a question, a field, a menu, or keys of a program that uses the whole screen
	WholeScreen               // any of these, by a program that uses the whole screen
	Question                  // a question, a field, a menu
	Command                   // a yes or no, or the prompt of a console
)

func (p Picture) back() bool { return p.Back != nil && p.Back() }

func (p Picture) prompt(v Verdict, hidden bool) bool { return p.Prompt != nil && p.Prompt(v, hidden) }

func (p Picture) offers(v Verdict, wanted Wanted) bool { return p.Offers != nil && p.Offers(v, wanted) }

// NewWatch returns a watch of the descendants of the process root on the terminal tty.
func NewWatch(root int, tty Terminal) *Watch {
	return &Watch{root: root, tty: tty}
}

// A Verdict is the result of one probe. All fields except State, Canonical, Echo and Next describe the thread that was
// found. They are zero if none was found.
type Verdict struct {
	State      State
	Confidence Confidence // only for Waiting

	// Reason is zero if nobody reads the terminal, whatever else the processes wait for. State is then NotWaiting.
	Reason Reason

	PID, TID int    // of the reader
	Comm     string // name of its program, see [Info]
	Syscall  string // system call in which it is blocked

	// StoppedUnnoticed says that the terminal has stopped a background process, and that its parent does not know.
	StoppedUnnoticed bool

	// Canonical and Echo are the settings of the terminal that the reader reads. For a nested PTY that is the inner
	// terminal. Secret says that the typed text is a password: the terminal reads lines and does not show them. A
	// program in raw mode also clears the echo, but is not Secret.
	Canonical, Echo, Secret bool

	// Block identifies this uninterrupted sleep of the reader. The number changes when the thread has run in between.
	// It is 0 if there is none.
	Block uint64

	// Next is the time until the next probe if nothing is printed or typed before: up to 1 s after a long quiet time. A
	// caller that does not learn of output probes more often.
	Next time.Duration

	// After is the least time until the verdict can become Waiting, or that with more confidence, if nothing is printed or typed
	// before: [Never] if it cannot. It is 0 for Waiting if a later look tells no more.
	After time.Duration

	Evidence []string // observations, for people
}

// Never is a time that does not come.
const Never = time.Duration(math.MaxInt64)

// A Block is one uninterrupted sleep of a thread that reads the terminal.
type Block struct {
	PID, TID int
	Switches uint64 // number of times that the thread has left the processor, proc_pid_status(5)

	// Alone says that only input, its own process and time can wake the thread.
	Alone bool

	// Only says that only input can wake the thread, and that there was no other thread or process in the session when it
	// was found: nobody else could go on with what it had read.
	Only bool

	// Read says that the thread is in a read of the terminal itself: the read returns what is typed. Otherwise the thread
	// only asks whether it could read.
	Read bool

	// Timeout is after how long the wait ends by itself, negative for never.
	Timeout time.Duration

	// Registered says that the thread waits in epoll(7). A program may register the terminal there long before it reads
	// it. A Go program does so from the time when it opens the terminal.
	Registered bool

	// Listens says that the wait ends with a connection, too: the program is a server.
	Listens bool
}

// Number returns the number of the block, as in [Verdict.Block].
func (b Block) Number() uint64 {
	if b.TID == 0 {
		return 0
	}
	return uint64(b.TID)<<40 | b.Switches&(1<<40-1)
}

// SameThread reports whether two block numbers belong to the same thread.
func SameThread(a, b uint64) bool { return a>>40 == b>>40 }

// Probe examines the foreground program of the terminal. quiet is the time since the last output.
//
// A verdict of Waiting needs at least two probes, because a sleeping thread may be about to run. The first probe is due
// after 30 ms of quiet, the others when [Verdict.Next] says. Output restarts the quiet time. If output never ends, an
// occasional probe still finds a program that waits while another one prints.
func (w *Watch) Probe(now time.Time, quiet time.Duration) Verdict {
	s, err := w.examine()
	if err != nil {
		return Verdict{State: Unknown, Reason: Reason{Way: TerminalGone}, Next: slowProbe, Evidence: []string{err.Error()}}
	}
	printed := int64(-1)
	if w.Printed != nil {
		printed = w.Printed() // later than what the programs wrote, so that nothing printed seems to go elsewhere
	}
	v := w.history.judge(now, quiet, s, printed, w.Picture)
	if w.tty.Pipe != nil && v.State == Waiting && v.Confidence != Certain && v.Confidence != High {
		v.State, v.Confidence = AcceptsInput, "" // where no person types, only what the kernel shows counts
	}
	// One examination takes some 20 us, so this limits the cost to 2 % of a processor.
	v.Next = max(v.Next, time.Duration(s.examined)*time.Millisecond)
	return v
}

// Written tells the watch that something was typed at that moment. before is the [Block.Number] of the thread that
// slept just before the write, as Blocked of any watch of this terminal returned it. It is 0 if no thread slept; then
// every sleep counts as new. Until that thread has run, or 150 ms have passed, its sleep is the old one and proves
// nothing.
//
// The goroutine that types takes the block before the write. It may afterwards pass it to the goroutine of another
// watch. If another terminal is nested in this one, a different thread reads what is typed. Then the sleep that the
// last probe saw counts as old, otherwise the first sleep that a probe sees.
func (w *Watch) Written(at time.Time, before uint64) { w.history.typed(at, before) }
