package runner

import (
	"context"

	"devtools/runner/prompt"
	"devtools/runner/wire"
)

// A question is what a command asks, as a client that waits for the command learns it.
type question struct {
	wire.InputState
	number int          // number of the question, unique in the session
	offset int64        // end of the output when the command asked
	above  bool         // the text may belong to something that is over
	field  prompt.Field // what became of the question that the client answered before; "": none
	erase  int          // characters to erase in the field, which shows the answer behind another text; 0: none
	erased bool         // they are erased, and the field is empty
}

// stands reports whether the command waits for the answer to the question at this moment.
func (c *Client) stands(ctx context.Context, q question) bool {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpInputState, Question: q.number})
	return err == nil && resp.Stands
}

// lastInputState works as InputState for a client that leaves the command. The result is empty when the holder does
// not answer.
func (c *Client) lastInputState() wire.InputState {
	ctx, cancel := context.WithTimeout(context.Background(), wire.Farewell)
	defer cancel()
	input, _ := c.AskInputState(ctx, true)
	return input
}
