package runner

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"devtools/runner/proc"
)

// serve answers a request, or remembers it until its answer is known.
func (h *holder) serve(c call) {
	if c.request == nil {
		h.drop(c.link)
		return
	}
	req := c.request
	if req.V > protocol {
		h.refuse(c.link, req, fmt.Errorf("protocol version %d: this holder speaks %d; it was started by an older devtools", req.V, protocol))
		return
	}
	if h.asked(c.link) >= maxPending {
		h.refuse(c.link, req, errors.New("too many requests wait for their answers already"))
		return
	}
	p := pending{link: c.link, id: req.ID, from: req.Offset, complete: req.Complete}
	switch req.Op {
	case opFollow:
		c.link.read = max(c.link.read, req.Offset)
		h.follows = append(h.follows, p)
		h.tell(time.Now())
	case opRead:
		data, at := h.log.Unsaved(req.Offset)
		data = bytes.Clone(data[:min(len(data), maxRequest)]) // it is sent when the log has gone on
		c.link.answer(response{ID: req.ID, Data: data, Offset: at, Next: h.log.Next()})
	case opResult:
		h.results = append(h.results, p)
		if h.complete {
			h.finish()
		}
	case opStopped:
		h.stops = append(h.stops, p)
	case opState:
		h.log.Flush() // whoever looks into the log next finds the times of all that he is told of
		session := h.session
		session.OutputBytes = h.log.Next()
		resp := response{ID: req.ID, Session: &session}
		if known, at := h.atPrompt(); known {
			resp.Prompt = &at
		}
		if run := h.shell.unreported(); run != nil {
			resp.Run, resp.Offset = run.id, run.result.Offset
		}
		c.link.answer(resp)
	case opShell, opShellFollow, opShellSignal:
		h.shellOp(c.link, req)
	case opView:
		c.link.viewing = req.On
		h.watchers()
		c.link.answer(response{ID: req.ID})
	case opKill:
		h.kill(c.link, req)
	case opScreen:
		h.show(c.link, req)
	case opType:
		h.typeKeys(c.link, req)
	case opOutlook, opQuestion:
		h.outlookOp(c.link, req)
	case opReported:
		h.reported(c.link, req)
	case opTether:
		h.tether(c.link, req)
	case opInsight:
		h.tellInsight(c.link, req)
	case opWait:
		h.await(c.link, req)
	case opCapture:
		h.capture(c.link, req)
	case opAttach, opDetach, opSize, opRedraw, opAsk, opWithdraw:
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

// control answers the requests that act on the terminal or the foreground.
func (h *holder) control(l *link, req *request) {
	var err error
	var resp response
	tty := h.program.tty
	switch req.Op {
	case opSignal, opHangUp, opContinue:
		err = h.signal(req)
	case opResize:
		if err = h.resize(req); err == nil {
			session := h.session
			resp.Session = &session
		}
	case opInput, opModes:
		if tty == nil {
			err = errNamed(h.session.Name, ErrNoTerminal)
			break
		}
		switch req.Op {
		case opInput:
			h.input(l, req)
			return
		case opModes:
			m, failed := tty.modes()
			wired := modes(m)
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

func (h *holder) refuse(l *link, req *request, err error) {
	l.answer(response{ID: req.ID, Error: newFault(err)})
}

// drop forgets a client that is gone. Its command goes on.
func (h *holder) drop(l *link) {
	delete(h.links, l)
	h.watchers()
	h.unattended(l)
	l.gone = true
	close(l.send)
	_ = l.conn.Close() // the other end is gone
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

// answerAll answers and forgets the list.
func (h *holder) answerAll(list *[]pending, answer func(pending) response) {
	for _, p := range *list {
		p.link.answer(answer(p))
	}
	*list = nil
}

// tell lets those know who wait for more output, each not too often.
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
			h.log.Flush() // the client tells the streams apart, or shows events, by the timing
		}
		p.link.told = now
		p.link.answer(response{ID: p.id, Next: next, Closed: closed})
	}
	h.follows = waiting
}

// signal sends a signal to what runs in front.
func (h *holder) signal(req *request) error {
	switch req.Op {
	case opHangUp: // what runs in front hears it, as from a shell; what does not care goes on
		return errors.Join(h.program.signal(sigHangUp), h.program.signal(sigContinue))
	case opContinue:
		h.stopped = time.Time{}
		return h.program.signal(sigContinue)
	}
	sig, err := ParseSignal(req.Signal)
	if err != nil {
		return err
	}
	if !h.exited {
		return h.program.signal(sig)
	}
	for _, id := range treeIDs() { // nothing is in front any more: all that is left gets it
		if err := id.Signal(sig); err != nil && !errors.Is(err, proc.ErrGone) {
			return err
		}
	}
	return nil
}

// isStill reports whether the main process is still a shell of the kind, and has not executed something else.
func (h *holder) isStill(kind string) bool {
	info, err := proc.Read(h.program.pid)
	return err == nil && shellKinds[strings.TrimPrefix(info.Name, "-")] == kind
}

// kill ends the tree, or the part of it below one process, and answers when that is done.
func (h *holder) kill(l *link, req *request) {
	sig, err := ParseSignal(req.Signal)
	list := treeIDs
	if err == nil && req.PID != 0 {
		root, ok := ours(req.PID)
		if !ok {
			err = fmt.Errorf("process %d: %w", req.PID, ErrNoProcess)
		}
		list = subtree(root)
	}
	if err != nil {
		h.refuse(l, req, err)
		return
	}
	main := h.program.id.PID
	if !h.exited && (req.PID == 0 || req.PID == main) {
		h.session.ToldToEnd = true
	}
	hungUp := false
	if kind, _, _ := shellOf(h.session.Command); kind != "" && h.program.tty != nil && !h.spec.Stdin && req.PID == 0 && sig == syscall.SIGTERM && !h.exited && h.isStill(kind) {
		// An interactive shell ignores SIGTERM, and ends as its terminal does.
		hungUp = h.program.id.Signal(sigHangUp) == nil
	}
	h.endThose(list, sig, time.Duration(req.GraceMs)*time.Millisecond, func(outcome proc.Outcome) {
		if hungUp && !slices.Contains(outcome.Killed, main) && !failed(outcome, main) {
			outcome.Killed = append([]int{main}, outcome.Killed...) // it was quicker than the one who looked for it
		}
		answer := func() {
			if h.links[l] {
				l.answer(response{ID: req.ID, Outcome: &outcome})
			}
		}
		if req.PID == 0 && len(outcome.Failed) == 0 {
			h.atEnd = append(h.atEnd, answer) // when the tree is gone, its end is to be recorded first
			return
		}
		answer()
	})
}
