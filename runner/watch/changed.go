package watch

import (
	"context"
	"errors"
	"time"

	"devtools/ledger"
	"devtools/stack/files"
)

// An Answer says whether sources have changed since a given time or token.
type Answer struct {
	Changed bool   `json:"changed"`         // sources have changed
	Exact   bool   `json:"exact"`           // the answer is sure and complete
	Reason  string `json:"reason,omitzero"` // why the answer is not exact
	Count   int    `json:"count"`           // number of all changed paths
	Paths   []Path `json:"paths"`           // at most 1000 of the changed paths
	Token   string `json:"token,omitzero"`  // with --token: token of the present state

	NewestAt ledger.Time `json:"newestAt,omitzero"` // newest change of the content of a source that is there; absent without sources
}

// mostAnswered is how many paths an answer has at most.
const mostAnswered = 1000

// A Question asks whether sources have changed.
type Question struct {
	Sources Sources
	Dir     ledger.Dir
	Label   string    // identifies the sources; a token is valid only for the same label
	Token   string    // compare with the state of this token, or
	Since   time.Time // with this time, if it is not zero
	Issue   bool      // also return a token of the present state
	NotOurs bool      // leave out what our sessions have written, as far as that is known

	Ends func(ledger.Session) Ending // says whether the command of a session ends; used only with NotOurs
}

// ErrOtherSources reports a token that was made for other sources.
var ErrOtherSources = errors.New("the token was made for other sources")

// Ask scans the sources once and answers the question.
func Ask(ctx context.Context, q Question) (Answer, error) {
	a := Answer{Exact: true, Paths: []Path{}}
	var notes []string
	s, err := newSources(q.Sources, func(why string) { notes = append(notes, why) })
	if err != nil {
		return a, err
	}
	s.readRules() // ReadAhead reads git's index while the token is read
	before, err := q.loadToken(len(s.tops))
	if err != nil {
		return a, err
	}
	now, err := s.scanBy(ctx, before)
	if err == nil && q.Issue {
		now, err = s.rescanSettled(ctx, now)
	}
	if err != nil {
		return a, err
	}
	a.NewestAt = s.newest(now)
	changes := q.changes(&a, s, before, now)
	if q.NotOurs {
		kept, err := q.withoutOurs(s, now, changes)
		if err != nil {
			return a, err
		}
		if len(kept) < len(changes) {
			a.inexact("every change during a build, or during a command of run, counts as written by it")
		}
		changes = kept
	}
	if len(notes) > 0 {
		a.inexact(notes[0])
	}
	a.Changed, a.Count = len(changes) > 0, len(changes)
	a.Paths = append(a.Paths, pathsOf(changes[:min(len(changes), mostAnswered)])...)
	if q.Issue {
		a.Token, err = q.saveToken(now)
	}
	return a, err
}

// inexact notes why the answer is not exact.
func (a *Answer) inexact(why string) { a.Exact, a.Reason = false, why }

// loadToken returns the state of the token, or nil without a token. The state must have that number of tops.
func (q Question) loadToken(tops int) (*state, error) {
	if q.Token == "" {
		return nil, nil
	}
	before := &state{}
	if err := q.Dir.LoadToken(q.Token, before.read); err != nil {
		return nil, err
	}
	if !before.labelled(q.Label, tops) {
		return nil, ErrOtherSources
	}
	return before, nil
}

// saveToken saves the state and returns its token.
func (q Question) saveToken(now *state) (string, error) {
	for _, t := range now.tops {
		t.Label = q.Label
	}
	return q.Dir.SaveToken(now.write)
}

// rescanSettled scans again until one more change is sure to be visible. A token of that state is exact, unless files
// are written all the time.
func (s *sources) rescanSettled(ctx context.Context, now *state) (_ *state, err error) {
	for range mostRests {
		if now.settles() == 0 {
			break
		}
		if err := rest(ctx, now.settles()); err != nil {
			return nil, err
		}
		if now, err = s.scanAll(ctx, now); err != nil {
			return nil, err
		}
	}
	return now, nil
}

// changes returns what has changed since the token or the time, and notes in the answer why that is not exact.
func (q Question) changes(a *Answer, s *sources, before, now *state) []files.Change {
	switch {
	case before != nil:
		for _, t := range before.tops {
			if t.Unsettled || t.Truncated || t.Unread() {
				a.inexact("when the token was made, sources were being written, could not be read, or were too many")
			}
		}
		return s.changes(before, now)
	case !q.Since.IsZero():
		a.inexact("times do not show deleted files, nor files whose times were set back, and the time of a directory changes with ignored files too: use a token for an exact answer")
		return s.since(now, q.Since)
	}
	return nil
}

// mostRests is how often Ask scans again to make a token exact.
const mostRests = 10

// rest waits until the clock of the file system has advanced.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// clockSlack is how much earlier a file's time may be than the clock of the program that wrote it. The kernel keeps
// file times in ticks.
const clockSlack = 10 * time.Millisecond

// The reasons why something counts as changed since a time.
const (
	byTime   files.Reason = "mtime"
	byChange files.Reason = "ctime"
	byFolder files.Reason = "folder" // a name in the folder was added or removed
)

// newest returns when the content of a file was changed last. It is zero without files.
func (s *sources) newest(now *state) (newest ledger.Time) {
	last := int64(0)
	for _, snapshot := range now.tops {
		for path, stamp := range snapshot.Files() {
			if stamp.Modified > last && s.wanted(path) {
				last, newest = stamp.Modified, ledger.Time{Time: time.Unix(0, stamp.Modified)}
			}
		}
	}
	return newest
}

// since returns the files and folders whose time is not before t.
func (s *sources) since(now *state, t time.Time) (all []files.Change) {
	for i, snapshot := range now.tops {
		from := t.Add(-clockSlack).UnixNano()
		if snapshot.Settles() >= time.Second { // the file system's times are whole seconds
			from = t.Add(-snapshot.Settles()).UnixNano()
		}
		add := func(path string, stamp files.Stamp, folder bool) {
			reason := byTime
			switch {
			case stamp.Modified >= from && folder:
				reason = byFolder
			case stamp.Modified >= from:
			case stamp.Changed >= from && !folder:
				reason = byChange
			default:
				return
			}
			if !folder && !s.wanted(path) {
				return
			}
			all = append(all, files.Change{Path: s.told(i, path), Reason: reason})
		}
		for path, stamp := range snapshot.Files() {
			add(path, stamp, false)
		}
		for path, stamp := range snapshot.Folders() {
			add(path, stamp, true)
		}
	}
	return all
}
