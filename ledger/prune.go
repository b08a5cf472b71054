package ledger

import (
	"context"
	"errors"
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
	// pruneFile is the lock of those who remove the past, and its time that of the last removal by a holder.
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

// A Pruned is what was removed of the past.
type Pruned struct {
	Sessions []Removed `json:"removed"` // oldest first
	Files    int       `json:"files"`   // besides: saved code, and what was set aside
	Bytes    int64     `json:"bytes"`   // of all that
	Kept     int       `json:"kept"`    // ended sessions
	Dry      bool      `json:"dryRun"`
}

// An ended is a session that may be removed.
type ended struct {
	Session
	at    time.Time
	bytes int64
}

// Prune removes what p says, and nothing of a session that lives: whose claim is held, which is in the active set, or
// of which a process lives. Others may start, end and remove sessions meanwhile. What could not be removed is in the
// error, and does not keep the rest.
func (d Dir) Prune(ctx context.Context, p Pruning) (Pruned, error) {
	done := Pruned{Sessions: []Removed{}, Dry: p.Dry}
	if !p.Dry {
		unlock, err := lockAt(ctx, d.file(pruneFile))
		if err != nil {
			return done, err
		}
		defer unlock()
	}
	return done, d.prune(ctx, p, &done)
}

// Retain removes what r does not keep, if that was not done within the last hour and nobody is doing it, and keeps
// what ended within that hour, as somebody may be reading it. Lives is as in a Pruning.
func (d Dir) Retain(ctx context.Context, r Retention, lives func(Session) bool) error {
	now := time.Now()
	last, known := d.lastRetained()
	if since := now.Sub(last); r == (Retention{}) || known && 0 <= since && since < pruneInterval {
		return nil // a time to come is of a clock that has been set back since
	}
	l := flock.New(d.file(pruneFile), flock.SetFlag(os.O_CREATE|os.O_RDONLY|noFollow|nonBlock))
	defer l.Close()
	locked, err := l.TryLock()
	if err != nil || !locked {
		return err
	}
	p := Pruning{Lives: lives, Goes: func(rank int, age time.Duration, bytes int64) bool {
		return age >= pruneInterval && (r.Age > 0 && age > r.Age || r.Sessions > 0 && rank >= r.Sessions || r.Bytes > 0 && bytes > r.Bytes)
	}}
	if r.Age > 0 {
		p.Before = now.Add(-max(r.Age, pruneInterval))
	}
	err = os.Chtimes(d.file(pruneFile), now, now) // also when it fails, it is not tried all the time
	return errors.Join(err, d.prune(ctx, p, &Pruned{}))
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

func (d Dir) prune(ctx context.Context, p Pruning, done *Pruned) error {
	living, past, err := d.past(p.Lives)
	if err != nil {
		return err
	}
	now := time.Now()
	var errs []error
	var total int64
	kept := living
	for rank, s := range past { // newest first
		total += s.bytes
		if !p.Goes(rank, now.Sub(s.at), total) {
			kept = append(kept, s.Session)
			done.Kept++
			continue
		}
		if !p.Dry {
			if ctx.Err() != nil {
				return errors.Join(append(errs, ctx.Err())...)
			}
			if err := d.RemoveSession(s.ID); err != nil {
				errs = append(errs, err)
				kept = append(kept, s.Session)
				done.Kept++
				continue
			}
		}
		done.Sessions = append(done.Sessions, Removed{s.ID, s.Name, s.bytes})
		done.Bytes += s.bytes
	}
	slices.Reverse(done.Sessions)
	remove := func(path string, bytes int64) {
		if !p.Dry {
			if err := os.RemoveAll(path); err != nil { // what is no folder it only unlinks
				errs = append(errs, err)
				return
			}
		}
		done.Files++
		done.Bytes += bytes
	}
	errs = append(errs, d.pruneScripts(living, kept, now, remove), d.pruneLitter(living, p.Before, now, remove), d.pruneWatches(p, living, now, remove))
	return errors.Join(errs...)
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
