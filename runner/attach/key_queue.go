package attach

import (
	"bytes"
	"sync"
	"time"

	"devtools/runner/wire"
)

// maxTyped is how far typing may be ahead of the program, in bytes. More input stays in the terminal.
const maxTyped = 4 << 20

// A keyQueue holds typed keys until the holder has taken them. Several goroutines may use it.
type keyQueue struct {
	mu      sync.Mutex
	changed sync.Cond
	keys    []byte
	sending bool // the keys that take returned are on their way
	closed  bool
}

func newKeyQueue() *keyQueue {
	q := &keyQueue{}
	q.changed.L = &q.mu
	return q
}

// add appends keys.
func (q *keyQueue) add(keys []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.keys = append(q.keys, keys...)
	q.changed.Broadcast()
}

// awaitRoom waits until there is room for more keys. It returns false when the queue is closed.
func (q *keyQueue) awaitRoom() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.keys) > maxTyped && !q.closed {
		q.changed.Wait()
	}
	return !q.closed
}

// take waits for keys and removes at most as many as one request holds. The next take says that the holder has these. ok
// is false when the queue is closed.
func (q *keyQueue) take() (keys []byte, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sending = false
	q.changed.Broadcast()
	for len(q.keys) == 0 && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return nil, false
	}
	n := min(len(q.keys), wire.MaxInput)
	keys = bytes.Clone(q.keys[:n])
	q.keys, q.sending = q.keys[n:], true
	return keys, true
}

// flush waits until the holder has taken all keys, at most for the limit.
func (q *keyQueue) flush(limit time.Duration) {
	expired := false
	timer := time.AfterFunc(limit, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		expired = true
		q.changed.Broadcast()
	})
	defer timer.Stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	for (len(q.keys) > 0 || q.sending) && !q.closed && !expired {
		q.changed.Wait()
	}
}

// close makes all waiting calls return.
func (q *keyQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// size returns the number of bytes that nobody has taken.
func (q *keyQueue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.keys)
}
