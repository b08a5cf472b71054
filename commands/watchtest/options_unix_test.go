//go:build unix

package watchtest

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"devtools/runner/watch"
)

// TestWatchCrashes has a server crash: it is started again later each time, and at once when something changes.
func TestWatchCrashes(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.watch("--on-busy", "restart", "--ready", "text:up", "--", "sh", "-c", "test -e ../well || exit 3; echo up; exec sleep 1000")
	last := 0.0
	for i, want := range []int64{500, 1000, 2000} {
		exit := w.until(watch.EventExit)
		if exit.Code == nil || *exit.Code != 3 {
			t.Fatalf("crash %d: %+v", i, exit)
		}
		e := w.until(watch.EventCrash)
		if e.DelayMs != want {
			t.Errorf("crash %d: started again after %d ms, want %d", i, e.DelayMs, want)
		}
		if want == 2000 {
			break
		}
		if last = w.until(watch.EventSpawn).AtMs; last-e.AtMs < float64(want) {
			t.Errorf("crash %d: started again %.0f ms after it", i, last-e.AtMs)
		}
	}
	r.write("src.txt", "by hand")
	w.sees("src.txt")
	w.until(watch.EventSpawn)
	if e := w.until(watch.EventCrash); e.DelayMs != 500 {
		t.Errorf("after a change it is started again after %d ms", e.DelayMs)
	}
	r.write("../well", "")
	w.until(watch.EventReady)
	w.end(os.Interrupt)
}

// TestWatchBusy has changes while a server runs that is not to be replaced.
func TestWatchBusy(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	r.write("server.sh", "trap 'echo hup >>../hups' HUP; echo up; while :; do sleep 0.05; done\n")
	w := r.watch("--on-busy", "signal:HUP", "--build", "echo >>../built", "--ready", "text:up", "--", "sh", "server.sh")
	first := w.until(watch.EventReady)
	r.write("src.txt", "1")
	if e := w.until(watch.EventSignal); e.Signal != "SIGHUP" || e.PID != first.PID {
		t.Errorf("told by %+v", e)
	}
	awaitFile(t, r.path("../hups"))
	if err := syscall.Kill(first.PID, 0); err != nil || w.count(watch.EventSpawn) != 1 || w.count(watch.EventBuild) != 2 {
		t.Errorf("%v:\n%s", err, w.told())
	}
	w.end(os.Interrupt)

	w = r.watch("--on-busy", "ignore", "--build", "echo >>../built", "--ready", "text:up", "--", "sh", "server.sh")
	w.until(watch.EventReady)
	r.write("src.txt", "2")
	w.sees("src.txt")
	r.write("other.txt", "2")
	w.sees("other.txt")
	if w.count(watch.EventSpawn) != 1 || w.count(watch.EventBuild) != 1 {
		t.Errorf("what is to be ignored is followed:\n%s", w.told())
	}
	w.end(os.Interrupt)
}

// TestWatchBuildFailStop has the old program ended when the build fails.
func TestWatchBuildFailStop(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.watch(append([]string{"--on-build-fail", "stop", "--build", "test ! -e fail", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	first := w.until(watch.EventReady)
	r.write("fail", "")
	if e := w.until(watch.EventStop); e.PID != first.PID || !strings.Contains(e.Reason, "build") {
		t.Errorf("%+v", e)
	}
	if err := syscall.Kill(first.PID, 0); err == nil {
		t.Error("the old server lives on")
	}
	if err := os.Remove(r.path("fail")); err != nil {
		t.Fatal(err)
	}
	w.until(watch.EventReady)
}

// TestWatchPostponed does nothing before the first change, of the files that count.
func TestWatchPostponed(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	for _, name := range []string{"src/a.go", "src/a.c", "src/no.go", "lib/b.go", "one.go"} {
		r.write(name, "")
	}
	w := r.watch("--postpone", "--ext", "go,md", "--path", "src", "--path", "one.go", "--ignore", "no.*", "--include", "/dist/", "--debounce", "20ms",
		"--", "sh", "-c", `echo {} = $DEVTOOLS_CHANGED >>../ran`)
	w.until(watch.EventScan)
	for _, name := range []string{"src/a.c", "src/no.go", "lib/b.go", "src/a.md", "one.go", "src/dist/c.go"} {
		r.write("../whole", "1") // moved there, it is one change: a file that is made and then written may be two
		if err := errors.Join(os.MkdirAll(filepath.Dir(r.path(name)), 0o755), os.Rename(r.path("../whole"), r.path(name))); err != nil {
			t.Fatal(err)
		}
		switch name {
		case "src/a.md", "one.go", "src/dist/c.go":
			if reason, others := w.sees(name); others != 0 {
				t.Errorf("%s %s, and %d others", name, reason, others)
			}
			w.until(watch.EventExit)
		}
	}
	ran, err := os.ReadFile(r.path("../ran"))
	if want := "src/a.md = src/a.md\none.go = one.go\nsrc/dist/c.go = src/dist/c.go\n"; err != nil || string(ran) != want {
		t.Errorf("ran %q, %v, want %q", ran, err, want)
	}
	if seen := w.seen(); len(seen) != 3 {
		t.Errorf("told: %v", seen)
	}
}

// TestWatchElsewhere has the program run in another folder than the watch: the paths are told from there.
func TestWatchElsewhere(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	r.write("web/index.html", "")
	w := r.watch("--cwd", "web", "--", "sh", "-c", `cat "$1" "$DEVTOOLS_CHANGED" >../../ran`, "x", "{}")
	w.until(watch.EventScan)
	r.write("web/a.js", "a")
	w.until(watch.EventExit)
	r.write("b.js", "b")
	w.until(watch.EventExit)
	if ran, err := os.ReadFile(r.path("../ran")); err != nil || string(ran) != "bb" {
		t.Errorf("ran %q, %v:\n%s", ran, err, w.told())
	}
}
