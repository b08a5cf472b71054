package hold

import (
	"context"
	"os/signal"
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
		case c.PID != h.program.PID || h.exited(): // an adopted descendant, which may even have got the main process's pid
		case c.Stopped():
			h.completion.stopped = c.At
		case c.Continued():
			h.completion.stopped = time.Time{}
		default:
			h.mainExited(c)
		}
	}
	// An adopted descendant that has ended may have left children. The next look during the grace finds them.
	h.tracker.exited(batch)
	if h.exited() && !h.completion.treeGone && track.OnlyNested() { // wait4 would wait for these other sessions
		h.gone()
	}
}

// mainExited records the end of the main process. The tree may live on.
func (h *holder) mainExited(c pty.Change) {
	h.ended.Store(true)
	h.probing.end(nil)
	code := c.ExitCode()
	h.session.Status = ledger.StatusCompleted
	if h.session.Signal = c.Signal(); h.session.Signal != "" {
		h.session.Status = ledger.StatusKilled
	}
	h.session.ExitCode = &code
	h.readStages()
	h.session.EndedAt = ledger.Time{Time: c.At}
	h.session.ExitedAfterMs = c.At.Sub(h.started).Milliseconds()
	if h.program.Tty != nil {
		h.note(h.program.Tty.TakeForeground())
	}
	h.masking.hold(time.Now())
	h.completion.grace.begin(c.At, h.spec.Grace, h.printedBytes.Load())
}

// gone records that no descendant is left.
func (h *holder) gone() {
	if h.completion.treeGone {
		return
	}
	h.completion.treeEnded(time.Now())
	if h.program.Tty != nil {
		h.note(h.program.Tty.HangUp())
	}
}

// checkGrace checks whether the grace of the processes that outlive the main process is over. A new descendant
// restarts the grace, and output prolongs it.
func (h *holder) checkGrace(now time.Time) {
	living := pty.Tree()
	h.tracker.saw(living)
	if len(living) == 0 && track.OnlyNested() { // wait4 does not report that such a session starts
		h.gone()
		return
	}
	if len(living) > 0 && !h.completion.recorded {
		h.recordEnd(nil) // the tree may live long: the record of its main process's end must not wait
	}
	switch {
	case h.completion.killing > 0: // what is being ended is not left over yet
		h.completion.grace.look = now.Add(graceCheck)
	case len(living) > 0 && h.spec.Leftovers == wire.LeftoversWait:
		h.completion.grace.stop()
	case !h.completion.grace.saw(proc.IDs(living), h.lastBytes, now, h.completion.unread()):
	case h.spec.Leftovers == wire.LeftoversKill:
		h.endLeftovers()
	default:
		h.completeWith(living)
	}
}

// endLeftovers ends what has outlived the main process and its grace, and writes down which processes those were.
func (h *holder) endLeftovers() {
	met := map[int]ledger.Process{}
	list := func() []proc.ID {
		living := pty.Tree()
		for _, info := range living {
			if _, known := met[info.PID]; !known {
				met[info.PID] = describe(h.masks, info)
			}
		}
		return proc.IDs(living)
	}
	h.endThose(list, syscall.SIGTERM, h.spec.KillAfter, func(outcome proc.Outcome) {
		for _, pid := range outcome.Killed {
			h.session.EndedLeftovers = append(h.session.EndedLeftovers, met[pid])
		}
		h.survived(outcome)
	})
}

// completeWith publishes the result while the processes in living go on, or while the session waits to be started again.
func (h *holder) completeWith(living []proc.Info) {
	h.masking.release(time.Now())
	var leftovers []ledger.Process
	for _, info := range living {
		leftovers = append(leftovers, describe(h.masks, info))
	}
	h.restarts.begin(time.Now())
	h.session.DrainedAfterMs = max(h.lastBytes.Sub(h.started).Milliseconds(), h.session.ExitedAfterMs)
	h.recordEnd(leftovers)
	h.finish()
	h.onExit.start()
}

// survived handles the outcome of killing the tree. Processes that could not be killed become leftovers.
func (h *holder) survived(outcome proc.Outcome) {
	if living := pty.Tree(); len(outcome.Failed) > 0 && h.exited() && !h.completion.complete && len(living) > 0 {
		h.completeWith(living)
	}
}

// recordEnd writes down that the main process has ended, and which of its tree still live.
func (h *holder) recordEnd(leftovers []ledger.Process) {
	h.log.Flush()
	h.session.Leftovers, h.session.Closed = leftovers, h.completion.treeGone
	h.session.OutputBytes = h.log.Next()
	h.session.LostBytes, _ = h.log.Lost()
	h.save()
	if h.session.Closed && !h.restarts.pending() {
		h.clients.closeDoor() // who learns of the end may end this process
	}
	ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
	defer cancel()
	err := h.dir.UpdateOne(ctx, h.session.ID, func(a *ledger.Active) error {
		if h.completion.treeGone && !h.restarts.pending() {
			a.End(h.session)
		} else {
			a.Put(h.session)
		}
		if !h.completion.recorded {
			a.Log(track.EndEvent(h.session))
		}
		return nil
	})
	if id := h.session.Labels[wire.LabelWatch]; id != "" && h.completion.treeGone {
		h.note(h.dir.WatchEnded(id, h.session.ID))
	}
	h.note(err)
	h.completion.recorded = h.completion.recorded || err == nil
}

// finish gives the result to all clients that wait for it.
func (h *holder) finish() {
	h.completion.complete = true
	h.limits.finish()
	h.input.closePipe()
	h.repl.gone()
	h.shell.gone()
	h.completion.giveResult()
	h.waits.finish()
	h.clients.tick(time.Now())
}

// stay keeps the output in memory for the processes that read it, until the last of them is done. SIGTERM ends that.
func (h *holder) stay() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		for {
			select {
			case l := <-h.clients.joined: // it came too late: its client must not wait for an answer
				_ = l.conn.Close()
			case c := <-h.clients.calls: // as above
				_ = c.link.conn.Close()
			}
		}
	}()
	err := h.dir.AwaitReaders(ctx, h.session.ID)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// judgeTyped has the last picture judged for what was typed, and its text noted.
func (h *holder) judgeTyped() {
	judged, late := make(chan struct{}), time.After(maxPaintLag)
	at := h.log.Next()
	h.display.markTyping(order{at: at, last: true})
	if !h.display.hidden || h.display.order(order{at: at, then: func() { close(judged) }}) != nil {
		return
	}
	for {
		select {
		case finished := <-h.done:
			finished()
		case <-judged:
			return
		case <-late:
			return
		}
	}
}

// stopTracker makes the tracker write down what it knows, and waits for that as long as the lock of the ledger may take.
func (h *holder) stopTracker() {
	ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
	defer cancel()
	h.tracker.stop(ctx)
}

// leave records the end of the session, sends the last answers and closes the connections.
func (h *holder) leave() error {
	if !h.completion.complete {
		h.session.DrainedAfterMs = max(time.Since(h.started).Milliseconds(), h.session.ExitedAfterMs)
	}
	h.masking.release(time.Now())
	h.input.drop()
	h.judgeTyped()
	closeErr := h.log.Close()
	h.removeTemp()
	h.cgroup.Remove() // before the record says that nothing is left
	h.recordEnd(nil)
	h.clients.closeDoor()
	h.finish()
	for h.spec.NoFolder && !h.clients.starter.gone { // no file has the output or the result
		select {
		case c := <-h.clients.calls:
			h.serve(c)
		case finished := <-h.done:
			finished()
		}
	}
	if n, err := h.log.Lost(); n > 0 {
		h.note(err)
	}
	h.stopTracker()
	ctx, cancel := context.WithTimeout(context.Background(), wire.Farewell)
	defer cancel()
	for _, answer := range h.completion.afterRecord { // who has ended the session may delete its folder then: nothing is written any more
		answer()
	}
	for h.input.queue.open+len(h.captures.opening) > 0 && ctx.Err() == nil { // the last input may have ended the program
		select {
		case finished := <-h.done:
			finished()
		case <-ctx.Done():
		}
	}
	for l := range h.clients.links {
		l.finish(ctx)
	}
	h.onExit.start()
	h.onExit.await()
	h.dropEmptyLog()
	h.retain()
	return closeErr
}
