package runner

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"devtools/runner/wire"
)

// What becomes of a command that waits for input.
const (
	OnInputReturn = "return" // it goes on, and the waiting for it ends
	OnInputWait   = "wait"   // it is waited for until somebody has answered
	OnInputKill   = "kill"   // it is ended
)

// An Answer is typed when the command asks what Pattern matches, once.
type Answer struct {
	Pattern *regexp.Regexp
	Text    string // Enter follows where it belongs to the question, unless the text ends with noEnter
}

// noEnter stands at the end of a text that no Enter is to follow, as for echo(1).
const noEnter = `\c`

// InputOptions say what is done when the command waits for input. The zero value does not look for that.
type InputOptions struct {
	OnInput string             // OnInputReturn, OnInputWait or OnInputKill
	Least   string             // the confidence that a verdict must have; "" is any
	Answers []Answer           // in order: the first that matches and has not been typed is
	Proof   string             // the confidence that a verdict must have for an answer to be typed; "" is any
	Waits   func(wire.Waiting) // with OnInputWait, is told of each question, by another goroutine
	Failed  func(error)        // is told, likewise, why questions are not seen or an answer cannot be typed
}

// An answerer looks for the questions of a command, and answers those that it can.
type answerer struct {
	client *Client
	opts   InputOptions
	run    int // of a command in the session's shell; 0 is the session's own
	log    *answerLog
	last   typedText
	told   wire.Waiting  // what Waits was told last
	found  chan question // the question with which the waiting ends
}

// A typedText is an answer whose text was typed, and whose Enter depends on what became of the question. The zero value is
// none.
type typedText struct {
	answer int    // index of the answer
	number int    // of its question
	rest   string // of the text, which is typed only if the question still stands
	stands bool   // it does, and neither the rest nor an Enter belongs to it
	left   bool   // it does not
}

// watchInput looks for questions of the command until ctx ends.
func (c *Client) watchInput(ctx context.Context, opts InputOptions, run int) *answerer {
	a := &answerer{client: c, opts: opts, run: run, log: newAnswerLog(opts.Answers), found: make(chan question, 1)}
	if opts.OnInput != "" && c.Session.Size.Cols > 0 {
		go a.watch(ctx)
	}
	return a
}

// reports ends the watching and returns what became of the answers. Of a finished command the holder tells in a moment
// what it has taken; otherwise nobody waits for what is being typed.
func (a *answerer) reports(stop context.CancelFunc, finished bool) []AnswerReport {
	if finished {
		defer time.AfterFunc(wire.Farewell, stop).Stop()
	} else {
		stop()
	}
	return a.log.reports(finished)
}

// refusals is how often the answer to one question may be refused, though it stands, before it counts as not answered,
// and refusedPause how long the next try waits.
const (
	refusals     = 5
	refusedPause = 50 * time.Millisecond
)

func (a *answerer) watch(ctx context.Context) {
	known, number, refused := 0, 0, 0 // refused is how often that number was
	for {
		q, ok := a.next(ctx, known)
		if !ok || !a.client.Seen.Await(ctx, q.offset) { // what it printed before comes first
			return
		}
		answered, err := false, wire.ErrAnswered
		stands := a.client.stands(ctx, q)
		if stands {
			answered, err = a.answer(ctx, q)
		}
		if errors.Is(err, wire.ErrAnswered) {
			if number != q.number {
				number, refused = q.number, 0
			}
			if refused++; !stands || refused < refusals || !a.client.stands(ctx, q) {
				select { // with the same number it comes again, if it is still asked
				case <-time.After(refusedPause):
				case <-ctx.Done():
					return
				}
				continue
			}
		}
		if known = q.number; answered {
			continue
		}
		if err != nil && !a.failed(ctx, err) {
			return
		}
		if a.opts.OnInput != OnInputWait {
			a.found <- q
			return
		}
		a.waits(*q.Waiting)
	}
}

// next returns the next question that is not the known one; ok is false when there will be none.
func (a *answerer) next(ctx context.Context, known int) (q question, ok bool) {
	req := wire.Request{Op: wire.OpQuestion, Question: known, Answered: a.last.number, Least: a.opts.Least, Run: a.run}
	resp, err := a.client.Await(ctx, a.client.Send(req))
	if err != nil {
		a.failed(ctx, err) // a holder that an older devtools has started does not know what is asked
	}
	if err != nil || resp.Closed || resp.InputState == nil || resp.InputState.Waiting == nil {
		return q, false // there is nothing to ask for any more
	}
	q = question{InputState: *resp.InputState, number: resp.Question, offset: resp.Offset, above: resp.Above}
	q.field, q.asked = resp.Field, resp.Asked
	return q, true
}

// failed tells of an error, unless it is that the command has ended, or nobody waits for it any more; then it reports false.
func (a *answerer) failed(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.Is(err, wire.ErrHolderGone) || errors.Is(err, wire.ErrEnded) || errors.Is(err, wire.ErrProgramEnded) {
		return false
	}
	if a.opts.Failed != nil {
		a.opts.Failed(err)
	}
	return true
}

// waits tells of a question, but not again of one that only looks different: what is typed is shown, and a screen is
// drawn anew.
func (a *answerer) waits(w wire.Waiting) {
	again := w.PID == a.told.PID && w.Kind == a.told.Kind && (w.Drawn || strings.HasPrefix(w.Prompt, a.told.Prompt) && w.Canonical)
	if a.told = w; a.opts.Waits != nil && !again {
		a.opts.Waits(w)
	}
}
