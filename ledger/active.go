package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
)

// Active is the set of sessions whose holder or whose processes are alive, as last written: the
// reader asks Held of each before it relies on it.
type Active struct {
	Version  int       `json:"version"`
	Sessions []Session `json:"sessions"`

	events []Event
	then   []func()
}

// Log adds an event, which Update appends to the log before it replaces the set.
func (a *Active) Log(e Event) { a.events = append(a.events, e) }

// Then has Update call f when the events are in the log and before the set is replaced: what a crash leaves undone is
// done by the next who finds the set as it was.
func (a *Active) Then(f func()) { a.then = append(a.then, f) }

// Put adds s, or replaces the entry with its id.
func (a *Active) Put(s Session) {
	s.Version = version
	for i := range a.Sessions {
		if a.Sessions[i].ID == s.ID {
			a.Sessions[i] = s
			return
		}
	}
	a.Sessions = append(a.Sessions, s)
}

// Remove takes the session id out of the set.
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

// Active returns the active set. Where the lock cannot be had, as on a read-only file system or from a
// stopped process, it reads without.
func (d Dir) Active() (*Active, error) {
	if unlock, err := share(d.file(lockFile)); err == nil {
		defer unlock()
	}
	a, err := d.readActive()
	if errors.Is(err, errDamaged) {
		return d.rebuild()
	}
	return a, err
}

// Update hands change the active set under the exclusive lock. If change succeeds, the events that
// it logged are appended and then the file is replaced as a whole; on an error nothing is written.
// An event is thus never missing for a state that can be seen, and a crash in between leaves an
// entry that the next reconciliation closes.
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
	a.Version = version
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return exchange(d.file(activeFile), append(data, '\n'))
}

// Living returns the session of the active set that has this name or id: its Name, ID, Status and Socket, and
// nothing more, which is quicker than Session. It is for those who ask its holder at once; ok is false when
// there is none, or the set cannot be read.
func (d Dir) Living(name string) (s Session, ok bool) {
	if unlock, err := share(d.file(lockFile)); err == nil {
		defer unlock()
	}
	var a struct {
		Sessions []struct {
			Name   string `json:"name"`
			ID     string `json:"sessionId"`
			Status string `json:"status"`
			Socket string `json:"socket"`
		} `json:"sessions"`
	}
	data, err := readFile(d.file(activeFile))
	if err != nil || json.Unmarshal(data, &a) != nil {
		return s, false
	}
	for _, e := range slices.Backward(a.Sessions) {
		if e.Name == name || e.ID == name {
			s = Session{Name: e.Name, ID: e.ID, Status: e.Status, Socket: e.Socket}
			return s, isID(s.ID)
		}
	}
	return s, false
}

var errDamaged = errors.New("damaged")

func (d Dir) readActive() (*Active, error) {
	a := &Active{Sessions: []Session{}}
	data, err := readFile(d.file(activeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errDamaged // or new: then there are no records either
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(data, a) != nil {
		return nil, errDamaged
	}
	a.Sessions = slices.DeleteFunc(a.Sessions, func(s Session) bool { return !s.plausible() })
	return a, nil
}

// rebuild makes the active set from the records of the sessions whose holders live.
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
