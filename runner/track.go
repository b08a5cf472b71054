package runner

import (
	"os"
	"slices"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
)

// sessionVariable marks every process of a session in its environment.
const sessionVariable = "DEVTOOLS_SESSION"

// unmarked returns an environment without the mark of a session.
func unmarked(env []string) []string {
	return slices.DeleteFunc(env, func(pair string) bool { return strings.HasPrefix(pair, sessionVariable+"=") })
}

// event returns an event about the main process of s.
func event(kind string, s ledger.Session) ledger.Event {
	return ledger.Event{
		Event:     kind,
		PID:       s.Main.PID,
		Name:      NameFor(s.Command),
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

// endEvent returns the event of the end of the main process of s.
func endEvent(s ledger.Session) ledger.Event {
	if s.Signal != "" {
		return event(ledger.EventKilled, s)
	}
	return event(ledger.EventCompleted, s)
}

// processEvent returns an event about a process of s that is not its main one.
func processEvent(kind string, s ledger.Session, p ledger.Process) ledger.Event {
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

// process returns how the ledger writes the process id.
func process(id proc.ID) ledger.Process {
	return ledger.Process{PID: id.PID, Start: id.Start, Boot: id.Boot, Inode: id.Inode}
}

// Self returns the identity of this process as the ledger has it; empty where the system does not tell.
func Self() ledger.Process {
	id, err := proc.Identify(os.Getpid())
	if err != nil {
		return ledger.Process{}
	}
	return process(id)
}

// identity returns the identity that the ledger has of a process. Without a boot id, where the system has
// one, it is nobody's: such an entry is not of our making.
func identity(p ledger.Process) proc.ID {
	if p.Boot == "" && proc.Boot() != "" {
		return proc.ID{}
	}
	return proc.ID{PID: p.PID, Start: p.Start, Boot: p.Boot, Inode: p.Inode}
}

// maxCommandLine is how much of a command line the ledger has, in bytes: some are longer than all else that it has of a
// session.
const maxCommandLine = 4096

// describe returns how the ledger shows a process.
func describe(info proc.Info) ledger.Process {
	p := process(info.ID)
	p.ParentPID, p.Name = info.Parent, info.Name
	line := strings.Join(proc.CommandLine(info.ID.PID), " ")
	p.CommandLine = strings.ToValidUTF8(line[:min(len(line), maxCommandLine)], "\uFFFD")
	return p
}
