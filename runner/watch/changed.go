package watch

import (
	"context"
	"errors"
	"time"

	"devtools/ledger"
	"devtools/stack/files"
)

// An Answer says whether sources have changed since a time.
type Answer struct {
	Changed bool   `json:"changed"`
	Exact   bool   `json:"exact"`
	Why     string `json:"why,omitzero"`   // it is not exact
	Count   int    `json:"count"`          // of what has changed
	Paths   []Path `json:"paths"`          // at most 1000 of that
	Token   string `json:"token,omitzero"` // of the state now
}

// mostAnswered is how many paths an answer has.
const mostAnswered = 1000

// A Question asks whether sources have changed.
type Question struct {
	Sources Sources
	Dir     ledger.Dir
	Label   string    // of the sources: a token is of the same ones
	Token   string    // since that state; or
	Since   time.Time // since that time, if it is not zero
	Issue   bool      // a token of the state now
	NotOurs bool      // without what our sessions have written, as far as that can be told

	Ends func(ledger.Session) Ending // what the command of a session does; asked with NotOurs only
}

// ErrOtherSources reports a token of other sources than those that are asked about.
var ErrOtherSources = errors.New("the token is of other sources")

// Ask looks at the sources once.
func Ask(ctx context.Context, q Question) (Answer, error) {
	a := Answer{Exact: true, Paths: []Path{}}
	var notes []string
	s, err := newSources(q.Sources, func(why string) { notes = append(notes, why) })
	if err != nil {
		return a, err
	}
	s.readRules() // of which git's index is read while the token is
	var before *state
	if q.Token != "" {
		before = &state{}
		if err := q.Dir.LoadToken(q.Token, before.read); err != nil {
			return a, err
		}
		if !before.labelled(q.Label, len(s.tops)) {
			return a, ErrOtherSources
		}
	}
	now, err := s.scanBy(ctx, before)
	for range mostRests { // a token is exact the next time, unless somebody writes all the time
		if !q.Issue || err != nil || now.settles() == 0 {
			break
		}
		if err = rest(ctx, now.settles()); err == nil {
			now, err = s.scanAll(ctx, now)
		}
	}
	if err != nil {
		return a, err
	}
	var changes []files.Change
	switch {
	case before != nil:
		changes = s.changes(before, now)
		for _, t := range before.tops {
			if t.Unsettled || t.Truncated || t.Unread() {
				a.Exact, a.Why = false, "the token was made while sources were being written, or could not be read, or of too many"
			}
		}
	case !q.Since.IsZero():
		changes = s.since(now, q.Since)
		a.Exact, a.Why = false, "by times alone neither what was deleted can be named nor what was changed and had its times put back, and a folder tells of ignored files too: a token tells all"
	}
	if q.NotOurs {
		kept, err := q.withoutOurs(s, now, changes)
		if err != nil {
			return a, err
		}
		if len(kept) < len(changes) {
			a.Exact, a.Why = false, "what has changed while a build or a command of run went on is taken for what that has written"
		}
		changes = kept
	}
	if len(notes) > 0 {
		a.Exact, a.Why = false, notes[0]
	}
	a.Changed, a.Count = len(changes) > 0, len(changes)
	a.Paths = append(a.Paths, pathsOf(changes[:min(len(changes), mostAnswered)])...)
	if q.Issue {
		for _, t := range now.tops {
			t.Label = q.Label
		}
		if a.Token, err = q.Dir.SaveToken(now.write); err != nil {
			return a, err
		}
	}
	return a, nil
}

// mostRests is how often sources are looked at again for a token.
const mostRests = 10

// rest waits until the clock of the file system has gone on.
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

func (s *state) labelled(label string, tops int) bool {
	if len(s.tops) != tops {
		return false
	}
	for _, t := range s.tops {
		if t.Label != label {
			return false
		}
	}
	return true
}

// clockSlack is how much earlier than the clock of the program that wrote it the time of a file may be: the kernel keeps
// it by ticks.
const clockSlack = 10 * time.Millisecond

// The reasons for which something has changed since a time.
const (
	byTime   files.Reason = "mtime"
	byChange files.Reason = "ctime"
	byFolder files.Reason = "folder" // a name in it has come or gone
)

// since returns what has a time that is not before the one given.
func (s *sources) since(now *state, t time.Time) (all []files.Change) {
	for i, snapshot := range now.tops {
		from := t.Add(-clockSlack).UnixNano()
		if snapshot.Settles() >= time.Second { // its times are whole seconds
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
