package list

import (
	"cmp"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
)

// A Told is who is told of other sessions, after a result.
type Told struct {
	Caller  func() ledger.Caller
	Since   time.Time // begin of this call; zero: it has started nothing
	Before  time.Time // when the same caller had a command run in a session; zero: not known
	LeftOut []string  // names and ids of the sessions that the result is about
}

// Untold returns what a caller is told on standard error: the processes of sessions that it has not started, that no living run
// waits for, and of which no earlier call has told it. An earlier call is known by the session that it started. Orphans are always
// told, commands of --on-exit never.
func (m Memory) Untold(to Told) (list []Process) {
	var asked *calls
	for _, s := range m.sessions {
		switch {
		case slices.Contains(to.LeftOut, s.ID), slices.Contains(to.LeftOut, s.Name):
		case s.Status == ledger.StatusOrphaned:
			list = append(list, reminded(s)...)
		case s.OnExitOf != "", s.Awaited && s.LeftAt.IsZero() && !s.Ended():
		default:
			alive := reminded(s)
			if asked == nil && len(alive) > 0 {
				asked = newCalls(to, m)
			}
			if len(alive) > 0 && !asked.know(s) {
				list = append(list, alive...)
			}
		}
	}
	return list
}

// The calls are those that have told a caller of what ran then.
type calls struct {
	caller ledger.Caller
	since  map[int]time.Time // since when a number of the caller has meant its process
	of     []ledger.Past
}

func newCalls(to Told, m Memory) *calls {
	c := &calls{caller: to.Caller(), since: map[int]time.Time{}}
	c.of = slices.Clone(m.past)
	for _, s := range m.sessions {
		c.of = append(c.of, ledger.NewPast(s))
	}
	if !to.Since.IsZero() { // a call that began later has told nothing yet
		c.of = slices.DeleteFunc(c.of, func(p ledger.Past) bool { return !p.StartedAt.Before(to.Since) })
	}
	if !to.Before.IsZero() {
		c.of = append(c.of, ledger.Past{StartedAt: ledger.Time{Time: to.Before}, Caller: c.caller, Namespace: proc.Namespace()})
	}
	return c
}

// know reports whether the caller has started s, or was told of it by an earlier call. A call in its terminal has told nothing of the
// sessions that its own parent had started.
func (c *calls) know(s ledger.Session) bool {
	begin := s.StartedAt
	if s.Awaited { // until then somebody waited for it, and it was not told
		begin = cmp.Or(s.LeftAt, s.EndedAt)
	}
	return c.means(s.Caller.PID, c.caller.PID, ledger.NewPast(s)) || slices.ContainsFunc(c.of, func(p ledger.Past) bool {
		return p.ID != s.ID && p.StartedAt.After(begin.Time) &&
			(c.means(p.Caller.PID, c.caller.PID, p) ||
				p.Caller.PID != s.Caller.PID && c.means(p.Caller.Session, c.caller.Session, p))
	})
}

// means reports whether number, which was written down when p started, means the process that has the number own now.
func (c *calls) means(number, own int, p ledger.Past) bool {
	if number != own || own == 0 || p.Namespace != proc.Namespace() {
		return false
	}
	since, ok := c.since[own]
	if !ok {
		since = meantSince(own)
		c.since[own] = since
	}
	return !p.StartedAt.Before(since.Add(-clockTick))
}

// meantSince returns since when a number of this process's caller is known to mean the same process. If the number is that of our
// session, setsid(2), its first process may have ended. While a process of the session lives, the kernel gives the number to no other.
// So it has meant that process at least since our oldest ancestor in the session started.
func meantSince(number int) time.Time {
	if info, err := proc.Glimpse(number); err == nil {
		return info.Started()
	}
	if oldest := proc.OldestInSession(number); oldest.PID != 0 {
		return oldest.Started()
	}
	return time.Now()
}

// clockTick is the unit of the times at which processes start.
const clockTick = 10 * time.Millisecond
