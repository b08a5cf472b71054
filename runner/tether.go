package runner

import (
	"context"

	"devtools/ledger"
	"devtools/runner/wire"
)

// Tether has the session end with the process pid. The error is ErrNoTether when that is not there.
func (c *Client) Tether(ctx context.Context, pid int) (ledger.Session, error) {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpTether, PID: pid})
	if err != nil {
		return c.Session, err
	}
	return *resp.Session, nil
}
