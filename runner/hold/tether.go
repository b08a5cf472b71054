package hold

import (
	"context"
	"fmt"
	"time"

	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// tetherGrace is how long a session outlives the process that it is tethered to. An editor that reloads comes
// back and takes the tether again.
const tetherGrace = 3 * time.Second

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

// watch waits in the background for the end of the process, in place of the one before. It hands the end to the loop.
func (t *tether) watch(id proc.ID, loop chan<- func()) {
	if t.letGo != nil {
		t.letGo()
	}
	ctx, letGo := context.WithCancel(context.Background())
	t.letGo, t.end = letGo, time.Time{}
	go func() {
		if proc.Await(ctx, id) != nil {
			return
		}
		loop <- func() {
			if ctx.Err() == nil { // no replacement has taken the tether
				t.end = time.Now().Add(tetherGrace)
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
