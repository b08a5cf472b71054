package census

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// askedAtOnce is how many holders are asked at the same time, and askTime how long all answers are waited for.
const (
	askedAtOnce = 16
	askTime     = time.Second
)

// A Found is a living session, found at its socket.
type Found struct {
	ledger.Session
	Removed bool // its files were removed: no folder lists it
}

// Everywhere returns the living sessions of this user on this machine, oldest first, whatever became of their state folders.
// It asks their holders. silent is how many did not answer soon, such as stopped ones.
func Everywhere(ctx context.Context) (found []Found, silent int) {
	return ask(ctx, wire.Sockets(), wire.OpState)
}

// Removed returns those of Everywhere whose files were removed, as git clean -fdx does it.
func Removed(ctx context.Context) (removed []ledger.Session) {
	found, _ := Everywhere(ctx)
	for _, f := range found {
		if f.Removed {
			removed = append(removed, f.Session)
		}
	}
	return removed
}

// Open opens the state folder at path. If there is none, or one without sessions, Open first adopts the living sessions of the
// workspace whose folder was removed, and returns them. The error is fs.ErrNotExist if there is neither.
func Open(ctx context.Context, path string) (dir ledger.Dir, adopted []ledger.Session, err error) {
	if dir, err = ledger.Open(path); !errors.Is(err, fs.ErrNotExist) && (err != nil || !dir.Fresh()) {
		return dir, nil, err
	}
	if len(wire.SocketsOf(path)) > 0 {
		if dir, err = ledger.Create(path); err == nil {
			adopted = Adopt(ctx, path)
		}
	}
	return dir, adopted, err
}

// Adopt gives the living sessions of the workspace whose files were removed new ones in the state folder at path. Their
// records and processes are in it from then on.
func Adopt(ctx context.Context, path string) (adopted []ledger.Session) {
	found, _ := ask(ctx, wire.SocketsOf(path), wire.OpMoveIn)
	for _, f := range found {
		adopted = append(adopted, f.Session)
	}
	return adopted
}

// ask sends a request without arguments to the holders at the sockets. It returns the sessions in their answers, oldest
// first.
func ask(ctx context.Context, sockets []string, op string) (found []Found, silent int) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var (
		mu    sync.Mutex
		asked sync.WaitGroup
	)
	slots := make(chan struct{}, askedAtOnce)
	for _, socket := range sockets {
		slots <- struct{}{}
		asked.Go(func() {
			defer func() { <-slots }()
			resp, err := wire.AskAt(ctx, socket, wire.Request{Op: op})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && resp.Session != nil:
				resp.Session.Socket = socket
				found = append(found, Found{*resp.Session, resp.Removed})
			case errors.Is(err, context.DeadlineExceeded), errors.Is(err, wire.ErrNoAnswer):
				silent++
			}
		})
	}
	asked.Wait()
	slices.SortFunc(found, func(a, b Found) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt.Time), cmp.Compare(a.ID, b.ID))
	})
	return found, silent
}
