//go:build unix

package watchtest

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"devtools/runner/watch"
)

// TestWatchQuick has a person save a file shortly after each start of a program that prints a line and waits. Each change
// is followed soon, and it is told how long it waits.
func TestWatchQuick(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what processes write is told on Linux only")
	}
	for _, test := range []struct {
		name  string
		args  []string
		edits int
		free  int // so many edits at first do not wait
	}{
		{"a program that nobody knows", []string{"--", "./app"}, 14, 9},
		{"a command that ends by itself", []string{"--on-busy", "restart", "--", "sh", "-c", "echo up; sleep 1000"}, 6, 2},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			r := newWatchRig(t)
			r.write("app", "#!/bin/sh\necho up\nread line\n")
			if err := os.Chmod(r.path("app"), 0o755); err != nil {
				t.Fatal(err)
			}
			w := r.watch(test.args...)
			for edit := range test.edits {
				w.until(watch.EventSpawn)
				<-time.After(time.Duration(100+37*edit) * time.Millisecond)
				r.write("src.txt", strconv.Itoa(edit))
			}
			w.until(watch.EventSpawn)
			delays := w.delays()
			if slices.ContainsFunc(delays, func(ms int64) bool { return ms > 1500 }) || len(delays) > test.edits-test.free {
				t.Errorf("%d edits wait for %d ms:\n%s", test.edits, delays, w.told())
			}
			w.end(os.Interrupt)
		})
	}
}

// TestWatchDelays has a program write into the sources at each start: each delay is told, and is longer than the last.
func TestWatchDelays(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	line := "date +%N >made; exec " + strings.Join(r.server(), " ")
	w := r.watch("--ready", fmt.Sprintf("port:%d", r.port), "--", "sh", "-c", line)
	w.until(watch.EventGuard)
	w.until(watch.EventGuard)
	if got := w.delays(); !slices.Equal(got, []int64{3000, 6000}) {
		t.Errorf("delays of %d ms:\n%s", got, w.told())
	}
	w.end(os.Interrupt)
}

// delays returns how long changes have had to wait so far, in milliseconds.
func (w *watching) delays() (all []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Event == watch.EventGuard {
			all = append(all, e.DelayMs)
		}
	}
	return all
}
