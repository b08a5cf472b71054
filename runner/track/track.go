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
		Cmd:       strings.Join(s.Command, " "),
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

// EndEvent returns the event for the end of the main process of s.
func EndEvent(s ledger.Session) ledger.Event {
	if s.Signal != "" {
		return Event(ledger.EventKilled, s)
	}
	return Event(ledger.EventCompleted, s)
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

// Describe returns a process in the form of the ledger.
func Describe(info proc.Info) ledger.Process {
	p := Process(info.ID)
	p.ParentPID, p.Name = info.Parent, info.Name
	line := strings.Join(proc.CommandLine(info.ID.PID), " ")
	p.CommandLine = strings.ToValidUTF8(line[:min(len(line), maxCommandLine)], "\uFFFD")
	return p
}
