package hold

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// changed handles the results of wait4.
func (h *holder) changed(batch []pty.Change) {
	for _, c := range batch {
		switch {
		case c.PID != h.program.PID || h.exited: // an adopted descendant, which may even have got the main process's pid
		case c.Stopped():
			h.stopped = c.At
		case c.Continued():
			h.stopped = time.Time{}
		default:
			h.mainExited(c)
		}
	}
	// An adopted descendant that has ended may have left children. The next look during the grace finds them.
	h.tracker.exited(batch)
	if h.exited && !h.treeGone && track.OnlyNested() { // wait4 would wait for these other sessions
		h.gone()
	}
}

// mainExited records the end of the main process. The tree may live on.
func (h *holder) mainExited(c pty.Change) {
	h.exited = true
	h.ended.Store(true)
	h.endAskers(nil)
	code := c.ExitCode()
	h.session.Status = ledger.StatusCompleted
	if h.session.Signal = c.Signal(); h.session.Signal != "" {
		h.session.Status = ledger.StatusKilled
	}
	h.session.ExitCode = &code
	h.session.EndedAt = ledger.Time{Time: c.At}
	h.session.ExitedAfterMs = c.At.Sub(h.started).Milliseconds()
	if h.program.Tty != nil {
		h.note(h.program.Tty.TakeForeground())
	}
	h.known = map[proc.ID]bool{}
	h.grace, h.look = c.At.Add(h.spec.Grace), c.At.Add(firstLook)
	h.graceEnd = c.At.Add(graceMost * h.spec.Grace)
}

// gone records that no descendant is left.
func (h *holder) gone() {
	if h.treeGone {
		return
	}
	h.treeGone = true
	h.grace = time.Time{}
	if h.program.Tty != nil {
		h.note(h.program.Tty.HangUp())
	}
	h.strayEnd = time.Now().Add(strangerWait)
}

// checkGrace checks whether the grace of the processes that outlive the main process is over. A new descendant
// restarts the grace.
func (h *holder) checkGrace(now time.Time) {
	living := pty.Tree()
	h.tracker.saw(living)
	if len(living) == 0 {
		if track.OnlyNested() { // wait4 does not report that such a session starts
			h.gone()
			return
		}
		h.look = now.Add(graceCheck) // wait4 reports the end of the tree in a moment
		return
	}
	if !h.recorded {
		h.recordEnd(nil) // the tree may live long: the record of its main process's end must not wait
	}
	if h.spec.Leftovers == wire.LeftoversWait {
		h.grace = time.Time{}
		return
	}
	for _, info := range living {
		if !h.known[info.ID] {
			h.known[info.ID] = true
			h.grace = now.Add(h.spec.Grace)
		}
	}
	if h.graceEnd.Before(h.grace) {
		h.grace = h.graceEnd
	}
	if now.Before(h.grace) {
		h.look = now.Add(min(graceCheck, h.grace.Sub(now)))
		return
	}
	h.grace = time.Time{}
	if h.spec.Leftovers == wire.LeftoversKill {
		h.end(syscall.SIGTERM, h.spec.KillAfter, nil)
		return
	}
	h.completeWith(living)
}

// completeWith publishes the result while the processes in living go on.
func (h *holder) completeWith(living []proc.Info) {
	var leftovers []ledger.Process
	for _, info := range living {
		leftovers = append(leftovers, track.Describe(info))
	}
	h.session.DrainedAfterMs = max(h.lastBytes.Sub(h.started).Milliseconds(), h.session.ExitedAfterMs)
	h.recordEnd(leftovers)
	h.finish()
}

// survived handles the outcome of killing the tree. Processes that could not be killed become leftovers.
func (h *holder) survived(outcome proc.Outcome) {
	if living := pty.Tree(); len(outcome.Failed) > 0 && h.exited && !h.complete && len(living) > 0 {
		h.completeWith(living)
	}
}

// recordEnd writes down that the main process has ended, and which of its tree still live.
func (h *holder) recordEnd(leftovers []ledger.Process) {
	h.log.Flush()
	h.session.Leftovers, h.session.Closed = leftovers, h.treeGone
	h.session.OutputBytes = h.log.Next()
	h.session.LostBytes, _ = h.log.Lost()
	h.note(h.dir.SaveSession(h.session))
	ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
	defer cancel()
	err := h.dir.Update(ctx, func(a *ledger.Active) error {
		if h.treeGone {
			a.Remove(h.session.ID)
		} else {
			a.Put(h.session)
		}
		if !h.recorded {
			a.Log(track.EndEvent(h.session))
		}
		return nil
	})
	h.note(err)
	h.recorded = h.recorded || err == nil
}

// finish gives the result to all clients that wait for it.
func (h *holder) finish() {
	h.complete, h.limit = true, time.Time{}
	h.lastPerson()
	h.shellGone()
	h.answerAll(&h.results, func(p pending) wire.Response {
		session := h.session
		return wire.Response{ID: p.id, Session: &session}
	})
	for _, w := range slices.Clone(h.waiters) {
		h.finished(w)
	}
	h.tell(time.Now())
}

// leave records the end of the session, sends the last answers and closes the connections.
func (h *holder) leave() error {
	if !h.complete {
		h.session.DrainedAfterMs = max(time.Since(h.started).Milliseconds(), h.session.ExitedAfterMs)
	}
	h.dropInput()
	lastWords := h.log.Close()
	h.cgroup.Remove() // before the record says that nothing is left
	h.recordEnd(nil)
	h.finish()
	for _, answer := range h.atEnd {
		answer()
	}
	if n, err := h.log.Lost(); n > 0 {
		h.note(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), wire.Farewell)
	defer cancel()
	h.tracker.stop(ctx)
	for h.input.open+len(h.opening) > 0 && ctx.Err() == nil { // the last input may have ended the program
		select {
		case finished := <-h.done:
			finished()
		case <-ctx.Done():
		}
	}
	for l := range h.links {
		l.finish(ctx)
	}
	err := errors.Join(lastWords, h.listener.Close())
	h.retain()
	return err
}
