package runner

import (
	"context"
	"errors"
)

// What ended the asking for a person.
const (
	ByAttach    = "attach"    // one has attached, and detached again
	ByCondition = "condition" // one of the conditions came true
)

// Ask asks a person to do in the session what the message says, and waits until one has attached and detached
// again, or one of the conditions is true. The request is in the session's record as long as the client's
// connection lasts. The error is ErrEnded when the command is finished before, and ErrWithdrawn.
func (c *Client) Ask(ctx context.Context, message string, doneWhen []Condition) (by string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked := c.ask(request{Op: opAsk, Message: message})
	ended := c.ask(request{Op: opResult})
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
			return "", errNamed(c.Session.Name, ErrEnded)
		}
	case err := <-met:
		return ByCondition, err
	case <-ctx.Done():
		giveUp, done := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
		defer done()
		_, _ = c.call(giveUp, request{Op: opWithdraw, On: true}) // else it is withdrawn when the connection ends
		return "", ctx.Err()
	}
}

func (c *Client) asked(resp response, ok bool) (string, error) {
	_, err := answered(resp, ok)
	if errors.Is(err, ErrHolderGone) {
		if session, recordErr := c.record(); recordErr == nil && session.Ended() {
			err = ErrEnded
		}
		err = errNamed(c.Session.Name, err)
	}
	return ByAttach, err
}

// met waits until one of the conditions is true.
func (c *Client) met(ctx context.Context, conditions []Condition) error {
	waited, err := c.Wait(ctx, Wait{Until: conditions})
	if err == nil && waited.Ended {
		err = errNamed(c.Session.Name, ErrEnded)
	}
	return err
}

// Withdraw takes back what persons are asked for in the session, and returns how many requests that were.
func (c *Client) Withdraw(ctx context.Context) (int, error) {
	resp, err := c.call(ctx, request{Op: opWithdraw})
	if err != nil {
		return 0, err
	}
	return len(resp.Session.Asks), nil
}
