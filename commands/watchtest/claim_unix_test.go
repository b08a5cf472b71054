//go:build unix

package watchtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"devtools/runner/watch"
)

// TestWatchTwice has a watch started twice: the second names the process of the first, which has built nothing yet and so
// has written no state. What that leaves when it is killed keeps nobody out, and names nobody any more.
func TestWatchTwice(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	args := append([]string{"--name", "web", "--build", "exec sleep 1000", "--"}, r.server()...)
	var builds []int
	for _, killed := range []bool{true, false} {
		first := r.watch(args...)
		build := first.until(watch.EventBuild)
		builds = append(builds, build.PID)
		if states, err := filepath.Glob(r.path(".devtools/watch/*.json")); err != nil || len(states) > 0 {
			t.Fatalf("a state is written: %q, %v", states, err)
		}
		if killed { // its claim names it from now on, and the next one is not it
			first.end(os.Kill)
			continue
		}
		second := r.devtools(append([]string{"--json", "watch"}, args...)...)
		if want := fmt.Sprintf("is watched already by process %d", first.cmd.Process.Pid); !strings.Contains(second, want) || !strings.Contains(second, `"kind":"watched"`) {
			t.Errorf("%s\nwant %s", second, want)
		}
		third := r.watch(args...) // that is called off while it waits
		third.until(watch.EventStart)
		third.end(os.Interrupt)
		if text := third.stderr.String(); text != "" {
			t.Errorf("called off: %s", text)
		}
		first.end(os.Kill)
	}
	// Its build is ended by the next watch, which builds nothing, and whose claim is given back at its end.
	last := r.watch(append([]string{"--postpone", "--name", "web", "--"}, r.server()...)...)
	last.until(watch.EventScan)
	last.end(os.Interrupt)
	for _, pid := range builds {
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("build %d lives on", pid)
		}
	}
	locks, err := filepath.Glob(r.path(".devtools/watch/*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	if data, err := os.ReadFile(locks[0]); err != nil || strings.TrimSpace(strings.Trim(string(data), "\x00")) != "" {
		t.Errorf("the claim names %q, %v", data, err)
	}
}
