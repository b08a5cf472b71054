package census

import (
	"context"
	"slices"
	"strings"

	"devtools/ledger"
)

// FindMarked makes orphans of processes that carry the mark of an ended and closed session of this folder. The session had
// started such a process without being its ancestor. An example is a daemon that runs jobs with the environment of the
// clients that ask for them.
func FindMarked(ctx context.Context, dir ledger.Dir) error {
	active, err := Reconcile(ctx, dir)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, s := range active {
		known[s.ID] = true
	}
	var closed []ledger.Session
	for id := range newCensus().marked {
		if s, err := dir.LoadSession(id); !known[id] && err == nil && !dir.Held(id) && !Foreign(s) {
			closed = append(closed, s)
		}
	}
	found := findings{}
	for i, living := range Survivors(dir, closed) {
		if len(living) > 0 {
			found[closed[i].ID] = living
		}
	}
	if len(found) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, LockTime)
	defer cancel()
	return dir.Update(ctx, func(a *ledger.Active) error {
		for _, s := range closed {
			if found.has(s.ID) {
				a.Put(s)
			}
		}
		// A name means the newest session that has it. Another session may have this session's name by now.
		slices.SortStableFunc(a.Sessions, func(a, b ledger.Session) int { return strings.Compare(a.ID, b.ID) })
		correct(dir, a, found)
		return nil
	})
}
