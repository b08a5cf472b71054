package runner

import (
	"context"

	"devtools/ledger"
	"devtools/runner/wire"
)

// Tether makes the session end together with process pid, or with none for the pid 0. The error is ErrNoTether when there is
// no such process.
func (c *Client) Tether(ctx context.Context, pid int) (ledger.Session, error) {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpTether, PID: pid})
	if err != nil {
		return c.Session, err
	}
	return *resp.Session, nil
}
