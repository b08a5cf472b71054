package hold

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"devtools/ledger"
	"devtools/runner/wire"
)

// maxMessage is how long the message to a person may be, in bytes.
const maxMessage = 4096

// The persons part knows the clients' requests to a person.
type persons struct {
	*core
	clients *clients
	asks    []personRequest
	untold  []pending // clients that wait for requests of which they do not know
}

// A personRequest is a request to a person. The holder answers it when a person who has seen it detaches. It forgets it
// when its client is gone.
type personRequest struct {
	pending
	message string
	since   time.Time
}

// serve answers the requests of persons, and those to persons.
func (ps *persons) serve(l *link, req *wire.Request) {
	switch req.Op {
	case wire.OpAttach:
		l.person, l.attached, l.came = !req.ReadOnly, true, time.Now()
		l.answer(wire.Response{ID: req.ID, Session: ps.record()})
	case wire.OpDetach:
		shown := func(a personRequest) bool { return !a.since.After(l.came) }
		session := ps.record()
		session.Asks = listed(ps.asks, shown)
		l.answer(wire.Response{ID: req.ID, Session: session})
		if l.person && req.On {
			ps.answer(nil, shown)
		}
		l.person, l.attached = false, false
	case wire.OpAsk:
		ps.ask(l, req)
	case wire.OpAsked:
		ps.untold = append(ps.untold, pending{link: l, id: req.ID})
		ps.tell()
	case wire.OpWithdraw:
		if req.On {
			ps.dropped(l)
		}
		l.answer(wire.Response{ID: req.ID, Session: ps.record()})
		if !req.On {
			ps.answer(ps.named(wire.ErrWithdrawn), nil)
		}
	}
}

// typist returns who types what a client sends as a terminal does.
func (ps *persons) typist(l *link) string {
	switch {
	case !l.attached:
		return wire.ByRun
	case len(ps.asks) > 0:
		return wire.ByAsk
	}
	return wire.ByAttach
}

// ask remembers a request to a person. One that takes the place of earlier ones does so in a single step: nobody sees none, or both.
func (ps *persons) ask(l *link, req *wire.Request) {
	if len(req.Message) > maxMessage {
		l.refuse(req, fmt.Errorf("a message of %d bytes: it has at most %d", len(req.Message), maxMessage))
		return
	}
	message := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' { // terminals show it
			return ' '
		}
		return r
	}, strings.ToValidUTF8(ps.masks.String(req.Message), "\uFFFD"))
	if req.On {
		ps.asks = slices.DeleteFunc(ps.asks, func(a personRequest) bool { return a.link == l })
	}
	ps.asks = append(ps.asks, personRequest{pending{link: l, id: req.ID}, message, time.Now()})
	ps.write()
	ps.tell()
}

// tell answers the clients that wait for requests of which they do not know.
func (ps *persons) tell() {
	ps.untold = slices.DeleteFunc(ps.untold, func(p pending) bool {
		asks := listed(ps.asks, func(a personRequest) bool { return a.since.After(p.link.came) })
		if len(asks) == 0 {
			return false
		}
		p.link.came = time.Now()
		session := ps.record()
		session.Asks = asks
		p.link.answer(wire.Response{ID: p.id, Session: session})
		return true
	})
}

// answer answers the requests that accepts approves, or all if accepts is nil. The answer carries err. If
// err is nil, a person was there.
func (ps *persons) answer(err error, accepts func(personRequest) bool) {
	session := ps.record()
	session.Asks = nil
	ps.forget(func(a personRequest) bool {
		if accepts != nil && !accepts(a) {
			return false
		}
		resp := wire.Response{ID: a.id, Session: session}
		if err != nil {
			resp.Error = wire.NewFault(err)
		}
		a.link.answer(resp)
		return true
	})
}

// forget forgets the requests that done approves.
func (ps *persons) forget(done func(personRequest) bool) {
	before := len(ps.asks)
	if ps.asks = slices.DeleteFunc(ps.asks, done); len(ps.asks) != before {
		ps.write()
	}
}

// write writes the requests into the session's record.
func (ps *persons) write() {
	ps.session.Asks = listed(ps.asks, func(personRequest) bool { return true })
	ps.save()
}

// listed returns those requests that accepts approves, as the record has them.
func listed(asks []personRequest, accepts func(personRequest) bool) (list []ledger.Ask) {
	for _, a := range asks {
		if accepts(a) {
			list = append(list, ledger.Ask{Message: a.message, Since: ledger.Time{Time: a.since}})
		}
	}
	return list
}

// waiting returns how many requests of the client wait for a person, or for such requests.
func (ps *persons) waiting(l *link) (n int) {
	for _, a := range ps.asks {
		if a.link == l {
			n++
		}
	}
	for _, p := range ps.untold {
		if p.link == l {
			n++
		}
	}
	return n
}

// dropped forgets the requests of a client that is gone.
func (ps *persons) dropped(l *link) {
	ps.untold = slices.DeleteFunc(ps.untold, func(p pending) bool { return p.link == l })
	ps.forget(func(a personRequest) bool { return a.link == l })
}

// there reports whether a person is in front of the session, or is asked for.
func (ps *persons) there() bool {
	if len(ps.asks) > 0 {
		return true
	}
	for l := range ps.clients.links {
		if l.attached || l.viewing {
			return true
		}
	}
	return false
}
