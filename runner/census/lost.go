package census

import (
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// noteLost logs what the dead holder of s could not log, and what has become of its processes since. s.Leftovers has the
// living processes; listed has those found before. noteLost does not log anything twice. It reports whether there is
// anything new.
func noteLost(dir ledger.Dir, a *ledger.Active, s ledger.Session, listed []ledger.Process, orphaned bool) bool {
	journal, _ := dir.Journal(s.ID) // the living processes are known without it
	begun, ended := unlisted(s, slices.Concat(journal, listed)), notLiving(journal, s.Leftovers)
	over := len(s.Leftovers) == 0
	if orphaned && !over && len(begun)+len(ended) == 0 {
		return false
	}
	logLost(dir, a, s, orphaned, slices.Concat(journal, begun), ended)
	a.Then(func() { _ = dir.AppendJournal(s.ID, begun, ended) }) // if that fails, the next call notes them
	return true
}

// unlisted returns the living processes of s besides its main process that are not among the known ones.
func unlisted(s ledger.Session, known []ledger.Process) (begun []ledger.Process) {
	ids := identities(append(known, s.Main))
	for _, p := range s.Leftovers {
		if id := track.Identity(p); !ids[id] && id.Alive() { // otherwise its end may have been logged since it was found
			begun = append(begun, p)
		}
	}
	return begun
}

// notLiving returns the processes that are not among the living ones.
func notLiving(processes, living []ledger.Process) (ended []ledger.Process) {
	ids := identities(living)
	for _, p := range processes {
		if !ids[track.Identity(p)] {
			ended = append(ended, p)
		}
	}
	return ended
}

func identities(processes []ledger.Process) map[proc.ID]bool {
	ids := map[proc.ID]bool{}
	for _, p := range processes {
		ids[track.Identity(p)] = true
	}
	return ids
}

// logLost logs what is not in the log yet: the start of s, that it is orphaned, the start of the begun processes, the end
// of the ended ones and the end of s.
func logLost(dir ledger.Dir, a *ledger.Active, s ledger.Session, orphaned bool, begun, ended []ledger.Process) {
	main, logged := track.Identity(s.Main), Logged(dir, s)
	over := len(s.Leftovers) == 0
	if main.PID != 0 && !logged.Begun[main] {
		a.Log(track.Event(ledger.EventStarted, s))
	}
	if !orphaned && !over {
		a.Log(track.Event(ledger.EventOrphaned, s))
	}
	for _, p := range begun {
		if id := track.Identity(p); id != main && !logged.Begun[id] {
			a.Log(track.ProcessEvent(ledger.EventSpawned, s, p))
		}
	}
	for _, p := range ended {
		if !logged.Ended[track.Identity(p)] {
			e := track.ProcessEvent(ledger.EventCompleted, s, p)
			e.Reason = UnknownEnd(s)
			a.Log(e)
		}
	}
	if over && main.PID != 0 && !logged.Ended[main] {
		a.Log(lostEnd(s, orphaned))
	}
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

// A logged has what the log says about a session: its processes, and the last name that it got by a rename.
type logged struct {
	Begun, Ended map[proc.ID]bool
	Name         string
}

// clockSlack is how far the clocks of files may be behind.
const clockSlack = time.Minute

// Logged reads what the log says about s.
func Logged(dir ledger.Dir, s ledger.Session) logged {
	l := logged{Begun: map[proc.ID]bool{}, Ended: map[proc.ID]bool{}}
	for e, err := range dir.SessionEvents(s.ID, s.StartedAt.Time.Add(-clockSlack)) {
		if err != nil {
			break // then some events are logged again
		}
		id := proc.ID{PID: e.PID, Start: e.Start, Boot: e.Boot, Inode: e.Inode}
		switch e.Event {
		case ledger.EventStarted, ledger.EventSpawned:
			l.Begun[id] = true
		case ledger.EventCompleted, ledger.EventKilled:
			l.Ended[id] = true
		case ledger.EventRenamed:
			l.Name = e.Terminal
		}
	}
	return l
}

// UnknownEnd returns the reason why it is not known how the processes of s ended.
func UnknownEnd(s ledger.Session) string {
	switch {
	case !sameBoot(s.Holder):
		return "the machine was restarted"
	case s.EndsWith != "" && elsewhere(s):
		return "its sandbox ended with the call that started it"
	case elsewhere(s):
		return "its holder ran in another container and is gone"
	}
	return "its holder was killed"
}
