package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"devtools/runner"
	"devtools/runner/proc"
)

// A retry is a start of the program that was put off, because the program has failed or could not be started.
type retry struct {
	timer   <-chan time.Time // when to try again; nil: at the next change
	owed    bool             // the program has not been started since
	delay   time.Duration    // last delay after a failure
	taken   takenError       // port that prevented the last start
	takenAt time.Time        // since when a port prevents the start
}

// later has the start tried again, with a longer delay each time.
func (r *retry) later() {
	r.delay = min(max(firstDelay, 2*r.delay), mostDelay)
	r.timer, r.owed = time.After(r.delay), true
}

// replace ends the old program, waits for its ports and starts the new one. The holder of the new program starts
// meanwhile.
func (w *watcher) replace(ctx context.Context, changed []string, why string) error {
	prepared := sync.OnceValue(func() *runner.Starter { return runner.Prepare(nil) })
	go prepared()
	defer func() { _ = prepared().Close() }()
	err := w.end(ctx, why)
	if err == nil {
		err = w.free()
	}
	if taken, ok := errors.AsType[*takenError](err); ok {
		if w.retry.taken == (takenError{}) {
			w.retry.takenAt = time.Now()
		}
		if w.retry.taken != *taken {
			e := Event{Event: EventPort, Port: taken.port, PID: taken.pid, Reason: taken.Error(), Hint: "the program starts when the port is free"}
			if name := sessionOf(ctx, w.Dir, taken.pid); name != "" {
				e.Hint += ": devtools kill " + name
			}
			w.say(e)
		}
		w.retry.taken = *taken
		w.retry.timer, w.retry.owed = time.After(portDelay), true
		if (w.Once || w.ExitOnError) && w.ReadyTimeout > 0 && time.Since(w.retry.takenAt) >= w.ReadyTimeout {
			return w.notReady(fmt.Sprintf("not within %v: %v", w.ReadyTimeout, taken))
		}
		return nil
	}
	w.retry.taken = takenError{}
	if ctx.Err() != nil { // the caller that ends the watch now wants no new program
		return context.Cause(ctx)
	}
	if err == nil {
		err = w.start(ctx, prepared(), changed)
	}
	if err != nil {
		w.retry.later() // the disk may be full, for example
		return w.unable(ctx, "the program cannot be started", err)
	}
	w.state.Ending, w.renew, w.retry.owed = false, false, false
	w.awaitReady(ctx)
	w.save()
	return nil
}

// portDelay is how often the watch checks whether a port that an unrelated process has is free.
const portDelay = 250 * time.Millisecond

// free returns a takenError if a process listens on a port that the program is going to use.
func (w *watcher) free() error {
	ports := []int{w.retry.taken.port}
	for _, cond := range w.Ready {
		ports = append(ports, cond.Port())
	}
	for _, port := range ports {
		if port == 0 {
			continue
		}
		listeners, err := proc.Listeners(port)
		if err != nil || len(listeners) == 0 { // where the system does not tell, the program will
			continue
		}
		e := &takenError{port: port}
		if info, ok := proc.OwnerOf(listeners[0].Inode); ok {
			e.pid, e.name = info.PID, info.Name
		}
		return e
	}
	return nil
}
