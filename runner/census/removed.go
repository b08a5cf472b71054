package census

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"devtools/ledger"
	"devtools/runner/wire"
)

// askedAtOnce is how many holders Removed asks at the same time.
const askedAtOnce = 16

// Removed returns the living sessions of this user whose state folder was removed, as git clean -fdx does it: no folder lists them.
// Oldest first. It asks all holders of the user on this machine, and leaves out those that do not answer.
func Removed(ctx context.Context) (found []ledger.Session) {
	folder, err := wire.RuntimePath()
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // there is no session
	}
	var (
		mu    sync.Mutex
		asked sync.WaitGroup
	)
	slots := make(chan struct{}, askedAtOnce)
	for _, entry := range entries {
		if entry.Type() != fs.ModeSocket {
			continue
		}
		slots <- struct{}{}
		asked.Go(func() {
			defer func() { <-slots }()
			at := ledger.Session{Name: entry.Name(), Socket: filepath.Join(folder, entry.Name())}
			resp, err := wire.Ask(ctx, ledger.RemovedAt(folder), at, wire.Request{Op: wire.OpState})
			if err == nil && resp.Removed && resp.Session != nil {
				mu.Lock()
				defer mu.Unlock()
				found = append(found, *resp.Session)
			}
		})
	}
	asked.Wait()
	slices.SortFunc(found, func(a, b ledger.Session) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt.Time), cmp.Compare(a.ID, b.ID))
	})
	return found
}
