package runner

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"devtools/ledger/transcript"
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
		session := h.session
		session.OutputBytes = h.log.Next()
		c.link.answer(response{ID: req.ID, Session: &session})
	case opView:
		c.link.viewing = req.On
		h.watchers()
		c.link.answer(response{ID: req.ID})
	case opKill:
		h.kill(c.link, req)
	case opScreen:
		h.show(c.link, req)
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
	return n
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
			h.typed(l, req)
			return
		case opModes:
			var m modes
			m, err = tty.modes()
			resp.Modes = &m
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
	close(l.send)
	_ = l.conn.Close() // the other end is gone
	for _, list := range []*[]pending{&h.follows, &h.results, &h.stops} {
		kept := (*list)[:0]
		for _, p := range *list {
			if p.link != l {
				kept = append(kept, p)
			}
		}
		*list = kept
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
		closed := h.treeGone && h.drained && h.delivered() || p.complete && h.complete
		if !closed && (p.from >= h.log.Next() || now.Sub(p.link.told) < tellInterval) {
			waiting = append(waiting, p)
			continue
		}
		if h.spec.NoTerminal || !p.complete {
			h.log.Flush() // the client tells the streams apart, or shows events, by the timing
		}
		p.link.told = now
		p.link.answer(response{ID: p.id, Next: h.log.Next(), Closed: closed})
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
	h.endThose(list, sig, time.Duration(req.GraceMs)*time.Millisecond, func(outcome proc.Outcome) {
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

// keystrokes are bytes on their way to the program. Replies to queries have no link.
type keystrokes struct {
	data []byte
	link *link
	id   int
}

// typist writes keystrokes to the terminal, in order. It waits where the program does not read.
func (h *holder) typist() {
	for k := range h.keys {
		err := h.program.tty.write(k.data)
		if k.link == nil {
			continue
		}
		resp := response{ID: k.id}
		if err != nil {
			resp.Error = newFault(err)
		}
		h.done <- func() {
			h.typing--
			if h.links[k.link] {
				k.link.answer(resp)
			}
		}
	}
}

// typed queues what a client types and notes it: the bytes when the terminal shows them to a person
// as well, and otherwise only how many, as they may be a password.
func (h *holder) typed(l *link, req *request) {
	if len(req.Data) > maxInput {
		h.refuse(l, req, fmt.Errorf("%d bytes of input: %d at a time", len(req.Data), maxInput))
		return
	}
	entry := transcript.Entry{At: time.Since(h.started), Kind: transcript.Input, Bytes: int64(len(req.Data))}
	if m, err := h.program.tty.modes(); err == nil && m.Echo {
		entry.Bytes, entry.Text = 0, strings.ToValidUTF8(string(req.Data), string(utf8.RuneError))
	}
	select {
	case h.keys <- keystrokes{data: req.Data, link: l, id: req.ID}:
		h.typing++
		h.log.Note(entry)
	default:
		h.refuse(l, req, errors.New("too much input waits for the program already"))
	}
}
