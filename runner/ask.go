package runner

import (
	"context"
	"errors"

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
// connection lasts. The error is ErrEnded when the command finishes first, and ErrWithdrawn when the request is withdrawn.
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
		return c.asked(resp, ok)
	case <-ended:
		select {
		case resp, ok := <-asked: // it came before
			return c.asked(resp, ok)
		default:
			return "", ledger.SessionError(c.Session.Name, wire.ErrEnded)
		}
	case err := <-met:
		return ByCondition, err
	case <-ctx.Done():
		giveUp, done := context.WithTimeout(context.WithoutCancel(ctx), wire.AnswerTime)
		defer done()
		_, _ = c.Call(giveUp, wire.Request{Op: wire.OpWithdraw, On: true}) // otherwise the end of the connection withdraws it
		return "", ctx.Err()
	}
}

func (c *Client) asked(resp wire.Response, ok bool) (string, error) {
	_, err := wire.Answered(resp, ok)
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
