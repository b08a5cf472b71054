package list

import (
	"context"

	"devtools/ledger"
	"devtools/runner/census"
)

// Everywhere works as List with usage, or as Of if there is a name, for the state folder here and all others of which a session of
// this user lives, and for the living sessions whose state folder was removed or cannot be read. silent is how many sessions
// have a socket, but a holder that does not answer.
func Everywhere(ctx context.Context, here, name string, all bool) (l Listing, silent int) {
	found, silent := census.Everywhere(ctx)
	l = NewListing()
	listed := map[string]bool{} // ids of sessions
	add := func(part Listing) {
		for _, s := range part.Sessions {
			listed[s.ID] = true
		}
		l.Sessions = append(l.Sessions, part.Sessions...)
		l.Active = append(l.Active, part.Active...)
		l.Orphaned = append(l.Orphaned, part.Orphaned...)
	}
	seen := map[string]bool{} // state folders
	folders := []string{here}
	for _, f := range found {
		if !f.Removed {
			folders = append(folders, f.Folder)
		}
	}
	for _, folder := range folders {
		if seen[folder] {
			continue
		}
		seen[folder] = true
		if part, err := listAt(ctx, folder, name, all); err == nil {
			add(part)
		}
	}
	for _, f := range found {
		if !listed[f.ID] && (name == "" || f.Name == name || f.ID == name) {
			add(listAlone(ctx, f))
		}
	}
	return l, silent
}

// listAt lists the state folder at path.
func listAt(ctx context.Context, path, name string, all bool) (l Listing, err error) {
	dir, err := ledger.Open(path)
	switch {
	case err != nil:
		return l, err
	case name != "":
		l, err = Of(ctx, dir, name)
	default:
		l, err = List(ctx, dir, all, true)
	}
	for i := range l.Sessions {
		l.Sessions[i].StatePath = path
	}
	return l, err
}

// listAlone lists a session without its state folder: only its processes can be looked at.
func listAlone(ctx context.Context, f census.Found) Listing {
	l := NewListing()
	l.Sessions = []Listed{newListed(f.Session)}
	l.lookAt(ctx, ledger.At(f.Folder), []ledger.Session{f.Session}, true)
	l.Sessions[0].StatePath, l.Sessions[0].Removed, l.Sessions[0].Log = f.Folder, f.Removed, ""
	l.flatten()
	return l
}
