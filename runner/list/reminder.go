package list

import (
	"context"
	"slices"
	"strings"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// Alive returns, for a reminder, what is alive besides the sessions whose ids are in except. active has the main processes
// of other sessions, or the leftovers that have outlived them. orphaned has the processes of orphaned sessions.
func Alive(ctx context.Context, dir ledger.Dir, except ...string) (active, orphaned []Process) {
	active, orphaned = []Process{}, []Process{}
	sessions, err := census.Remembered(ctx, dir)
	if err != nil {
		return active, orphaned // it is only a reminder
	}
	for _, s := range sessions {
		if slices.Contains(except, s.ID) || s.Main.PID == 0 {
			continue
		}
		for _, p := range Living(s) {
			if s.Status == ledger.StatusOrphaned {
				orphaned = append(orphaned, p)
			} else {
				active = append(active, p)
			}
		}
	}
	return active, orphaned
}

// Living returns the main process of s, or the leftovers that have outlived it. For a session without a holder it returns
// the living processes.
func Living(s ledger.Session) []Process {
	status := ledger.StatusRunning
	if s.Status == ledger.StatusOrphaned {
		status = ledger.StatusOrphaned
	} else if !s.Ended() {
		return []Process{{
			PID:          s.Main.PID,
			Name:         ledger.NameFor(s.Command),
			CommandLine:  strings.Join(s.Command, " "),
			ParentPID:    s.Holder.PID,
			TerminalName: s.Name,
			SessionID:    s.ID,
			StartedAt:    s.StartedAt,
			Status:       s.Status,
		}}
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

// Leftovers returns the processes of s that had outlived the main process when it ended. It never returns nil.
func Leftovers(s ledger.Session) []Process {
	list := make([]Process, 0, len(s.Leftovers))
	for _, p := range s.Leftovers {
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
