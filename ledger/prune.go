package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"devtools/ledger/regular"
)

// A Retention says how much is kept of ended sessions. Each limit applies; 0 means no limit.
type Retention struct {
	Age      time.Duration `json:"age"`      // maximum time since the end of a session
	Sessions int           `json:"sessions"` // maximum number of ended sessions
	Bytes    int64         `json:"bytes"`    // maximum space of the ended sessions on disk, in bytes
}

// DefaultRetention applies where no other retention is set.
var DefaultRetention = Retention{Age: 14 * 24 * time.Hour, Sessions: 500, Bytes: 2 << 30}

const (
	// pruneFile is the lock under which ended sessions are removed. So only one Prune removes sessions at a time. The
	// file's time is that of the last removal by a holder. No file is deleted under this lock.
	pruneFile = "pruned"

	// pruneInterval is the minimum time between removals by holders. A holder also keeps every session that ended less
	// than this time ago.
	pruneInterval = time.Hour

	// startupAge is the age up to which a file or folder without a record may belong to a session that is just starting.
	startupAge = time.Hour
)

// A Pruning says what to remove of the past.
type Pruning struct {
	// Goes reports whether to remove an ended session. rank is its rank among the ended sessions; the newest has rank
	// 0. age is the time since its end. bytes is the space on disk of this session and the newer ones.
	Goes func(rank int, age time.Duration, bytes int64) bool

	// Before is the time before which files without a session are removed. These are damaged files that were set
	// aside, and remains of sessions without a record. If Before is zero, they all stay.
	Before time.Time

	// Lives reports whether a process of the session is alive. The session may have lost its holder.
	Lives func(Session) bool

	Dry bool // only report what would be removed
}

// A Removed is a session that was removed.
type Removed struct {
	ID    string
	Name  string
	Bytes int64 // space on disk, in bytes
}

// An InUse is an ended session that stays because a process reads it.
type InUse struct {
	ID      string
	Name    string
	PIDs    []int // processes that read it, where the system tells
	Stopped []int // the stopped processes among PIDs
}

// A Pruned is the result of Prune.
type Pruned struct {
	Sessions []Removed // oldest first
	InUse    []InUse   // oldest first; Prune leaves the pids empty
	Files    int       // number of other files removed: saved code, and files that were set aside
	Bytes    int64     // space freed by both, in bytes
	Kept     int       // number of ended sessions that stay, with those in use
	Dry      bool
}

// An ended is a session that may be removed.
type ended struct {
	Session
	at    time.Time
	bytes int64
}

// NewPruned returns the result of a Prune that found nothing.
func NewPruned(dry bool) Pruned { return Pruned{Sessions: []Removed{}, InUse: []InUse{}, Dry: dry} }

// Prune removes what p says. It removes nothing of a living session. A session is living if its claim is held, if it
// is in the active set or if one of its processes is alive. An ended session stays if a process reads it
// ([Dir.LockSession]). Other processes may start, end and remove sessions in the meantime. If something cannot be
// removed, Prune goes on with the rest and returns the error.
func (d Dir) Prune(ctx context.Context, p Pruning) (Pruned, error) {
	done := NewPruned(p.Dry)
	living, past, err := d.past(p.Lives)
	if err != nil {
		return done, err
	}
	unlock := func() {}
	if !p.Dry {
		unlock, err = lockAt(ctx, d.file(pruneFile))
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) { // no room for the lock: two may do the same work
			unlock, err = func() {}, nil
		}
		if err != nil {
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
		removed, err := d.deleteRemoved(ctx)
		errs = append(errs, err)
		if len(removed) > 0 {
			errs = append(errs, d.forgetNames(ctx, removed))
		}
	}
	kept = append(kept, living...)
	remove := func(path string, bytes int64) {
		if !p.Dry {
			err := os.Remove(path)
			if errors.Is(err, fs.ErrNotExist) { // another Prune was faster
				return
			}
			if err != nil {
				err = os.RemoveAll(path) // a folder that is not empty
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

// Retain removes what r does not keep. It does nothing if r has no limits or if holders did so within the last hour.
// It also does nothing while another process does so. due reports whether it was its turn. It keeps every session that
// ended within the last hour, because a person may be reading its files. Lives is as in Pruning.
func (d Dir) Retain(ctx context.Context, r Retention, lives func(Session) bool) (due bool, err error) {
	now := time.Now()
	last, known := d.lastRetained()
	if since := now.Sub(last); r == (Retention{}) || !known || 0 <= since && since < pruneInterval {
		return false, nil // a last time in the future comes from a clock that was set back since
	}
	regular.CloseUmask()
	l := flock.New(d.file(pruneFile), flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NoFollow|regular.NonBlock))
	locked, err := l.TryLock()
	if err != nil || !locked {
		return false, err
	}
	err = os.Chtimes(d.file(pruneFile), now, now) // before the removal, so that a failure is not repeated all the time
	_ = l.Close()                                 // Prune takes the lock itself
	p := Pruning{Lives: lives, Goes: func(rank int, age time.Duration, bytes int64) bool {
		return age >= pruneInterval && (r.Age > 0 && age > r.Age || r.Sessions > 0 && rank >= r.Sessions || r.Bytes > 0 && bytes > r.Bytes)
	}}
	if r.Age > 0 {
		p.Before = now.Add(-max(r.Age, pruneInterval))
	}
	_, pruneErr := d.Prune(ctx, p)
	return true, errors.Join(err, pruneErr)
}

// lastRetained returns when a holder last removed sessions, or when the folder was made. A folder that does not tell is just being
// deleted: each start of a session writes its .gitignore.
func (d Dir) lastRetained() (at time.Time, known bool) {
	for _, name := range []string{pruneFile, ignoreFile} {
		if info, err := os.Lstat(d.file(name)); err == nil {
			return info.ModTime(), true
		}
	}
	return at, false
}

// pruneSessions removes the ended sessions that go, and returns those that stay. It does not delete the files yet.
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

// pruneSession removes one session unless a process reads it.
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

// past returns the living sessions, and the others, newest first.
func (d Dir) past(lives func(Session) bool) (living []Session, past []ended, err error) {
	active, err := d.Active() // read before the records: a session that begins later is not in this set
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
	records = slices.DeleteFunc(records, func(s Session) bool { return inSet[s.ID] })
	all := make([]ended, len(records))
	AtOnce(len(records), func(i int) {
		if s := records[i]; ownID(s.ID) && !d.Held(s.ID) && !lives(s) {
			all[i] = ended{s, d.endOf(s), d.sizeOf(s.ID)}
		}
	})
	for i, s := range all {
		if s.ID != "" {
			past = append(past, s)
		} else {
			living = append(living, records[i])
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

// ownID reports whether id has the form that newID produces.
func ownID(id string) bool { return len(id) == idLength && strings.Trim(id, idAlphabet) == "" }

// endOf returns when s ended or was found to be lost. For one that nobody has found yet, it returns when the holder last wrote
// the record.
func (d Dir) endOf(s Session) time.Time {
	if over := s.Over(); !over.IsZero() {
		return over
	}
	info, err := os.Lstat(d.record(s.ID))
	if err != nil { // another process is removing it
		return s.StartedAt.Time
	}
	return info.ModTime()
}

// sizeOf returns the space of a session on disk, in bytes. It counts the record, the files in the session's folder
// and the files in the folders there.
func (d Dir) sizeOf(id string) (total int64) {
	if info, err := os.Lstat(d.record(id)); err == nil {
		total = diskBytes(info)
	}
	return total + folderSize(d.SessionFolder(id), 1)
}

// folderSize returns the space on disk of the files in a folder and in the given number of levels below it, in bytes.
func folderSize(path string, levels int) (total int64) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return 0
	}
	total = diskBytes(info)
	entries, _ := os.ReadDir(path) // files that cannot be read do not count
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && !info.IsDir() {
			total += diskBytes(info)
		} else if err == nil && levels > 0 {
			total += folderSize(filepath.Join(path, entry.Name()), levels-1)
		}
	}
	return total
}
