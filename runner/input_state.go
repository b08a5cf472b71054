package runner

import (
	"context"

	"devtools/runner/prompt"
	"devtools/runner/wire"
)

// A question is what a command waits to be answered, as a client that waits for the command hears of it.
type question struct {
	wire.InputState
	number int          // of the question, which another one has not
	offset int64        // of the output, when it was asked
	above  bool         // the text may be of something that is over
	field  prompt.Field // what became of the question that the client has answered before; "" where it has not
	asked  string       // since then, in the same line
}

// stands reports whether the command waits for the answer to the question at this moment.
func (c *Client) stands(ctx context.Context, q question) bool {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpInputState, Question: q.number})
	return err == nil && resp.Stands
}

// lastInputState is InputState for who leaves the command, where a holder that does not answer leaves it open.
func (c *Client) lastInputState() wire.InputState {
	ctx, cancel := context.WithTimeout(context.Background(), wire.Farewell)
	defer cancel()
	outlook, _ := c.AskInputState(ctx, true)
	return outlook
}
