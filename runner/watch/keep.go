package watch

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// kept lists the kinds of events that the log of the state folder keeps: what became of builds and of the program. The others
// say what is about to happen, or which files have changed.
var kept = []string{
	EventStart, EventBuilt, EventStop, EventPort, EventSpawn, EventReady, EventNotReady, EventExit, EventCrash, EventSignal,
	EventTakeover, EventDegraded, EventFailed, EventGuard, EventEnd,
}

// quoting lists those whose reason may have output in it, such as the question of a build.
var quoting = []string{EventBuilt, EventNotReady, EventEnd}

// keepTime is how long the log may be locked before an event is not kept. The watch must go on.
const keepTime = time.Second

// keep adds an event to the log of the state folder. If that fails, the event was told all the same.
func (w *watcher) keep(e Event) {
	if !slices.Contains(kept, e.Event) {
		return
	}
	if w.Program.NoRecord && slices.Contains(quoting, e.Event) {
		e.Reason = ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepTime)
	defer cancel()
	_ = w.Dir.Append(ctx, []ledger.Event{{
		Event: ledger.EventWatched, Name: e.Event, PID: cmp.Or(e.PID, os.Getpid()), Terminal: cmp.Or(e.Name, w.name, wire.NameOf(w.Program)), TS: e.TS,
		SessionID: e.SessionID, ExitCode: e.Code, Signal: e.Signal, Reason: e.Reason,
	}})
}
