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

// SettleTime is how long bringing the ledger in line may wait for its lock.
const SettleTime = 5 * time.Second

// Settle returns the active sessions after bringing the ledger in line with what lives: what has outlived its holder is
// orphaned, and named in Leftovers. Where the ledger cannot be written, the result is right all the same.
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
		return a.Sessions, nil // it is as it was
	}
	ctx, cancel := context.WithTimeout(ctx, SettleTime)
	defer cancel()
	settled := a // of which settle has made what is true, if it cannot be written
	if err := Reconcile(ctx, dir, found, func(now *ledger.Active) error {
		settled = now
		return nil
	}); err != nil {
		settled = a
	}
	return settled.Sessions, nil
}

// errUnknown reports that it is not known what lives of some session.
var errUnknown = errors.New("sessions that nobody has looked at")

// Reconcile is Update of the active set after bringing it in line with what lives. Nobody holds the lock while the
// processes of the system are looked at, so found, which may be nil, is what was seen before.
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
				return nil // this is written whatever change says
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

// findings are what lives of sessions whose holders are gone, by their ids.
type findings map[string][]ledger.Process

func (f findings) has(id string) bool {
	_, ok := f[id]
	return ok
}

// survey looks what lives of those sessions whose holders are gone, and adds it to what is known.
func survey(dir ledger.Dir, sessions []ledger.Session, known findings) findings {
	found := findings{}
	maps.Copy(found, known)
	var gone []ledger.Session
	for _, s := range sessions {
		if !found.has(s.ID) && Lost(dir, s) {
			if record, err := dir.LoadSession(s.ID); err == nil {
				record.Leftovers = append(record.Leftovers, s.Leftovers...) // those that were found since
				s = record                                                  // its holder wrote it first, and may not have come to write the set
			}
			gone = append(gone, s)
		}
	}
	living := Survivors(dir, gone)
	if slices.ContainsFunc(living, func(list []ledger.Process) bool { return len(list) == 0 }) {
		// One look misses what is forked, or executed, while it is taken: that nothing is left takes two.
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

// settle brings the active set in line with what was found, and reports whether that changes anything: of a session
// without a holder, what still lives is orphaned, which is logged once, and what does not is closed. What it does
// besides, it does when a is written.
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
			s.Main = main // which may have been found before
		}
		s.Leftovers = living
		if s.Main.PID == 0 && len(living) > 0 { // its holder did not come to write down which one it is
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
				continue // it is the other folder's: that one tells how it ends
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

// noteLost logs what the dead holder of s could not log any more, and what has become of its processes since: s has what
// lives of them in Leftovers, and listed is what was found before. What the log has already is not told again. It
// reports whether there is anything new.
func noteLost(dir ledger.Dir, a *ledger.Active, s ledger.Session, listed []ledger.Process, orphaned bool) bool {
	journal, _ := dir.Journal(s.ID) // what lives is known without it
	known, living := map[proc.ID]bool{track.Identity(s.Main): true}, map[proc.ID]bool{}
	for _, p := range slices.Concat(journal, listed) {
		known[track.Identity(p)] = true
	}
	var begun, ended []ledger.Process
	for _, p := range s.Leftovers {
		id := track.Identity(p)
		living[id] = true
		if !known[id] && id.Alive() { // else somebody may have told of its end since it was found
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
	a.Then(func() { _ = dir.AppendJournal(s.ID, begun, ended) }) // else they are noted the next time
	return true
}

// lostEnd returns the event of the end of the main process of s, whose holder could not tell it.
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

// A told is what the log says of the processes of a session.
type told struct{ Begun, Ended map[proc.ID]bool }

// clockSlack is by how much the clocks of files may be behind.
const clockSlack = time.Minute

// ToldOf reads what the log says of the processes of s.
func ToldOf(dir ledger.Dir, s ledger.Session) told {
	t := told{map[proc.ID]bool{}, map[proc.ID]bool{}}
	for e, err := range dir.SessionEvents(s.ID, s.StartedAt.Time.Add(-clockSlack)) {
		if err != nil {
			break // some things are told once more then
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

// UnknownEnd is why it is not known how the processes of s ended.
func UnknownEnd(s ledger.Session) string {
	switch {
	case !sameBoot(s.Holder):
		return "the machine was started anew"
	case elsewhere(s):
		return "its holder, of another container, is gone"
	}
	return "its holder was killed"
}

// Foreign reports whether the holder of s lives though its claim is not held here: then this folder is a
// copy of the one that it holds, and the session is none of ours. A holder that is just ending looks the
// same for a moment.
func Foreign(s ledger.Session) bool { return !elsewhere(s) && track.Identity(s.Holder).Alive() }

// removeSocket deletes the socket of a dead holder, if it is one.
func removeSocket(path string) {
	if folder, err := wire.RuntimeFolder(); err == nil && filepath.Dir(path) == folder {
		_ = os.Remove(path) // it may be gone
	}
}
