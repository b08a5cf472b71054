// Package list lists sessions with their processes, ports and input state, for ps. It does not explain why a session is as
// it is: package doctor does.
package list

import (
	"context"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// A Process is a process of a session, as ps --json and others print it.
type Process struct {
	PID          int         `json:"pid"`                  // its pid; 0 of a session that waits to be started again
	Name         string      `json:"name"`                 // name of its program
	CommandLine  string      `json:"commandLine"`          // its command line, at most 64 KiB
	ParentPID    int         `json:"parentPid"`            // its parent
	TerminalName string      `json:"terminalName"`         // name of its session
	SessionID    string      `json:"sessionId"`            // id of its session
	StartedAt    ledger.Time `json:"startedAt,omitzero"`   // its start
	EndedAt      ledger.Time `json:"endedAt,omitzero"`     // its end
	ExitCode     *int        `json:"exitCode,omitempty"`   // its exit code
	Status       string      `json:"status"`               // status of the process: starting, running, completed, killed, restarting or orphaned
	State        string      `json:"state,omitzero"`       // state in the kernel: running, sleeping, blocked, stopped, traced, zombie, idle or hidden
	CPUPercent   float64     `json:"cpuPercent,omitzero"`  // its processor use; 100 is one processor
	CPUMs        int64       `json:"cpuMs,omitzero"`       // processor time so far
	MemoryBytes  uint64      `json:"memoryBytes,omitzero"` // its resident memory
	Mark         string      `json:"mark,omitzero"`        // what it is in its workspace, with --expected: expected or unexpected
	Children     []Process   `json:"children,omitzero"`    // in a tree: its child processes

	// Descendants names the programs of its session besides it, in a reminder; at most 8.
	Descendants     []string `json:"descendants,omitzero"`
	DescendantCount int      `json:"descendantCount,omitzero"` // in a reminder: number of the processes of its session besides it

	args []string // of a process of a session with secrets: those that may be shown
}

// stateHidden is the State of another user's process that the system does not show.
const stateHidden = "hidden"

// A Listed is a session with its living process tree. Values that are unknown or were not asked for are zero.
type Listed struct {
	ledger.Session
	PID          int // main process
	ParentPID    int
	CommandLine  string
	TerminalName string // name of the session
	Log          string // file with the newest output
	AgeMs        int64  // time since its start; for an ended session, up to its end
	IdleMs       int64  // time since its last output or its start; for an ended session, up to its end
	CPUPercent   float64
	MemoryBytes  uint64

	masked               census.Known // of a session with secrets: what may be shown of its processes
	StatePath            string       // from Everywhere: its state folder
	Removed              bool         // its state folder was removed
	OutputBytesPerSecond float64      // average over the last 5 s
	Ports                []Port       // ports on which its processes listen
	Processes            []Process    // living processes, as trees
	Past                 []Process    // from TakeEnded: its last processes that have ended, besides the main one; nil: not asked for
	PastCount            int          // number of those that were seen
	wire.InputState
}

// A Listing has the sessions of a state folder, and flat lists of the living processes.
type Listing struct {
	Sessions []Listed
	Active   []Process
	Orphaned []Process

	At time.Time // time of the listing
}

// NewListing returns an empty listing.
func NewListing() Listing {
	return Listing{Sessions: []Listed{}, Active: []Process{}, Orphaned: []Process{}, At: time.Now()}
}

// rateWindow is the period over which a rate of output is measured.
const rateWindow = 5 * time.Second

// List returns the living sessions, oldest first. With all it also returns the ended sessions that have a record. With
// usage it measures CPU, memory, output and ports, and asks what the sessions do about input.
func List(ctx context.Context, dir ledger.Dir, all, usage bool) (Listing, error) {
	if !all {
		return list(ctx, dir, nil, usage)
	}
	return list(ctx, dir, dir.Sessions, usage)
}

// Of works as List with all and usage. Of the ended sessions it returns only those that had this name or id.
func Of(ctx context.Context, dir ledger.Dir, name string) (Listing, error) {
	return list(ctx, dir, func() ([]ledger.Session, error) { return dir.SessionsOf(name) }, true)
}

// list lists the living sessions, and the ended sessions of records, which may be nil.
func list(ctx context.Context, dir ledger.Dir, records func() ([]ledger.Session, error), usage bool) (Listing, error) {
	l := NewListing()
	var past []ledger.Session // read before the living ones: a session that begins later is not in it
	var err error
	if records != nil {
		if past, err = records(); err != nil {
			return l, err
		}
	}
	sessions, err := census.Here(ctx, dir)
	if err != nil {
		return l, err
	}
	alive := map[string]bool{}
	for _, s := range sessions {
		alive[s.ID] = true
		l.Sessions = append(l.Sessions, newListed(s))
	}
	l.lookAt(ctx, dir, sessions, usage)
	l.flatten()
	past = slices.DeleteFunc(past, func(s ledger.Session) bool { return alive[s.ID] || !s.Closed && census.Foreign(s) })
	ended := make([]Listed, len(past))
	ledger.AtOnce(len(past), func(i int) { ended[i] = newEnded(dir, past[i], l.At) })
	l.Sessions = append(l.Sessions, ended...)
	slices.SortStableFunc(l.Sessions, func(a, b Listed) int { return a.StartedAt.Compare(b.StartedAt.Time) })
	return l, nil
}

// flatten fills in the flat lists of processes from the trees of the sessions.
func (l *Listing) flatten() {
	for _, s := range l.Sessions {
		if s.Status == ledger.StatusOrphaned {
			l.Orphaned = append(l.Orphaned, Flatten(nil, s.Processes)...)
		} else {
			l.Active = append(l.Active, Flatten(nil, s.Processes)...)
		}
	}
}

// newEnded lists the session of a record that has no holder.
func newEnded(dir ledger.Dir, s ledger.Session, now time.Time) Listed {
	// It has ended since the record was read, or nobody had written down that its holder was killed.
	if s.Over().IsZero() || !s.RestartAt.IsZero() {
		if record, err := dir.LoadSession(s.ID); err == nil {
			s = record
		}
	}
	if !s.Ended() {
		s.Status = ledger.StatusKilled
	}
	s.Asks = nil // nobody waits for them any more
	listed := newListed(s)
	listed.Ports, listed.Processes = []Port{}, []Process{}
	listed.takeOutput(dir, nil, now, false)
	return listed
}

func newListed(s ledger.Session) Listed {
	line := proc.Line(s.Command)
	return Listed{
		Session: s, PID: s.Main.PID, ParentPID: s.Main.ParentPID, TerminalName: s.Name,
		CommandLine: line[:min(len(line), proc.MaxCommandLine)],
	}
}

// takeRecord fills in what only the record of a session with a living holder says: the requests to persons, and the
// process to which the session is tethered now. It returns the size of the terminal now. n may be nil.
func (s *Listed) takeRecord(dir ledger.Dir, n *noted) (size ledger.Size) {
	s.Asks = nil
	if n != nil && n.Saved != 0 && dir.Saved(s.ID) == n.Saved {
		s.Tether, s.Asks = n.Tether, n.Asks
		return n.Size
	}
	record, err := dir.LoadSession(s.ID)
	if err == nil && !record.Closed {
		s.Tether = record.Tether
		if len(record.Asks) > 0 && dir.Held(s.ID) {
			s.Asks = record.Asks
		}
	}
	return record.Size
}

// takeOutput fills in how much the session has printed, and when. n may be nil.
func (s *Listed) takeOutput(dir ledger.Dir, n *noted, now time.Time, living bool) {
	started := s.StartedAt.Time
	until := now
	if over := s.Over(); !over.IsZero() {
		until = over
	}
	s.AgeMs = max(0, until.Sub(started).Milliseconds())
	if living {
		until = now // leftovers may still print
	}
	place, known := wire.Transcript(dir, s.Session), false
	var r transcript.Recent
	var err error
	switch {
	case n != nil:
		r, known = transcript.Silent(place, n.Segment, n.Offset, now, rateWindow)
	case s.Closed: // most have all their output in one file
		r, known = transcript.Silent(place, 0, s.OutputBytes, now, rateWindow)
	}
	if !known {
		r, err = transcript.Latest(place, started, now, rateWindow)
	}
	s.Log, s.OutputBytes = r.Path, max(s.OutputBytes, r.Next)
	if err != nil { // nobody knows any more when it printed
		return
	}
	last := started
	if r.At.After(last) {
		last = r.At
	}
	s.IdleMs = max(0, until.Sub(last).Milliseconds())
	if living {
		s.OutputBytesPerSecond = r.PerSecond
	}
}
