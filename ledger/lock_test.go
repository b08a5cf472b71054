package ledger

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"testing"
)

// An update whose context has ended takes no lock that another one has, and leaves nothing that waits for it: that would make the lock
// file again in a folder that is deleted meanwhile.
func TestEndedContextWaitsForNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lockAt(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	before := runtime.NumGoroutine()
	if _, err := lockAt(ended, path); !errors.Is(err, context.Canceled) {
		t.Errorf("the lock was taken twice: %v", err)
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines, %d before", now, before)
	}
}
