package list

import (
	"path/filepath"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// Living returns the main process of s, or the leftovers that have outlived it. For a session without a holder it returns
// the living processes.
func Living(s ledger.Session) []Process {
	status := ledger.StatusRunning
	if s.Status == ledger.StatusOrphaned {
		status = ledger.StatusOrphaned
	} else if !s.Ended() {
		return []Process{mainProcess(s)}
	}
	var list []Process
	for _, p := range s.Leftovers {
		if id := track.Identity(p); id.Alive() {
			list = append(list, Process{
				PID:          p.PID,
				Name:         p.Name,
				CommandLine:  p.CommandLine,
				ParentPID:    p.ParentPID,
				TerminalName: s.Name,
				SessionID:    s.ID,
				StartedAt:    ledger.Time{Time: id.Started()},
				Status:       status,
			})
		}
	}
	return list
}

// mainProcess returns the main process of s as its record has it.
func mainProcess(s ledger.Session) Process {
	return Process{
		PID:          s.Main.PID,
		Name:         filepath.Base(s.Command[0]),
		CommandLine:  proc.Line(s.Command),
		ParentPID:    s.Holder.PID,
		TerminalName: s.Name,
		SessionID:    s.ID,
		StartedAt:    s.StartedAt,
		Status:       s.Status,
	}
}

// Leftovers returns the processes of s that had outlived the main process when it ended. It never returns nil.
func Leftovers(s ledger.Session) []Process { return outlived(s, s.Leftovers) }

// EndedLeftovers returns the processes of s that had outlived the main process and that the holder ended. It never returns nil.
func EndedLeftovers(s ledger.Session) []Process { return outlived(s, s.EndedLeftovers) }

// outlived returns the form of processes of s that had outlived its main process.
func outlived(s ledger.Session, processes []ledger.Process) []Process {
	list := make([]Process, 0, len(processes))
	for _, p := range processes {
		id := track.Identity(p)
		left := Process{
			PID: p.PID, Name: p.Name, CommandLine: p.CommandLine, ParentPID: p.ParentPID,
			TerminalName: s.Name, SessionID: s.ID, Status: ledger.StatusCompleted,
		}
		if id.Boot == "" || id.Boot == proc.Boot() { // otherwise the start is by the clock of an earlier boot
			left.StartedAt = ledger.Time{Time: id.Started()}
		}
		if id.Alive() {
			left.Status = ledger.StatusRunning
			if s.Status == ledger.StatusOrphaned {
				left.Status = ledger.StatusOrphaned
			}
		}
		list = append(list, left)
	}
	return list
}
