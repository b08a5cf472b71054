package hold

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	main, whole := h.program.ID.PID, req.PID == 0
	if !h.exited() && (whole || req.PID == main) {
		h.session.ToldToEnd = true
	}
	hungUp := whole && sig == syscall.SIGTERM && h.ignoresTerm() && h.program.ID.Signal(proc.SigHangUp) == nil
	h.endThose(list, sig, time.Duration(req.GraceMs)*time.Millisecond, func(outcome proc.Outcome) {
		if hungUp && !slices.Contains(outcome.Killed, main) && !proc.Failed(outcome, main) {
			// The shell ended before proc.Kill looked for it.
			outcome.Killed = append([]int{main}, outcome.Killed...)
		}
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

// ignoresTerm reports whether the main process is an interactive shell, which ignores SIGTERM. It ends when its terminal
// hangs up.
func (h *holder) ignoresTerm() bool {
	kind, _, _ := wire.ShellOf(h.session.Command)
	if kind == "" || h.program.Tty == nil || h.spec.Stdin || h.exited() {
		return false
	}
	info, err := proc.Read(h.program.PID) // it may have executed another program
	return err == nil && wire.ShellKinds[strings.TrimPrefix(info.Name, "-")] == kind
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
