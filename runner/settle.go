package runner

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"devtools/ledger"
)

// settle brings the active set in line with what lives: of a session without a holder, what still
// lives is orphaned, which is logged once, and what does not is closed. The caller holds the lock.
func settle(dir ledger.Dir, a *ledger.Active) {
	for _, s := range slices.Clone(a.Sessions) {
		if dir.Held(s.ID) || foreign(s) {
			continue
		}
		orphaned := s.Status == ledger.StatusOrphaned
		if record, err := dir.LoadSession(s.ID); err == nil {
			s = record // its holder wrote it first, and may not have come to write the set
		}
		switch {
		case !living(s):
			a.Remove(s.ID)
			removeSocket(s.Socket)
			closeEvents(dir, a, s, orphaned)
		case !orphaned:
			s.Status = ledger.StatusOrphaned
			a.Put(s)
			a.Log(event(ledger.EventOrphaned, s))
		}
	}
}

// closeEvents logs what the dead holder of s could not log any more: its start, if that is missing, and
// its end.
func closeEvents(dir ledger.Dir, a *ledger.Active, s ledger.Session, orphaned bool) {
	if s.Main.PID == 0 {
		return // it never started
	}
	var started, ended bool
	for e, err := range dir.SessionEvents(s.ID) {
		if err == nil && e.PID == s.Main.PID {
			started = started || e.Event == ledger.EventStarted
			ended = ended || e.Event == ledger.EventCompleted || e.Event == ledger.EventKilled
		}
	}
	if !started {
		a.Log(event(ledger.EventStarted, s))
	}
	if ended {
		return
	}
	end := endEvent(s)
	if !s.Ended() {
		end.Event, end.Reason = ledger.EventKilled, reasonLost
		if orphaned {
			end.Reason = "it outlived its holder: how it ended is not known"
		}
	}
	a.Log(end)
}

// reasonLost is why the end of a session is not known.
const reasonLost = "its holder was killed"

// foreign reports whether the holder of s lives though its claim is not held here: then this folder is a
// copy of the one that it holds, and the session is none of ours. A holder that is just ending looks the
// same for a moment.
func foreign(s ledger.Session) bool { return identity(s.Holder).Alive() }

// removeSocket deletes the socket of a dead holder, if it is one.
func removeSocket(path string) {
	if folder, err := runtimeFolder(); err == nil && filepath.Dir(path) == folder {
		_ = os.Remove(path) // it may be gone
	}
}

// living reports whether a process that the record of s names is alive, and its holder is not.
func living(s ledger.Session) bool {
	if foreign(s) {
		return false
	}
	if s.Main.PID != 0 && !s.Ended() && identity(s.Main).Alive() {
		return true
	}
	return slices.ContainsFunc(s.Leftovers, func(p ledger.Process) bool { return identity(p).Alive() })
}

// Settle returns the active sessions after bringing the ledger in line with what lives. Where the
// ledger cannot be written, the result is right all the same.
func Settle(ctx context.Context, dir ledger.Dir) ([]ledger.Session, error) {
	a, err := dir.Active()
	if err != nil {
		return nil, err
	}
	for _, s := range a.Sessions {
		if (s.Status != ledger.StatusOrphaned && !dir.Held(s.ID) || s.Status == ledger.StatusOrphaned && !living(s)) && !foreign(s) {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			settled := a
			if err := dir.Update(ctx, func(a *ledger.Active) error {
				settle(dir, a)
				settled = a
				return nil
			}); err != nil {
				settle(dir, settled) // a read-only ledger still gets a true answer
			}
			return settled.Sessions, nil
		}
	}
	return a.Sessions, nil
}
