package hold

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"devtools/runner/blocked"
	"devtools/runner/condition"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// linger is how long the wait watcher goes on without an asker. A client that received a question soon asks
// whether it still stands, and then waits for the next one.
const linger = 500 * time.Millisecond

// An asker is a request for the input state of the program in front.
type asker struct {
	link *link // connection of the client; nil for a waiter

	// heard takes a probe result and reports whether the asker is done. At until, if that is not zero, it is
	// called with last set. It then gets the last result since the asker asked, which may be the zero value.
	heard func(s probeResult, last bool) (done bool)
	until time.Time
	since time.Time // time of asking

	ended func(error) // replaces heard when the program has ended, or with the error that ended the looks; may be nil
}

// askInput adds an asker and makes the wait watcher look.
func (h *holder) askInput(a *asker) {
	now := time.Now()
	a.since = now
	h.askers, h.askedLast = append(h.askers, a), now
	starting := h.waitWatcher == nil
	if starting {
		h.haveWatcher()
	}
	h.waitWatcher.asked.Store(now.UnixNano())
	if starting {
		go h.waitWatcher.probe()
		return
	}
	h.waitWatcher.again()
}

// sounded takes over what the wait watcher has found, and reports whether the wait watcher is still needed.
func (h *holder) sounded(s *probeResult) (more bool) {
	if s.confirmed && !h.holds(*s) {
		s.confirmed = false // since the look, the program was answered or has printed
	}
	h.takeIn(*s)
	h.probeResult = *s
	now := time.Now()
	h.tellAskers(now, func(*asker) bool { return true })
	if len(h.askers) > 0 {
		h.askedLast = now
	} else if now.Sub(h.askedLast) > linger {
		h.waitWatcher = nil
	}
	return h.waitWatcher != nil
}

// tellAskers hands the last probe result to the askers that to accepts.
func (h *holder) tellAskers(now time.Time, to func(*asker) bool) {
	for _, a := range slices.Clone(h.askers) {
		s := h.probeResult
		if s.at.Before(a.since) {
			s = probeResult{} // the result is older than the asker
		}
		if a.link != nil && !h.links[a.link] || to(a) && a.heard(s, a.due(now)) {
			h.askers = slices.DeleteFunc(h.askers, func(other *asker) bool { return other == a })
		}
	}
}

// due reports whether the time until which a waits is over.
func (a *asker) due(now time.Time) bool { return !a.until.IsZero() && !now.Before(a.until) }

// nextAsker returns when the next asker is due, or a zero time.
func (h *holder) nextAsker() (next time.Time) {
	for _, a := range h.askers {
		if !a.until.IsZero() && (next.IsZero() || a.until.Before(next)) {
			next = a.until
		}
	}
	return next
}

// holds reports whether a probe result is still true: nothing has happened since that would make it wrong.
func (h *holder) holds(s probeResult) bool {
	return !h.exited && h.input.idle() && h.typed.Load() == s.typed && h.log.Next() == s.picture.Offset
}

// An openQuestion is a question that the command waits to have answered, with the picture that shows it.
type openQuestion struct {
	wire.InputState
	number int    // of the question; no other question has it
	offset int64  // of the output when the question was asked
	above  bool   // the text may be of something that is over
	nested bool   // asked in a terminal within this one
	block  uint64 // the reader's sleep, which ends when it goes on; 0 where it has many

	picture  frame
	settings string // of the terminal at that time
}

// takeIn derives the input state from a probe result. If the program waits, it derives the question, too.
func (h *holder) takeIn(s probeResult) {
	v := s.verdict
	if !s.waits() {
		h.inputState = wire.InputState{AcceptsInput: v.State == blocked.AcceptsInput || v.State == blocked.Waiting, Reason: reasonOf(v)}
		return
	}
	h.inputState = wire.InputState{Waiting: s.waiting, AcceptsInput: true, Reason: v.Reason.String()}
	q := &h.question
	if !h.sameQuestion(s) {
		q.number++
	}
	q.InputState, q.offset, q.block, h.questioned = h.inputState, s.picture.Offset, 0, s.typed
	q.picture, q.settings = s.picture, h.program.Tty.Settings()
	q.above, q.nested = s.asks.Above, v.Reason.Nested > 0
	if v.Confidence == blocked.Certain && !q.nested {
		q.block = v.Block
	}
}

// sameQuestion reports whether a probe result shows the last question again, and nothing better is known about
// it. The same program must wait, nothing that it could read was typed, and the question must look the same. A
// redrawn screen makes no difference, nor does text that was typed but not ended.
func (h *holder) sameQuestion(s probeResult) bool {
	last := h.question.Waiting
	switch {
	case last == nil || last.PID != s.waiting.PID || last.Kind != s.waiting.Kind || h.questioned.count() != s.typed.count():
		return false
	case !wire.AtLeast(last.Confidence, s.waiting.Confidence) || h.question.above && !s.asks.Above:
		return false // more is known about it: a client may now be able to answer
	}
	return last.Prompt == s.waiting.Prompt || last.Drawn || last.Canonical && strings.HasPrefix(s.waiting.Prompt, last.Prompt)
}

// count returns how many times input that a program can read was typed. t may be nil.
func (t *typedAt) count() int {
	if t == nil {
		return 0
	}
	return t.inputs
}

// standing returns the question with the number. It returns nil if anything was typed or printed since it was
// asked, if another question followed, or if the program has ended.
func (h *holder) standing(number int) *openQuestion {
	q := h.question
	if q.number != number || q.Waiting == nil || h.questioned != h.typed.Load() || q.offset != h.log.Next() || h.exited {
		return nil
	}
	return &q
}

// endAskers tells the askers that the program has ended, or, with an error, why nothing looks any more.
func (h *holder) endAskers(err error) {
	for _, a := range h.askers {
		if a.ended != nil {
			a.ended(err)
		}
	}
	h.askers, h.inputState = nil, wire.InputState{}
}

// reported records the offset up to which a client has the output. That client leaves the command.
func (h *holder) reported(l *link, req *wire.Request) {
	h.session.ReportedBytes = max(h.session.ReportedBytes, min(req.Offset, h.log.Next()))
	h.note(h.dir.SaveSession(h.session))
	l.answer(wire.Response{ID: req.ID})
}

// inputStateOp answers the requests about input.
func (h *holder) inputStateOp(l *link, req *wire.Request) {
	switch {
	case h.program.Tty == nil || h.exited:
		l.answer(wire.Response{ID: req.ID, InputState: &wire.InputState{}, Closed: true})
	case req.Op == wire.OpInputState && req.Question != 0:
		h.checkQuestion(l, req)
	case req.Op == wire.OpInputState && req.On && h.waitWatcher != nil && !h.probeResult.at.IsZero():
		o := h.inputState
		l.answer(wire.Response{ID: req.ID, InputState: &o})
	case req.Op == wire.OpInputState:
		h.askInputState(l, wire.InputStatePatience, func(o wire.InputState) { l.answer(wire.Response{ID: req.ID, InputState: &o}) })
	default:
		h.awaitQuestion(l, req)
	}
}

// askInputState passes the input state to answer, at the latest after the patience.
func (h *holder) askInputState(l *link, patience time.Duration, answer func(wire.InputState)) {
	until := time.Now().Add(patience)
	h.askInput(&asker{
		link: l, until: until,
		heard: func(s probeResult, last bool) bool {
			if !last && !s.settled() && !s.stays(until) {
				return false
			}
			if s.at.IsZero() { // the look takes longer than the patience
				answer(wire.InputState{})
				return true
			}
			answer(h.inputState)
			return true
		},
		ended: func(error) { answer(wire.InputState{}) },
	})
}

// stillPatience is how long it may take to see that a question still stands.
const stillPatience = 100 * time.Millisecond

// checkQuestion answers whether the program waits for the answer to a question right now.
func (h *holder) checkQuestion(l *link, req *wire.Request) {
	h.askInput(&asker{
		link: l, until: time.Now().Add(stillPatience),
		heard: func(s probeResult, last bool) bool {
			if !last && !s.settled() {
				return false
			}
			l.answer(wire.Response{ID: req.ID, Stands: s.waits() && h.question.number == req.Question})
			return true
		},
		ended: func(error) { l.answer(wire.Response{ID: req.ID}) },
	})
}

// awaitQuestion answers when the program waits for input, with a question that the client does not know yet.
func (h *holder) awaitQuestion(l *link, req *wire.Request) {
	run := (*shellRun)(nil)
	if req.Run != 0 && h.shell != nil {
		run = h.shell.find(req.Run)
	}
	h.askInput(&asker{
		link: l,
		heard: func(s probeResult, _ bool) bool {
			switch {
			case req.Run != 0 && (run == nil || run.ended):
				l.answer(wire.Response{ID: req.ID, Closed: true})
				return true
			case !s.waits() || !wire.AtLeast(string(s.verdict.Confidence), req.Least) || h.question.number == req.Question:
				return false
			case run != nil && !h.asksIn(run, s):
				return false
			}
			field, asked := h.fieldOf(req.Answered, s)
			if h.doubtful(req.Answered, field, s) {
				return false
			}
			h.journal(s)
			o, at := h.inputState, h.question.offset
			if run != nil {
				at = h.shellNext(run)
			}
			l.answer(wire.Response{
				ID: req.ID, InputState: &o, Question: h.question.number, Offset: at, Above: s.asks.Above, Field: field, Asked: asked,
			})
			return true
		},
		ended: func(err error) {
			if err != nil {
				h.refuse(l, req, err)
				return
			}
			l.answer(wire.Response{ID: req.ID, Closed: true})
		},
	})
}

// promptDoubt is how long a shell that already edits a line may take to report the end of a command of ours.
const promptDoubt = time.Second

// asksIn reports whether a command in the session's shell asks, and not the shell itself. A shell that reads
// may be about to report that the command has ended.
func (h *holder) asksIn(run *shellRun, s probeResult) bool {
	if !run.begun {
		return false
	}
	return s.verdict.PID != h.program.PID || s.verdict.Canonical || s.quiet >= promptDoubt
}

// lookForInput looks for a condition of the kind UntilInput or UntilPrompt.
func (h *holder) lookForInput(w *waiter, a *awaited) {
	h.askInput(&asker{heard: func(s probeResult, _ bool) bool {
		if w.done || a.met {
			return true
		}
		if !s.waits() || a.cond.Kind == condition.UntilPrompt && !h.isPrompt(s.verdict) {
			return false
		}
		h.journal(s)
		h.met(w, a, "")
		return true
	}})
}

// isPrompt reports whether a verdict of waiting means that the session's own shell waits for its next command.
// A shell that reports its prompt overrules the verdict.
func (h *holder) isPrompt(v blocked.Verdict) bool {
	if v.PID != h.program.PID || !proc.IsShell(v.Comm) || v.Canonical && editsLines(v.Comm) {
		return false
	}
	known, at := h.atPrompt()
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
