package runner

import "context"

// Attach puts a person in front of the session, which has no terminal here.
func Attach(_ context.Context, c *Client, _ AttachOptions) (AttachResult, error) {
	return AttachResult{Session: c.Session}, errNoTerminals
}
