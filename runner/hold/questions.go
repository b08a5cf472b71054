package hold

import (
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/blocked"
	"devtools/runner/wire"
)

// The questions part keeps the last question of the program, and the last answer to it.
type questions struct {
	*core
	probing *probing
	shell   *shell
	repl    *repl

	question   openQuestion    // the last one
	questioned *typedAt        // the last input when it was asked
	answer     typedAnswer     // the last answer
	noted      map[string]bool // questions already in the journal
	logged     loggedQuestion  // the last one in the log
}

// An openQuestion is a question that the command waits to have answered, with the picture that shows it.
type openQuestion struct {
	wire.InputState
	number int    // of the question; no other question has it
	offset int64  // of the output when the question was asked
	above  bool   // the text may belong to an earlier question
	nested bool   // asked in a terminal within this one
	block  uint64 // number of the reader's sleep, which shows that it has not run since; 0 if several threads read

	picture  frame
	settings string // of the terminal at that time
}

// found takes over the question of a probe result, if the program waits. Of a question that only stands, a later look may tell less:
// its confidence stays the best with which it was seen.
func (qs *questions) found(s *probeResult) {
	if !s.waits() {
		return
	}
	v, q, settings := s.verdict, &qs.question, terminalSettings(qs.program.Tty)
	if !qs.same(*s) {
		q.number++
	} else if best := q.Waiting.Confidence; best != s.waiting.Confidence && qs.questioned == s.typed && q.settings == settings && q.unmoved(s) {
		s.waiting.Confidence, s.waiting.Evidence = best, append(s.waiting.Evidence, "the same question was seen before with confidence "+best)
	}
	q.InputState, q.offset, q.block, qs.questioned = s.inputState(), s.picture.Offset, 0, s.typed
	q.picture, q.settings = s.picture, settings
	q.above, q.nested = s.asks.Above, v.Reason.Nested > 0
	if v.Confidence == blocked.Certain && !q.nested {
		q.block = v.Block
	}
}

// same reports whether a probe result shows the last question again, and nothing better is known about
// it. The same program must wait, nothing that it could read was typed, and the question must look the same. A
// redrawn screen makes no difference, nor does text that was typed but not ended.
func (qs *questions) same(s probeResult) bool {
	last := qs.question.Waiting
	switch {
	case last == nil || last.PID != s.waiting.PID || last.Kind != s.waiting.Kind || qs.questioned.count() != s.typed.count():
		return false
	case !wire.AtLeast(last.Confidence, s.waiting.Confidence) || qs.question.above && !s.asks.Above:
		return false // more is known about it: a client may now be able to answer
	}
	return last.Prompt == s.waiting.Prompt || last.Drawn || last.Canonical && strings.HasPrefix(s.waiting.Prompt, last.Prompt)
}

// cursorRow returns the row of the cursor, counted from the start of the output.
func (f frame) cursorRow() int { return f.scrolled + f.Snapshot.Cursor.Row }

// unmoved reports whether a probe result shows the text of the question in the same row, asked by the same program.
func (q *openQuestion) unmoved(s *probeResult) bool {
	was, now := q.Waiting, s.waiting
	return was.Prompt == now.Prompt && was.Command == now.Command && was.Canonical == now.Canonical && was.Echo == now.Echo && q.picture.cursorRow() == s.picture.cursorRow()
}

// standing returns the question with the number. It returns nil if anything was typed or printed since it was
// asked, if another question followed, or if the program has ended.
func (qs *questions) standing(number int) *openQuestion {
	q := qs.question
	if q.number != number || q.Waiting == nil || qs.questioned != qs.typed.Load() || q.offset != qs.log.Next() || qs.exited() {
		return nil
	}
	return &q
}

// serve answers the requests about input.
func (qs *questions) serve(l *link, req *wire.Request) {
	switch {
	case !qs.canType() || qs.exited():
		l.answer(wire.Response{ID: req.ID, InputState: &wire.InputState{}, Closed: true})
	case req.Op == wire.OpInputState && req.Question != 0:
		qs.check(l, req)
	case req.Op == wire.OpInputState && req.On && qs.probing.watcher != nil && !qs.probing.result.at.IsZero():
		o := qs.probing.result.inputState()
		l.answer(wire.Response{ID: req.ID, InputState: &o})
	case req.Op == wire.OpInputState:
		qs.askInputState(l, wire.InputStatePatience, func(o wire.InputState) { l.answer(wire.Response{ID: req.ID, InputState: &o}) })
	default:
		qs.await(l, req)
	}
}

// askInputState passes the input state to answer, at the latest after the patience.
func (qs *questions) askInputState(l *link, patience time.Duration, answer func(wire.InputState)) {
	until := time.Now().Add(patience)
	qs.probing.ask(&asker{
		link: l, until: until,
		heard: func(s probeResult, last bool) bool {
			if !last && !s.settled() && !s.stays(until) {
				return false
			}
			answer(s.inputState()) // empty if the look takes longer than the patience
			return true
		},
		ended: func(error) { answer(wire.InputState{}) },
	})
}

// stillPatience is how long it may take to see that a question still stands.
const stillPatience = 100 * time.Millisecond

// check answers whether the program waits for the answer to a question right now.
func (qs *questions) check(l *link, req *wire.Request) {
	qs.probing.ask(&asker{
		link: l, until: time.Now().Add(stillPatience),
		heard: func(s probeResult, last bool) bool {
			if !last && !s.settled() {
				return false
			}
			l.answer(wire.Response{ID: req.ID, Stands: s.waits() && qs.question.number == req.Question})
			return true
		},
		ended: func(error) { l.answer(wire.Response{ID: req.ID}) },
	})
}

// moreDoubt is how long a client waits for a better look at a question of which a later look tells more.
const moreDoubt = 5 * time.Second

// await answers when the program waits for input, with a question that the client does not know yet.
func (qs *questions) await(l *link, req *wire.Request) {
	run := (*shellRun)(nil)
	if req.Run != 0 {
		run = qs.shell.find(req.Run)
	}
	asked := time.Now()
	qs.probing.ask(&asker{
		link: l,
		heard: func(s probeResult, _ bool) bool {
			switch {
			case req.Run != 0 && (run == nil || run.ended):
				l.answer(wire.Response{ID: req.ID, Closed: true})
				return true
			case req.On && s.verdict.StoppedUnnoticed && s.verdict.PID != req.PID:
				o := s.inputState()
				l.answer(wire.Response{ID: req.ID, InputState: &o, Processes: []ledger.Process{{PID: s.verdict.PID, Name: maskName(qs.masks, s.verdict.Comm)}}})
				return true
			case !s.waits() || !wire.AtLeast(s.waiting.Confidence, req.Least) || qs.question.number == req.Question:
				return false
			case run != nil && !qs.asksIn(run, s), s.verdict.After > 0 && time.Since(asked) < moreDoubt:
				return false
			}
			var resp wire.Response
			if qs.fieldOf(req.Answered, s, &resp); qs.doubtful(req.Answered, resp.Field, s) {
				return false
			}
			qs.journal(s)
			o, at := s.inputState(), qs.question.offset
			if run != nil {
				at = qs.shell.outputEnd(run)
			}
			resp.ID, resp.InputState, resp.Question, resp.Offset, resp.Above = req.ID, &o, qs.question.number, at, s.asks.Above
			l.answer(resp)
			return true
		},
		ended: func(err error) {
			if err != nil {
				l.refuse(req, err)
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
func (qs *questions) asksIn(run *shellRun, s probeResult) bool {
	switch {
	case !run.begun:
		return false
	case run.repl != nil:
		return qs.repl.asks(run, s)
	}
	return s.verdict.PID != qs.program.PID || s.verdict.Canonical || s.quiet >= promptDoubt
}
