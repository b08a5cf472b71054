package hold

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// serve answers a request, or keeps it until its answer is known.
func (h *holder) serve(c call) {
	if c.request == nil {
		h.drop(c.link)
		return
	}
	req := c.request
	if req.V > wire.Version {
		h.refuse(c.link, req, fmt.Errorf("protocol version %d: this holder speaks %d; it was started by an older devtools", req.V, wire.Version))
		return
	}
	if h.asked(c.link) >= wire.MaxPending {
		h.refuse(c.link, req, errors.New("too many requests wait for their answers already"))
		return
	}
	p := pending{link: c.link, id: req.ID, from: req.Offset, complete: req.Complete}
	switch req.Op {
	case wire.OpFollow:
		c.link.read = max(c.link.read, req.Offset)
		h.follows = append(h.follows, p)
		h.tell(time.Now())
	case wire.OpRead:
		data, at := h.log.Unsaved(req.Offset)
		data = bytes.Clone(data[:min(len(data), wire.MaxRequest)]) // a copy, because the log goes on before it is sent
		c.link.answer(wire.Response{ID: req.ID, Data: data, Offset: at, Next: h.log.Next()})
	case wire.OpResult:
		h.results = append(h.results, p)
		if h.complete {
			h.finish()
		}
	case wire.OpStopped:
		h.stops = append(h.stops, p)
	case wire.OpState:
		h.log.Flush() // a reader of the log then finds the times of all output in this response
		session := h.session
		session.OutputBytes = h.log.Next()
		resp := wire.Response{ID: req.ID, Session: &session}
		if known, at := h.atPrompt(); known {
			resp.Prompt = &at
		}
		if run := h.shell.unreported(); run != nil {
			resp.Run, resp.Offset = run.id, run.result.Offset
		}
		c.link.answer(resp)
	case wire.OpShell, wire.OpShellFollow, wire.OpShellSignal:
		h.shellOp(c.link, req)
	case wire.OpView:
		c.link.viewing = req.On
		h.watchers()
		c.link.answer(wire.Response{ID: req.ID})
	case wire.OpKill:
		h.kill(c.link, req)
	case wire.OpScreen:
		h.show(c.link, req)
	case wire.OpType:
		h.typeKeys(c.link, req)
	case wire.OpInputState, wire.OpQuestion:
		h.inputStateOp(c.link, req)
	case wire.OpReported:
		h.reported(c.link, req)
	case wire.OpTether:
		h.takeTether(c.link, req)
	case wire.OpHolderStatus:
		h.tellStatus(c.link, req)
	case wire.OpWait:
		h.await(c.link, req)
	case wire.OpCapture:
		h.capture(c.link, req)
	case wire.OpAttach, wire.OpDetach, wire.OpSize, wire.OpRedraw, wire.OpAsk, wire.OpWithdraw:
		h.attend(c.link, req)
	default:
		h.control(c.link, req)
	}
}

// asked returns how many requests of the client wait for their answers.
func (h *holder) asked(l *link) (n int) {
	for _, list := range [][]pending{h.follows, h.results, h.stops} {
		for _, p := range list {
			if p.link == l {
				n++
			}
		}
	}
	for _, w := range h.waiters {
		if w.link == l {
			n++
		}
	}
	for _, a := range h.askers {
		if a.link == l {
			n++
		}
	}
	return n + h.attending(l)
}

// control answers the requests that act on the terminal or the foreground process group.
func (h *holder) control(l *link, req *wire.Request) {
	var err error
	var resp wire.Response
	tty := h.program.Tty
	switch req.Op {
	case wire.OpSignal, wire.OpHangUp, wire.OpContinue:
		err = h.signal(req)
	case wire.OpResize:
		if err = h.resize(req); err == nil {
			session := h.session
			resp.Session = &session
		}
	case wire.OpInput, wire.OpModes:
		if tty == nil {
			err = ledger.SessionError(h.session.Name, wire.ErrNoTerminal)
			break
		}
		switch req.Op {
		case wire.OpInput:
			h.typeBytes(l, req)
			return
		case wire.OpModes:
			m, failed := tty.Modes()
			wired := wire.Modes(m)
			resp.Modes, err = &wired, failed
		}
	default:
		err = fmt.Errorf("unknown request %q: %w", req.Op, errors.ErrUnsupported)
	}
	if err != nil {
		h.refuse(l, req, err)
		return
	}
	resp.ID = req.ID
	l.answer(resp)
}

func (h *holder) refuse(l *link, req *wire.Request, err error) {
	l.answer(wire.Response{ID: req.ID, Error: wire.NewFault(err)})
}

// drop forgets a client that is gone. Its command goes on.
func (h *holder) drop(l *link) {
	delete(h.links, l)
	h.watchers()
	h.unattended(l)
	l.gone = true
	close(l.send)
	_ = l.conn.Close() // the client is gone
	lists := []*[]pending{&h.follows, &h.results, &h.stops}
	if h.shell != nil {
		lists = append(lists, &h.shell.follows)
	}
	for _, list := range lists {
		kept := (*list)[:0]
		for _, p := range *list {
			if p.link != l {
				kept = append(kept, p)
			}
		}
		*list = kept
	}
	for _, w := range slices.Clone(h.waiters) {
		if w.link == l {
			h.stopWaiting(w)
		}
	}
}

// answerAll answers every request of the list and empties it.
func (h *holder) answerAll(list *[]pending, answer func(pending) wire.Response) {
	for _, p := range *list {
		p.link.answer(answer(p))
	}
	*list = nil
}

// tell notifies the clients that follow the output. It tells each client of new output no more often than its
// interval allows, but of the end at once.
func (h *holder) tell(now time.Time) {
	waiting := h.follows[:0]
	for _, p := range h.follows {
		next, closed := h.log.Next(), h.treeGone && h.drained && h.delivered() || p.complete && h.complete
		if p.link.ending {
			next, closed = min(next, p.link.until), true
		}
		if !closed && (p.from >= h.log.Next() || now.Sub(p.link.told) < p.link.interval()) {
			waiting = append(waiting, p)
			continue
		}
		if h.spec.NoTerminal || !p.complete {
			h.log.Flush() // the client uses the timing to tell the streams apart, or to show events
		}
		p.link.told = now
		p.link.answer(wire.Response{ID: p.id, Next: next, Closed: closed})
	}
	h.follows = waiting
}

// signal sends a signal to the foreground process group.
func (h *holder) signal(req *wire.Request) error {
	switch req.Op {
	case wire.OpHangUp: // as from a shell: the foreground gets it, and a program that ignores it goes on
		return errors.Join(h.program.Signal(proc.SigHangUp), h.program.Signal(proc.SigContinue))
	case wire.OpContinue:
		h.stopped = time.Time{}
		return h.program.Signal(proc.SigContinue)
	}
	sig, err := proc.ParseSignal(req.Signal)
	if err != nil {
		return err
	}
	if !h.exited {
		return h.program.Signal(sig)
	}
	for _, id := range treeIDs() { // the foreground is gone, so all that is left of the tree gets it
		if err := id.Signal(sig); err != nil && !errors.Is(err, proc.ErrGone) {
			return err
		}
	}
	return nil
}

// isStill reports whether the main process is still a shell of the kind, and has not executed another program.
func (h *holder) isStill(kind string) bool {
	info, err := proc.Read(h.program.PID)
	return err == nil && wire.ShellKinds[strings.TrimPrefix(info.Name, "-")] == kind
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
		h.refuse(l, req, err)
		return
	}
	main := h.program.ID.PID
	if !h.exited && (req.PID == 0 || req.PID == main) {
		h.session.ToldToEnd = true
	}
	hungUp := false
	if kind, _, _ := wire.ShellOf(h.session.Command); kind != "" && h.program.Tty != nil && !h.spec.Stdin && req.PID == 0 && sig == syscall.SIGTERM && !h.exited && h.isStill(kind) {
		// An interactive shell ignores SIGTERM, but it ends when its terminal hangs up.
		hungUp = h.program.ID.Signal(proc.SigHangUp) == nil
	}
	h.endThose(list, sig, time.Duration(req.GraceMs)*time.Millisecond, func(outcome proc.Outcome) {
		if hungUp && !slices.Contains(outcome.Killed, main) && !proc.Failed(outcome, main) {
			// The shell ended before proc.Kill looked for it.
			outcome.Killed = append([]int{main}, outcome.Killed...)
		}
		answer := func() {
			if h.links[l] {
				l.answer(wire.Response{ID: req.ID, Outcome: &outcome})
			}
		}
		if req.PID == 0 && len(outcome.Failed) == 0 {
			h.atEnd = append(h.atEnd, answer) // the end of a tree that is gone is recorded before the answer
			return
		}
		answer()
	})
}
