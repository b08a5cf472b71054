package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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

// orphans returns the living processes that the record of s names, with their trees.
func orphans(s ledger.Session) []proc.Info {
	var infos []proc.Info
	for _, p := range append([]ledger.Process{s.Main}, s.Leftovers...) {
		id := identity(p)
		if id.PID == 0 || !id.Alive() {
			continue
		}
		info, err := proc.Read(id.PID)
		if tree := proc.Tree(id.PID); err == nil && id.Alive() { // still the same: so the tree is its own
			infos = append(append(infos, info), tree...)
		}
	}
	return infos
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

// alive returns the main process of s, or the leftovers that have outlived it.
func alive(s ledger.Session) []Process {
	if !s.Ended() {
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
	status := ledger.StatusRunning
	if s.Status == ledger.StatusOrphaned {
		status = ledger.StatusOrphaned
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

// killPatience is how long killing may take beyond the grace.
const killPatience = 15 * time.Second

// Kill ends the sessions or processes that targets name, each with its tree: with the signal, and
// with SIGKILL what lives after the grace. A target that is a number is the pid of a process of a
// session. It goes on after a target that is not there, and returns all errors.
func Kill(ctx context.Context, dir ledger.Dir, targets []string, signal string, grace time.Duration) (proc.Outcome, error) {
	all := proc.Outcome{Killed: []int{}, Failed: []proc.Failure{}}
	if _, err := ParseSignal(signal); err != nil {
		return all, err
	}
	var errs []error
	for _, target := range targets {
		kill := killSession
		if _, err := strconv.Atoi(target); err == nil {
			kill = killProcess
		}
		outcome, err := kill(ctx, dir, target, signal, grace)
		all.Killed = append(all.Killed, outcome.Killed...)
		all.Failed = append(all.Failed, outcome.Failed...)
		errs = append(errs, err)
	}
	return all, errors.Join(errs...)
}

func killSession(ctx context.Context, dir ledger.Dir, name, signal string, grace time.Duration) (proc.Outcome, error) {
	s, err := dir.Session(name)
	if err != nil {
		return proc.Outcome{}, err
	}
	outcome, err := killHeld(ctx, dir, s, signal, grace)
	if !errors.Is(err, ErrHolderGone) {
		return outcome, err
	}
	if !living(s) {
		return outcome, errNamed(name, ErrEnded)
	}
	return killListed(ctx, func() []proc.ID { return ids(orphans(s)) }, signal, grace)
}

// killHeld asks the holder of s to end it.
func killHeld(ctx context.Context, dir ledger.Dir, s ledger.Session, signal string, grace time.Duration) (proc.Outcome, error) {
	c, err := Dial(dir, s)
	if err != nil {
		return proc.Outcome{}, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, grace+killPatience)
	defer cancel()
	outcome, err := c.Kill(ctx, 0, signal, grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("session %q: its holder (pid %d) does not answer", s.Name, s.Holder.PID)
	}
	return outcome, err
}

// killListed ends what list names, without a holder.
func killListed(ctx context.Context, list func() []proc.ID, signal string, grace time.Duration) (proc.Outcome, error) {
	sig, err := ParseSignal(signal)
	if err != nil {
		return proc.Outcome{}, err
	}
	return proc.Kill(ctx, list, sig, grace), nil
}

func killProcess(ctx context.Context, dir ledger.Dir, target, signal string, grace time.Duration) (proc.Outcome, error) {
	pid, err := strconv.Atoi(target)
	if err != nil {
		return proc.Outcome{}, err
	}
	sessions, err := Settle(ctx, dir)
	if err != nil {
		return proc.Outcome{}, err
	}
	for _, s := range sessions {
		c, err := Dial(dir, s)
		if err != nil {
			for _, info := range orphans(s) {
				if info.ID.PID == pid {
					return killListed(ctx, subtree(info.ID), signal, grace)
				}
			}
			continue
		}
		outcome, err := c.Kill(ctx, pid, signal, grace)
		_ = c.Close()
		if !errors.Is(err, ErrNoProcess) {
			return outcome, err
		}
	}
	return proc.Outcome{}, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
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
