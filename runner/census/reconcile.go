// Package census finds the living processes of sessions, also of sessions that have lost their holder. It brings the
// ledger in line with them and prunes ended sessions. It does not end processes: package runner does.
package census

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// LockTime is the longest wait for the ledger's lock when the ledger is brought in line.
const LockTime = 5 * time.Second

// Reconcile brings the ledger in line with the living processes and returns the active sessions. A session that has outlived
// its holder becomes orphaned, and Leftovers names its living processes. The result is right even where the ledger
// cannot be written.
func Reconcile(ctx context.Context, dir ledger.Dir) ([]ledger.Session, error) {
	a, err := dir.Active()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(a.Sessions, func(s ledger.Session) bool { return Lost(dir, s) }) {
		return a.Sessions, nil
	}
	return reconcile(ctx, dir, a).Sessions, nil
}

// Here works as Reconcile, and leaves out the sessions of the folder of which this folder is a copy.
func Here(ctx context.Context, dir ledger.Dir) ([]ledger.Session, error) {
	sessions, _, err := here(ctx, dir, func(s ledger.Session) bool { return dir.Held(s.ID) })
	return sessions, err
}

// Remembered works as Here, for reminders: it looks whether holders are gone as present does. It also returns the sessions that
// have ended last.
func Remembered(ctx context.Context, dir ledger.Dir) ([]ledger.Session, []ledger.Past, error) {
	return here(ctx, dir, func(s ledger.Session) bool { return present(dir, s) })
}

func here(ctx context.Context, dir ledger.Dir, held func(ledger.Session) bool) ([]ledger.Session, []ledger.Past, error) {
	a, err := dir.Active()
	if err != nil {
		return nil, nil, err
	}
	unheld := map[string]bool{}
	lost := false
	for _, s := range a.Sessions {
		if !held(s) {
			unheld[s.ID] = true
			lost = lost || dir.Copied(s) || !Foreign(s)
		}
	}
	if lost {
		a = reconcile(ctx, dir, a)
	}
	return slices.DeleteFunc(a.Sessions, func(s ledger.Session) bool { return unheld[s.ID] && Foreign(s) }), a.Past(), nil
}

// reconcile does the work of Reconcile for the active set a, where a session is lost.
func reconcile(ctx context.Context, dir ledger.Dir, a *ledger.Active) *ledger.Active {
	found := findLiving(dir, a.Sessions, nil)
	if !correct(dir, a, found) {
		return a // nothing has changed
	}
	ctx, cancel := context.WithTimeout(ctx, LockTime)
	defer cancel()
	corrected := a // in case it cannot be written
	if err := Update(ctx, dir, found, func(now *ledger.Active) error {
		corrected = now
		return nil
	}); err != nil {
		corrected = a
	}
	return corrected
}

// errUnknown reports sessions whose living processes are not known yet.
var errUnknown = errors.New("sessions that nobody has looked at")

// lookedAt is how many holders a start looks at. All of 200 took 1 ms, of the 14 of a run.
const lookedAt = 16

// Take adds a session to the active set, if change agrees: it gets the set as it is, in which a session that has lost its
// holder still has its name. If change fails, or a holder seems gone, Take does it again after bringing the set in line.
// Beside more than lookedAt sessions it looks at some of them only, others each time. Orphans, and sessions of another
// pid namespace, have no holder that lives here: if Take meets one, it is as slow as Update.
func Take(ctx context.Context, dir ledger.Dir, id string, change func(*ledger.Active) error) error {
	err := dir.UpdateOne(ctx, id, func(a *ledger.Active) error {
		pids := a.HolderPIDs()
		for i, n := rand.IntN(1<<20), min(len(pids), lookedAt); n > 0; i, n = i+1, n-1 {
			if !proc.Lives(pids[i%len(pids)]) {
				return errUnknown
			}
		}
		if change(a) != nil {
			return errUnknown
		}
		return nil
	})
	if errors.Is(err, errUnknown) {
		return Update(ctx, dir, nil, change)
	}
	return err
}

// Update changes the active set as ledger.Dir.Update does, after bringing it in line with the living processes. found has earlier
// results and may be nil. Update does not hold the lock while it looks at the system's processes.
func Update(ctx context.Context, dir ledger.Dir, found findings, change func(*ledger.Active) error) error {
	for written := false; ; {
		var sessions []ledger.Session
		again := false
		err := dir.Update(ctx, func(a *ledger.Active) error {
			if slices.ContainsFunc(a.Sessions, func(s ledger.Session) bool { return !found.has(s.ID) && Lost(dir, s) }) {
				sessions = slices.Clone(a.Sessions)
				return errUnknown
			}
			if again = correct(dir, a, found) && !written; again {
				written = true
				return nil // written even if change fails
			}
			return change(a)
		})
		switch {
		case errors.Is(err, errUnknown):
			found = findLiving(dir, sessions, found)
		case err != nil || !again:
			return err
		}
	}
}

// findings are the living processes of sessions whose holders are gone, by session id.
type findings map[string][]ledger.Process

func (f findings) has(id string) bool {
	_, ok := f[id]
	return ok
}

// findLiving finds the living processes of the sessions whose holders are gone, and adds them to the known findings.
func findLiving(dir ledger.Dir, sessions []ledger.Session, known findings) findings {
	found := findings{}
	maps.Copy(found, known)
	var gone []ledger.Session
	for _, s := range sessions {
		if !found.has(s.ID) && Lost(dir, s) {
			if record, err := dir.LoadSession(s.ID); err == nil {
				record.Leftovers = append(record.Leftovers, s.Leftovers...) // include those found since the record was written
				// The holder wrote the record first, and may have died before it wrote the set.
				s = record
			}
			gone = append(gone, s)
		}
	}
	living := Survivors(dir, gone)
	if slices.ContainsFunc(living, func(list []ledger.Process) bool { return len(list) == 0 }) {
		// One look misses processes that fork or execute at that moment. Two looks must agree that nothing is left.
		for i, again := range Survivors(dir, gone) {
			if len(living[i]) == 0 {
				living[i] = again
			}
		}
	}
	for i, s := range gone {
		found[s.ID] = living[i]
	}
	return found
}

// correct brings the active set in line with found, and reports whether that changes anything. For a session without a
// holder there are two cases. If a process is alive, the session is orphaned, which is logged once. Otherwise it is
// closed. Other effects happen when a is written.
func correct(dir ledger.Dir, a *ledger.Active, found findings) (changed bool) {
	for _, s := range slices.Clone(a.Sessions) {
		living, looked := found[s.ID]
		if !looked || !Lost(dir, s) {
			continue
		}
		orphaned, listed, main := s.Status == ledger.StatusOrphaned, s.Leftovers, s.Main
		if record, err := dir.LoadSession(s.ID); err == nil {
			if record.Name != s.Name && Logged(dir, record).Name != s.Name { // the set has the name first, then the log, then the record
				a.Log(track.RenamedEvent(s, record.Name))
			}
			record.Name = s.Name
			s = record
		}
		if s.Main.PID == 0 {
			s.Main = main // an earlier look may have found it
		}
		atEnd := s.Leftovers // those that were left when the main process had ended, if it has
		s.Leftovers = living
		if s.Main.PID == 0 && len(living) > 0 { // the holder died before it wrote down the main process
			s.Main = living[0]
		}
		if len(living) > 0 {
			s.Status = ledger.StatusOrphaned
			a.Put(s)
			settle(dir, a, s, atEnd)
			same := slices.EqualFunc(listed, living, func(a, b ledger.Process) bool { return track.Identity(a) == track.Identity(b) })
			changed = changed || !orphaned || !same
		} else {
			changed = true
			if dir.Copied(s) {
				a.Remove(s.ID)
				continue // the session belongs to the other folder, which records its end
			}
			s.Status = ledger.StatusKilled
			if !s.Ended() {
				s.LostAt = ledger.Time{Time: time.Now()}
			} else if s.Signal == "" {
				s.Status = ledger.StatusCompleted
			}
			a.End(s)
			if !s.RestartAt.IsZero() && !a.Has(s.Name) { // otherwise the next session has started
				e := track.FailedEvent(s, "restart")
				e.Reason = UnknownEnd(s)
				a.Log(e)
			}
			s.RestartAt = ledger.Time{}
			settle(dir, a, s, atEnd)
			a.Then(func() {
				clearPlaces(dir, s)
				if id := s.Labels[wire.LabelWatch]; id != "" {
					_ = dir.WatchEnded(id, s.ID) // the next watch sees that the program is gone
				}
			})
		}
		changed = noteLost(dir, a, s, listed, orphaned) || changed
	}
	return changed
}

// clearPlaces removes what the holder of s, which was killed, has left outside of the folder of the session.
func clearPlaces(dir ledger.Dir, s ledger.Session) {
	wire.RemoveSocket(dir, s.Socket)
	_ = isolation.RemoveTemp(s.TempFolder, s.ID) // no path that is not its own: the record may be from anybody
	proc.CgroupOf(s.ID, s.Cgroup).Remove()
}

// settle writes the record of s, whose holder was killed, when a is written. atEnd are the leftovers in the record of an ended
// session. settle fails in silence where the folder cannot be written: then each reader finds out for itself.
func settle(dir ledger.Dir, a *ledger.Active, s ledger.Session, atEnd []ledger.Process) {
	if dir.Copied(s) {
		return
	}
	s.Asks = nil // nobody waits for them any more
	if s.Ended() {
		s.Leftovers = atEnd
	}
	a.Then(func() {
		if !dir.Held(s.ID) {
			_ = dir.SaveSession(s)
		}
	})
}

// Foreign reports whether the holder of s is alive although its claim is not held here. This folder is then a copy of the
// folder with the claim, and the session belongs to that folder. For a moment, a holder that is just ending looks the same.
func Foreign(s ledger.Session) bool { return !elsewhere(s) && track.Identity(s.Holder).Alive() }
