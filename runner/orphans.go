package runner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/list"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// Orphans says which orphans to end, and how.
type Orphans struct {
	Name   string        // name or id of a session; "": every session
	Older  time.Duration // minimum time since the start of the session; 0: any
	Deep   bool          // look at all processes for the mark of an ended session, and end living sessions whose state folder was removed
	Signal string
	Grace  time.Duration
	DryRun bool // only report what would be ended
}

// KillOrphans ends the processes that have outlived the holder of their session, as whole trees, until none is left. The
// folder dir need not exist.
func KillOrphans(ctx context.Context, dir ledger.Dir, o Orphans) (ending KillResult, failed error) {
	ending = NewKillResult()
	if _, err := proc.ParseSignal(o.Signal); err != nil {
		return ending, err
	}
	if o.Deep {
		removed, err := killRemoved(ctx, dir, o)
		ending.add(removed)
		defer func() { failed = errors.Join(failed, err) }()
		if err := census.FindMarked(ctx, dir); err != nil {
			return ending, err
		}
	}
	sessions, err := orphaned(ctx, dir, o.chooses)
	if err != nil {
		return ending, err
	}
	if o.DryRun {
		ending.Orphaned = append([]list.Process{}, ending.Orphaned...)
		for _, s := range sessions {
			ending.Orphaned = append(ending.Orphaned, list.Living(s)...)
		}
		return ending, nil
	}
	if len(sessions) == 0 {
		return ending, nil
	}
	ended, err := endOrphans(ctx, dir, sessions, o.Signal, o.Grace)
	ending.add(ended)
	return ending, err
}

// chooses reports whether o is about the session s.
func (o Orphans) chooses(s ledger.Session) bool {
	return (o.Name == "" || s.Name == o.Name || s.ID == o.Name) && (o.Older == 0 || time.Since(track.Identity(s.Main).Started()) >= o.Older)
}

// killRemoved ends the living sessions whose files were removed: those of the state folder dir, and those that no call can
// adopt because their workspace is gone.
func killRemoved(ctx context.Context, dir ledger.Dir, o Orphans) (all KillResult, err error) {
	all = NewKillResult()
	var errs []error
	for _, s := range census.Removed(ctx) {
		_, gone := os.Stat(filepath.Dir(s.Folder))
		if s.Folder != dir.Path() && !errors.Is(gone, fs.ErrNotExist) || !o.chooses(s) {
			continue // the next call in its workspace adopts it
		}
		if o.DryRun {
			all.Orphaned = append(all.Orphaned, list.Living(s)...)
			continue
		}
		ending, err := killHeld(ctx, ledger.At(s.Folder), s, 0, o.Signal, o.Grace)
		all.add(ending)
		if !errors.Is(err, wire.ErrHolderGone) && !errors.Is(err, wire.ErrEnded) { // it has just ended
			errs = append(errs, err)
		}
	}
	return all, errors.Join(errs...)
}

// orphaned returns the sessions that have outlived their holder and that keep accepts.
func orphaned(ctx context.Context, dir ledger.Dir, keep func(ledger.Session) bool) ([]ledger.Session, error) {
	sessions, err := census.Reconcile(ctx, dir)
	if err != nil {
		return nil, err
	}
	var kept []ledger.Session
	for _, s := range sessions {
		if s.Status == ledger.StatusOrphaned && census.Lost(dir, s) && keep(s) {
			kept = append(kept, s)
		}
	}
	return kept, nil
}
