package runner

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// What to do when a command waits for input.
const (
	OnInputReturn = "return" // the command goes on, and Run or RunIn returns
	OnInputWait   = "wait"   // wait on until somebody has answered
	OnInputAsk    = "ask"    // as OnInputWait, and ask a person to answer
	OnInputKill   = "kill"   // end the command
)

// An Answer is typed when the command asks something that Pattern matches.
type Answer struct {
	Pattern *regexp.Regexp
	Each    bool // as often as the command asks, not only once
	// Text is what to type. If the question needs an Enter, it follows, unless Text ends with noEnter.
	Text string
	// Keys are typed in place of Text, in the notation of package keys. No Enter follows.
	Keys []string
}

// noEnter at the end of a text means that no Enter follows, as in echo(1).
const noEnter = `\c`

// InputOptions say what to do when the command waits for input. The zero value does not look for that.
type InputOptions struct {
	OnInput          string   // OnInputReturn, OnInputWait, OnInputAsk or OnInputKill
	MinConfidence    string   // minimum confidence of a verdict; "": any
	Answers          []Answer // in order; the first one that matches is typed, if it may be typed again or was not typed yet
	AnswerConfidence string   // minimum confidence for typing an answer; "": any
	// Waits is called with each question under OnInputWait and OnInputAsk, by another goroutine.
	Waits func(wire.Waiting)
	// Message returns what to tell a person under OnInputAsk.
	Message func(wire.Waiting) string
	// Stopped is called with a background process that the terminal has stopped and nobody will continue, by another goroutine.
	// The signal is SIGTTIN or SIGTTOU.
	Stopped func(p ledger.Process, signal string)
	// Failed is called with the reason why questions are not seen or an answer cannot be typed, by another goroutine.
	Failed func(error)
}

// An answerer looks for the questions of a command and types the answers that it has.
type answerer struct {
	client   *Client
	opts     InputOptions
	run      int // number of a command in the session's shell; 0: the session's own command
	log      *answerLog
	state    typingState
	reported wire.Waiting  // last question given to Waits
	stopped  int           // pid of the last process given to Stopped
	found    chan question // the question that ends the wait
}

// watchInput looks for questions of the command until ctx ends.
func (c *Client) watchInput(ctx context.Context, opts InputOptions, run int) *answerer {
	a := &answerer{client: c, opts: opts, run: run, log: newAnswerLog(opts.Answers), found: make(chan question, 1)}
	if opts.OnInput != "" && c.Session.Size.Cols > 0 {
		go a.watch(ctx)
	}
	return a
}

// reports ends the watching and returns what became of the answers. For a finished command it first gives the holder
// a moment to say what the command has taken. Otherwise nobody waits for an answer that is being typed.
func (a *answerer) reports(stop context.CancelFunc, finished bool) []AnswerReport {
	if finished {
		defer time.AfterFunc(wire.Farewell, stop).Stop()
	} else {
		stop()
	}
	return a.log.reports(finished)
}

// maxRefusals is how often the answer to a question that still stands may be refused. Then it counts as not answered.
// refusedPause is the time before the next try.
const (
	maxRefusals  = 5
	refusedPause = 50 * time.Millisecond
)

// A refusals counts how often an answer to one question was refused.
type refusals struct{ number, times int }

// add counts a refusal at a question and returns how many there were at that question.
func (r *refusals) add(number int) int {
	if r.number != number {
		*r = refusals{number: number}
	}
	r.times++
	return r.times
}

// watch handles the questions of the command until ctx ends, or until a question ends the wait.
func (a *answerer) watch(ctx context.Context) {
	known := 0 // number of the last question that needs no further try
	var refused refusals
	leave := func() {} // leaves the request to a person to the next one, if there is one
	for {
		q, ok := a.nextQuestion(ctx, known)
		if !ok || !a.client.Seen.Await(ctx, q.offset) { // the earlier output comes first
			return
		}
		typed, err := false, wire.ErrAnswered
		stands := a.client.stands(ctx, q)
		if stands {
			typed, err = a.answer(ctx, q)
		}
		if errors.Is(err, wire.ErrAnswered) {
			tooOften := refused.add(q.number) >= maxRefusals
			if !stands || !tooOften || !a.client.stands(ctx, q) {
				select { // a question that still stands comes again with the same number
				case <-time.After(refusedPause):
				case <-ctx.Done():
					return
				}
				continue
			}
		}
		known = q.number
		switch {
		case typed:
			continue
		case err != nil && !a.failed(ctx, err):
			return
		case a.opts.OnInput == OnInputAsk:
			leave()
			leave = a.askPerson(ctx, q)
		case a.opts.OnInput != OnInputWait:
			a.found <- q
			return
		}
		a.waits(*q.Waiting)
	}
}

// nextQuestion returns the next question other than the known one. ok is false when there will be none.
func (a *answerer) nextQuestion(ctx context.Context, known int) (q question, ok bool) {
	req := wire.Request{Op: wire.OpQuestion, Question: known, Answered: a.state.number, Least: a.opts.MinConfidence, Run: a.run, On: true, PID: a.stopped}
	resp, err := a.client.Await(ctx, a.client.Send(req))
	if err == nil && len(resp.Processes) > 0 && resp.InputState != nil {
		if a.stopped = resp.Processes[0].PID; a.opts.Stopped != nil {
			a.opts.Stopped(resp.Processes[0], strings.ToUpper(strings.TrimPrefix(resp.InputState.Reason, "stopped_")))
		}
		return a.nextQuestion(ctx, known)
	}
	if err != nil {
		a.failed(ctx, err) // the holder of an older devtools does not know OpQuestion
	}
	if err != nil || resp.Closed || resp.InputState == nil || resp.InputState.Waiting == nil {
		return q, false // there is no question to wait for any more
	}
	q = question{InputState: *resp.InputState, number: resp.Question, offset: resp.Offset, above: resp.Above}
	q.field, q.erase, q.erased = resp.Field, resp.Erase, resp.Erased
	return q, true
}

// failed passes an error on to Failed and returns true. When the command has ended or nobody waits for it any more,
// failed returns false and passes nothing on.
func (a *answerer) failed(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.Is(err, wire.ErrHolderGone) || errors.Is(err, wire.ErrEnded) || errors.Is(err, wire.ErrProgramEnded) {
		return false
	}
	if a.opts.Failed != nil {
		a.opts.Failed(err)
	}
	return true
}

// waits passes a question on to Waits. It does not pass on a question again that only looks different: the terminal
// shows typed text, and a program redraws its screen.
func (a *answerer) waits(w wire.Waiting) {
	again := w.PID == a.reported.PID && w.Kind == a.reported.Kind && (w.Drawn || strings.HasPrefix(w.Prompt, a.reported.Prompt) && w.Canonical)
	if a.reported = w; a.opts.Waits != nil && !again {
		a.opts.Waits(w)
	}
}
