package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A Retention says how much of the past is kept; each limit counts, and 0 is none.
type Retention struct {
	Age      time.Duration `json:"age"`      // since the end of a session
	Sessions int           `json:"sessions"` // ended ones
	Bytes    int64         `json:"bytes"`    // that they take on disk
}

// DefaultRetention is what is kept where nobody says otherwise.
var DefaultRetention = Retention{Age: 14 * 24 * time.Hour, Sessions: 500, Bytes: 2 << 30}

const (
	// pruneFile is the lock under which ended sessions are removed, one Prune at a time. Its time is that of the last
	// removal by a holder. No file is deleted under it.
	pruneFile = "pruned"

	// pruneInterval is how often holders look for what can go, and how long they keep what has just ended.
	pruneInterval = time.Hour

	// unborn is for how long a file or folder that no record names may belong to a session that is just starting.
	unborn = time.Hour
)

// A Pruning says what is to be removed of the past.
type Pruning struct {
	// Goes reports whether an ended session goes. Its rank among the ended ones counts from 0, the newest; age is
	// the time since its end, and bytes is what it and the newer ones take on disk.
	Goes func(rank int, age time.Duration, bytes int64) bool

	// Before is the time before which what belongs to no session goes: damaged files that were set aside, and what
	// is left of sessions that have no record. With a zero time all of it stays.
	Before time.Time

	// Lives reports whether a process of a session is alive, which may have no holder any more.
	Lives func(Session) bool

	Dry bool // only say what would be removed
}

// A Removed is a session that was removed.
type Removed struct {
	ID    string `json:"sessionId"`
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"` // on disk
}

// An InUse is an ended session that stays because a process reads it.
type InUse struct {
	ID      string `json:"sessionId"`
	Name    string `json:"name"`
	PIDs    []int  `json:"pids"`    // of the processes that read it, where the system tells
	Stopped []int  `json:"stopped"` // those of them that are stopped
}

// A Pruned is what was removed of the past.
type Pruned struct {
	Sessions []Removed `json:"removed"` // oldest first
	InUse    []InUse   `json:"inUse"`   // oldest first; Prune does not fill in the processes
	Files    int       `json:"files"`   // besides: saved code, and what was set aside
	Bytes    int64     `json:"bytes"`   // of all that
	Kept     int       `json:"kept"`    // ended sessions, those in use included
	Dry      bool      `json:"dryRun"`
}

// An ended is a session that may be removed.
type ended struct {
	Session
	at    time.Time
	bytes int64
}

// NewPruned returns the result of a Prune that has found nothing.
func NewPruned(dry bool) Pruned { return Pruned{Sessions: []Removed{}, InUse: []InUse{}, Dry: dry} }

// Prune removes what p says, and nothing of a session that lives: whose claim is held, which is in the active set, or
// of which a process lives. An ended session that a process reads stays too ([Dir.LockSession]). Others may start, end
// and remove sessions meanwhile. What could not be removed is in the error, and does not keep the rest.
func (d Dir) Prune(ctx context.Context, p Pruning) (Pruned, error) {
	done := NewPruned(p.Dry)
	living, past, err := d.past(p.Lives)
	if err != nil {
		return done, err
	}
	unlock := func() {}
	if !p.Dry {
		if unlock, err = lockAt(ctx, d.file(pruneFile)); err != nil {
			return done, err
		}
	}
	now := time.Now()
	kept, err := d.pruneSessions(ctx, p, past, now, &done)
	unlock()
	if ctx.Err() != nil {
		return done, err
	}
	errs := []error{err}
	if !p.Dry {
		errs = append(errs, d.deleteRemoved(ctx))
	}
	kept = append(kept, living...)
	remove := func(path string, bytes int64) {
		if !p.Dry {
			err := os.Remove(path)
			if errors.Is(err, fs.ErrNotExist) { // another Prune was faster
				return
			}
			if err != nil {
				err = os.RemoveAll(path) // a folder with files
			}
			if err != nil {
				errs = append(errs, err)
				return
			}
		}
		done.Files++
		done.Bytes += bytes
	}
	err = errors.Join(d.pruneScripts(living, kept, now, remove), d.pruneLitter(living, p.Before, now, remove), d.pruneWatches(p, living, now, remove))
	return done, errors.Join(append(errs, err)...)
}

// Retain removes what r does not keep, if that was not done within the last hour and nobody is doing it, and keeps
// what ended within that hour: a person may be reading its files. Lives is as in a Pruning.
func (d Dir) Retain(ctx context.Context, r Retention, lives func(Session) bool) error {
	now := time.Now()
	last, known := d.lastRetained()
	if since := now.Sub(last); r == (Retention{}) || known && 0 <= since && since < pruneInterval {
		return nil // a time to come is of a clock that has been set back since
	}
	l := flock.New(d.file(pruneFile), flock.SetFlag(os.O_CREATE|os.O_RDONLY|noFollow|nonBlock))
	locked, err := l.TryLock()
	if err != nil || !locked {
		return err
	}
	err = os.Chtimes(d.file(pruneFile), now, now) // also when it fails, it is not tried all the time
	_ = l.Close()                                 // Prune takes it itself
	p := Pruning{Lives: lives, Goes: func(rank int, age time.Duration, bytes int64) bool {
		return age >= pruneInterval && (r.Age > 0 && age > r.Age || r.Sessions > 0 && rank >= r.Sessions || r.Bytes > 0 && bytes > r.Bytes)
	}}
	if r.Age > 0 {
		p.Before = now.Add(-max(r.Age, pruneInterval))
	}
	_, pruneErr := d.Prune(ctx, p)
	return errors.Join(err, pruneErr)
}

// lastRetained returns when holders looked last for what can go, or when the folder was made.
func (d Dir) lastRetained() (at time.Time, known bool) {
	for _, name := range []string{pruneFile, ignoreFile} {
		if info, err := os.Lstat(d.file(name)); err == nil {
			return info.ModTime(), true
		}
	}
	return at, false
}

// pruneSessions removes those of the ended sessions that go, and returns those that stay. Their files are still there.
func (d Dir) pruneSessions(ctx context.Context, p Pruning, past []ended, now time.Time, done *Pruned) (kept []Session, err error) {
	var errs []error
	var total int64
	for rank, s := range past { // newest first
		total += s.bytes
		stays := !p.Goes(rank, now.Sub(s.at), total)
		if !stays {
			if ctx.Err() != nil {
				return kept, errors.Join(append(errs, ctx.Err())...)
			}
			if stays, err = d.pruneSession(s, p.Dry, done); err != nil {
				errs = append(errs, err)
			}
		}
		if stays {
			kept = append(kept, s.Session)
			done.Kept++
		}
	}
	slices.Reverse(done.Sessions)
	slices.Reverse(done.InUse)
	return kept, errors.Join(errs...)
}

// pruneSession removes one session, unless a process reads it.
func (d Dir) pruneSession(s ended, dry bool, done *Pruned) (stays bool, err error) {
	switch err := d.removeEnded(s.ID, dry); {
	case err == nil:
		done.Sessions = append(done.Sessions, Removed{s.ID, s.Name, s.bytes})
		done.Bytes += s.bytes
		return false, nil
	case errors.Is(err, ErrNoSession): // another Prune was faster
		return false, nil
	case errors.Is(err, errLocked):
		done.InUse = append(done.InUse, InUse{s.ID, s.Name, []int{}, []int{}})
		return true, nil
	default:
		return true, err
	}
}

// past returns the sessions that live and those that do not, these newest first.
func (d Dir) past(lives func(Session) bool) (living []Session, past []ended, err error) {
	active, err := d.Active() // before the records: what begins later is none of those
	if err != nil {
		return nil, nil, err
	}
	living = active.Sessions
	inSet := map[string]bool{}
	for _, s := range living {
		inSet[s.ID] = true
	}
	records, err := d.Sessions()
	if err != nil {
		return nil, nil, err
	}
	for _, s := range records {
		switch {
		case inSet[s.ID]:
		case d.Held(s.ID), lives(s), !ownID(s.ID):
			living = append(living, s)
		default:
			past = append(past, ended{s, d.endOf(s), d.sizeOf(s.ID)})
		}
	}
	slices.SortStableFunc(past, func(a, b ended) int {
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return living, past, nil
}

// ownID reports whether an id is of the form that newID gives.
func ownID(id string) bool { return len(id) == idLength && strings.Trim(id, idAlphabet) == "" }

// endOf returns when s ended; of one whose holder was killed, when that last wrote.
func (d Dir) endOf(s Session) time.Time {
	if s.Ended() {
		return s.EndedAt.Time
	}
	info, err := os.Lstat(d.record(s.ID))
	if err != nil { // somebody else removes it
		return s.StartedAt.Time
	}
	return info.ModTime()
}

// sizeOf returns what a session takes on disk: its record and the files in its folder, and in the folders there.
func (d Dir) sizeOf(id string) (total int64) {
	if info, err := os.Lstat(d.record(id)); err == nil {
		total = diskBytes(info)
	}
	return total + folderSize(d.SessionFolder(id), 1)
}

// folderSize returns what the files in a folder, and so many levels of folders below, take on disk.
func folderSize(path string, levels int) (total int64) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return 0
	}
	total = diskBytes(info)
	entries, _ := os.ReadDir(path) // what cannot be read counts for nothing
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && !info.IsDir() {
			total += diskBytes(info)
		} else if err == nil && levels > 0 {
			total += folderSize(filepath.Join(path, entry.Name()), levels-1)
		}
	}
	return total
}
