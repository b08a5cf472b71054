package proc

import "strings"

// A Way is how a terminal is read.
type Way string

const (
	Blocked         Way = "blocked_read"            // a read of it does not return
	BlockedTimeout  Way = "blocked_read_timeout"    // the same, but it returns by itself after a while (VTIME)
	BlockedGuessed  Way = "blocked_read_wchan"      // the same as Blocked, from the place in the kernel alone
	PollOnly        Way = "poll_tty_only"           // a poll of it and of nothing else from outside
	PollTimeout     Way = "poll_tty_timeout"        // the same, for a limited time
	PollPlus        Way = "poll_tty_plus"           // a poll of it and of something else: Beside
	PendingRead     Way = "uring_pending_read"      // an io_uring has a read of it that has not ended
	EchoOff         Way = "echo_off"                // we may not look, but lines are read without echo
	Uninspectable   Way = "uninspectable"           // we may not look
	StoppedInFront  Way = "stopped_foreground"      // job control has stopped what is in front
	StoppedForInput Way = "stopped_sigttin"         // nothing is in front, and a job behind is stopped for reading
	InnerNotReading Way = "relay_inner_not_reading" // the reader passes it on to a terminal within, which nobody reads
	TerminalGone    Way = "no_terminal"
	nobodyReads     Way = "" // whatever else the processes wait for
)

// An Else is what a program waits for, or does, besides reading the terminal.
type Else string

const (
	Listens  Else = "listen"  // a socket that listens: a server
	Watches  Else = "watch"   // changes of files, inotify(7)
	Connects Else = "socket"  // a connected socket: ssh, telnet, a client of containers
	Piped    Else = "pipe"    // a pipe from another process
	Awaits   Else = "process" // the end of a process, pidfd_open(2)
	Child    Else = "child"   // a child of its own
	Runs     Else = "running"
	Wakes    Else = "timer" // it wakes by itself soon
)

// A Meanwhile is what goes on while the terminal is read.
type Meanwhile string

const (
	ChildGoesOn      Meanwhile = "child_goes_on"      // a process that the reader has started, and that is in front as well
	ChildAwaited     Meanwhile = "thread_child"       // the same, and another thread of the reader waits for it
	ForegroundGoesOn Meanwhile = "foreground_goes_on" // the reader is not in front, and what is there runs or wakes by itself
)

// A Ground is what decided in place of one long sleep.
type Ground string

const (
	Repeated       Ground = "repeated"         // the sleep is interrupted again and again
	PromptAtCursor Ground = "prompt_at_cursor" // the screen shows a prompt
)

// A Reason is how a terminal is read and what else the reader waits for. The zero Reason says that nobody reads it.
type Reason struct {
	Nested    int // how many terminals deep the reader is within the one that is watched
	Way       Way
	Beside    Else // what the reader's own wait is for as well, where that is known; of PollPlus alone
	Thread    Else // what another thread of the reader waits for or does
	Meanwhile Meanwhile
	Ground    Ground
}

// Mixed reports whether the reader's own wait is for something besides the terminal.
func (r Reason) Mixed() bool { return r.Way == PollPlus }

// Also reports whether the reader, or another thread of it, waits for e as well.
func (r Reason) Also(e Else) bool { return r.Beside == e || r.Thread == e }

// String returns the reason in one word, as JSON and the journal of prompts have it: poll_tty_plus_listen,
// nested_pty:blocked_read, poll_tty_only+thread_timer+repeated. It is "" when nobody reads the terminal.
func (r Reason) String() string {
	word := strings.Repeat("nested_pty:", r.Nested) + string(r.Way)
	if r.Beside != "" {
		word += "_" + string(r.Beside)
	}
	if r.Thread != "" {
		word += "+thread_" + string(r.Thread)
	}
	if r.Meanwhile != "" {
		word += "+" + string(r.Meanwhile)
	}
	if r.Ground != "" {
		word += "+" + string(r.Ground)
	}
	return word
}
