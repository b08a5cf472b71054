package runner

import (
	"context"
	"time"

	"devtools/runner/proc"
)

// callerPatience is how long after the reader of the output a caller may end. A server of ssh closes the pipe of a lost
// connection some milliseconds before it exits.
const callerPatience = time.Second

// callerGone reports, when the reader of the output is gone, whether one of the callers is gone, too. Then nobody has
// decided that the command is to end. While all callers live, one of them has closed the pipe, as in "| head -1".
func callerGone(ctx context.Context, callers []proc.ID) bool {
	if len(callers) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, callerPatience)
	defer cancel()
	return proc.Await(ctx, callers...) == nil
}
