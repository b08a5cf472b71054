package watch

import (
	"context"
	"os"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/stack/files"
)

// takeOver takes the program that an earlier watch of the same setup has left running, if it is the same process and
// as ready as it was. It returns what has changed since that was built.
func (w *watcher) takeOver(ctx context.Context) (changes []files.Change, taken bool) {
	saved, ok := w.Dir.LoadWatch(w.ID)
	w.state = ledger.Watch{ID: w.ID, Setup: w.Setup}
	session, found := w.left(ctx, saved.SessionID)
	if !found {
		return nil, false
	}
	client, err := runner.DialLiving(ctx, w.Dir, session.ID)
	if err != nil || client == nil {
		if err := w.kill(ctx, session.ID); err != nil { // what is left of it has its ports, maybe
			w.degraded("what an earlier watch has left: " + err.Error())
		}
		return nil, false
	}
	if session, err = w.Dir.LoadSession(session.ID); err != nil {
		session = client.Session
	}
	w.guard, w.name = newGuard(saved.Outputs), session.Name
	from := int64(0)
	if resp, err := client.State(ctx); err == nil {
		from = resp.OutputBytes
	}
	w.hold(ctx, client, from)
	w.program.ready, w.program.ports = saved.Ready, saved.Ports
	e := Event{Event: EventTakeover, Session: session.Name, SessionID: session.ID, PID: session.Main.PID, Ports: saved.Ports}
	fits := ok && saved.SessionID == session.ID && saved.Program.PID == session.Main.PID && saved.Program.Start == session.Main.Start &&
		saved.Setup == w.Setup && !saved.Failed && !saved.Ending && w.listens(session, saved.Ports)
	before := &state{}
	loadErr := w.Dir.LoadSources(w.ID, before.read)
	if !fits || loadErr != nil || len(before.tops) != len(w.seen.tops) {
		e.Why = "it is replaced: it is of another setup, or not as ready as it was"
		w.say(e)
		return nil, false
	}
	w.state.BuiltAt = saved.BuiltAt
	changes = w.sources.changes(before, w.seen)
	if len(changes) > 0 {
		e.Why = "sources have changed since"
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

// listens reports whether a session still listens where it did.
func (w *watcher) listens(session ledger.Session, ports []int) bool {
	if len(ports) == 0 {
		return true
	}
	open := portsOf(context.Background(), w.Dir, session.ID)
	for _, port := range ports {
		if !contains(open, port) {
			return false
		}
	}
	return true
}

func contains(ports []int, port int) bool {
	for _, p := range ports {
		if p == port {
			return true
		}
	}
	return false
}

// left returns the session of the program that an earlier watch has left, the one called id if there are several, and
// ends all others of this watch.
func (w *watcher) left(ctx context.Context, id string) (session ledger.Session, found bool) {
	sessions, err := runner.Settle(ctx, w.Dir)
	if err != nil {
		w.degraded("what an earlier watch has left cannot be told: " + err.Error())
		return session, false
	}
	var others []ledger.Session
	for _, s := range sessions {
		switch {
		case s.Labels[labelBuild] == w.ID:
			others = append(others, s)
		case s.Labels[labelWatch] != w.ID:
		case !found, s.ID == id:
			if found {
				others = append(others, session)
			}
			session, found = s, true
		default:
			others = append(others, s)
		}
	}
	for _, s := range others {
		if err := w.kill(ctx, s.ID); err != nil {
			w.degraded("what an earlier watch has left: " + err.Error())
		}
	}
	return session, found
}

// save writes down what runs, so that the next watch can take it over.
func (w *watcher) save() {
	if w.program == nil {
		return
	}
	s := w.program.session
	self, err := proc.Read(os.Getpid())
	if err == nil {
		w.state.Watcher = ledger.Process{PID: self.PID, Start: self.Start, Boot: self.Boot}
	}
	w.state.Name, w.state.SessionID, w.state.Program = s.Name, s.ID, s.Main
	w.state.StartedAt = ledger.Time{Time: s.StartedAt.Time}
	w.state.Ready, w.state.Ports, w.state.Outputs = w.program.ready, w.program.ports, w.guard.list()
	if w.built != w.kept { // before what says that they are of the program
		if err := w.Dir.SaveSources(w.ID, w.built.write); err != nil {
			w.degraded("the state of the sources is not kept, so that the next watch builds: " + err.Error())
		}
		w.kept = w.built
	}
	if err := w.Dir.SaveWatch(w.state); err != nil {
		w.degraded("what runs is not written down, so that the next watch starts another: " + err.Error())
	}
}
