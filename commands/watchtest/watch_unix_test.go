//go:build unix

package watchtest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/runner/runnertest"
	"devtools/runner/watch"
)

// TestStressWatchRestarts has servers of every kind replaced again and again. None may fail to get its port, and nothing may
// be left of one when the next is there.
func TestStressWatchRestarts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		program string // a line of the shell or a file's text, in which SERVER is the command of the server
		flags   []string
		file    string
		command []string
		needs   string
	}{
		{name: "itself"},
		{name: "behind sh", command: []string{"sh", "run.sh"}, file: "run.sh"},
		{name: "behind make", command: []string{"make", "-s", "serve"}, file: "Makefile", program: "serve:\n\tSERVER; true\n", needs: "make"},
		{name: "behind npm", command: []string{"npm", "run", "--silent", "dev"}, file: "package.json", program: `{"scripts": {"dev": "SERVER"}}`, needs: "npm"},
		{name: "with a helper of its own session", flags: []string{"-helper"}},
		{name: "slow to end", flags: []string{"-slow", "300ms"}},
		{name: "deaf to TERM", flags: []string{"-deaf"}},
		{name: "a daemon", flags: []string{"-daemon"}},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			if test.needs != "" {
				runnertest.Need(t, test.needs)
			}
			r := newWatchRig(t)
			command := r.server(test.flags...)
			if test.command != nil {
				text := test.program
				if text == "" {
					text = "SERVER\ntrue\n"
				}
				r.write(test.file, strings.ReplaceAll(text, "SERVER", strings.Join(command, " ")))
				command = test.command
			}
			args := []string{"--ready", "port:" + strconv.Itoa(r.port), "--kill-after", "500ms", "--on-busy", "restart", "--"}
			w := r.watch(append(args, command...)...)
			w.until(watch.EventReady)
			n := runnertest.Rounds(3, 50)
			for i := range n {
				r.write(fmt.Sprintf("src%d.txt", i%2), strconv.Itoa(i+1)) // one file, so quickly and often, might be the server's own
				w.until(watch.EventSpawn)
				w.until(watch.EventReady)
				r.accepted()
				pids := servers(r)
				for _, pid := range pids[:len(pids)-1] {
					if err := syscall.Kill(pid, 0); err == nil {
						t.Fatalf("round %d: server %d lives on:\n%s", i, pid, w.told())
					}
				}
			}
			for _, line := range r.starts() {
				if !strings.HasPrefix(line, "up ") {
					t.Errorf("a start: %s", line)
				}
			}
			if got := len(r.starts()); got != n+1 {
				t.Errorf("%d starts, want %d", got, n+1)
			}
			w.end(os.Interrupt)
			if rest := strings.TrimSpace(r.devtools("-q", "ps")); rest != "" {
				t.Errorf("after the end:\n%s", rest)
			}
			if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(r.port)); err != nil {
				t.Error(err)
			} else {
				_ = l.Close()
			}
		})
	}
}

// servers returns the pids of all servers that were started, the last one last.
func servers(r *watchRig) (pids []int) {
	for _, line := range r.starts() {
		_, pid, _ := strings.Cut(line, " ")
		if n, err := strconv.Atoi(pid); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// TestStressWatchKilled kills a watch at any moment and starts it again: there is never more than one server, and there is
// one again when the next watch says so.
func TestStressWatchKilled(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	args := append([]string{"--build", "true", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)
	w := r.watch(args...)
	w.until(watch.EventReady)
	n := runnertest.Rounds(12, 200)
	for i := range n {
		if i%2 == 0 {
			r.write("src.txt", fmt.Sprint("change ", i))
		}
		delay := time.Duration(rand.IntN(150)) * time.Millisecond
		<-time.After(delay) // the moment is what is tried
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait()
		w = r.watch(args...)
		if e := w.until(watch.EventReady, watch.EventTakeover); e.Event == watch.EventTakeover && (e.Reason != "" || len(e.Ports) == 0) { // it is replaced, or was not ready yet
			w.until(watch.EventReady)
		}
		conn, err := net.DialTimeout("tcp", "127.0.0.1:"+strconv.Itoa(r.port), 5*time.Second)
		if err != nil {
			t.Fatalf("round %d, killed after %v: %v\n%s", i, delay, err, w.told())
		}
		_ = conn.Close()
		living := 0
		for _, pid := range servers(r) {
			if syscall.Kill(pid, 0) == nil {
				living++
			}
		}
		if living != 1 {
			t.Fatalf("round %d, killed after %v: %d servers live\n%s\n%s", i, delay, living, w.told(), r.devtools("ps", "--tree"))
		}
	}
	if slices.ContainsFunc(r.starts(), func(line string) bool { return strings.HasPrefix(line, "failed") }) {
		t.Errorf("a server did not get its port: %q", r.starts())
	}
	t.Logf("%d rounds, %d starts of the server", n, len(r.starts()))
}

// TestWatchTakesOver has a watch ended in each way that leaves the server running.
func TestWatchTakesOver(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGHUP) { // by nohup, which the watches would inherit
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			r := newWatchRig(t)
			args := append([]string{"--build", "true", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)
			w := r.watch(args...)
			first := w.until(watch.EventReady)
			w.end(sig)
			w = r.watch(args...)
			if e := w.until(watch.EventTakeover, watch.EventSpawn); e.Event != watch.EventTakeover || e.PID != first.PID || e.Reason != "" {
				t.Fatalf("not taken over:\n%s", w.told())
			}
			w.end(sig)
			r.write("src.txt", "changed while nobody watched")
			w = r.watch(args...)
			if e := w.until(watch.EventTakeover); e.PID != first.PID || e.Reason == "" {
				t.Fatalf("not taken over, with what has changed:\n%s", w.told())
			}
			if e := w.until(watch.EventReady); e.PID == first.PID {
				t.Fatalf("not replaced:\n%s", w.told())
			}
			w.end(sig)
			w = r.watch(append([]string{"--build", "false; true"}, args[2:]...)...) // another setup
			w.until(watch.EventBuilt)
			w.until(watch.EventStop)
			w.until(watch.EventReady)
			w.end(os.Interrupt)
			if _, err := os.Stat(r.path(".devtools/watch")); err != nil {
				t.Fatal(err)
			}
			if left, _ := filepath.Glob(r.path(".devtools/watch/*.json")); len(left) > 0 {
				t.Errorf("the state is still there: %v", left)
			}
		})
	}
}

// TestWatchBuild has builds fail, take long and be overtaken by changes.
func TestWatchBuild(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	r.write("build.sh", `cat src.txt >>../built; if test -e fail; then echo broken; exit 3; fi
		if test -e slow; then touch ../running; until test -e ../go; do :; done; rm ../go ../running; fi`)
	w := r.watch(append([]string{"--build", "sh build.sh", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	first := w.until(watch.EventReady)
	r.write("fail", "")
	if e := w.until(watch.EventBuilt); *e.Code != 3 || !strings.Contains(e.Output, "broken") {
		t.Fatalf("a failing build:\n%s", w.told())
	}
	if err := syscall.Kill(first.PID, 0); err != nil {
		t.Fatalf("the old server: %v", err)
	}
	if err := os.Remove(r.path("fail")); err != nil {
		t.Fatal(err)
	}
	if e := w.until(watch.EventReady); e.PID == first.PID {
		t.Fatalf("not replaced:\n%s", w.told())
	}
	r.write("slow", "")
	w.until(watch.EventBuild)
	awaitFile(t, r.path("../running"))
	r.write("src.txt", "changed during the build")
	r.write("../go", "")
	w.until(watch.EventStale)
	w.until(watch.EventBuild)
	awaitFile(t, r.path("../running"))
	r.write("../go", "")
	w.until(watch.EventReady)
	built, err := os.ReadFile(r.path("../built"))
	if err != nil || !strings.HasSuffix(string(built), "changed during the build") {
		t.Errorf("the last build was of %q, %v", built, err)
	}
}

// awaitFile waits for a file.
func awaitFile(t testing.TB, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: waited for a minute", path)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// TestWatchPort has a stranger on the port of the server.
func TestWatchPort(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(r.port))
	if err != nil {
		t.Fatal(err)
	}
	w := r.watch(append([]string{"--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	if e := w.until(watch.EventPort); e.Port != r.port || e.PID != os.Getpid() || !strings.Contains(e.Reason, strconv.Itoa(os.Getpid())) {
		t.Fatalf("the stranger is not named:\n%s", w.told())
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	w.until(watch.EventReady)
	if n := w.count(watch.EventPort); n != 1 {
		t.Errorf("it is told %d times", n)
	}
}

// TestWatchLoops has a build that writes into the sources, and a program that does.
func TestWatchLoops(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.watch(append([]string{"--build", "date +%N >made; date +%N >>src.txt", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	var left []string
	for len(left) < 2 {
		for e := w.until(watch.EventGuard); len(e.Paths) > 0 && e.DelayMs == 0; e.Paths = e.Paths[1:] {
			left = append(left, e.Paths[0].Path)
		}
	}
	if !slices.Equal(left, []string{"made", "src.txt"}) {
		t.Errorf("left out: %q", left)
	}
	w.until(watch.EventReady)
	builds := w.count(watch.EventBuild)
	r.write("other.txt", "")
	w.until(watch.EventReady)
	if n := w.count(watch.EventBuild) - builds; builds > 4 || n != 1 {
		t.Errorf("%d builds at first and %d for a change:\n%s", builds, n, w.told())
	}
	r.write("src.txt", "by hand")
	w.until(watch.EventChange)
	w.until(watch.EventReady)
}

// TestWatchTask has a program that ends by itself.
func TestWatchTask(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	r.write("task.sh", "echo $DEVTOOLS_CHANGED $1 >>../ran; test ! -e hold || { touch ../running; until test -e ../go; do :; done; rm ../go; }\n")
	w := r.watch("--on-busy", "queue", "--", "sh", "task.sh", "{}")
	w.until(watch.EventScan)
	r.write("a b.txt", "")
	w.until(watch.EventExit)
	r.write("hold", "")
	w.until(watch.EventSpawn)
	awaitFile(t, r.path("../running"))
	r.write("c.txt", "")
	w.until(watch.EventChange)
	if n := w.count(watch.EventSpawn); n != 2 {
		t.Errorf("%d starts while the task runs", n)
	}
	if err := os.Remove(r.path("hold")); err != nil {
		t.Fatal(err)
	}
	w.until(watch.EventChange)
	r.write("../go", "")
	w.until(watch.EventExit)
	w.until(watch.EventExit)
	ran, err := os.ReadFile(r.path("../ran"))
	if want := "a b.txt a b.txt\nhold hold\nc.txt hold c.txt\n"; string(ran) != want || err != nil {
		t.Errorf("ran %q, %v, want %q", ran, err, want)
	}
}
