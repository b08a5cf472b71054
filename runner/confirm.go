package runner

import (
	"context"
	"errors"

	"devtools/ledger"
	"devtools/runner/wire"
)

// AskUntilEnd asks persons for what the message says until the command of the session is finished, and returns its record. A
// person who detaches before leaves the request standing. The errors are those of Result, ErrWithdrawn, and that of ctx.
func (c *Client) AskUntilEnd(ctx context.Context, message string) (ledger.Session, error) {
	ended := c.Send(wire.Request{Op: wire.OpResult})
	for {
		select {
		case resp, ok := <-c.Send(wire.Request{Op: wire.OpAsk, Message: message}):
			if _, err := wire.Answered(resp, ok); err != nil && !errors.Is(err, wire.ErrHolderGone) {
				return c.Session, err
			}
			if !ok { // the session may have ended
				return c.result(ctx, ended)
			}
		case resp, ok := <-ended:
			if _, err := wire.Answered(resp, ok); errors.Is(err, wire.ErrHolderGone) {
				return c.Record()
			} else if err != nil {
				return c.Session, err
			}
			return *resp.Session, nil
		case <-ctx.Done():
			return c.Session, ctx.Err()
		}
	}
}
