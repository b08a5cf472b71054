package runner

import (
	"cmp"
	"context"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// Restart makes the holder of the session s end it with TERM, and after the grace with KILL, and start its command again. It
// returns the new session when that has started. The holder does so also when this process ends before. The error is ErrEnded or
// ErrHolderGone of a session that cannot be started again, because the environment of its command was in the memory of its
// holder alone. [RestartedAs] may then find the session that has taken its place.
func Restart(ctx context.Context, dir ledger.Dir, s ledger.Session, grace time.Duration) (ledger.Session, error) {
	wake(track.Identity(s.Holder))
	resp, err := wire.Exchange(ctx, dir, s, wire.Request{Op: wire.OpRestart, GraceMs: grace.Milliseconds()})
	if err != nil {
		return s, err
	}
	return *resp.Session, nil
}

// RestartedAs returns the newest session in the active set that is a restart of s. There is none if s had ended for good when
// the caller found it.
func RestartedAs(dir ledger.Dir, s ledger.Session) (next ledger.Session, ok bool) {
	active, err := dir.Active()
	if err != nil || s.Closed && s.Status != ledger.StatusRestarting {
		return next, false
	}
	first := cmp.Or(s.RestartOf, s.ID)
	for _, e := range slices.Backward(active.Sessions) {
		if e.RestartOf == first && e.ID > s.ID { // ids sort by the time of the start
			return e, true
		}
	}
	return next, false
}
