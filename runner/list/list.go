package list

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// A Process is a process of a session, as it is shown.
type Process struct {
	PID          int         `json:"pid"`
	Name         string      `json:"name"`
	CommandLine  string      `json:"commandLine"` // up to 64 KiB
	ParentPID    int         `json:"parentPid"`
	TerminalName string      `json:"terminalName"` // the name of the session
	SessionID    string      `json:"sessionId"`
	StartedAt    ledger.Time `json:"startedAt,omitzero"`
	EndedAt      ledger.Time `json:"endedAt,omitzero"`
	ExitCode     *int        `json:"exitCode,omitempty"`
	Status       string      `json:"status"`         // running, completed, killed or orphaned
	State        string      `json:"state,omitzero"` // of the kernel, a word of proc.StateWord, or hidden
	CPUPercent   float64     `json:"cpuPercent,omitzero"`
	CPUMs        int64       `json:"cpuMs,omitzero"`       // processor time so far
	MemoryBytes  uint64      `json:"memoryBytes,omitzero"` // resident
	Mark         string      `json:"mark,omitzero"`        // what it is to its workspace, if that was asked: expected or unexpected
	Children     []Process   `json:"children,omitempty"`
}

// stateHidden is the State of a process of another user that the system does not show.
const stateHidden = "hidden"

// A Listed is a session with its living tree. What is not known of it, or was not asked for, is zero.
type Listed struct {
	ledger.Session
	PID          int     `json:"pid"` // of the main process
	ParentPID    int     `json:"parentPid,omitzero"`
	CommandLine  string  `json:"commandLine"`
	TerminalName string  `json:"terminalName"` // its name
	Log          string  `json:"log"`          // the file with its newest output
	AgeMs        int64   `json:"ageMs"`        // how long it has run, or ran
	IdleMs       int64   `json:"idleMs"`       // since its last output, or its start; of an ended one up to its end
	CPUPercent   float64 `json:"cpuPercent,omitzero"`
	MemoryBytes  uint64  `json:"memoryBytes,omitzero"`

	OutputBytesPerSecond float64   `json:"outputBytesPerSecond"` // over the last 5 s
	Ports                []Port    `json:"ports"`                // on which its processes listen
	Processes            []Process `json:"processes"`
	wire.InputState
}

// A Listing is what was started here: the sessions, and flat lists of what lives.
type Listing struct {
	Sessions []Listed  `json:"sessions"`
	Active   []Process `json:"active"`
	Orphaned []Process `json:"orphaned"`

	At time.Time `json:"-"` // when it was made
}

// NewListing returns the listing of a folder in which nothing was started.
func NewListing() Listing {
	return Listing{Sessions: []Listed{}, Active: []Process{}, Orphaned: []Process{}, At: time.Now()}
}

// rateWindow is how far back a rate of output looks.
const rateWindow = 5 * time.Second

// List returns the living sessions, oldest first, or all with their records when all is set. Figures of CPU,
// memory, output and ports are taken, and what they do about input is looked at, when usage is set.
func List(ctx context.Context, dir ledger.Dir, all, usage bool) (Listing, error) {
	l := NewListing()
	sessions, err := census.Settle(ctx, dir)
	if err != nil {
		return l, err
	}
	alive := map[string]bool{}
	for _, s := range sessions {
		alive[s.ID] = true
		if dir.Held(s.ID) || !census.Foreign(s) {
			l.Sessions = append(l.Sessions, newListed(s))
		}
	}
	l.lookAt(ctx, dir, sessions, usage)
	for _, s := range l.Sessions {
		if s.Status == ledger.StatusOrphaned {
			l.Orphaned = append(l.Orphaned, Flatten(nil, s.Processes)...)
		} else {
			l.Active = append(l.Active, Flatten(nil, s.Processes)...)
		}
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
		listed := newListed(s)
		listed.Ports, listed.Processes = []Port{}, []Process{}
		listed.takeOutput(dir, l.At, false)
		l.Sessions = append(l.Sessions, listed)
	}
	slices.SortStableFunc(l.Sessions, func(a, b Listed) int { return a.StartedAt.Compare(b.StartedAt.Time) })
	return l, nil
}

func newListed(s ledger.Session) Listed {
	line := strings.Join(s.Command, " ")
	return Listed{
		Session: s, PID: s.Main.PID, ParentPID: s.Main.ParentPID, TerminalName: s.Name,
		CommandLine: line[:min(len(line), proc.MaxCommandLine)],
	}
}

// lookAt fills in what the sessions of l do, of all at once: a holder takes its time to answer.
func (l *Listing) lookAt(ctx context.Context, dir ledger.Dir, sessions []ledger.Session, usage bool) {
	looked := func() {}
	if usage {
		looked = l.inputStates(ctx, dir)
	}
	fences := fencesOf(sessions)
	listening := make(chan []proc.Listener, 1)
	go func() {
		var all []proc.Listener
		if usage {
			all, _ = proc.Listeners(0) // where the system does not tell there are none to show
		}
		listening <- all
	}()
	work := make(chan *Listed)
	done := make(chan struct{})
	workers := max(1, min(len(l.Sessions), runtime.GOMAXPROCS(0)))
	for range workers {
		go func() {
			defer func() { done <- struct{}{} }()
			for s := range work {
				s.takeRecord(dir)
				s.takeProcesses(fences, usage)
				s.Ports = []Port{}
				if usage {
					all := <-listening
					listening <- all
					s.takePorts(all)
					s.takeOutput(dir, l.At, true)
				} else {
					s.Log = transcript.Newest(dir.SessionFolder(s.ID))
				}
			}
		}()
	}
	for i := range l.Sessions {
		work <- &l.Sessions[i]
	}
	close(work)
	for range workers {
		<-done
	}
	looked()
}

// takeRecord fills in what only the record says, and that while the holder lives: what persons are asked for, and the
// process that the session is tethered to now.
func (s *Listed) takeRecord(dir ledger.Dir) {
	s.Asks = nil
	if record, err := dir.LoadSession(s.ID); err == nil && !record.Closed {
		s.Tether = record.Tether
		if len(record.Asks) > 0 && dir.Held(s.ID) {
			s.Asks = record.Asks
		}
	}
}

// takeOutput fills in how much the session has printed, and when.
func (s *Listed) takeOutput(dir ledger.Dir, now time.Time, living bool) {
	started := s.StartedAt.Time
	until := now
	if s.Ended() {
		until = s.EndedAt.Time
	}
	s.AgeMs = max(0, until.Sub(started).Milliseconds())
	if living {
		until = now // leftovers may print
	}
	r := transcript.Latest(dir.SessionFolder(s.ID), started, now, rateWindow)
	s.Log, s.OutputBytes = r.Path, max(s.OutputBytes, r.Next)
	last := started
	if r.At.After(last) {
		last = r.At
	}
	s.IdleMs = max(0, until.Sub(last).Milliseconds())
	if living {
		s.OutputBytesPerSecond = r.PerSecond
	}
}
