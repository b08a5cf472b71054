package hold

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/guard"
	"devtools/runner/wire"
)

// serve serves a call, if it is a request that is admitted.
func (h *holder) serve(c call) {
	if h.admits(c) {
		h.dispatch(c)
	}
}

// dispatch gives a request to the part that answers it, now or when its answer is known.
func (h *holder) dispatch(c call) {
	l, req := c.link, c.request
	p := pending{link: l, id: req.ID, from: req.Offset, complete: req.Complete}
	switch req.Op {
	case wire.OpFollow:
		h.clients.follow(p)
	case wire.OpRead:
		h.read(l, req)
	case wire.OpResult:
		h.completion.awaitResult(p)
	case wire.OpStopped:
		h.completion.stops = append(h.completion.stops, p)
	case wire.OpState:
		h.state(l, req)
	case wire.OpMoveIn:
		h.moveIn(l, req)
	case wire.OpHolderStatus, wire.OpCommands:
		h.inspect(l, req)
	case wire.OpReported:
		h.reported(l, req)
	case wire.OpKill:
		h.kill(l, req)
	case wire.OpRestart:
		h.restarts.serve(l, req)
	case wire.OpSignal, wire.OpHangUp, wire.OpContinue:
		h.signal(l, req)
	case wire.OpRename, wire.OpLabel:
		h.renameOrLabel(l, req)
	case wire.OpTether:
		h.limits.serve(l, req)
	case wire.OpCapture:
		h.captures.serve(l, req)
	case wire.OpWait:
		h.waits.serve(l, req)
	case wire.OpShell, wire.OpShellWith, wire.OpShellFollow, wire.OpShellSignal, wire.OpShellWithdraw:
		if req.Op == wire.OpShell && !h.shell.integrated() {
			h.repl.serve(l, req)
			return
		}
		h.shell.serve(l, req)
	case wire.OpType:
		h.input.typeKeys(l, req)
	case wire.OpInputState, wire.OpQuestion:
		h.questions.serve(l, req)
	case wire.OpScreen, wire.OpView, wire.OpResize, wire.OpSize, wire.OpRedraw,
		wire.OpInput, wire.OpModes, wire.OpAttach, wire.OpDetach, wire.OpAsk, wire.OpAsked, wire.OpWithdraw:
		h.serveTerminal(l, req)
	default:
		l.refuse(req, fmt.Errorf("unknown request %q: %w", req.Op, wire.ErrOlder))
	}
}

// admits reports whether a call is a request to be served. It deals with all others: the end of a link, and what is refused.
func (h *holder) admits(c call) bool {
	l, req := c.link, c.request
	if req == nil {
		l.unread = c.unread || l.unsent.Load()
		if tellable(c.wrong) && !l.gone {
			l.dismiss(c.wrong)
		}
		h.dropped(l)
		return false
	}
	if l.gone {
		return false // it was told so
	}
	l.asked = time.Now()
	if err := h.refusal(l, req); err != nil {
		l.refuse(req, err)
		return false
	}
	return true
}

// refusal returns why a client's request is not served at all, or nil.
func (h *holder) refusal(l *link, req *wire.Request) error {
	switch {
	case req.V > wire.VersionNewest:
		return fmt.Errorf("protocol version %d, and this holder speaks %d: %w", req.V, wire.VersionNewest, wire.ErrOlder)
	case h.waiting(l) >= wire.MaxPending:
		return errors.New("too many requests wait for their answers already")
	case !reads(req) && !h.mayAct(l):
		return h.named(wire.ErrConfined)
	case slices.Contains([]string{wire.OpType, wire.OpInput, wire.OpShell, wire.OpShellWith, wire.OpRestart}, req.Op):
		pins, err := guard.LoadPins(req.Agent) // those of now: the session may be older
		if err = cmp.Or(err, pins.Check(h.spec.Isolation)); err != nil {
			return h.named(err)
		}
	}
	return nil
}

// dropped forgets a client that is gone. The command goes on, unless nobody else can reach it.
func (h *holder) dropped(l *link) {
	for _, part := range h.serving() {
		part.dropped(l)
	}
	if h.session.Awaited && l == h.clients.starter && !h.exited() { // nobody may know of the command any more
		h.session.LeftAt = ledger.Time{Time: time.Now()}
		h.put()
	}
	if h.spec.NoFolder && l == h.clients.starter && !h.completion.treeGone {
		h.endForGood(syscall.SIGTERM, h.spec.KillAfter)
	}
	for _, c := range l.after {
		h.serve(c)
	}
	l.after = nil
}

// serveTerminal answers the requests that need a terminal.
func (h *holder) serveTerminal(l *link, req *wire.Request) {
	if h.program.Tty == nil {
		l.refuse(req, h.named(wire.ErrNoTerminal))
		return
	}
	switch req.Op {
	case wire.OpInput:
		h.input.typeBytes(l, req, h.persons.typist(l))
	case wire.OpModes:
		modes, err := h.program.Tty.Modes()
		if err != nil {
			l.refuse(req, err)
			return
		}
		wired := wire.Modes(modes)
		l.answer(wire.Response{ID: req.ID, Modes: &wired})
	case wire.OpScreen, wire.OpView, wire.OpResize, wire.OpSize, wire.OpRedraw:
		h.display.serve(l, req)
	default:
		h.persons.serve(l, req)
	}
}

// waiting returns how many requests of the client wait for their answers.
func (h *holder) waiting(l *link) (n int) {
	for _, part := range h.serving() {
		n += part.waiting(l)
	}
	return n
}

// read answers with output that is not on disk.
func (h *holder) read(l *link, req *wire.Request) {
	data, at := h.log.Unsaved(req.Offset)
	if h.dir.Removed(h.session.ID) {
		data, at = h.log.Open(req.Offset, wire.MaxInput)
	}
	data = bytes.Clone(data[:min(len(data), wire.MaxRequest)]) // a copy, because the log goes on before it is sent
	l.answer(wire.Response{ID: req.ID, Data: data, Offset: at, Next: h.log.Next()})
}

// state answers with the record of the session, and what its shell does.
func (h *holder) state(l *link, req *wire.Request) {
	if req.On {
		l.answer(wire.Response{ID: req.ID, Data: bytes.Clone(h.input.half)}) // the loop goes on before it is sent
		return
	}
	if last := h.shell.reader(); last != nil && !last.gone && hungUp(last.conn) {
		last.after = append(last.after, call{link: l, request: req})
		return
	}
	h.log.Flush() // a reader of the log then finds the times of all output in this response
	resp := wire.Response{ID: req.ID, Session: h.record(), Removed: h.dir.Removed(h.session.ID)}
	resp.Session.OutputBytes, resp.Session.Folder = h.log.Next(), h.dir.Place()
	if known, at := h.shell.atPrompt(); known {
		resp.Prompt = &at
	}
	if run := h.shell.unreported(); run != nil {
		resp.Run, resp.Offset, resp.Shell = run.id, run.result.Offset, &run.result
	}
	l.answer(resp)
}

// reported records the offset up to which a client has the output. That client leaves the command.
func (h *holder) reported(l *link, req *wire.Request) {
	h.session.ReportedBytes = max(h.session.ReportedBytes, min(req.Offset, h.log.Next()))
	h.save()
	l.answer(wire.Response{ID: req.ID, Session: h.record()})
}
