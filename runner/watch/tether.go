package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// ErrTaken ends a watch whose tether is gone and whose program another watch or launch has taken over.
var ErrTaken = errors.New("the program was taken over")

// errLoose is the cause of the end of a watch whose tether is gone.
var errLoose = fmt.Errorf("%w: the process of its tether has ended", ErrStop)

// tethered returns a context that also ends when a process ends. A pid of 0 means no process.
func tethered(ctx context.Context, pid int) (context.Context, func(), error) {
	if pid == 0 {
		return ctx, func() {}, nil
	}
	id, err := proc.Identify(pid)
	if err != nil {
		return ctx, nil, fmt.Errorf("tether to process %d: %w", pid, wire.ErrNoTether)
	}
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		if proc.Await(ctx, id) == nil {
			end(errLoose)
		}
	}()
	return ctx, func() { end(nil) }, nil
}

// handOver gives another watch the time to take the program over, after the tether of this one is gone: the claim is free
// for it. The error says how this watch ends: [ErrTaken], errLoose, or the cause of the end of ctx.
func (w *watcher) handOver(ctx context.Context) error {
	if !w.retied(w.Program.Tether) && w.program != nil {
		// The holder, whose tether is gone too, leaves the end of the program to this watch, which knows its signal.
		_, _ = w.program.client.Tether(ctx, os.Getpid()) // if that fails, the holder ends it
	}
	w.letGo()
	w.letGo = func() {} // another watch may have the claim from now on
	select {
	case <-time.After(wire.TetherGrace):
	case <-ctx.Done():
	}
	now, cancel := context.WithCancel(context.Background())
	cancel() // do not wait for the claim
	release, err := w.Dir.ClaimWatch(now, w.ID)
	switch {
	case errors.Is(err, ledger.ErrWatched):
		return ErrTaken
	case err != nil:
		return err
	}
	w.letGo = release
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case w.retied(os.Getpid()):
		return ErrTaken
	}
	return errLoose
}

// retied reports whether the session of the program is tethered to another process than pid.
func (w *watcher) retied(pid int) bool {
	if w.program == nil {
		return false
	}
	s, err := w.Dir.LoadSession(w.program.session.ID)
	return err == nil && !s.Ended() && s.Tether.PID != pid
}
