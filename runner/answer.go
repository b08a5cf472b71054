package runner

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// What becomes of a command that waits for input.
const (
	OnInputReturn = "return" // it goes on, and the waiting for it ends
	OnInputWait   = "wait"   // it is waited for until somebody has answered
	OnInputKill   = "kill"   // it is ended
)

// ErrAnswered reports an answer to a question that does not stand any more.
var ErrAnswered = errors.New("the question does not stand any more")

// An Answer is typed when the command asks what Pattern matches, once.
type Answer struct {
	Pattern *regexp.Regexp
	Text    string // is followed by Enter, as Waiting.Enter says, unless it ends with noEnter
}

// noEnter stands at the end of a text that no Enter is to follow, as for echo(1).
const noEnter = `\c`

// InputOptions say what is done when the command waits for input. The zero value does not look for that.
type InputOptions struct {
	OnInput string        // OnInputReturn, OnInputWait or OnInputKill
	Least   string        // the confidence that a verdict must have; "" is any
	Answers []Answer      // in order: the first that matches and has not been typed is
	Proof   string        // the confidence that a verdict must have for an answer to be typed; "" is any
	Waits   func(Waiting) // with OnInputWait, is told of each question, by another goroutine
	Failed  func(error)   // is told, likewise, why questions are not seen or an answer cannot be typed
}

// An answerer looks for the questions of a command, and answers those that it can.
type answerer struct {
	client *Client
	opts   InputOptions
	run    int // of a command in the session's shell; 0 is the session's own
	used   []bool
	told   Waiting       // what Waits was told last
	found  chan question // the question with which the waiting ends
}

// watchInput looks for questions of the command until ctx ends.
func (c *Client) watchInput(ctx context.Context, opts InputOptions, run int) *answerer {
	a := &answerer{client: c, opts: opts, run: run, used: make([]bool, len(opts.Answers)), found: make(chan question, 1)}
	if opts.OnInput != "" && c.Session.Size.Cols > 0 {
		go a.watch(ctx)
	}
	return a
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
		resp, err := a.client.await(ctx, a.client.ask(request{Op: opQuestion, Question: known, Least: a.opts.Least, Run: a.run}))
		if err != nil {
			a.failed(ctx, err) // a holder that an older devtools has started does not know what is asked
		}
		if err != nil || resp.Closed || resp.Outlook == nil || resp.Outlook.Waiting == nil {
			return // there is nothing to ask for any more
		}
		q := question{Outlook: *resp.Outlook, number: resp.Question, offset: resp.Offset, above: resp.Above}
		if !a.client.seen.await(ctx, q.offset) { // what it printed before comes first
			return
		}
		answered, err := false, ErrAnswered
		stands := a.client.stands(ctx, q)
		if stands {
			answered, err = a.answer(ctx, q)
		}
		if errors.Is(err, ErrAnswered) {
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

// failed tells of an error, unless it is that the command has ended, or nobody waits for it any more; then it reports false.
func (a *answerer) failed(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.Is(err, ErrHolderGone) || errors.Is(err, ErrEnded) || errors.Is(err, errProgramEnded) {
		return false
	}
	if a.opts.Failed != nil {
		a.opts.Failed(err)
	}
	return true
}

// waits tells of a question, but not again of one that only looks different: what is typed is shown, and a screen is
// drawn anew.
func (a *answerer) waits(w Waiting) {
	again := w.PID == a.told.PID && w.Kind == a.told.Kind && (w.Drawn || strings.HasPrefix(w.Prompt, a.told.Prompt) && w.Canonical)
	if a.told = w; a.opts.Waits != nil && !again {
		a.opts.Waits(w)
	}
}

// answer types the first answer that matches the question, and reports whether there is one. The error is ErrAnswered
// when somebody else was faster, or why it cannot be typed.
func (a *answerer) answer(ctx context.Context, q question) (bool, error) {
	if q.above {
		return false, nil
	}
	for i, answer := range a.opts.Answers {
		text, bare := strings.CutSuffix(answer.Text, noEnter)
		if a.used[i] || q.Waiting.Drawn && !bare || !answer.Pattern.MatchString(q.Waiting.Prompt) {
			continue // a button would be pressed
		}
		if !atLeast(q.Waiting.Confidence, a.opts.Proof) {
			return false, fmt.Errorf("an answer matches, but is not typed: that it is asked for is only %s", q.Waiting.Confidence)
		}
		req := &typeRequest{Keys: Keys{Form: Literal}, Args: [][]byte{[]byte(text)}, Question: q.number}
		req.Enter = !bare && (text == "" || q.Waiting.Enter())
		_, err := a.client.await(ctx, a.client.ask(request{Op: opType, Type: req}))
		a.used[i] = err == nil
		return err == nil, err
	}
	return false, nil
}

// Enter reports whether an Enter belongs to the answer: it ends a line, and what edits lines itself or draws menus takes
// it as well. Who reads single keys would have it left for what comes next.
func (w Waiting) Enter() bool {
	switch {
	case w.Canonical:
		return true
	case w.Echo, w.Kind == "key", w.Drawn:
		return false
	case w.Kind == "confirm" || w.Kind == "choice":
		return !isShell(w.Command) // its read -s -n 1
	}
	return true
}
