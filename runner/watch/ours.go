package watch

import (
	"fmt"
	"path/filepath"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/stack/files"
)

// An Ending says whether a command ends by itself.
type Ending int

// The endings.
const (
	EndsMaybe Ending = iota
	EndsByItself
	EndsNot // it serves, watches, or talks to a person who edits meanwhile
)

// writes reports whether all changes during a session count as written by it. They do for a build, for a command that
// somebody waits for, and for a launched command that ends by itself and has ended.
//
// Servers and watchers do not count, because they run while people work. The program of a watch does not count either:
// it is only made from the sources.
func (q Question) writes(s ledger.Session) bool {
	switch {
	case s.Labels[labelBuild] != "":
		return true
	case s.Labels[labelWatch] != "":
		return false
	}
	switch ending := q.Ends(s); {
	case s.Awaited:
		return ending != EndsNot
	default:
		return ending == EndsByItself && s.Ended()
	}
}

// A spell is the time in which a session ran.
type spell struct {
	session  ledger.Session
	from, to int64
	lives    bool // its processes can be examined
	known    bool // writes was determined
	writes   bool
}

// spellsOf returns when each session ran. If the holder of a session was killed, nobody knows when it ended, and the
// session has no spell.
func spellsOf(dir ledger.Dir, sessions []ledger.Session) (all []spell) {
	for _, s := range sessions {
		end := time.Now()
		lives := !s.Closed && dir.Held(s.ID)
		switch {
		case s.Closed:
			end = s.StartedAt.Add(time.Duration(max(s.ExitedAfterMs, s.DrainedAfterMs)) * time.Millisecond)
		case s.Ended(): // what the session has left behind may run for ever
			end = s.EndedAt.Time
		case !lives:
			continue
		}
		all = append(all, spell{
			session: s, from: s.StartedAt.Add(-clockSlack).UnixNano(), to: end.Add(clockSlack).UnixNano(), lives: lives,
		})
	}
	return all
}

// withoutOurs leaves out what our sessions have written. These are the changes while a session ran that writes, and the
// files that a process of another session has open for writing now.
func (q Question) withoutOurs(s *sources, now *state, changes []files.Change) ([]files.Change, error) {
	sessions, err := q.Dir.Sessions()
	if err != nil {
		return nil, fmt.Errorf("the sessions: %w", err)
	}
	stamps := map[string]int64{}
	for i, snapshot := range now.tops {
		for path, stamp := range snapshot.Files() {
			stamps[s.told(i, path)] = max(stamp.Changed, stamp.Modified)
		}
	}
	spells := spellsOf(q.Dir, sessions)
	var open map[string]bool
	var kept []files.Change
	for _, c := range changes {
		at, ok := stamps[c.Path]
		if ok && q.during(spells, at) {
			continue
		}
		if ok && open == nil {
			open = openFiles(spells)
		}
		if !ok || !open[s.real(c.Path)] {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// during reports whether a session that writes ran at that time.
func (q Question) during(spells []spell, at int64) bool {
	for i := range spells {
		one := &spells[i]
		if at < one.from || at > one.to {
			continue
		}
		if !one.known {
			one.known, one.writes = true, q.writes(one.session)
		}
		if one.writes {
			return true
		}
	}
	return false
}

// openFiles returns the paths of the files that living sessions have open for writing.
func openFiles(spells []spell) map[string]bool {
	open := map[string]bool{}
	for _, one := range spells {
		if !one.lives {
			continue
		}
		for _, p := range proc.Tree(one.session.Holder.PID) {
			for _, path := range proc.Writing(p.PID) {
				open[path] = true
			}
		}
	}
	return open
}

// real returns where on disk a path lies. The path is in the form of an event.
func (s *sources) real(path string) string {
	full := filepath.FromSlash(path)
	if !filepath.IsAbs(full) {
		full = filepath.Join(s.Base, full)
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		return real
	}
	return full
}
