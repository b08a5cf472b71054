package runner

import (
	"context"
	"errors"
	"time"

	"devtools/ledger"
	"devtools/runner/condition"
	"devtools/runner/wire"
)

// What ended the wait for a person.
const (
	ByAttach    = "attach"    // a person has attached and detached again
	ByCondition = "condition" // a condition came true
)

// Ask asks a person to do in the session what the message says. It waits until a person has attached and detached
// again, or until one of the conditions is true. The request stays in the session's record as long as the client's
// connection lasts. The error is ErrEnded when the command finishes first, unless a condition is about that, and ErrWithdrawn
// when the request is withdrawn.
func (c *Client) Ask(ctx context.Context, message string, doneWhen []condition.Condition) (by string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked := c.Send(wire.Request{Op: wire.OpAsk, Message: message})
	ended := c.Send(wire.Request{Op: wire.OpResult})
	met := make(chan error, 1)
	if len(doneWhen) > 0 {
		go func() { met <- c.met(ctx, doneWhen) }()
	}
	select {
	case resp, ok := <-asked:
		by, err = c.asked(resp, ok)
	case <-ended:
		select {
		case resp, ok := <-asked: // it came before
			by, err = c.asked(resp, ok)
		default:
			err = ledger.SessionError(c.Session.Name, wire.ErrEnded)
		}
	case err := <-met:
		return ByCondition, err
	case <-ctx.Done():
		giveUp, done := context.WithTimeout(context.WithoutCancel(ctx), wire.AnswerTime)
		defer done()
		_, _ = c.Call(giveUp, wire.Request{Op: wire.OpWithdraw, On: true}) // otherwise the end of the connection withdraws it
		return "", ctx.Err()
	}
	if errors.Is(err, wire.ErrEnded) && len(doneWhen) > 0 { // one of them may be about the end
		return ByCondition, <-met
	}
	return by, err
}

func (c *Client) asked(resp wire.Response, ok bool) (string, error) {
	resp, err := wire.Answered(resp, ok)
	if err == nil && resp.Session.Ended() { // the program may have ended because of the person
		err = ledger.SessionError(c.Session.Name, wire.ErrEnded)
	}
	if errors.Is(err, wire.ErrHolderGone) {
		if session, recordErr := c.Record(); recordErr == nil && session.Ended() {
			err = wire.ErrEnded
		}
		err = ledger.SessionError(c.Session.Name, err)
	}
	return ByAttach, err
}

// met waits until one of the conditions is true.
func (c *Client) met(ctx context.Context, conditions []condition.Condition) error {
	waited, err := c.Wait(ctx, Wait{Until: conditions})
	if err == nil && waited.Ended {
		err = ledger.SessionError(c.Session.Name, wire.ErrEnded)
	}
	return err
}

// Withdraw withdraws all requests to persons in the session and returns their number.
func (c *Client) Withdraw(ctx context.Context) (int, error) {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpWithdraw})
	if err != nil {
		return 0, err
	}
	return len(resp.Session.Asks), nil
}

// askPerson asks a person to answer a question of the command, in the place of an earlier request. The request is withdrawn when the
// command goes on. After leave it stands until the next one takes its place.
func (a *answerer) askPerson(ctx context.Context, q question) (leave func()) {
	standing, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	a.client.Send(wire.Request{Op: wire.OpAsk, On: true, Message: a.opts.Message(*q.Waiting)}) // the answer says that a person was there
	go func() {
		defer close(over)
		if a.awaitAnswer(standing, q); standing.Err() != nil && ctx.Err() == nil {
			return
		}
		_, _ = a.client.Call(ctx, wire.Request{Op: wire.OpWithdraw, On: true}) // otherwise the end of the connection withdraws it
	}()
	return func() { cancel(); <-over }
}

// awaitAnswer waits until the command prints something and does not wait for the answer to the question any more. What is
// typed is printed too, and a busy machine needs several looks to see that the command still waits.
func (a *answerer) awaitAnswer(ctx context.Context, q question) {
	for at := q.offset; ; {
		var ok bool
		if at, ok = a.client.Seen.Beyond(ctx, at); !ok {
			return
		}
		looks := 0
		for !a.client.stands(ctx, q) {
			if looks++; looks == maxRefusals {
				return
			}
			select {
			case <-time.After(refusedPause):
			case <-ctx.Done():
				return
			}
		}
	}
}
