package runner

import (
	"context"
	"time"

	"devtools/ledger"
)

// settle brings the active set in line with what lives: of a session without a holder, what still
// lives is orphaned, which is logged once, and what does not is closed. The caller holds the lock.
func settle(dir ledger.Dir, a *ledger.Active) {
	for _, s := range append([]ledger.Session(nil), a.Sessions...) {
		if dir.Held(s.ID) {
			continue
		}
		if living(s) {
			if s.Status != ledger.StatusOrphaned {
				s.Status = ledger.StatusOrphaned
				a.Put(s)
				a.Log(event(ledger.EventOrphaned, s))
			}
			continue
		}
		a.Remove(s.ID)
		if s.Ended() || s.Main.PID == 0 {
			continue // its end is in the log; or it never started
		}
		if record, err := dir.LoadSession(s.ID); err == nil && record.Ended() {
			kind := ledger.EventCompleted
			if record.Signal != "" {
				kind = ledger.EventKilled
			}
			a.Log(event(kind, record)) // its holder could not say so any more
			continue
		}
		lost := event(ledger.EventKilled, s)
		lost.Reason = "its holder was killed"
		a.Log(lost)
	}
}

// living reports whether a process that the record of s names is alive.
func living(s ledger.Session) bool {
	if s.Main.PID != 0 && !s.Ended() && identity(s.Main).Alive() {
		return true
	}
	for _, p := range s.Leftovers {
		if identity(p).Alive() {
			return true
		}
	}
	return false
}

// Settle returns the active sessions after bringing the ledger in line with what lives. Where the
// ledger cannot be written, the result is right all the same.
func Settle(ctx context.Context, dir ledger.Dir) ([]ledger.Session, error) {
	a, err := dir.Active()
	if err != nil {
		return nil, err
	}
	for _, s := range a.Sessions {
		if s.Status != ledger.StatusOrphaned && !dir.Held(s.ID) || s.Status == ledger.StatusOrphaned && !living(s) {
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
