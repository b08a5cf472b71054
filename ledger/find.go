package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Session returns the session with this name or id: the running session, otherwise the newest one that had it. The
// error is ErrNoSession when there is none.
func (d Dir) Session(name string) (Session, error) {
	active, err := d.Active()
	if err != nil {
		return Session{}, err
	}
	for _, s := range slices.Backward(active.Sessions) {
		if s.Name == name || s.ID == name {
			return s, nil
		}
	}
	found, err := d.find(active, name, 1)
	if err != nil {
		return Session{}, err
	}
	if len(found) == 0 {
		return Session{}, fmt.Errorf("session %q: %w", name, ErrNoSession)
	}
	return found[0], nil
}

// SessionsOf returns the records of all sessions that have or had this name or id, newest first.
func (d Dir) SessionsOf(name string) ([]Session, error) {
	active, err := d.Active()
	if err != nil {
		return nil, err
	}
	return d.find(active, name, math.MaxInt)
}

// find returns the newest records, at most so many, of the sessions with this name or id. It asks the index of names which
// records to read. Without an index it reads all and makes one. A name that the index does not know may be that of a
// session which came into the folder without devtools, from a backup: so find looks for records that are not in the
// index before it says that there is none.
func (d Dir) find(active *Active, name string, most int) ([]Session, error) {
	ids, index := []string{name}, d.names(active)
	for _, s := range active.Sessions {
		if s.Name == name {
			ids = append(ids, s.ID)
		}
	}
	if index != nil {
		ids = append(ids, index.ids(name)...)
		slices.Sort(ids)
		found, right, err := d.loadNamed(slices.Compact(ids), name, most)
		if right && (len(found) > 0 || err != nil) {
			return found, err
		}
		if !right {
			index = nil
		}
	}
	all, err := d.sessionIDs()
	if err != nil {
		return nil, err
	}
	if index != nil {
		known := index.known()
		for _, s := range active.Sessions {
			known[s.ID] = true
		}
		all = slices.DeleteFunc(all, func(id string) bool { return known[id] })
	}
	records := d.load(all)
	d.learn(index != nil, records)
	var found []Session
	for _, s := range slices.Backward(records) {
		if (s.Name == name || s.ID == name) && len(found) < most {
			found = append(found, s)
		}
	}
	return found, nil
}

// loadNamed returns the newest records, at most so many, of ids. right is false if one of them has another name: then the
// index is wrong. If there is none, the error says whether something else stands in the place of one.
func (d Dir) loadNamed(ids []string, name string, most int) (found []Session, right bool, unsafe error) {
	for _, id := range slices.Backward(ids) {
		if len(found) == most {
			break
		}
		s, err := d.LoadSession(id)
		switch {
		case errors.Is(err, ErrUnsafe):
			unsafe = err
		case err != nil: // it was removed
		case s.Name != name && s.ID != name:
			return nil, false, nil
		default:
			found = append(found, s)
		}
	}
	if len(found) > 0 {
		unsafe = nil
	}
	return found, true, unsafe
}

// Sessions returns the records of all sessions, oldest first. It leaves damaged records out and sets them aside.
func (d Dir) Sessions() ([]Session, error) {
	ids, err := d.sessionIDs()
	if err != nil {
		return nil, err
	}
	return d.load(ids), nil
}

// load returns the records of these sessions, without those that are damaged or gone.
func (d Dir) load(ids []string) []Session {
	records, errs := make([]Session, len(ids)), make([]error, len(ids))
	AtOnce(len(ids), func(i int) { records[i], errs[i] = d.readSession(ids[i]) })
	kept := records[:0]
	for i, s := range records {
		if errors.Is(errs[i], errDamaged) {
			s, errs[i] = d.LoadSession(ids[i]) // which sets it aside
		}
		if errs[i] == nil {
			kept = append(kept, s)
		}
	}
	return kept
}

// learn adds to the index of names what it did not know: these records, or all records if there was no index. A
// caller that only reads learns nothing, and neither does one that would have to wait for the lock.
func (d Dir) learn(indexed bool, records []Session) {
	records = slices.DeleteFunc(slices.Clone(records), func(s Session) bool { return CheckName(s.Name) != nil })
	if d.noRepair || len(records) == 0 {
		return
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = d.Update(now, func(a *Active) error { // the next search does it again
		if !indexed {
			read := map[string]bool{}
			for _, s := range records {
				read[s.ID] = true
			}
			ids, err := d.sessionIDs()
			if err != nil {
				return err
			}
			records = append(records, d.load(slices.DeleteFunc(ids, func(id string) bool { return read[id] }))...) // those that have come since
			a.index = emptyIndex
		}
		for _, s := range records {
			a.leave(s)
		}
		return nil
	})
}

// AtOnce calls do with each number below n, on all processors.
func AtOnce(n int, do func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	done.Wait()
}

// namesIn returns the names in a folder, in no order; none if the folder does not exist.
func namesIn(folder string) ([]string, error) {
	f, err := os.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// sessionIDs returns the ids of all records, oldest first.
func (d Dir) sessionIDs() (ids []string, err error) {
	names, err := namesIn(d.file(sessionsDir))
	for _, name := range names {
		if id, ok := strings.CutSuffix(name, ".json"); ok && !strings.HasPrefix(id, ".") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, err
}
