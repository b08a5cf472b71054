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

// Everywhere returns the living sessions whose sockets are in the runtime folders, oldest first, whatever became of their state
// folders. It asks their holders. silent is how many did not answer soon, such as stopped ones.
func Everywhere(ctx context.Context) (found []Found, silent int) {
	found, silent, _ = ask(ctx, wire.Sockets(), wire.OpState)
	return found, silent
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

// An Adoption has the sessions that were adopted, and why others could not be.
type Adoption struct {
	Sessions []ledger.Session
	Failed   error
}

// Open opens the state folder at path. If there is none, or one without sessions, Open first adopts the living sessions of the
// workspace whose files were removed. Otherwise dir does so when it misses a session. Open tells each adoption, if tell is not nil.
// The error is fs.ErrNotExist if there is neither folder nor such a session.
func Open(ctx context.Context, path string, tell func(Adoption)) (dir ledger.Dir, err error) {
	adopt := func() bool {
		a := Adopt(ctx, path)
		if tell != nil {
			tell(a)
		}
		return len(a.Sessions) > 0
	}
	dir, err = ledger.Open(path)
	if (errors.Is(err, fs.ErrNotExist) || err == nil && dir.Fresh()) && adopt() {
		dir, err = ledger.Open(path)
	}
	return dir.OnLost(adopt), err
}

// Create works as Open, and makes the folder if there is none.
func Create(ctx context.Context, path string) (ledger.Dir, error) {
	dir, err := ledger.Create(path)
	if err == nil && dir.Fresh() {
		Adopt(ctx, path) // the others are there all the same
	}
	return dir, err
}

// Adopt gives the living sessions of the workspace whose files, or records alone, were removed new ones in the state folder at
// path, which it makes for them. Their records and processes are in it from then on.
func Adopt(ctx context.Context, path string) (a Adoption) {
	var homeless []string
	folder := ledger.At(path)
	for _, socket := range wire.SocketsOf(path) {
		if folder.Saved(wire.SessionOf(socket)) == 0 {
			homeless = append(homeless, socket)
		}
	}
	found, _, _ := ask(ctx, homeless, wire.OpState)
	sockets := []string{}
	for _, f := range found {
		if f.Removed || folder.Held(f.ID) {
			sockets = append(sockets, f.Socket)
		}
	}
	if len(sockets) == 0 {
		return a
	}
	if _, a.Failed = ledger.Create(path); a.Failed != nil {
		return a
	}
	found, _, a.Failed = ask(ctx, sockets, wire.OpMoveIn)
	for _, f := range found {
		a.Sessions = append(a.Sessions, f.Session)
	}
	return a
}

// ask sends a request without arguments to the holders at the sockets. It returns the sessions in their answers, oldest
// first, how many holders did not answer, and the errors in the answers.
func ask(ctx context.Context, sockets []string, op string) (found []Found, silent int, refused error) {
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
			case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, wire.ConnectionRefused), errors.Is(err, wire.ErrHolderGone):
				// its holder is gone, or has nothing to say
			case resp.Error != nil:
				refused = errors.Join(refused, err)
			default:
				silent++
			}
		})
	}
	asked.Wait()
	slices.SortFunc(found, func(a, b Found) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt.Time), cmp.Compare(a.ID, b.ID))
	})
	return found, silent, refused
}
