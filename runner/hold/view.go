package hold

import (
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// A sizePending is a request that is answered when the terminal has another size than this one.
type sizePending struct {
	pending
	size ledger.Size
}

// attend answers the requests that bring a person to the session.
func (h *holder) attend(l *link, req *wire.Request) {
	if h.program.Tty == nil {
		h.refuse(l, req, ledger.SessionError(h.session.Name, wire.ErrNoTerminal))
		return
	}
	switch req.Op {
	case wire.OpAttach:
		l.person, l.came = !req.ReadOnly, time.Now()
		h.answerSession(l, req)
	case wire.OpDetach:
		shown := func(a asking) bool { return !a.since.After(l.came) }
		h.answerSessionAsks(l, req, shown)
		if l.person && req.On {
			h.answerAsks(nil, shown)
		}
		l.person = false
	case wire.OpSize:
		h.sizes = append(h.sizes, sizePending{pending{link: l, id: req.ID}, req.Size})
		h.tellSize()
	case wire.OpRedraw:
		h.order(l, req, show{redraw: true}, func(resp *wire.Response, pic frame) {
			resp.Size, resp.Payload = &pic.size, pic.redraw
		})
	case wire.OpAsk:
		h.askPerson(l, req)
	case wire.OpWithdraw:
		if req.On {
			h.keepAsks(func(a asking) bool { return a.link != l })
			h.answerSession(l, req)
			return
		}
		h.answerSession(l, req)
		h.answerAsks(ledger.SessionError(h.session.Name, wire.ErrWithdrawn), nil)
	}
}

// answerSessionAsks is answerSession, with only those requests to a person that accepts approves.
func (h *holder) answerSessionAsks(l *link, req *wire.Request, accepts func(asking) bool) {
	session := h.session
	session.Asks = nil
	for _, a := range h.asks {
		if accepts(a) {
			session.Asks = append(session.Asks, ledger.Ask{Message: a.message, Since: ledger.Time{Time: a.since}})
		}
	}
	l.answer(wire.Response{ID: req.ID, Session: &session})
}

func (h *holder) answerSession(l *link, req *wire.Request) {
	session := h.session
	l.answer(wire.Response{ID: req.ID, Session: &session})
}

// tellSize answers the clients that wait for another size of the terminal.
func (h *holder) tellSize() {
	waiting := h.sizes[:0]
	for _, p := range h.sizes {
		if p.size == h.session.Size {
			waiting = append(waiting, p)
			continue
		}
		session := h.session
		p.link.answer(wire.Response{ID: p.id, Session: &session})
	}
	h.sizes = waiting
}

// attending returns how many requests of the client wait for another size or for a person.
func (h *holder) attending(l *link) (n int) {
	for _, p := range h.sizes {
		if p.link == l {
			n++
		}
	}
	for _, a := range h.asks {
		if a.link == l {
			n++
		}
	}
	return n
}

// unattended forgets the waits of a client that is gone, and its requests to persons.
func (h *holder) unattended(l *link) {
	sizes := h.sizes[:0]
	for _, p := range h.sizes {
		if p.link != l {
			sizes = append(sizes, p)
		}
	}
	h.sizes = sizes
	h.keepAsks(func(a asking) bool { return a.link != l })
}
