package hold

import (
	"errors"
	"strings"
	"testing"

	"devtools/runner/wire"
)

// A request to a person is answered when a person who has seen it leaves, or when it is withdrawn. One that came after the
// person remains.
func TestPersons(t *testing.T) {
	ps := &persons{core: newCore(t), clients: &clients{links: map[*link]bool{}}}
	asker, person := newClient(), newClient()
	ps.serve(asker, &wire.Request{ID: 1, Op: wire.OpAsk, Message: "log in\x07"})
	if len(ps.session.Asks) != 1 || ps.session.Asks[0].Message != "log in " || ps.waiting(asker) != 1 {
		t.Errorf("the record has %+v, %d wait", ps.session.Asks, ps.waiting(asker))
	}
	ps.serve(person, &wire.Request{ID: 2, Op: wire.OpAttach})
	ps.serve(asker, &wire.Request{ID: 3, Op: wire.OpAsk, Message: "later"})
	ps.serve(person, &wire.Request{ID: 4, Op: wire.OpDetach, On: true})
	sameIDs(t, "the request that the person has seen", asker.answered(), 1)
	got := person.answered()
	sameIDs(t, "the person", got, 2, 4)
	if asks := got[1].Session.Asks; len(asks) != 1 || asks[0].Message != "log in " {
		t.Errorf("the person was asked %+v", asks)
	}
	ps.serve(person, &wire.Request{ID: 5, Op: wire.OpWithdraw})
	list := asker.answered()
	sameIDs(t, "withdrawn", list, 3)
	if list[0].Error == nil || !errors.Is(list[0].Error.Err(), wire.ErrWithdrawn) {
		t.Errorf("withdrawn: %+v", list[0].Error)
	}
	if len(ps.session.Asks) > 0 {
		t.Errorf("the record still has %+v", ps.session.Asks)
	}
}

// A person who only looks answers nothing, and the requests of a client that is gone are forgotten.
func TestPersonOnlyLooks(t *testing.T) {
	ps := &persons{core: newCore(t), clients: &clients{links: map[*link]bool{}}}
	asker, person := newClient(), newClient()
	ps.serve(asker, &wire.Request{ID: 1, Op: wire.OpAsk, Message: "log in"})
	ps.serve(person, &wire.Request{ID: 2, Op: wire.OpAttach, ReadOnly: true})
	ps.serve(person, &wire.Request{ID: 3, Op: wire.OpDetach, On: true})
	sameIDs(t, "a person who only looks", asker.answered())
	ps.dropped(asker)
	if len(ps.session.Asks) > 0 || ps.waiting(asker) > 0 {
		t.Errorf("the record still has %+v", ps.session.Asks)
	}
	ps.serve(asker, &wire.Request{ID: 4, Op: wire.OpAsk, Message: strings.Repeat("x", maxMessage+1)})
	if got := asker.answered(); len(got) != 1 || got[0].Error == nil {
		t.Errorf("a message that is too long: %+v", got)
	}
}

// A request that takes the place of earlier ones of the same client leaves those of others, and does so in one step: a person who is
// attached is told of it alone.
func TestPersonsAskAnew(t *testing.T) {
	ps := &persons{core: newCore(t), clients: &clients{links: map[*link]bool{}}}
	asker, other, person := newClient(), newClient(), newClient()
	ps.serve(asker, &wire.Request{ID: 1, Op: wire.OpAsk, Message: "name"})
	ps.serve(other, &wire.Request{ID: 2, Op: wire.OpAsk, Message: "log in"})
	ps.serve(person, &wire.Request{ID: 3, Op: wire.OpAttach})
	ps.serve(person, &wire.Request{ID: 4, Op: wire.OpAsked})
	ps.serve(asker, &wire.Request{ID: 5, Op: wire.OpAsk, On: true, Message: "password"})
	asks := ps.session.Asks
	if len(asks) != 2 || asks[0].Message != "log in" || asks[1].Message != "password" || ps.waiting(asker) != 1 {
		t.Errorf("the record has %+v, %d wait", asks, ps.waiting(asker))
	}
	got := person.answered()
	sameIDs(t, "the person", got, 3, 4)
	if asks := got[1].Session.Asks; len(asks) != 1 || asks[0].Message != "password" {
		t.Errorf("the person is told %+v", asks)
	}
	ps.serve(person, &wire.Request{ID: 6, Op: wire.OpDetach, On: true})
	sameIDs(t, "the request that stands", asker.answered(), 5)
}

// A client that waits for requests is told at once of those that came after it. A person who is told so has seen them.
func TestPersonsTell(t *testing.T) {
	links := map[*link]bool{}
	ps := &persons{core: newCore(t), clients: &clients{links: links}}
	asker, person := newClient(), newClient()
	ps.serve(asker, &wire.Request{ID: 1, Op: wire.OpAsk, Message: "before"})
	ps.serve(person, &wire.Request{ID: 2, Op: wire.OpAttach})
	ps.serve(person, &wire.Request{ID: 3, Op: wire.OpAsked})
	if got := person.answered(); len(got) != 1 || ps.waiting(person) != 1 {
		t.Errorf("%d answers, %d wait: what came before is known", len(got), ps.waiting(person))
	}
	ps.serve(asker, &wire.Request{ID: 4, Op: wire.OpAsk, Message: "after"})
	got := person.answered()
	sameIDs(t, "told", got, 3)
	if asks := got[0].Session.Asks; len(asks) != 1 || asks[0].Message != "after" || ps.waiting(person) != 0 {
		t.Errorf("the person is told %+v, %d wait", asks, ps.waiting(person))
	}
	ps.serve(asker, &wire.Request{ID: 5, Op: wire.OpAsk, Message: "not told"})
	ps.serve(person, &wire.Request{ID: 6, Op: wire.OpDetach, On: true})
	sameIDs(t, "what the person has seen", asker.answered(), 1, 4)
	ps.serve(person, &wire.Request{ID: 7, Op: wire.OpAsked})
	if ps.dropped(person); ps.waiting(person) != 0 {
		t.Errorf("a client that is gone waits for %d", ps.waiting(person))
	}
}
