package watch

import (
	"context"
	"time"

	"devtools/stack/files"
)

// look scans after a moment without changes, and acts on what has changed.
func (w *watcher) look(ctx context.Context) error {
	starts := most
	if len(w.Ready) == 0 {
		starts = mostBlind
	} else if w.program != nil && w.program.ready {
		starts = mostReady
	}
	// It waits at least clockSlack, so that wroteNothing can tell.
	if err := w.sources.settle(ctx, max(w.Debounce, clockSlack)); err != nil {
		return err
	}
	now, err := w.sources.scan(ctx, false)
	if err != nil {
		return w.unreadable(ctx, err)
	}
	changes := w.sources.changes(w.seen, now)
	w.seen = now
	if len(changes) == 0 {
		return nil
	}
	strangers := w.guard.strangers(changes, w.wroteNothing(changes))
	if !w.Server {
		if w.program == nil {
			w.others(changes)
		} else if changes = w.sift(&w.guard.starts, time.Since(w.begun), changes, strangers); len(changes) == 0 { // as in a build
			return nil
		}
		return w.follow(ctx, changes)
	}
	after := time.Since(w.begun)
	early := after < startTime
	steady := w.guard.rhythm.steady(changes, after)
	switch {
	// This may be the program's doing. A person at work makes changes after that time too.
	// So may another change of what waits already: a program that has made a file fills it.
	case early && (w.guard.loops(changes, starts) || w.postponed.has(changes)):
		w.postpone(changes, max(startTime+time.Second, 2*w.postponed.delay), strangers)
		return nil
	case early:
	case steady:
		w.postpone(changes, max(after, 2*w.postponed.delay), strangers)
		return nil
	default:
		w.others(changes)
	}
	return w.follow(ctx, changes)
}

// others notes that somebody is at work.
func (w *watcher) others(changes []files.Change) {
	w.guard.others(changes)
	w.postponed.delay = 0
}

// startTime is how long after its start the program counts as a possible cause of changes.
const startTime = 2 * time.Second

// lastLook records the changes until a task ended. Later changes are not the task's own.
func (w *watcher) lastLook(ctx context.Context) error {
	if w.Server {
		return nil
	}
	now, err := w.sources.scan(ctx, true)
	if err != nil {
		return w.unreadable(ctx, err)
	}
	changes := w.sift(&w.guard.starts, time.Since(w.begun), w.sources.changes(w.seen, now), false)
	if w.seen = now; len(changes) > 0 && w.OnBusy != BusyIgnore {
		w.say(Event{Event: EventChange, Paths: pathsOf(changes)})
		w.pending, w.queued = true, union(w.queued, names(changes))
	}
	return nil
}
