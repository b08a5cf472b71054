package hold

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"devtools/ledger"
	"devtools/runner/wire"
)

// maxMessage is how long the message to a person may be, in bytes.
const maxMessage = 4096

// An asking is a request to a person. It is answered when a person has been there. It is forgotten when the
// client that asked is gone.
type asking struct {
	pending
	message string
	since   time.Time
}

// askPerson remembers a request to a person.
func (h *holder) askPerson(l *link, req *wire.Request) {
	if len(req.Message) > maxMessage {
		h.refuse(l, req, fmt.Errorf("a message of %d bytes: it has at most %d", len(req.Message), maxMessage))
		return
	}
	message := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' { // terminals show it
			return ' '
		}
		return r
	}, strings.ToValidUTF8(req.Message, "\uFFFD"))
	h.asks = append(h.asks, asking{pending{link: l, id: req.ID}, message, time.Now()})
	h.recordAsks()
}

// answerAsks answers the requests that accepts approves, or all if accepts is nil. The answer carries err. If
// err is nil, a person was there.
func (h *holder) answerAsks(err error, accepts func(asking) bool) {
	session := h.session
	session.Asks = nil
	h.keepAsks(func(a asking) bool {
		if accepts != nil && !accepts(a) {
			return true
		}
		resp := wire.Response{ID: a.id, Session: &session}
		if err != nil {
			resp.Error = wire.NewFault(err)
		}
		a.link.answer(resp)
		return false
	})
}

// lastPerson answers the requests when the command is finished while a person is attached. Requests that came
// after the person remain.
func (h *holder) lastPerson() {
	for l := range h.links {
		if l.person {
			h.answerAsks(nil, func(a asking) bool { return !a.since.After(l.came) })
		}
	}
}

// keepAsks forgets the requests that keep does not approve.
func (h *holder) keepAsks(keep func(asking) bool) {
	kept := h.asks[:0]
	for _, a := range h.asks {
		if keep(a) {
			kept = append(kept, a)
		}
	}
	if len(kept) != len(h.asks) {
		h.asks = kept
		h.recordAsks()
	}
}

// recordAsks writes the requests to persons into the session's record.
func (h *holder) recordAsks() {
	h.session.Asks = nil
	for _, a := range h.asks {
		h.session.Asks = append(h.session.Asks, ledger.Ask{Message: a.message, Since: ledger.Time{Time: a.since}})
	}
	h.note(h.dir.SaveSession(h.session))
}
