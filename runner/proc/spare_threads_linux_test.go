package proc

import (
	"os"
	"testing"
)

// The spare threads are there from then on, though nothing uses them.
func TestSpareThreads(t *testing.T) {
	KeepThreads()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	if len(threads) <= spareThreads {
		t.Errorf("%d threads", len(threads))
	}
}
