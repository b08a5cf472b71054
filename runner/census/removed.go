package census

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// askedAtOnce is how many holders Removed asks at the same time, and askTime how long it waits for all answers.
const (
	askedAtOnce = 16
	askTime     = time.Second
)

// Removed returns the living sessions of this user whose state folder was removed, as git clean -fdx does it: no folder lists them.
// Oldest first. It asks all holders of the user on this machine, and leaves out those that do not answer soon, such as a stopped one.
func Removed(ctx context.Context) (found []ledger.Session) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	folder, err := wire.RuntimePath()
	if err != nil {
		return nil
	}
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() || wire.Private(info) != nil {
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
		if entry.Type() != fs.ModeSocket || ctx.Err() != nil {
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
				resp.Session.Socket = at.Socket
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
