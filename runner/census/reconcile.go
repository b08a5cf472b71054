// Package census finds the living processes of sessions, also of sessions that have lost their holder. It brings the
// ledger in line with them and prunes ended sessions. It does not end processes: package runner does.
package census

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// SettleTime is the longest wait for the ledger's lock when the ledger is brought in line.
const SettleTime = 5 * time.Second

// Settle brings the ledger in line with the living processes and returns the active sessions. A session that has outlived
// its holder becomes orphaned, and Leftovers names its living processes. The result is right even where the ledger
// cannot be written.
func Settle(ctx context.Context, dir ledger.Dir) ([]ledger.Session, error) {
	a, err := dir.Active()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(a.Sessions, func(s ledger.Session) bool { return Lost(dir, s) }) {
		return a.Sessions, nil
	}
	found := survey(dir, a.Sessions, nil)
	if !settle(dir, a, found) {
		return a.Sessions, nil // nothing has changed
	}
	ctx, cancel := context.WithTimeout(ctx, SettleTime)
	defer cancel()
	settled := a // settle has corrected a, for the case that it cannot be written
	if err := Reconcile(ctx, dir, found, func(now *ledger.Active) error {
		settled = now
		return nil
	}); err != nil {
		settled = a
	}
	return settled.Sessions, nil
}

// errUnknown reports sessions whose living processes are not known yet.
var errUnknown = errors.New("sessions that nobody has looked at")

// Reconcile updates the active set as Update does, after bringing it in line with the living processes. found has earlier
// results and may be nil. Reconcile does not hold the lock while it looks at the system's processes.
func Reconcile(ctx context.Context, dir ledger.Dir, found findings, change func(*ledger.Active) error) error {
	for written := false; ; {
		var sessions []ledger.Session
		again := false
		err := dir.Update(ctx, func(a *ledger.Active) error {
			if slices.ContainsFunc(a.Sessions, func(s ledger.Session) bool { return !found.has(s.ID) && Lost(dir, s) }) {
				sessions = slices.Clone(a.Sessions)
				return errUnknown
			}
			if again = settle(dir, a, found) && !written; again {
				written = true
				return nil // written even if change fails
			}
			return change(a)
		})
		switch {
		case errors.Is(err, errUnknown):
			found = survey(dir, sessions, found)
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

// survey finds the living processes of the sessions whose holders are gone, and adds them to the known findings.
func survey(dir ledger.Dir, sessions []ledger.Session, known findings) findings {
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

// settle brings the active set in line with found, and reports whether that changes anything. For a session without a
// holder there are two cases. If a process is alive, the session is orphaned, which is logged once. Otherwise it is
// closed. Other effects happen when a is written.
func settle(dir ledger.Dir, a *ledger.Active, found findings) (changed bool) {
	for _, s := range slices.Clone(a.Sessions) {
		living, looked := found[s.ID]
		if !looked || !Lost(dir, s) {
			continue
		}
		orphaned, listed, main := s.Status == ledger.StatusOrphaned, s.Leftovers, s.Main
		if record, err := dir.LoadSession(s.ID); err == nil {
			s = record
		}
		if s.Main.PID == 0 {
			s.Main = main // an earlier look may have found it
		}
		s.Leftovers = living
		if s.Main.PID == 0 && len(living) > 0 { // the holder died before it wrote down the main process
			s.Main = living[0]
		}
		if len(living) > 0 {
			s.Status = ledger.StatusOrphaned
			a.Put(s)
			same := slices.EqualFunc(listed, living, func(a, b ledger.Process) bool { return track.Identity(a) == track.Identity(b) })
			changed = changed || !orphaned || !same
		} else {
			a.Remove(s.ID)
			changed = true
			if dir.Copied(s) {
				continue // the session belongs to the other folder, which records its end
			}
			a.Then(func() {
				removeSocket(s.Socket)
				proc.CgroupOf(s.ID, s.Cgroup).Remove()
			})
		}
		changed = noteLost(dir, a, s, listed, orphaned) || changed
	}
	return changed
}

// noteLost logs what the dead holder of s could not log, and what has become of its processes since. s.Leftovers has the
// living processes; listed has those found before. noteLost does not log anything twice. It reports whether there is
// anything new.
func noteLost(dir ledger.Dir, a *ledger.Active, s ledger.Session, listed []ledger.Process, orphaned bool) bool {
	journal, _ := dir.Journal(s.ID) // the living processes are known without it
	known, living := map[proc.ID]bool{track.Identity(s.Main): true}, map[proc.ID]bool{}
	for _, p := range slices.Concat(journal, listed) {
		known[track.Identity(p)] = true
	}
	var begun, ended []ledger.Process
	for _, p := range s.Leftovers {
		id := track.Identity(p)
		living[id] = true
		if !known[id] && id.Alive() { // otherwise its end may have been logged since it was found
			begun = append(begun, p)
		}
	}
	for _, p := range journal {
		if !living[track.Identity(p)] {
			ended = append(ended, p)
		}
	}
	over := len(s.Leftovers) == 0
	if orphaned && !over && len(begun)+len(ended) == 0 {
		return false
	}
	main, told := track.Identity(s.Main), ToldOf(dir, s)
	if main.PID != 0 && !told.Begun[main] {
		a.Log(track.Event(ledger.EventStarted, s))
	}
	if !orphaned && !over {
		a.Log(track.Event(ledger.EventOrphaned, s))
	}
	for _, p := range slices.Concat(journal, begun) {
		if id := track.Identity(p); id != main && !told.Begun[id] {
			a.Log(track.ProcessEvent(ledger.EventSpawned, s, p))
		}
	}
	for _, p := range ended {
		if !told.Ended[track.Identity(p)] {
			e := track.ProcessEvent(ledger.EventCompleted, s, p)
			e.Reason = UnknownEnd(s)
			a.Log(e)
		}
	}
	if over && main.PID != 0 && !told.Ended[main] {
		a.Log(lostEnd(s, orphaned))
	}
	a.Then(func() { _ = dir.AppendJournal(s.ID, begun, ended) }) // if that fails, the next call notes them
	return true
}

// lostEnd returns the event for the end of the main process of s, which the holder could not log.
func lostEnd(s ledger.Session, orphaned bool) ledger.Event {
	end := track.EndEvent(s)
	if !s.Ended() {
		end.Event, end.Reason = ledger.EventKilled, UnknownEnd(s)
		if orphaned {
			end.Reason = "it outlived its holder: how it ended is not known"
		}
	}
	return end
}

// A told has what the log says about the processes of a session.
type told struct{ Begun, Ended map[proc.ID]bool }

// clockSlack is how far the clocks of files may be behind.
const clockSlack = time.Minute

// ToldOf reads what the log says about the processes of s.
func ToldOf(dir ledger.Dir, s ledger.Session) told {
	t := told{map[proc.ID]bool{}, map[proc.ID]bool{}}
	for e, err := range dir.SessionEvents(s.ID, s.StartedAt.Time.Add(-clockSlack)) {
		if err != nil {
			break // then some events are logged again
		}
		id := proc.ID{PID: e.PID, Start: e.Start, Boot: e.Boot, Inode: e.Inode}
		switch e.Event {
		case ledger.EventStarted, ledger.EventSpawned:
			t.Begun[id] = true
		case ledger.EventCompleted, ledger.EventKilled:
			t.Ended[id] = true
		}
	}
	return t
}

// UnknownEnd returns the reason why it is not known how the processes of s ended.
func UnknownEnd(s ledger.Session) string {
	switch {
	case !sameBoot(s.Holder):
		return "the machine was started anew"
	case elsewhere(s):
		return "its holder, of another container, is gone"
	}
	return "its holder was killed"
}

// Foreign reports whether the holder of s is alive although its claim is not held here. This folder is then a copy of the
// folder with the claim, and the session belongs to that folder. For a moment, a holder that is just ending looks the same.
func Foreign(s ledger.Session) bool { return !elsewhere(s) && track.Identity(s.Holder).Alive() }

// removeSocket deletes the socket of a dead holder. It deletes nothing outside the runtime folder.
func removeSocket(path string) {
	if folder, err := wire.RuntimeFolder(); err == nil && filepath.Dir(path) == folder {
		_ = os.Remove(path) // it may be gone already
	}
}
