package watch

import (
	"context"
	"errors"
	"testing"

	"devtools/ledger"
)

// A watch that was taken over releases its claim once: the second release would take the claimant out of the file of the other.
func TestHandOverReleasesOnce(t *testing.T) {
	dir, err := ledger.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	releases := 0
	w := &watcher{Config: Config{Dir: dir, ID: "web"}}
	release, err := dir.ClaimWatch(t.Context(), w.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.letGo = func() {
		release()
		if releases++; releases > 1 {
			return
		}
		other, err := dir.ClaimWatch(t.Context(), w.ID)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(other)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.handOver(ended); !errors.Is(err, ErrTaken) {
		t.Error(err)
	}
	if w.letGo(); releases != 1 {
		t.Errorf("it was released %d times", releases)
	}
}
