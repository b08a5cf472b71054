package hold

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"devtools/runner/proc"
	"devtools/runner/wire"
)

// end ends the whole tree. What could not be killed becomes leftovers.
func (h *holder) end(sig syscall.Signal, grace time.Duration) {
	h.endThose(treeIDs, sig, grace, h.survived)
}

// endThose ends the processes that list returns and hands the outcome to then, which runs in the loop.
func (h *holder) endThose(list func() []proc.ID, sig syscall.Signal, grace time.Duration, then func(proc.Outcome)) {
	h.completion.killing++
	h.completion.ending = ending{sig, time.Now(), grace}
	go func() {
		outcome := proc.Kill(context.Background(), list, sig, grace)
		h.done <- func() {
			h.completion.killing--
			then(outcome)
		}
	}()
}

// endLeft ends what is left of the tree, and hands the outcome to then.
func (h *holder) endLeft(grace time.Duration, then func(proc.Outcome)) {
	h.endThose(treeIDs, syscall.SIGTERM, grace, then)
}

// endForGood ends the tree, and the session is not started again.
func (h *holder) endForGood(sig syscall.Signal, grace time.Duration) {
	h.restarts.keeps(&link{gone: true}, &wire.Request{Op: wire.OpKill, Signal: proc.SignalName(sig), GraceMs: grace.Milliseconds()})
	h.restarts.stop()
	h.end(sig, grace)
}

// kill ends the tree, or the part of it below one process, and answers when that is done.
func (h *holder) kill(l *link, req *wire.Request) {
	sig, err := proc.ParseSignal(req.Signal)
	list := treeIDs
	if err == nil && req.PID != 0 {
		root, ok := ours(req.PID)
		if !ok {
			err = fmt.Errorf("process %d: %w", req.PID, proc.ErrNoProcess)
		}
		list = proc.Subtree(root)
	}
	if err != nil {
		l.refuse(req, err)
		return
	}
	whole := req.PID == 0
	switch {
	case whole && h.restarts.keeps(l, req):
		return
	case whole && h.restarts.handedOver: // the client finds the next session
		l.refuse(req, h.named(wire.ErrEnded))
		return
	}
	if !h.exited() && (whole || req.PID == h.program.ID.PID) {
		h.session.ToldToEnd = true
	}
	if whole {
		h.restarts.stop()
	}
	h.endThose(list, sig, time.Duration(req.GraceMs)*time.Millisecond, func(outcome proc.Outcome) {
		answer := func() {
			if !l.gone {
				l.answer(wire.Response{ID: req.ID, Outcome: &outcome})
			}
		}
		if whole && len(outcome.Failed) == 0 {
			h.completion.afterRecord = append(h.completion.afterRecord, answer) // the end of a tree that is gone is recorded before the answer
			return
		}
		answer()
	})
}

// signal answers the requests to send a signal to the foreground process group.
func (h *holder) signal(l *link, req *wire.Request) {
	var err error
	switch req.Op {
	case wire.OpHangUp: // as from a shell: the foreground gets it, and a program that ignores it goes on
		err = errors.Join(h.program.Signal(proc.SigHangUp), h.program.Signal(proc.SigContinue))
	case wire.OpContinue:
		h.completion.stopped = time.Time{}
		err = h.program.Signal(proc.SigContinue)
	default:
		err = h.send(req.Signal)
		h.input.half.take([]byte{wire.NotToShell}, true) // a shell may have dropped what it has read
	}
	if err != nil {
		l.refuse(req, err)
		return
	}
	l.answer(wire.Response{ID: req.ID})
}

// send sends the signal with the name to the foreground process group. After the end of the main process there is none,
// and all that is left of the tree gets the signal.
func (h *holder) send(name string) error {
	sig, err := proc.ParseSignal(name)
	if err != nil {
		return err
	}
	if !h.exited() {
		return h.program.Signal(sig)
	}
	for _, id := range treeIDs() {
		if err := id.Signal(sig); err != nil && !errors.Is(err, proc.ErrGone) {
			return err
		}
	}
	return nil
}
