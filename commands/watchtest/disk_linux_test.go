package watchtest

import (
	"os"
	"strconv"
	"syscall"
	"testing"

	"devtools/runner/watch"
)

// TestWatchFullDisk has the program end up without room for a new session: it is started when there is some again.
func TestWatchFullDisk(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	state := t.TempDir()
	if err := syscall.Mount("tmpfs", state, "tmpfs", 0, "size=300k"); err != nil {
		t.Skipf("no tmpfs can be mounted: %v", err)
	}
	defer func() {
		r.devtools("--dir", state+"/s", "kill", "--all", "--signal", "KILL")
		_ = syscall.Unmount(state, syscall.MNT_DETACH)
	}()
	w := r.watch(append([]string{"--dir", state + "/s", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	w.until(watch.EventReady)
	full, err := os.Create(state + "/full")
	if err != nil {
		t.Fatal(err)
	}
	for n := 4096; n > 0; {
		if _, err := full.Write(make([]byte, n)); err != nil {
			n /= 2
		}
	}
	_ = full.Close() // it is full
	r.write("src.txt", "1")
	w.until(watch.EventFailed)
	if err := os.Remove(state + "/full"); err != nil {
		t.Fatal(err)
	}
	w.until(watch.EventReady)
	w.end(os.Interrupt)
}
