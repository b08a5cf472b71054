package hold

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// tetherGrace is how long a session outlives the process that it is tethered to. An editor that reloads comes
// back and takes the tether again.
const tetherGrace = 3 * time.Second

// tetherTo records the process with which the session must end.
func (h *holder) tetherTo(pid int) (proc.ID, error) {
	id, err := proc.Identify(pid)
	if err != nil {
		return id, fmt.Errorf("tether to process %d: %w", pid, wire.ErrNoTether)
	}
	h.session.Tether = track.Process(id)
	if info, err := proc.Read(pid); err == nil {
		h.session.Tether.Name = info.Name
	}
	return id, nil
}

// tether makes the session end with a process. An earlier process no longer ends it.
func (h *holder) tether(l *link, req *wire.Request) {
	id, err := h.tetherTo(req.PID)
	if err != nil {
		h.refuse(l, req, err)
		return
	}
	h.watchTether(id)
	h.note(h.dir.SaveSession(h.session))
	session := h.session
	l.answer(wire.Response{ID: req.ID, Session: &session})
}

// watchTether waits in the background for the end of the process.
func (h *holder) watchTether(id proc.ID) {
	if h.letGo != nil {
		h.letGo()
	}
	ctx, letGo := context.WithCancel(context.Background())
	h.letGo, h.tetherEnd = letGo, time.Time{}
	go func() {
		if proc.Await(ctx, id) == nil {
			h.done <- func() {
				if ctx.Err() == nil { // no replacement has taken the tether
					h.tetherEnd = time.Now().Add(tetherGrace)
				}
			}
		}
	}()
}

// checkTether ends the session when its tether is gone for good.
func (h *holder) checkTether(now time.Time) {
	if h.tetherEnd.IsZero() || now.Before(h.tetherEnd) {
		return
	}
	h.tetherEnd = time.Time{}
	_ = h.signal(&wire.Request{Op: wire.OpHangUp}) // as when a terminal's window is closed; there may be no foreground
	h.end(syscall.SIGTERM, defaultGrace, nil)
}
