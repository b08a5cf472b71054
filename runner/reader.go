package runner

import (
	"context"
	"sync/atomic"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/wire"
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

// sinkCalls counts the calls of a sink that have begun, and those that have ended. Their sum is odd during a call.
type sinkCalls struct{ n atomic.Int64 }

// watch returns sink, with its calls counted.
func (c *sinkCalls) watch(sink wire.Sink) wire.Sink {
	write, quiet := sink.Write, sink.Quiet
	sink.Write = func(p []byte, kind transcript.Kind, offset int64) error {
		c.n.Add(1)
		defer c.n.Add(1)
		return write(p, kind, offset)
	}
	if quiet != nil {
		sink.Quiet = func(since time.Duration) (time.Duration, error) {
			c.n.Add(1)
			defer c.n.Add(1)
			return quiet(since)
		}
	}
	return sink
}

// mostIdle is how many times as long as wire.Farewell the output may take until it reaches the sink.
const mostIdle = 10

// awaitSink waits for done, which comes once the output so far was given to the sink. ok is false if one call of the sink lasts
// longer than wire.Farewell: its reader takes nothing. Slowness alone is waited for, up to mostIdle: the holder may be stopped.
func awaitSink[T any](done <-chan T, calls *sinkCalls) (result T, ok bool) {
	for idle := 0; ; idle++ {
		before := calls.n.Load()
		select {
		case result = <-done:
			return result, true
		case <-time.After(wire.Farewell):
			if calls.n.Load() != before {
				idle = 0
			} else if before%2 == 1 || idle == mostIdle {
				return result, false
			}
		}
	}
}
