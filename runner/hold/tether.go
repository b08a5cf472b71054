package hold

import (
	"context"
	"fmt"
	"time"

	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// tetherTo records the process with which the session must end.
func (l *limits) tetherTo(pid int) (proc.ID, error) {
	id, err := proc.Identify(pid)
	if err != nil {
		return id, fmt.Errorf("tether to process %d: %w", pid, wire.ErrNoTether)
	}
	l.session.Tether = track.Process(id)
	if info, err := proc.Read(pid); err == nil {
		l.session.Tether.Name = info.Name
	}
	return id, nil
}

// A tether watches the process with which the session must end.
type tether struct {
	letGo func()    // stops the watch of the process; nil without one
	end   time.Time // when the session ends; zero while the process lives
}

// untie ends the tether: the session does not end with a process.
func (t *tether) untie() {
	if t.letGo != nil {
		t.letGo()
	}
	t.letGo, t.end = nil, time.Time{}
}

// watch waits in the background for the end of the process, in place of the one before. It hands the end to the loop.
func (t *tether) watch(id proc.ID, loop chan<- func()) {
	t.untie()
	ctx, letGo := context.WithCancel(context.Background())
	t.letGo = letGo
	go func() {
		if proc.Await(ctx, id) != nil {
			return
		}
		loop <- func() {
			if ctx.Err() == nil { // no replacement has taken the tether
				t.end = time.Now().Add(wire.TetherGrace)
			}
		}
	}()
}

// gone reports, once, that the process is gone for good.
func (t *tether) gone(now time.Time) bool {
	if !due(t.end, now) {
		return false
	}
	t.end = time.Time{}
	return true
}
