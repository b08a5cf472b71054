package ledger

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
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
		if d, ok := d.recovered(); ok {
			return d.Session(name)
		}
		return Session{}, SessionError(name, ErrNoSession)
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
// records to read. If the index gives none, find also reads the records that the index does not know: a session may have come
// without devtools, from a backup. Without an index it reads all and makes one.
func (d Dir) find(active *Active, name string, most int) ([]Session, error) {
	index := d.readIndex(active)
	found, right, err := d.loadNamed(active, index, name, most)
	if err != nil {
		return nil, err
	}
	if !right {
		index, found = nil, nil
	}
	if index != nil && len(found) > 0 {
		return found, nil
	}
	ids, err := d.sessionIDs()
	if err != nil {
		return nil, err
	}
	if index != nil {
		known := index.known()
		for _, s := range active.Sessions {
			known[s.ID] = true
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return known[id] })
	}
	records, err := d.load(ids)
	if err == nil {
		d.learn(active, index != nil, records)
	}
	for _, s := range records {
		if s.Name == name || s.ID == name {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return nil, err
	}
	slices.SortFunc(found, func(a, b Session) int { return strings.Compare(b.ID, a.ID) })
	found = slices.CompactFunc(found, func(a, b Session) bool { return a.ID == b.ID })
	return found[:min(len(found), most)], nil
}

// loadNamed returns the newest records, at most so many, of the sessions that have this name or id in the active set or in the
// index, newest first. right is false if one of them has another name: then the index is wrong. The error says which record
// cannot be read. One that was removed is no error.
func (d Dir) loadNamed(active *Active, index *nameList, name string, most int) (found []Session, right bool, err error) {
	ids := []string{name}
	for _, s := range active.Sessions {
		if s.Name == name {
			ids = append(ids, s.ID)
		}
	}
	if index != nil {
		ids = append(ids, index.ids(name)...)
	}
	slices.Sort(ids)
	for _, id := range slices.Backward(slices.Compact(ids)) {
		if len(found) == most {
			break
		}
		s, err := d.LoadSession(id)
		switch {
		case errors.Is(err, ErrNoSession):
		case err != nil:
			return nil, true, err
		case s.Name != name && s.ID != name:
			return nil, false, nil
		default:
			found = append(found, s)
		}
	}
	return found, true, nil
}

// Sessions returns the records of all sessions, oldest first. It leaves damaged records out and sets them aside.
func (d Dir) Sessions() ([]Session, error) {
	ids, err := d.sessionIDs()
	if err != nil {
		return nil, err
	}
	records, _ := d.load(ids)
	return records, nil
}

// Ended returns sessions that have left the active set, newest first: the newest one of each name, for at most so many names. It
// leaves out what it cannot read, and repairs nothing. Without an index of names it looks at the newest records only.
func (d Dir) Ended(most int) []Session {
	active, err := d.Active()
	if err != nil {
		return nil
	}
	var ids []string
	if index := d.readIndex(active); index != nil {
		newest := map[string]string{} // id by name
		for line := range index.lines() {
			id, name, _ := strings.Cut(line, " ")
			newest[name] = max(newest[name], id)
		}
		ids = slices.Sorted(maps.Values(newest))
	} else if ids, err = d.sessionIDs(); err != nil {
		return nil
	}
	records, _ := d.load(ids[max(0, len(ids)-most):])
	records = slices.DeleteFunc(records, func(s Session) bool {
		return slices.ContainsFunc(active.Sessions, func(other Session) bool { return other.ID == s.ID })
	})
	slices.Reverse(records)
	return records
}

// load returns the records of these sessions, without those that are damaged or gone. The error says that there is one
// which cannot be read, too.
func (d Dir) load(ids []string) (kept []Session, failed error) {
	records, errs := make([]Session, len(ids)), make([]error, len(ids))
	AtOnce(len(ids), func(i int) { records[i], errs[i] = d.readSession(ids[i]) })
	kept = records[:0]
	for i, s := range records {
		if errors.Is(errs[i], errDamaged) {
			s, errs[i] = d.LoadSession(ids[i]) // which sets it aside
		}
		switch {
		case errs[i] == nil:
			kept = append(kept, s)
		case !errors.Is(errs[i], ErrNoSession):
			failed = errs[i]
		}
	}
	return kept, failed
}

// learn adds to the index of names what it did not know: these records, or all records if there was no index. A caller that only
// reads learns nothing, and neither does one that would have to wait for the lock.
func (d Dir) learn(before *Active, indexed bool, records []Session) {
	records = slices.DeleteFunc(slices.Clone(records), func(s Session) bool { return CheckName(s.Name) != nil })
	if d.noRepair || len(records) == 0 {
		return
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = d.Update(now, func(a *Active) error { // the next search does it again
		if indexed && !bytes.Equal(a.index, before.index) {
			return errors.New("the index has changed")
		}
		present := map[string]bool{} // in the set: it gets into the index when it leaves
		for _, s := range a.Sessions {
			present[s.ID] = true
		}
		if !indexed {
			more, err := d.loadOthers(records)
			if err != nil {
				return err
			}
			records, a.index = append(records, more...), emptyIndex
		}
		for _, s := range records {
			if !present[s.ID] {
				a.leave(s)
			}
		}
		return nil
	})
}

// loadOthers returns the records that have come since these were read.
func (d Dir) loadOthers(records []Session) ([]Session, error) {
	read := map[string]bool{}
	for _, s := range records {
		read[s.ID] = true
	}
	ids, err := d.sessionIDs()
	if err != nil {
		return nil, err
	}
	return d.load(slices.DeleteFunc(ids, func(id string) bool { return read[id] }))
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

// fileNames returns the names of the files in a folder, in no order; none if the folder does not exist.
func fileNames(folder string) ([]string, error) {
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
	names, err := fileNames(d.file(sessionsDir))
	for _, name := range names {
		if id, ok := recordOf(name); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, err
}

// recordOf returns the id of the session whose record a file with this name is. ok is false for another file.
func recordOf(name string) (id string, ok bool) {
	id, ok = strings.CutSuffix(name, ".json")
	return id, ok && !strings.HasPrefix(id, ".")
}
