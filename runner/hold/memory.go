package hold

import (
	"runtime/debug"
	"sync"
	"time"
)

const (
	// trimAfter is how many connections and requests a holder serves before it gives memory back. Each leaves about 4 KiB, and
	// Go collects no less than 2 MiB.
	trimAfter = 256

	// trimDelay is how long the holder waits before it does so: more may come.
	trimDelay = time.Second
)

// A memory gives what connections and requests have used back to the system. Go keeps it for minutes otherwise, and there may be
// many holders.
type memory struct {
	mu    sync.Mutex
	count int // connections and requests since the last time
	armed bool
}

// used says that n connections or requests have come or gone. A large request counts as trimAfter.
func (m *memory) used(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.count += n; m.count >= trimAfter && !m.armed {
		m.armed = true
		time.AfterFunc(trimDelay, m.trim)
	}
}

// trim gives the memory back, and again while many connections and requests go on to come and go.
func (m *memory) trim() {
	m.mu.Lock()
	used := m.count
	m.count, m.armed = 0, used >= trimAfter/8
	again := m.armed
	m.mu.Unlock()
	debug.FreeOSMemory()
	if again {
		time.AfterFunc(trimDelay, m.trim)
	}
}
