package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/stack/files"
)

// takeOver takes over the program that an earlier watch with the same setup has left running. The program must be the
// same process, and still listen on its ports. takeOver returns what has changed since that program was built.
func (w *watcher) takeOver(ctx context.Context) (changes []files.Change, taken bool) {
	saved, _ := w.Dir.Notify(w.degraded).LoadWatch(w.ID) // without a saved state nothing matches
	w.state = ledger.Watch{ID: w.ID, Setup: w.Setup}
	for _, cond := range w.Ready {
		w.state.ReadyWhen = append(w.state.ReadyWhen, cond.String())
	}
	session, found := w.left(ctx, saved.SessionID)
	if !found {
		return nil, false
	}
	client, err := runner.DialLiving(ctx, w.Dir, session.ID)
	if err != nil || client == nil {
		if err := w.kill(ctx, session.ID); err != nil { // what is left of it may still have its ports
			w.degraded("the program of an earlier watch cannot be ended: " + err.Error())
		}
		return nil, false
	}
	session = w.holdEarlier(ctx, client, saved)
	e := Event{Event: EventTakeover, Name: session.Name, SessionID: session.ID, PID: session.Main.PID, Ports: append([]int{}, saved.Ports...)}
	before := &state{}
	why := w.mismatch(ctx, saved, session)
	if err := w.Dir.LoadSources(w.ID, before.read); why == "" && (err != nil || len(before.tops) != len(w.seen.tops)) {
		why = "the sources of its build are not known"
	}
	if why != "" {
		w.state.Ending = true // until it is replaced
		e.Reason = "it is replaced: " + why
		w.say(e)
		return nil, false
	}
	w.state.BuiltAt = saved.BuiltAt
	changes = w.sources.changes(before, w.seen)
	if len(changes) > 0 {
		e.Reason = "sources have changed since"
	} else {
		w.built, w.kept = w.seen, w.seen
	}
	w.say(e)
	w.save()
	if len(changes) == 0 && !saved.Ready {
		w.awaitReady(ctx)
	}
	return changes, true
}

// holdEarlier makes the program of an earlier watch that of this one, and returns its session.
func (w *watcher) holdEarlier(ctx context.Context, client *runner.Client, saved ledger.Watch) ledger.Session {
	if client.Session.Tether.PID != w.Program.Tether {
		if _, err := client.Tether(ctx, w.Program.Tether); err != nil {
			w.degraded("the program of an earlier watch keeps its tether: " + err.Error())
		}
	}
	session, err := w.Dir.LoadSession(client.Session.ID)
	if err != nil {
		session = client.Session
	}
	w.guard = newGuard(saved.Outputs)
	if w.Program.Name == "" || w.Program.Name == session.Name {
		w.name = session.Name
	}
	from := int64(0)
	if resp, err := client.State(ctx); err == nil {
		from = resp.OutputBytes
	}
	w.hold(ctx, client, from)
	w.program.ready, w.program.ports, w.program.started = saved.Ready, saved.Ports, session.StartedAt.Time
	return session
}

// mismatch returns the reason why the program of a session cannot go on as the program of this watch, or "" if it can.
func (w *watcher) mismatch(ctx context.Context, saved ledger.Watch, session ledger.Session) string {
	switch {
	case saved.SessionID != session.ID, saved.Program.PID != session.Main.PID, saved.Program.Start != session.Main.Start:
		return "the record of the last watch does not name it" // the record was not written yet, or is damaged
	case saved.Setup != w.Setup:
		return "the options of the watch have changed"
	case saved.Ending:
		return "the last watch was already replacing it"
	}
	if len(saved.Ports) > 0 {
		open := portsOf(ctx, w.Dir, session.ID)
		for _, port := range saved.Ports {
			if !slices.Contains(open, port) {
				return fmt.Sprintf("it does not listen on port %d any more", port)
			}
		}
	}
	return ""
}

// left returns the session of the program that an earlier watch has left. If there are several, it prefers the one with
// the given id. It ends all others of this watch.
func (w *watcher) left(ctx context.Context, id string) (session ledger.Session, found bool) {
	sessions, err := census.Reconcile(ctx, w.Dir)
	if err != nil {
		w.degraded("the sessions of an earlier watch cannot be listed: " + err.Error())
		return session, false
	}
	for _, s := range sessions {
		if s.Labels[labelWatch] == w.ID && (!found || s.ID == id) {
			session, found = s, true
		}
	}
	w.endLeft(ctx, session.ID)
	return session, found
}

// endLeft ends what builds and programs of this watch have left running, except the session with the id but.
func (w *watcher) endLeft(ctx context.Context, but string) {
	sessions, err := census.Reconcile(ctx, w.Dir)
	for _, s := range sessions {
		if s.ID != but && (s.Labels[labelBuild] == w.ID || s.Labels[labelWatch] == w.ID) {
			err = errors.Join(err, w.kill(ctx, s.ID))
		}
	}
	if err != nil {
		w.degraded("builds and programs that were left running cannot be ended: " + err.Error())
	}
}

// save records what runs, so that the next watch can take it over.
func (w *watcher) save() {
	if w.program == nil {
		return
	}
	if w.built != w.kept { // before the record that refers to them
		if err := w.Dir.SaveSources(w.ID, w.built.write); err != nil {
			w.degraded("the state of the sources cannot be saved, so the next watch will build: " + err.Error())
		}
		w.kept = w.built
	}
	w.saveState()
}

// saveState does the work of save without the sources, of which there may be many.
func (w *watcher) saveState() {
	s := w.program.session
	self, err := proc.Read(os.Getpid())
	if err == nil {
		w.state.Watcher = ledger.Process{PID: self.PID, Start: self.Start, Boot: self.Boot}
	}
	w.state.Name, w.state.SessionID, w.state.Program = s.Name, s.ID, s.Main
	w.state.StartedAt = s.StartedAt
	w.state.Ready, w.state.Ports, w.state.Outputs = w.program.ready, w.program.ports, w.guard.list()
	if err := w.Dir.SaveWatch(w.state); err != nil {
		w.degraded("the running program cannot be recorded, so the next watch will start another: " + err.Error())
	}
}
