package hold

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"devtools/runner/condition"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// The waits are the clients that wait for conditions.
type waits struct {
	*core
	completion *completion
	display    *display
	shell      *shell
	probing    *probing
	questions  *questions

	list      []*waiter
	lookAgain time.Time // next attempt at a last look, for which the screen feed had no room
}

// serve makes a client wait for conditions.
func (ws *waits) serve(l *link, req *wire.Request) {
	if req.Wait == nil {
		l.refuse(req, errors.New("a wait without conditions"))
		return
	}
	w, err := parseWait(req.Wait)
	if err == nil {
		w.link = l
		w.answer = func(a wire.WaitAnswer, err error) {
			if err != nil {
				l.refuse(req, err)
				return
			}
			l.answer(wire.Response{ID: req.ID, Wait: &a})
		}
		err = ws.start(w)
	}
	if err != nil {
		l.refuse(req, err)
	}
}

// start looks for the conditions of w from now on.
func (ws *waits) start(w *waiter) error {
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.Background())
	w.ctx = ctx
	ws.list = append(ws.list, w)
	for _, a := range slices.Concat(w.until, w.fail) {
		if w.done || w.fresh && !a.cond.Changes() {
			continue
		}
		if err := ws.lookFor(ctx, w, a); err != nil {
			ws.stop(w)
			return err
		}
	}
	if ws.completion.complete {
		ws.finished(w)
	}
	return nil
}

// lookForStates starts to look for those conditions of w that are about a state. They count from now on.
func (ws *waits) lookForStates(w *waiter) {
	for _, a := range slices.Concat(w.until, w.fail) {
		if w.done || a.cond.Changes() {
			continue
		}
		if err := ws.lookFor(w.ctx, w, a); err != nil {
			ws.giveUp(w, err)
		}
	}
}

// lookFor starts to look for one condition.
func (ws *waits) lookFor(ctx context.Context, w *waiter, a *awaited) error {
	a.looking = true
	switch a.cond.Kind {
	case condition.UntilText, condition.UntilGone, condition.UntilStable, condition.UntilChange:
		a.screenCondition = &screenCondition{
			cond: a.cond, fresh: w.fresh || w.onlyNew, whole: w.whole, at: ws.log.Next(), until: time.Now().Add(maxPaintLag),
			met:  func(match string) { ws.done <- func() { ws.met(w, a, match) } },
			fail: func(err error) { ws.done <- func() { ws.giveUp(w, err) } },
		}
		return ws.display.order(order{screenCondition: a.screenCondition})
	case condition.UntilInput, condition.UntilPrompt:
		if ws.needsTerminal(a) {
			return ws.named(wire.ErrNoTerminal)
		}
		ws.lookForInput(w, a)
		if a.cond.Kind == condition.UntilPrompt {
			ws.promptChanged()
		}
	case condition.UntilFile, condition.UntilHTTP, condition.UntilPort, condition.UntilOpen:
		go func() {
			for note, there := range a.cond.Probe(ctx, treePIDs) {
				ws.done <- func() {
					if a.note = note; there {
						ws.met(w, a, "")
					}
				}
			}
		}()
	}
	return nil
}

// needsTerminal reports whether a condition cannot come true because the session has no terminal.
func (ws *waits) needsTerminal(a *awaited) bool {
	return a.cond.Kind == condition.UntilInput && !ws.canType() || a.cond.Kind == condition.UntilPrompt && ws.program.Tty == nil
}

// met handles a condition of w that has come true.
func (ws *waits) met(w *waiter, a *awaited, match string) {
	if w.done {
		return
	}
	a.met, a.match, a.note = true, match, ""
	if slices.Contains(w.fail, a) {
		ws.answer(w, wire.WaitAnswer{Failed: a.cond.Wire(), Match: match})
		return
	}
	answer := wire.WaitAnswer{}
	for _, u := range w.until {
		if u.met {
			answer.Met = append(answer.Met, u.cond.Wire())
			answer.Match = cmp.Or(answer.Match, u.match)
			if u.cond.Kind == condition.UntilInput {
				o := ws.probing.result.inputState()
				answer.InputState = &o
			}
		} else if w.all {
			return
		}
	}
	ws.answer(w, answer)
}

// answer sends the answer and ends the waiting of w.
func (ws *waits) answer(w *waiter, answer wire.WaitAnswer) {
	answer.AtNs = time.Now().UnixNano()
	answer.Session = ws.record()
	answer.Session.OutputBytes = ws.log.Next()
	if answer.Ended || answer.TimedOut {
		for _, u := range w.until {
			if u.met {
				answer.Met = append(answer.Met, u.cond.Wire())
			} else if u.note != "" {
				answer.Notes = append(answer.Notes, u.note)
			}
		}
	}
	ws.stop(w)
	w.answer(answer, nil)
}

// giveUp ends the waiting of w because of a failure in the holder.
func (ws *waits) giveUp(w *waiter, err error) {
	if !w.done {
		ws.stop(w)
		w.answer(wire.WaitAnswer{}, err)
	}
}

// stop forgets w.
func (ws *waits) stop(w *waiter) {
	w.done = true
	w.stop()
	for _, a := range slices.Concat(w.until, w.fail) {
		if a.screenCondition != nil {
			a.screenCondition.off.Store(true)
		}
	}
	ws.list = slices.DeleteFunc(ws.list, func(other *waiter) bool { return other == w })
}

// lastLooks makes the screen feed look at the picture once more for every waiter. It does so when the program
// has ended and all of its output has been read. After that look, the waiters need not wait any more.
func (ws *waits) lastLooks(now time.Time) {
	if !ws.completion.printedAll(now) {
		ws.lookAgain = now.Add(stopQuiet)
		return
	}
	for _, w := range slices.Clone(ws.list) {
		if w.looking {
			continue
		}
		w.looking = true
		looked := func() {
			ws.done <- func() {
				w.looked = true
				ws.finished(w)
			}
		}
		if ws.display.feed != nil {
			if w.looking = ws.display.feed.order(order{at: ws.log.Next(), then: looked}); !w.looking {
				ws.lookAgain = now.Add(time.Millisecond)
			}
			continue
		}
		w.looked = true
		ws.finished(w)
	}
}

// allLooked reports whether every waiter has had its last look at the picture.
func (ws *waits) allLooked() bool {
	return !slices.ContainsFunc(ws.list, func(w *waiter) bool { return !w.looked })
}

// finished ends the waiting of w, whose program has ended, if no condition can come true any more.
func (ws *waits) finished(w *waiter) {
	if w.done {
		return
	}
	exits := false
	for _, a := range slices.Concat(w.fail, w.until) { // a failure comes first: exit is true of each end
		if a.cond.Kind == condition.UntilExit && !a.met {
			if exits = true; ws.completion.complete && a.cond.Exited(ws.session.ExitCode) {
				ws.met(w, a, "")
			}
		}
	}
	if !w.done && w.looked && (ws.completion.complete || !exits) {
		ws.answer(w, wire.WaitAnswer{Ended: true})
	}
}

// tick makes the last looks, and ends every wait whose time is over.
func (ws *waits) tick(now time.Time) {
	if ws.exited() {
		ws.lastLooks(now)
	}
	for _, w := range slices.Clone(ws.list) {
		if due(w.deadline, now) && !w.done {
			w.deadline = time.Time{}
			ws.timeOut(w)
		}
	}
}

// lastInputState is how long a wait that timed out looks for the input state, which its answer reports.
const lastInputState = 100 * time.Millisecond

// timeOut ends the waiting of w, whose time is over.
func (ws *waits) timeOut(w *waiter) {
	if !ws.canType() || ws.exited() {
		ws.answer(w, wire.WaitAnswer{TimedOut: true})
		return
	}
	ws.questions.askInputState(w.link, lastInputState, func(o wire.InputState) {
		if !w.done {
			ws.answer(w, wire.WaitAnswer{TimedOut: true, InputState: &o})
		}
	})
}

// deadline returns when tick has something to do, or a zero time.
func (ws *waits) deadline() (next time.Time) {
	for _, w := range ws.list {
		next = soonest(next, w.deadline)
		if ws.exited() && !w.looking {
			next = soonest(next, later(ws.completion.quietAfterExit(), ws.lookAgain))
		}
	}
	return next
}

// lookForInput looks for a condition of the kind UntilInput or UntilPrompt.
func (ws *waits) lookForInput(w *waiter, a *awaited) {
	ws.probing.ask(&asker{heard: func(s probeResult, _ bool) bool {
		if w.done || a.met {
			return true
		}
		if !s.waits() || a.cond.Kind == condition.UntilPrompt && !ws.isPrompt(s) {
			return false
		}
		ws.questions.journal(s)
		ws.met(w, a, "")
		return true
	}})
}

// isPrompt reports whether a program that waits is the session's own shell, and waits for its next command. A shell that
// reports its prompt overrules the verdict. In a session without a shell, a REPL has such a prompt, too.
func (ws *waits) isPrompt(s probeResult) bool {
	v := s.verdict
	if kind, _, _ := wire.ShellOf(ws.session.Command); kind == "" && !proc.IsShell(v.Comm) {
		return atREPL(s)
	}
	if v.PID != ws.program.PID || !proc.IsShell(v.Comm) || v.Canonical && editsLines(v.Comm) {
		return false
	}
	known, at := ws.shell.atPrompt()
	return !known || at
}

// editsLines reports whether a shell reads its commands in raw mode. What it reads in canonical mode is then
// not a command.
func editsLines(shell string) bool {
	switch strings.TrimPrefix(filepath.Base(shell), "-") {
	case "bash", "zsh", "fish", "nu", "xonsh", "pwsh", "elvish":
		return true
	}
	return false
}

// promptChanged is called when the result of atPrompt may have changed. It tells the waiters for the prompt.
func (ws *waits) promptChanged() {
	known, at := ws.shell.atPrompt()
	if !known || !at {
		return
	}
	for _, w := range slices.Clone(ws.list) {
		for _, a := range slices.Concat(w.until, w.fail) {
			if a.looking && a.cond.Kind == condition.UntilPrompt {
				ws.met(w, a, "")
			}
		}
	}
}

// finish ends each wait of which no condition can still become true. The result is known.
func (ws *waits) finish() {
	for _, w := range slices.Clone(ws.list) {
		ws.finished(w)
	}
}

// waiting returns how many waits the client has.
func (ws *waits) waiting(l *link) (n int) {
	for _, w := range ws.list {
		if w.link == l {
			n++
		}
	}
	return n
}

// dropped forgets the waits of a client that is gone.
func (ws *waits) dropped(l *link) {
	for _, w := range slices.Clone(ws.list) {
		if w.link == l {
			ws.stop(w)
		}
	}
}
