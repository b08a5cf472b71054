package list

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
)

// A Reminder is in each result that is one object: what runs, and what has ended lately, besides the sessions that a run, a launch or a
// kill is about. Its lists are absent with --quiet and with DEVTOOLS_REMINDER=0.
type Reminder struct {
	Active   []Process `json:"activeProcesses,omitzero"` // main processes of sessions, or what outlived them; without commands of --on-exit
	Orphaned []Process `json:"orphaned,omitzero"`        // processes that have outlived the holder of their session
	Ended    []Ended   `json:"endedRecently,omitzero"`   // sessions that ended within the last ten minutes, the last ten of them

	Error string `json:"reminderError,omitzero"` // why the lists are empty, although there may be something
}

// An Ended is a session that has ended lately.
type Ended struct {
	Name      string      `json:"name"`               // name of the session
	SessionID string      `json:"sessionId"`          // id of the session
	Status    string      `json:"status"`             // how it has ended: completed or killed
	ExitCode  *int        `json:"exitCode,omitempty"` // its exit code; 128+n when signal n ended it; absent if nobody knows it
	Signal    string      `json:"signal,omitzero"`    // signal that ended it, such as SIGTERM
	EndedAt   ledger.Time `json:"endedAt"`            // end of its main process
}

// What a reminder shows at most.
const (
	lately     = 10 * time.Minute
	mostEnded  = 10
	mostNames  = 8   // of descendants: a dev server has some five, a browser or a build hundreds
	mostOfLine = 200 // bytes of a command line: code given to an interpreter may have 64 KiB, in each result
)

// A Memory is what a state folder knows of what runs and what has ended lately.
type Memory struct {
	sessions []ledger.Session
	past     []ledger.Past
	known    map[string]census.Known // by the id of a session with secrets
}

// Recall reads the memory of a state folder. It asks no holder.
func Recall(ctx context.Context, dir ledger.Dir) (m Memory, err error) {
	m.sessions, m.past, err = census.Remembered(ctx, dir)
	m.known = map[string]census.Known{}
	for _, s := range m.sessions {
		if len(s.Secrets) > 0 {
			m.known[s.ID] = census.Written(dir, s)
		}
	}
	return m, err
}

// Reminder returns the reminder without the sessions that are left out.
func (m Memory) Reminder(leftOut func(id, name string) bool) Reminder {
	r := Reminder{Active: []Process{}, Orphaned: []Process{}, Ended: []Ended{}}
	sessions := slices.DeleteFunc(slices.Clone(m.sessions), func(s ledger.Session) bool { return leftOut(s.ID, s.Name) })
	fences := fencesOf(m.sessions)
	past := slices.DeleteFunc(slices.Clone(m.past), func(p ledger.Past) bool { return leftOut(p.ID, p.Name) })
	for _, s := range sessions {
		switch {
		case s.Status == ledger.StatusOrphaned:
			r.Orphaned = append(r.Orphaned, reminded(s)...)
		case s.OnExitOf == "":
			alive := reminded(s)
			if !s.Ended() && len(alive) > 0 {
				alive[0].takeDescendants(fences.members(s, true), m.known[s.ID])
			}
			r.Active = append(r.Active, alive...)
			if s.Ended() && s.Status != ledger.StatusRestarting { // its leftovers go on
				past = append(past, ledger.NewPast(s))
			}
		}
	}
	r.takeEnded(past, time.Now())
	return r
}

// reminded returns the processes of a session that a reminder names: those of Living, and one without a number for a session
// that waits to be started again.
func reminded(s ledger.Session) []Process {
	if s.Main.PID == 0 {
		return nil
	}
	alive := Living(s)
	if s.Status == ledger.StatusRestarting {
		p := mainProcess(s)
		p.PID = 0
		alive = append(alive, p)
	}
	for i, p := range alive {
		alive[i].CommandLine = clip(p.CommandLine, mostOfLine)
	}
	return alive
}

// clip cuts text that has more bytes than most, and marks the cut with an ellipsis.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// takeDescendants names the processes of the session of p besides p. known is nil if the session has no secrets.
func (p *Process) takeDescendants(members []proc.Member, known census.Known) {
	p.Descendants = []string{}
	for _, m := range members {
		if m.PID == p.PID {
			continue
		}
		if p.DescendantCount++; len(p.Descendants) < mostNames {
			name := m.Name
			if known != nil {
				name, _ = known.Shown(m.ID)
			}
			p.Descendants = append(p.Descendants, name)
		}
	}
}

// takeEnded fills in the sessions that have ended lately.
func (r *Reminder) takeEnded(past []ledger.Past, now time.Time) {
	slices.SortStableFunc(past, func(a, b ledger.Past) int { return a.EndedAt.Compare(b.EndedAt.Time) })
	for _, p := range past[max(0, len(past)-mostEnded):] {
		if now.Sub(p.EndedAt.Time) < lately {
			r.Ended = append(r.Ended, Ended{p.Name, p.ID, p.Status, p.ExitCode, p.Signal, p.EndedAt})
		}
	}
}
