package blocked

import "strings"

// A Way is how a program reads the terminal.
type Way string

const (
	Blocked          Way = "blocked_read"            // blocked in a read of the terminal
	BlockedTimeout   Way = "blocked_read_timeout"    // the same, but the read returns by itself after some time (VTIME)
	BlockedGuessed   Way = "blocked_read_wchan"      // the same as Blocked, known only from the function in the kernel, or from the lock of the terminal
	PollOnly         Way = "poll_tty_only"           // poll of the terminal and of nothing else from outside
	PollTimeout      Way = "poll_tty_timeout"        // the same, for a limited time
	PollPlus         Way = "poll_tty_plus"           // poll of the terminal and of something else: Beside
	ShortSleeps      Way = "short_sleeps"            // no read or poll, but sleeps so short that it may look at the terminal in between
	PendingRead      Way = "uring_pending_read"      // pending read of the terminal in an io_uring
	Signalled        Way = "sigio"                   // the terminal sends a signal when there is input (O_ASYNC, fcntl(2)), as in termbox
	EchoOff          Way = "echo_off"                // the system hides the program, but the terminal reads lines without echo
	Uninspectable    Way = "uninspectable"           // the system hides the program
	StoppedInFront   Way = "stopped_foreground"      // job control has stopped the foreground process group
	StoppedForInput  Way = "stopped_sigttin"         // nothing is in the foreground, and a background job is stopped for reading
	StoppedForOutput Way = "stopped_sigttou"         // the terminal has stopped a background process for writing or setting it
	InnerNotReading  Way = "relay_inner_not_reading" // the reader relays input to an inner terminal, which nobody reads
	TerminalGone     Way = "no_terminal"
	nobodyReads      Way = "" // nobody reads it, whatever else the processes wait for
)

// A Besides is what a program waits for, or does, besides reading the terminal.
type Besides string

const (
	Listens  Besides = "listen"  // a listening socket: the program is a server
	Watches  Besides = "watch"   // file changes, inotify(7)
	Connects Besides = "socket"  // a connected socket: ssh, telnet, a container client
	Idle     Besides = "idle"    // only connections over which nothing seems to be owed, see idleSource
	Piped    Besides = "pipe"    // a pipe from another process
	Awaits   Besides = "process" // the end of a process, pidfd_open(2)
	Child    Besides = "child"   // a child of the program
	Runs     Besides = "running"
	Calls    Besides = "call"  // a system call in which no thread rests, such as fsync(2) or flock(2)
	Wakes    Besides = "timer" // it wakes by itself soon
)

// A Meanwhile is what goes on while a program reads the terminal.
type Meanwhile string

const (
	ChildGoesOn      Meanwhile = "child_goes_on"      // a descendant of the reader, also in the foreground, goes on
	ChildAwaited     Meanwhile = "thread_child"       // the same, and another thread of the reader waits for a child
	ForegroundGoesOn Meanwhile = "foreground_goes_on" // the reader is in the background; a foreground process runs or sleeps
)

// A Ground is the evidence that decided instead of one long sleep.
type Ground string

const (
	Repeated       Ground = "repeated"         // the sleep is interrupted again and again
	PromptAtCursor Ground = "prompt_at_cursor" // the screen shows a prompt
)

// A Reason says how a program reads the terminal and what else it waits for. The zero Reason says that nobody reads it.
type Reason struct {
	Nested    int // number of terminals between the watched one and the reader
	Way       Way
	Beside    Besides   // what the reader's own wait includes, if known; only for PollPlus
	Thread    Besides   // what another thread of the reader waits for or does
	Inner     Meanwhile // in the terminal of the reader, if that is within another one
	Meanwhile Meanwhile
	Ground    Ground
}

// Also reports whether the reader's own wait, or another thread of the reader, waits for e too.
func (r Reason) Also(e Besides) bool { return r.Beside == e || r.Thread == e }

// String returns the reason in one word, as it appears in JSON and in the journal of prompts. Examples are
// poll_tty_plus_listen, nested_pty:blocked_read and poll_tty_only+thread_timer+repeated. The word is "" if nobody reads
// the terminal.
func (r Reason) String() string {
	word := strings.Repeat("nested_pty:", r.Nested) + string(r.Way)
	if r.Beside != "" {
		word += "_" + string(r.Beside)
	}
	if r.Thread != "" {
		word += "+thread_" + string(r.Thread)
	}
	for _, what := range []Meanwhile{r.Inner, r.Meanwhile} {
		if what != "" {
			word += "+" + string(what)
		}
	}
	if r.Ground != "" {
		word += "+" + string(r.Ground)
	}
	return word
}
