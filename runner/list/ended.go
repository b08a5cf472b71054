package list

import (
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// mostEndedProcesses is how many processes of a session [Listing.TakeEnded] lists. A build may have had 100,000.
const mostEndedProcesses = 50

// An endedTree has the processes of a session that have ended.
type endedTree struct {
	session *Listed
	begun   map[proc.ID]Process // that have not ended, as far as the log was read
}

// TakeEnded fills in which processes of the sessions have ended besides the main one, as the event log tells it. It reads the log
// once, from the start of the oldest session on.
func (l *Listing) TakeEnded(dir ledger.Dir) error {
	trees := map[string]*endedTree{}
	since := l.At
	for i := range l.Sessions {
		s := &l.Sessions[i]
		s.Past = []Process{}
		trees[s.ID] = &endedTree{s, map[proc.ID]Process{}}
		if s.StartedAt.Before(since) {
			since = s.StartedAt.Time
		}
	}
	for e, err := range dir.EventsSince(since.Add(-time.Second)) {
		if err != nil {
			return err
		}
		if t := trees[e.SessionID]; t != nil {
			t.take(e)
		}
	}
	return nil
}

// take takes an event of the session into account.
func (t *endedTree) take(e ledger.Event) {
	id := proc.ID{PID: e.PID, Start: e.Start, Boot: e.Boot, Inode: e.Inode}
	switch e.Event {
	case ledger.EventSpawned:
		if id == track.Identity(t.session.Main) {
			return
		}
		t.begun[id] = Process{
			PID: e.PID, Name: e.Name, CommandLine: e.Cmd, ParentPID: e.ParentPID,
			TerminalName: t.session.Name, SessionID: e.SessionID, StartedAt: e.TS,
		}
	case ledger.EventCompleted, ledger.EventKilled:
		p, ok := t.begun[id]
		if !ok {
			return
		}
		delete(t.begun, id)
		p.EndedAt, p.ExitCode, p.Status = e.TS, e.ExitCode, ledger.StatusCompleted
		if e.Event == ledger.EventKilled {
			p.Status = ledger.StatusKilled
		}
		t.session.PastCount++
		t.session.Past = append(t.session.Past, p)
		t.session.Past = t.session.Past[max(0, len(t.session.Past)-mostEndedProcesses):]
	}
}
