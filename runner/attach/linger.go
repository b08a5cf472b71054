package attach

import (
	"context"
	"sync/atomic"
	"time"
)

// A linger is the time in which earlier text stays readable, before the session is shown. A key ends it.
type linger struct {
	limit time.Duration
	on    atomic.Bool
	typed chan struct{} // closed by the key that ends it
}

func newLinger(limit time.Duration) *linger {
	l := &linger{limit: limit, typed: make(chan struct{})}
	l.on.Store(limit > 0)
	return l
}

// await waits until the time is over, or until ctx ends.
func (l *linger) await(ctx context.Context) {
	if !l.on.Load() {
		return
	}
	select {
	case <-time.After(l.limit):
	case <-l.typed:
	case <-ctx.Done():
	}
	l.on.Store(false)
}

// key ends the time, and reports whether it was still going on.
func (l *linger) key() bool {
	if !l.on.Swap(false) {
		return false
	}
	close(l.typed)
	return true
}
