package hold

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/condition"
	"devtools/runner/wire"
)

// maxConditions is how many conditions one request may have.
const maxConditions = 32

// A waiter is a client that waits for conditions.
type waiter struct {
	link     *link
	answer   func(wire.WaitAnswer, error) // called once
	until    []*awaited
	fail     []*awaited
	all      bool
	fresh    bool // only new content of the screen counts
	deadline time.Time
	ctx      context.Context    // of the probes for its conditions
	stop     context.CancelFunc // cancels ctx
	looking  bool               // the last look is under way
	looked   bool               // the program has ended, and its last picture was looked at
	done     bool
}

// An awaited is a condition that a waiter waits for.
type awaited struct {
	cond  condition.Condition
	met   bool
	match string
	note  string // why it is not met yet

	looking         bool // the condition counts already
	screenCondition *screenCondition
}

// parseWait checks what a client wants to wait for. Paths are already absolute.
func parseWait(req *wire.WaitRequest) (*waiter, error) {
	if len(req.Until)+len(req.Fail) > maxConditions {
		return nil, fmt.Errorf("%d conditions: %d at most", len(req.Until)+len(req.Fail), maxConditions)
	}
	w := &waiter{all: req.All}
	for list, texts := range map[*[]*awaited][]string{&w.until: req.Until, &w.fail: req.Fail} {
		for _, text := range texts {
			cond, err := condition.ParseCondition(text, "/")
			if err != nil {
				return nil, err
			}
			*list = append(*list, &awaited{cond: cond})
		}
	}
	if len(w.until) == 0 {
		return nil, errors.New("nothing to wait for")
	}
	if req.TimeoutMs > 0 {
		w.deadline = time.Now().Add(time.Duration(req.TimeoutMs) * time.Millisecond)
	}
	return w, nil
}

// await makes a client wait for conditions.
func (h *holder) await(l *link, req *wire.Request) {
	if req.Wait == nil {
		h.refuse(l, req, errors.New("a wait without conditions"))
		return
	}
	w, err := parseWait(req.Wait)
	if err == nil {
		w.link = l
		w.answer = func(a wire.WaitAnswer, err error) {
			if err != nil {
				h.refuse(l, req, err)
				return
			}
			l.answer(wire.Response{ID: req.ID, Wait: &a})
		}
		err = h.startWaiting(w)
	}
	if err != nil {
		h.refuse(l, req, err)
	}
}

// startWaiting looks for the conditions of w from now on. If w wants only new content, the present content of
// the screen does not count.
func (h *holder) startWaiting(w *waiter) error {
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.Background())
	w.ctx = ctx
	h.waiters = append(h.waiters, w)
	for _, a := range slices.Concat(w.until, w.fail) {
		if w.done || w.fresh && !a.cond.Changes() {
			continue
		}
		if err := h.lookFor(ctx, w, a); err != nil {
			h.stopWaiting(w)
			return err
		}
	}
	if h.complete {
		h.finished(w)
	}
	return nil
}

// lookForStates starts to look for those conditions of w that are about a state. They count from now on.
func (h *holder) lookForStates(w *waiter) {
	for _, a := range slices.Concat(w.until, w.fail) {
		if w.done || a.cond.Changes() {
			continue
		}
		if err := h.lookFor(w.ctx, w, a); err != nil {
			h.giveUp(w, err)
		}
	}
}

// lookFor starts to look for one condition.
func (h *holder) lookFor(ctx context.Context, w *waiter, a *awaited) error {
	a.looking = true
	switch a.cond.Kind {
	case condition.UntilText, condition.UntilGone, condition.UntilStable, condition.UntilChange:
		if h.screenFeed == nil {
			h.startFeed()
		}
		a.screenCondition = &screenCondition{
			cond: a.cond, fresh: w.fresh, at: h.log.Next(), until: time.Now().Add(maxPaintLag),
			met:  func(match string) { h.done <- func() { h.met(w, a, match) } },
			fail: func(err error) { h.done <- func() { h.giveUp(w, err) } },
		}
		if !h.screenFeed.order(order{screenCondition: a.screenCondition}) {
			return errBusyFeed
		}
	case condition.UntilInput, condition.UntilPrompt:
		if h.program.Tty == nil {
			return ledger.SessionError(h.session.Name, wire.ErrNoTerminal)
		}
		h.lookForInput(w, a)
		if a.cond.Kind == condition.UntilPrompt {
			h.promptChanged()
		}
	case condition.UntilFile, condition.UntilHTTP, condition.UntilPort, condition.UntilOpen:
		go func() {
			for note, there := range a.cond.Probe(ctx, treePIDs) {
				h.done <- func() {
					if a.note = note; there {
						h.met(w, a, "")
					}
				}
			}
		}()
	}
	return nil
}

// met handles a condition of w that has come true.
func (h *holder) met(w *waiter, a *awaited, match string) {
	if w.done {
		return
	}
	a.met, a.match, a.note = true, match, ""
	if slices.Contains(w.fail, a) {
		h.answerWaiter(w, wire.WaitAnswer{Failed: a.cond.Wire(), Match: match})
		return
	}
	answer := wire.WaitAnswer{}
	for _, u := range w.until {
		if u.met {
			answer.Met = append(answer.Met, u.cond.Wire())
			answer.Match = cmp.Or(answer.Match, u.match)
			if u.cond.Kind == condition.UntilInput {
				o := h.inputState
				answer.InputState = &o
			}
		} else if w.all {
			return
		}
	}
	h.answerWaiter(w, answer)
}

// answerWaiter sends the answer and ends the waiting of w.
func (h *holder) answerWaiter(w *waiter, answer wire.WaitAnswer) {
	session := h.session
	session.OutputBytes = h.log.Next()
	answer.Session = &session
	if answer.Ended || answer.TimedOut {
		for _, u := range w.until {
			if u.met {
				answer.Met = append(answer.Met, u.cond.Wire())
			} else if u.note != "" {
				answer.Notes = append(answer.Notes, u.note)
			}
		}
	}
	h.stopWaiting(w)
	w.answer(answer, nil)
}

// giveUp ends the waiting of w because of a failure in the holder.
func (h *holder) giveUp(w *waiter, err error) {
	if !w.done {
		h.stopWaiting(w)
		w.answer(wire.WaitAnswer{}, err)
	}
}

// stopWaiting forgets w.
func (h *holder) stopWaiting(w *waiter) {
	w.done = true
	w.stop()
	for _, a := range slices.Concat(w.until, w.fail) {
		if a.screenCondition != nil {
			a.screenCondition.off.Store(true)
		}
	}
	h.waiters = slices.DeleteFunc(h.waiters, func(other *waiter) bool { return other == w })
}

// lastLooks makes the screen feed look at the picture once more for every waiter. It does so when the program
// has ended and all of its output has been read. After that look, the waiters need not wait any more.
func (h *holder) lastLooks(now time.Time) {
	if !h.printedAll(now) {
		return
	}
	for _, w := range slices.Clone(h.waiters) {
		if w.looking {
			continue
		}
		w.looking = true
		looked := func() {
			h.done <- func() {
				w.looked = true
				h.finished(w)
			}
		}
		if h.screenFeed != nil {
			if w.looking = h.screenFeed.order(order{at: h.log.Next(), then: looked}); !w.looking {
				h.lookAgain = now.Add(time.Millisecond)
			}
			continue
		}
		w.looked = true
		h.finished(w)
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// allLooked reports whether every waiter has had its last look at the picture.
func (h *holder) allLooked() bool {
	return !slices.ContainsFunc(h.waiters, func(w *waiter) bool { return !w.looked })
}

// printedAll reports whether the program has ended and its output has been read. Leftovers may go on printing.
func (h *holder) printedAll(now time.Time) bool {
	return h.exited && (h.drained || !now.Before(h.quietAfterExit()))
}

// quietAfterExit returns when all output of an ended program will have been read.
func (h *holder) quietAfterExit() time.Time {
	if h.lastBytes.After(h.session.EndedAt.Time) {
		return h.lastBytes.Add(stopQuiet)
	}
	return h.session.EndedAt.Add(stopQuiet)
}

// finished ends the waiting of w, whose program has ended, if no condition can come true any more.
func (h *holder) finished(w *waiter) {
	if w.done {
		return
	}
	exits := false
	for _, a := range slices.Concat(w.until, w.fail) {
		if a.cond.Kind == condition.UntilExit && !a.met {
			if exits = true; h.complete {
				h.met(w, a, "")
			}
		}
	}
	if !w.done && w.looked && (h.complete || !exits) {
		h.answerWaiter(w, wire.WaitAnswer{Ended: true})
	}
}

// tickWaiters makes the last looks, and ends every wait whose time is over.
func (h *holder) tickWaiters(now time.Time) {
	if h.exited {
		h.lastLooks(now)
	}
	for _, w := range slices.Clone(h.waiters) {
		if !w.deadline.IsZero() && !now.Before(w.deadline) && !w.done {
			w.deadline = time.Time{}
			h.timeOut(w)
		}
	}
}

// lastInputState is how long a wait whose time is over looks for the input state, to report it.
const lastInputState = 100 * time.Millisecond

// timeOut ends the waiting of w, whose time is over.
func (h *holder) timeOut(w *waiter) {
	if h.program.Tty == nil || h.exited {
		h.answerWaiter(w, wire.WaitAnswer{TimedOut: true})
		return
	}
	h.askInputState(w.link, lastInputState, func(o wire.InputState) {
		if !w.done {
			h.answerWaiter(w, wire.WaitAnswer{TimedOut: true, InputState: &o})
		}
	})
}

// nextWaiter returns when tickWaiters has something to do, or a zero time.
func (h *holder) nextWaiter() (next time.Time) {
	soonest := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, w := range h.waiters {
		soonest(w.deadline)
		if h.exited && !w.looking {
			soonest(later(h.quietAfterExit(), h.lookAgain))
		}
	}
	return next
}
