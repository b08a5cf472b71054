//go:build unix

package watchtest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"devtools/runner/watch"
)

// TestWatchStartLoops has programs that write into the sources at each start. They are started less and less often, and
// what a person changes is followed all the same.
func TestWatchStartLoops(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		flags []string
		line  string
		blind bool // nobody says when it is ready
		most  int  // starts before the guard speaks
	}{
		{"a server that says nothing", nil, "date +%N >made; exec SERVER", true, 12},
		{"a server", nil, "date +%N >made; exec SERVER", false, 5},
		{"a server that makes another file each time", nil, "date +%N >made.$$; exec SERVER", false, 7},
		{"a server that fills its new file late", nil, ": >made.$$; sleep 0.3; date +%N >made.$$; exec SERVER", false, 7},
		{"a server that is built", []string{"--build", "true"}, "date +%N >made; exec SERVER", false, 5},
		{"a server that crashes", nil, "date +%N >made; exit 3", false, 5},
		{"a server that is built and crashes", []string{"--build", "true"}, "date +%N >made; exit 3", false, 5},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			r := newWatchRig(t)
			line := strings.ReplaceAll(test.line, "SERVER", strings.Join(r.server(), " "))
			ready := []string{"--ready", "port:" + strconv.Itoa(r.port)}
			if test.blind {
				ready = nil
			}
			w := r.watch(slices.Concat(test.flags, ready, []string{"--on-busy", "restart", "--", "sh", "-c", line})...)
			guard := w.until(watch.EventGuard)
			if n := w.count(watch.EventSpawn); n > test.most || guard.DelayMs < 1000 || len(guard.Paths) == 0 || !strings.HasPrefix(guard.Paths[0].Path, "made") {
				t.Fatalf("%d starts before the guard says %+v", n, guard)
			}
			if next := w.until(watch.EventSpawn); w.count(watch.EventCrash) == 0 && next.AtMs-guard.AtMs < float64(guard.DelayMs-2) { // both are cut
				t.Errorf("started again %.0f ms after the guard said %d", next.AtMs-guard.AtMs, guard.DelayMs)
			}
			r.write("src.txt", "by hand")
			w.sees("src.txt")
			w.until(watch.EventSpawn)
			w.until(watch.EventSpawn) // for what is written
			if n := w.count(watch.EventGuard); n > 2 {
				t.Errorf("the guard speaks %d times:\n%s", n, w.told())
			}
			w.end(os.Interrupt)
		})
	}
}

// TestWatchHands has a person save a file during each of many runs of a task or a build. What was saved last is run and
// built too.
func TestWatchHands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		idle   bool // the file is saved first while nothing runs
		rounds int
		saves  int // in each
	}{
		{"in each round", true, 4, 1},
		{"several times in a round", false, 2, 3},
	} {
		for _, build := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,build=%v", strings.ReplaceAll(test.name, " ", "-"), build), func(t *testing.T) {
				t.Parallel()
				r := newWatchRig(t)
				r.write("../task.sh", "cp src.txt ../ran; test ! -e ../hold || { touch ../running; until test -e ../go; do sleep 0.01; done; rm ../running ../go; }\n")
				args := []string{"--on-busy", "queue", "--", "sh", "../task.sh"}
				done := watch.EventExit
				if build {
					args = append([]string{"--build", "sh ../task.sh", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)
					done = watch.EventReady
				}
				w := r.watch(args...)
				w.until(done)
				r.write("../hold", "")
				if test.idle {
					r.write("src.txt", "while nothing runs")
				} else {
					r.write("other.txt", "")
				}
				text := ""
				for round := range test.rounds {
					awaitFile(t, r.path("../running"))
					for save := range test.saves {
						text = fmt.Sprintf("saved %d.%d", round, save)
						r.write("src.txt", text)
						if !build && test.saves > 1 { // these are looked at one by one
							w.until(watch.EventChange)
						}
					}
					if round == test.rounds-1 {
						if err := os.Remove(r.path("../hold")); err != nil {
							t.Fatal(err)
						}
					}
					r.write("../go", "")
					awaitNoFile(t, r.path("../go"))
				}
				for deadline := time.Now().Add(time.Minute); ; <-time.After(5 * time.Millisecond) {
					if ran, err := os.ReadFile(r.path("../ran")); err == nil && string(ran) == text {
						break
					}
					if time.Now().After(deadline) {
						t.Fatalf("%q is never built:\n%s", text, w.told())
					}
				}
				w.end(os.Interrupt)
			})
		}
	}
}

func awaitNoFile(t testing.TB, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(5 * time.Millisecond) {
		if _, err := os.Stat(path); err != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: still there after a minute", path)
		}
	}
}
