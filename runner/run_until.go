package runner

import (
	"context"
)

// An untilWait waits for the conditions with which a run returns.
type untilWait struct {
	over   chan struct{} // closed when the wait is over; nil without conditions
	waited Waited
	err    error
}

// awaitUntil begins to wait for the conditions of w.
func (c *Client) awaitUntil(ctx context.Context, w Wait) *untilWait {
	u := &untilWait{}
	if len(w.Until) > 0 {
		u.over = make(chan struct{})
		go func() {
			defer close(u.over)
			u.waited, u.err = c.Wait(ctx, w)
		}()
	}
	return u
}

// endsRun reports whether the run returns because of the conditions. After the end of the command it does so anyway.
func (u *untilWait) endsRun() bool {
	return u.err != nil || !u.waited.Ended && !u.waited.MetExit()
}

// result returns what became of the conditions. If the command has ended, result waits until that is known, which is soon.
func (u *untilWait) result(ctx context.Context, ended bool) Waited {
	if ended && u.over != nil {
		select {
		case <-u.over:
		case <-ctx.Done():
		}
	}
	if !u.isOver() {
		return Waited{}
	}
	return u.waited
}

// isOver reports whether the wait is over.
func (u *untilWait) isOver() bool {
	select {
	case <-u.over:
		return true
	default:
		return false
	}
}
