package runner

import (
	"context"
	"regexp"
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
	Text    string // an Enter follows, but not where single keys are read and shown
}

// InputOptions say what is done when the command waits for input. The zero value does not look for that.
type InputOptions struct {
	OnInput string        // OnInputReturn, OnInputWait or OnInputKill
	Least   string        // the confidence that a verdict must have; "" is any
	Answers []Answer      // in order: the first that matches and has not been typed is
	Waits   func(Waiting) // with OnInputWait, is told of each question, by another goroutine
}

// An asked is the other end of a question: who waits for a command looks for its questions.
type asked struct {
	client *Client
	opts   InputOptions
	run    int // of a command in the session's shell; 0 is the session's own
	used   []bool
	found  chan question // the question with which the waiting ends
}

// watchInput looks for questions of the command until ctx ends.
func (c *Client) watchInput(ctx context.Context, opts InputOptions, run int) *asked {
	a := &asked{client: c, opts: opts, run: run, used: make([]bool, len(opts.Answers)), found: make(chan question, 1)}
	if opts.OnInput != "" && c.Session.Size.Cols > 0 {
		go a.watch(ctx)
	}
	return a
}

func (a *asked) watch(ctx context.Context) {
	known := 0
	for {
		resp, err := a.client.await(ctx, a.client.ask(request{Op: opQuestion, Question: known, Least: a.opts.Least, Run: a.run}))
		if err != nil || resp.Closed || resp.Outlook == nil || resp.Outlook.Waiting == nil {
			return // there is nothing to ask for any more
		}
		q := question{Outlook: *resp.Outlook, number: resp.Question, offset: resp.Offset}
		if !a.client.seen.await(ctx, q.offset) { // what it printed before comes first
			return
		}
		if still, err := a.client.still(ctx, q); err != nil {
			return
		} else if !still {
			continue
		}
		known = q.number
		switch answered := a.answer(ctx, q); {
		case answered:
		case a.opts.OnInput != OnInputWait:
			a.found <- q
			return
		case a.opts.Waits != nil:
			a.opts.Waits(*q.Waiting)
		}
	}
}

// answer types the first answer that matches the question, and reports whether there is one. What cannot be typed, as
// somebody else has answered, was not needed, and may be at the next question.
func (a *asked) answer(ctx context.Context, q question) bool {
	for i, answer := range a.opts.Answers {
		if a.used[i] || !answer.Pattern.MatchString(q.Waiting.Prompt) {
			continue
		}
		req := &typeRequest{Keys: Keys{Form: Literal}, Args: [][]byte{[]byte(answer.Text)}, Question: q.number}
		req.Enter = answer.Text == "" || q.Waiting.Canonical || !q.Waiting.Echo
		_, err := a.client.await(ctx, a.client.ask(request{Op: opType, Type: req}))
		a.used[i] = err == nil
		return true
	}
	return false
}

// reported tells the holder how far the output was taken, for who waits for the command next.
func (c *Client) reported(next int64) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	_, _ = c.call(ctx, request{Op: opReported, Offset: next}) // it may have ended
}

// lastOutlook is Outlook for who leaves the command, where a holder that does not answer leaves it open.
func (c *Client) lastOutlook() Outlook {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	outlook, _ := c.Outlook(ctx)
	return outlook
}
