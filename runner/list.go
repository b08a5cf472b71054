package runner

import (
	"context"
	"slices"
	"strings"

	"devtools/ledger"
	"devtools/runner/proc"
)

// A Process is a process of a session, as it is shown.
type Process struct {
	PID          int         `json:"pid"`
	Name         string      `json:"name"`
	CommandLine  string      `json:"commandLine"`
	ParentPID    int         `json:"parentPid"`
	TerminalName string      `json:"terminalName"` // the name of the session
	SessionID    string      `json:"sessionId"`
	StartedAt    ledger.Time `json:"startedAt,omitzero"`
	EndedAt      ledger.Time `json:"endedAt,omitzero"`
	ExitCode     *int        `json:"exitCode,omitempty"`
	Status       string      `json:"status"` // running, completed, killed or orphaned
	CPUPercent   float64     `json:"cpuPercent,omitzero"`
	MemoryBytes  uint64      `json:"memoryBytes,omitzero"` // resident
	Children     []Process   `json:"children,omitempty"`
}

// A Listed is a session with its living tree.
type Listed struct {
	ledger.Session
	PID       int       `json:"pid"` // of the main process
	Log       string    `json:"log"` // the file with its newest output
	Processes []Process `json:"processes"`
	Outlook
}

// A Listing is what was started here: the sessions, and flat lists of what lives.
type Listing struct {
	Sessions []Listed  `json:"sessions"`
	Active   []Process `json:"active"`
	Orphaned []Process `json:"orphaned"`
}

// NewListing returns the listing of a folder in which nothing was started.
func NewListing() Listing {
	return Listing{Sessions: []Listed{}, Active: []Process{}, Orphaned: []Process{}}
}

// List returns the living sessions, oldest first, or all with their records when all is set. Figures of CPU
// and memory are taken, and what they do about input is looked at, when usage is set.
func List(ctx context.Context, dir ledger.Dir, all, usage bool) (Listing, error) {
	l := NewListing()
	sessions, err := Settle(ctx, dir)
	if err != nil {
		return l, err
	}
	alive := map[string]bool{}
	for _, s := range sessions {
		alive[s.ID] = true
		if dir.Held(s.ID) || !foreign(s) {
			l.add(dir, s, usage)
		}
	}
	if usage {
		l.outlooks(ctx, dir)
	}
	if !all {
		return l, nil
	}
	records, err := dir.Sessions()
	if err != nil {
		return l, err
	}
	for _, s := range records {
		if alive[s.ID] {
			continue
		}
		if !s.Ended() { // a record without an end and without a holder
			s.Status = ledger.StatusKilled
		}
		s.Asks = nil // nobody waits for them any more
		l.Sessions = append(l.Sessions, Listed{Session: s, PID: s.Main.PID, Log: LogPath(dir, s), Processes: []Process{}})
	}
	slices.SortStableFunc(l.Sessions, func(a, b Listed) int { return a.StartedAt.Compare(b.StartedAt.Time) })
	return l, nil
}

// add lists s, which is alive or has orphans.
func (l *Listing) add(dir ledger.Dir, s ledger.Session, usage bool) {
	listed := Listed{Session: s, PID: s.Main.PID, Log: LogPath(dir, s)}
	listed.Asks = pendingAsks(dir, s)
	var infos []proc.Info
	status := ledger.StatusRunning
	if s.Status == ledger.StatusOrphaned {
		status = ledger.StatusOrphaned
		infos = orphans(s)
	} else if identity(s.Holder).Alive() {
		infos = proc.Tree(s.Holder.PID)
	}
	flat := []Process{}
	for _, info := range infos {
		if info.Ended() {
			continue
		}
		p := Process{
			PID:          info.ID.PID,
			Name:         info.Name,
			CommandLine:  strings.Join(proc.CommandLine(info.ID.PID), " "),
			ParentPID:    info.Parent,
			TerminalName: s.Name,
			SessionID:    s.ID,
			StartedAt:    ledger.Time{Time: info.ID.Started()},
			Status:       status,
		}
		if usage {
			p.CPUPercent, p.MemoryBytes, _ = proc.Usage(info.ID.PID) // gone in the meantime: no figures
		}
		flat = append(flat, p)
	}
	listed.Processes = nest(flat)
	l.Sessions = append(l.Sessions, listed)
	if status == ledger.StatusOrphaned {
		l.Orphaned = append(l.Orphaned, flat...)
	} else {
		l.Active = append(l.Active, flat...)
	}
}

// pendingAsks returns what persons are asked for in s, which only its record says, and that while its holder
// lives.
func pendingAsks(dir ledger.Dir, s ledger.Session) []ledger.Ask {
	if record, err := dir.LoadSession(s.ID); err == nil && !record.Closed && dir.Held(s.ID) {
		return record.Asks
	}
	return nil
}

// nest makes a tree of processes that come parents first.
func nest(flat []Process) []Process {
	children := map[int][]Process{}
	known := map[int]bool{}
	for _, p := range flat {
		known[p.PID] = true
	}
	for _, p := range slices.Backward(flat) { // children before their parents
		p.Children = children[p.PID]
		parent := p.ParentPID
		if !known[parent] {
			parent = 0
		}
		children[parent] = append([]Process{p}, children[parent]...)
	}
	return append([]Process{}, children[0]...)
}

// Alive returns what lives besides the sessions with the ids except, for reminding: the main processes
// of other sessions or what has outlived them, and what is orphaned.
func Alive(ctx context.Context, dir ledger.Dir, except ...string) (active, orphaned []Process) {
	active, orphaned = []Process{}, []Process{}
	sessions, err := Settle(ctx, dir)
	if err != nil {
		return active, orphaned // only a reminder
	}
	for _, s := range sessions {
		if slices.Contains(except, s.ID) || s.Main.PID == 0 || !dir.Held(s.ID) && foreign(s) {
			continue
		}
		for _, p := range alive(s) {
			if s.Status == ledger.StatusOrphaned {
				orphaned = append(orphaned, p)
			} else {
				active = append(active, p)
			}
		}
	}
	return active, orphaned
}

// alive returns the main process of s, or the leftovers that have outlived it; of a session without a holder, what
// lives of it.
func alive(s ledger.Session) []Process {
	status := ledger.StatusRunning
	if s.Status == ledger.StatusOrphaned {
		status = ledger.StatusOrphaned
	} else if !s.Ended() {
		return []Process{{
			PID:          s.Main.PID,
			Name:         NameFor(s.Command),
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
		if id := identity(p); id.Alive() {
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

// Only returns the part of the listing whose sessions keep accepts.
func (l Listing) Only(keep func(ledger.Session) bool) Listing {
	part := NewListing()
	kept := map[string]bool{}
	for _, s := range l.Sessions {
		if keep(s.Session) {
			kept[s.ID] = true
			part.Sessions = append(part.Sessions, s)
		}
	}
	of := func(p Process) bool { return kept[p.SessionID] }
	for _, p := range l.Active {
		if of(p) {
			part.Active = append(part.Active, p)
		}
	}
	for _, p := range l.Orphaned {
		if of(p) {
			part.Orphaned = append(part.Orphaned, p)
		}
	}
	return part
}
