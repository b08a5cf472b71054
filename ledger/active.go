package ledger

import (
	"context"
	"errors"
	"slices"
)

// Active is the set of sessions whose holder or processes were alive when the set was last written. Before a reader
// relies on a session, it asks Held.
type Active struct {
	Version  int       `json:"version"`
	Sessions []Session `json:"sessions"`

	events []Event
	then   []func()
	texts  map[string][]byte // JSON of the sessions in the file, by id; not of those that Put has replaced
}

// Log adds an event. Update appends it to the log before Update replaces the set.
func (a *Active) Log(e Event) { a.events = append(a.events, e) }

// Then makes Update call f after the events are in the log and before the set is replaced. After a crash in between,
// the next process finds the old set and does the work again.
func (a *Active) Then(f func()) { a.then = append(a.then, f) }

// Put adds s, or replaces the entry with its id. A change of an entry takes effect by Put only.
func (a *Active) Put(s Session) {
	s.Version = version
	delete(a.texts, s.ID)
	for i := range a.Sessions {
		if a.Sessions[i].ID == s.ID {
			a.Sessions[i] = s
			return
		}
	}
	a.Sessions = append(a.Sessions, s)
}

// Remove removes the session with this id from the set.
func (a *Active) Remove(id string) {
	a.Sessions = slices.DeleteFunc(a.Sessions, func(s Session) bool { return s.ID == id })
}

// Named returns the session with this name, or nil.
func (a *Active) Named(name string) *Session {
	for i := range a.Sessions {
		if a.Sessions[i].Name == name {
			return &a.Sessions[i]
		}
	}
	return nil
}

// Active returns the active set. It waits for a writer only if the file of the set is damaged, or an older devtools has
// written it.
func (d Dir) Active() (*Active, error) {
	a, err := d.readUnlocked()
	if errors.Is(err, errDamaged) {
		return d.rebuild()
	}
	return a, err
}

// Update calls change with the active set, under the exclusive lock. If change succeeds, Update appends the logged
// events and then replaces the whole file. If change fails, Update writes nothing. So every state that a reader sees
// has its events in the log. A crash in between leaves an entry that the next reconciliation closes.
func (d Dir) Update(ctx context.Context, change func(*Active) error) error {
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	a, err := d.readActive()
	if errors.Is(err, errDamaged) {
		d.setAside(d.file(activeFile))
		a, err = d.rebuild()
	}
	if err != nil {
		return err
	}
	if err := change(a); err != nil {
		return err
	}
	if err := d.appendEvents(a.events); err != nil {
		return err
	}
	for _, f := range a.then {
		f()
	}
	data, err := a.encode()
	if err != nil {
		return err
	}
	return exchange(d.file(activeFile), data)
}

// Living returns the session of the active set that has this name or id. Only its Name, ID, Status and Socket are
// set. This is quicker than Session, and enough for a caller that asks the holder at once. ok is false when there is
// no such session or the set cannot be read.
func (d Dir) Living(name string) (s Session, ok bool) {
	a, err := d.readUnlocked()
	if err != nil {
		return s, false
	}
	for _, e := range slices.Backward(a.Sessions) {
		if e.Name == name || e.ID == name {
			return Session{Name: e.Name, ID: e.ID, Status: e.Status, Socket: e.Socket}, true
		}
	}
	return s, false
}

var errDamaged = errors.New("damaged")

// rebuild makes the active set from the records of the sessions that have a living holder or have not ended.
func (d Dir) rebuild() (*Active, error) {
	all, err := d.Sessions()
	if err != nil {
		return nil, err
	}
	a := &Active{Sessions: []Session{}}
	for _, s := range all {
		if d.Held(s.ID) || !s.Ended() {
			a.Put(s)
		}
	}
	return a, nil
}
