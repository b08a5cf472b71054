// Package track tells which processes are ours. It has their identities in the ledger, their events, and the mark
// in the environment. It does not find or list processes: packages census and list do.
package track

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
)

// Variable is the environment variable that marks every process of a session.
const Variable = "DEVTOOLS_SESSION"

// Unmarked removes the mark of a session from an environment.
func Unmarked(env []string) []string {
	return slices.DeleteFunc(env, func(pair string) bool { return strings.HasPrefix(pair, Variable+"=") })
}

// Event returns an event about the main process of s.
func Event(kind string, s ledger.Session) ledger.Event {
	return ledger.Event{
		Event:     kind,
		PID:       s.Main.PID,
		Name:      filepath.Base(s.Command[0]),
		Cmd:       proc.Line(s.Command),
		Terminal:  s.Name,
		TS:        ledger.Time{Time: time.Now()},
		SessionID: s.ID,
		Start:     s.Main.Start,
		Inode:     s.Main.Inode,
		Boot:      s.Main.Boot,
		Cwd:       s.Cwd,
		ExitCode:  s.ExitCode,
		Signal:    s.Signal,
	}
}

// FailedEvent returns the event for something that the holder of s could not start. what says what that was. The reason is not
// set.
func FailedEvent(s ledger.Session, what string) ledger.Event {
	return ledger.Event{
		Event: ledger.EventFailed, Name: what, Terminal: s.Name, TS: ledger.Time{Time: time.Now()}, SessionID: s.ID,
	}
}

// StateEvent returns an event about what s does. why is a condition or a question.
func StateEvent(kind string, s ledger.Session, name, why string) ledger.Event {
	return ledger.Event{
		Event: kind, PID: s.Main.PID, Name: name, Terminal: s.Name, TS: ledger.Time{Time: time.Now()}, SessionID: s.ID, Reason: why,
	}
}

// EndEvent returns the event for the end of the main process of s.
func EndEvent(s ledger.Session) ledger.Event {
	e := Event(ledger.EventCompleted, s)
	e.By = ledger.ByLaunch
	if s.Awaited {
		e.By = ledger.ByRun
	}
	if s.Ended() {
		e.DurationMs = &s.ExitedAfterMs
	}
	if s.Signal != "" {
		e.Event = ledger.EventKilled
	}
	if s.EndReason != "" {
		e.Reason = EndedBy(s) + " ended it"
	}
	return e
}

// RanEvent returns the event for the end of a command that the shell or the REPL of s has run. line is what it got, and by says
// from whom. The exit code and the signal are not set.
func RanEvent(s ledger.Session, by, line string, took time.Duration) ledger.Event {
	ms := took.Milliseconds()
	return ledger.Event{
		Event: ledger.EventRan, PID: s.Main.PID, Name: filepath.Base(s.Command[0]), Cmd: line, Terminal: s.Name,
		TS: ledger.Time{Time: time.Now()}, SessionID: s.ID, By: by, DurationMs: &ms,
	}
}

// EndedBy returns the words for what ended s, if its EndReason says that.
func EndedBy(s ledger.Session) string {
	switch s.EndReason {
	case ledger.EndIdleLimit:
		return "its idle limit"
	case ledger.EndTether:
		return "the end of the process of its tether"
	}
	return s.EndReason
}

// RenamedEvent returns the event for another name of s. was is the name before.
func RenamedEvent(s ledger.Session, was string) ledger.Event {
	e := Event(ledger.EventRenamed, s)
	e.PreviousName = was
	return e
}

// ProcessEvent returns an event about a process of s other than the main process.
func ProcessEvent(kind string, s ledger.Session, p ledger.Process) ledger.Event {
	return ledger.Event{
		Event:     kind,
		PID:       p.PID,
		ParentPID: p.ParentPID,
		Name:      p.Name,
		Cmd:       p.CommandLine,
		Terminal:  s.Name,
		TS:        ledger.Time{Time: time.Now()},
		SessionID: s.ID,
		Start:     p.Start,
		Inode:     p.Inode,
		Boot:      p.Boot,
	}
}

// Process converts an identity to its form in the ledger.
func Process(id proc.ID) ledger.Process {
	return ledger.Process{PID: id.PID, Start: id.Start, Boot: id.Boot, Inode: id.Inode}
}

// Self returns the identity of this process in the form of the ledger. It is empty where the system does not tell.
func Self() ledger.Process {
	id, err := proc.Identify(os.Getpid())
	if err != nil {
		return ledger.Process{}
	}
	return Process(id)
}

// Identity returns the identity that the ledger has for a process. It is empty when the entry has no boot id although the
// system has one: devtools does not write such entries.
func Identity(p ledger.Process) proc.ID {
	if p.Boot == "" && proc.Boot() != "" {
		return proc.ID{}
	}
	return proc.ID{PID: p.PID, Start: p.Start, Boot: p.Boot, Inode: p.Inode}
}

// maxCommandLine is how much of a command line the ledger keeps, in bytes. Some command lines are longer than everything
// else that the ledger has about a session.
const maxCommandLine = 4096

// Describe returns a process in the form of the ledger. args are those of its command line that may be recorded.
func Describe(info proc.Info, args []string) ledger.Process {
	p := Process(info.ID)
	p.ParentPID, p.Name = info.Parent, info.Name
	line := proc.Line(args)
	p.CommandLine = strings.ToValidUTF8(line[:min(len(line), maxCommandLine)], "\uFFFD")
	return p
}
