package ledger

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"

	"devtools/ledger/codec"
)

// Active is the set of sessions whose holder or processes were alive when the set was last written. Before a reader
// relies on a session, it asks Held.
type Active struct {
	Version  int       `json:"version"`
	Sessions []Session `json:"sessions"`

	events []Event
	then   []func()
	others [][]byte          // JSON of the sessions that UpdateOne leaves alone
	place  int               // of Sessions among the others
	texts  map[string][]byte // JSON of the sessions in the file, by id; not of those that Put has replaced
	index  []byte            // JSON of the index of names; nil: there is none
	left   []string          // lines for it
	past   []byte            // JSON of the sessions that have ended last; nil: none is known
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

// Remove removes the session with this id from the set. Update then adds it to the index of names, by which its record is
// found.
func (a *Active) Remove(id string) {
	for _, s := range a.Sessions {
		if s.ID == id {
			a.leave(s)
		}
	}
	a.Drop(id)
}

// Drop removes the session with this id from the set, for a caller that puts it again under another name.
func (a *Active) Drop(id string) {
	a.Sessions = slices.DeleteFunc(a.Sessions, func(s Session) bool { return s.ID == id })
}

// Has reports whether a session has this name.
func (a *Active) Has(name string) bool { return a.HasBeside(name, "") }

// HasBeside works as Has. The session with the id except does not count.
func (a *Active) HasBeside(name, except string) bool {
	return slices.ContainsFunc(a.Sessions, func(s Session) bool { return s.Name == name && s.ID != except }) ||
		slices.ContainsFunc(a.others, func(text []byte) bool {
			var s struct{ Name, SessionID string }
			return has(text, "name", name) && (codec.Unmarshal(text, &s) != nil || s.Name == name && s.SessionID != except)
		})
}

// names returns the names of all sessions.
func (a *Active) names() map[string]bool {
	names := map[string]bool{}
	for _, s := range a.Sessions {
		names[s.Name] = true
	}
	for _, text := range a.others {
		var s struct{ Name string }
		if codec.Unmarshal(text, &s) == nil {
			names[s.Name] = true
		}
	}
	return names
}

// Counted returns how many sessions count for the limit of sessions: those that have not ended, without those that the end of
// another one has started.
func (a *Active) Counted() (n int) {
	for _, s := range a.Sessions {
		if s.Counts() {
			n++
		}
	}
	for _, text := range a.others {
		var s Session
		known := bytes.Contains(text, []byte(`"endedAt":`)) || bytes.Contains(text, []byte(`"onExitOf":`)) // in most there is neither
		if !known || codec.Unmarshal(text, &s) != nil || s.Counts() {
			n++
		}
	}
	return n
}

// HolderPIDs returns the pids of the holders of all sessions, 0 for one that is not found.
func (a *Active) HolderPIDs() (pids []int) {
	for _, s := range a.Sessions {
		pids = append(pids, s.Holder.PID)
	}
	for _, text := range a.others {
		_, rest, _ := bytes.Cut(text, []byte(`"holder":{"pid":`))
		end := max(0, bytes.IndexAny(rest, ",}"))
		pid, _ := strconv.Atoi(string(rest[:end])) // 0 on an error
		pids = append(pids, pid)
	}
	return pids
}

// Active returns the active set. It waits for a writer only if the file of the set is not there, is damaged or was written
// by an older devtools, or if two tries have met writers.
func (d Dir) Active() (*Active, error) {
	data, err := d.readUnlocked()
	if err == nil {
		var a *Active
		if a, err = decodeActive(data); err == nil {
			return a, nil
		}
	}
	if errors.Is(err, errDamaged) {
		if d, ok := d.recovered(); ok {
			return d.Active()
		}
		return d.rebuild()
	}
	return nil, err
}

// Update calls change with the active set, under the exclusive lock. If change succeeds, Update appends the logged
// events and then replaces the whole file. If change fails, Update writes nothing. So every state that a reader sees
// has its events in the log. A crash in between leaves an entry that the next reconciliation closes.
func (d Dir) Update(ctx context.Context, change func(*Active) error) error {
	return d.update(ctx, decodeActive, change)
}

// UpdateOne works as Update, for a change of the session with this id alone. If this version wrote the file, it parses none
// of the others, and the set that change gets does not list them.
func (d Dir) UpdateOne(ctx context.Context, id string, change func(*Active) error) error {
	return d.update(ctx, func(data []byte) (*Active, error) { return decodeOne(data, id) }, change)
}

func (d Dir) update(ctx context.Context, decode func([]byte) (*Active, error), change func(*Active) error) error {
	if d.discards {
		return change(&Active{})
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	var a *Active
	data, err := d.readLocked()
	if err == nil {
		a, err = decode(data)
	}
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
	d.indexLeft(a)
	if data, err = a.encode(); err != nil {
		return err
	}
	return exchange(d.file(activeFile), data)
}

// Living returns the session of the active set that has this name or id. Only its Name, ID, Status and Socket are
// set. This is quicker than Session, and enough for a caller that asks the holder at once. ok is false when there is
// no such session or the set cannot be read.
func (d Dir) Living(name string) (s Session, ok bool) {
	data, err := d.readUnlocked()
	if err != nil {
		if d, ok := d.recovered(); ok {
			return d.Living(name)
		}
		return s, false
	}
	a, err := decodeNamed(data, name)
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

// rebuild makes the active set from the records of the sessions that have a living holder or have not ended. It remembers the
// last of the others, and has an index of names only if there is no record.
func (d Dir) rebuild() (*Active, error) {
	ids, err := d.sessionIDs()
	if err != nil {
		return nil, err
	}
	a := &Active{Sessions: []Session{}}
	if len(ids) == 0 {
		a.index = emptyIndex
	}
	records, _ := d.load(ids)
	var past []Past
	for _, s := range records {
		if d.Held(s.ID) || !s.Ended() {
			a.Put(s)
		} else if s.OnExitOf == "" {
			past = append(past, NewPast(s))
		}
	}
	slices.SortStableFunc(past, func(a, b Past) int { return a.EndedAt.Compare(b.EndedAt.Time) })
	a.remember(past)
	return a, nil
}
