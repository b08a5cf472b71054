package list

import (
	"context"
	"io/fs"
	"slices"

	"devtools/ledger"
	"devtools/runner/census"
)

// Everywhere works as List, for all state folders of which a session of this user lives on this machine, and for the living
// sessions whose state folder was removed or cannot be read. silent is how many sessions have a socket, but a holder that
// does not answer.
func Everywhere(ctx context.Context, all, usage bool) (l Listing, silent int) {
	found, silent := census.Everywhere(ctx)
	l = NewListing()
	listed := map[string]bool{} // state folders
	for _, f := range found {
		if listed[f.Folder] && !f.Removed {
			continue
		}
		part, err := listAt(ctx, f, all, usage)
		if err != nil {
			part = listAlone(ctx, f, usage)
		}
		listed[f.Folder] = listed[f.Folder] || err == nil
		l.Sessions = slices.Concat(l.Sessions, part.Sessions)
		l.Active = slices.Concat(l.Active, part.Active)
		l.Orphaned = slices.Concat(l.Orphaned, part.Orphaned)
	}
	return l, silent
}

// listAt lists the state folder of a session, which the session's record may name by the path that it had before.
func listAt(ctx context.Context, f census.Found, all, usage bool) (Listing, error) {
	if f.Removed {
		return Listing{}, fs.ErrNotExist
	}
	dir, err := ledger.Open(f.Folder)
	if err != nil {
		return Listing{}, err
	}
	l, err := List(ctx, dir, all, usage)
	for i := range l.Sessions {
		l.Sessions[i].StatePath = f.Folder
	}
	return l, err
}

// listAlone lists a session without its state folder: only its processes can be looked at.
func listAlone(ctx context.Context, f census.Found, usage bool) Listing {
	l := NewListing()
	l.Sessions = []Listed{newListed(f.Session)}
	l.lookAt(ctx, ledger.RemovedAt(f.Folder), []ledger.Session{f.Session}, usage)
	l.Sessions[0].StatePath, l.Sessions[0].Removed, l.Sessions[0].Log = f.Folder, f.Removed, ""
	l.flatten()
	return l
}
