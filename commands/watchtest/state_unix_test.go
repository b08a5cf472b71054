//go:build unix

package watchtest

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/runner/watch"
)

// TestWatchKillCommand has a person kill the program, which ends with an exit code of its own: it stays away until
// something changes.
func TestWatchKillCommand(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.watch("--on-busy", "restart", "--ready", "text:up", "--", "sh", "-c", "trap 'exit 3' TERM; echo up; while :; do sleep 0.02; done")
	first := w.until(watch.EventReady)
	r.devtools("kill", first.Name)
	if e := w.until(watch.EventExit); e.Code == nil || *e.Code != 3 {
		t.Errorf("ended by %+v", e)
	}
	r.write("src.txt", "1")
	if e := w.until(watch.EventChange, watch.EventCrash); e.Event != watch.EventChange {
		t.Errorf("it is started again:\n%s", w.told())
	}
	w.until(watch.EventReady)
	w.end(os.Interrupt)
}

// TestWatchStateGone has the state folder removed: the program is replaced, and ended, all the same.
func TestWatchStateGone(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.watch(append([]string{"--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	first := w.until(watch.EventReady)
	const remove = "until rm -rf .devtools; do :; done" // rm fails if a process of ours writes a file there meanwhile
	for range 2 {
		r.shell(remove)
		r.write("src.txt", "1")
		w.until(watch.EventStop)
		if err := syscall.Kill(first.PID, 0); err == nil {
			t.Fatalf("the server lives on:\n%s", w.told())
		}
		first = w.until(watch.EventReady)
		r.shell(remove + "; rm src.txt")
		w.until(watch.EventStop)
		first = w.until(watch.EventReady)
	}
	w.end(os.Interrupt)
	if err := syscall.Kill(first.PID, 0); err == nil {
		t.Error("the server lives on at the end")
	}
}

// TestWatchLeavesNothing has builds and a task that leave processes behind, which end with the watch.
func TestWatchLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.watch(append([]string{"--build", "sleep 1000 & echo $! >>../left", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	w.until(watch.EventReady)
	r.write("src.txt", "1")
	w.until(watch.EventReady)
	w.end(os.Interrupt)
	w = r.watch("--", "sh", "-c", "sleep 1000 & echo $! >>../left") // a task
	w.until(watch.EventExit)
	w.end(os.Interrupt)
	left, err := os.ReadFile(r.path("../left"))
	pids := strings.Fields(string(left))
	if err != nil || len(pids) != 3 {
		t.Fatalf("left: %q, %v", left, err)
	}
	for _, pid := range pids {
		if n, err := strconv.Atoi(pid); err != nil || syscall.Kill(n, 0) == nil {
			t.Errorf("process %s lives on", pid)
		}
	}
}

// TestWatchTether has the process end that a watch is tethered to: watch and program end.
func TestWatchTether(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	other := exec.Command("sleep", "1000")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	w := r.watch(append([]string{"--tether", strconv.Itoa(other.Process.Pid), "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	first := w.until(watch.EventReady)
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // by the signal
	w.until(watch.EventEnd)
	_ = w.cmd.Wait()
	if err := syscall.Kill(first.PID, 0); err == nil {
		t.Error("the program lives on")
	}
}

// TestWatchTetherTaken has another watch take the program over after the end of the process of the first one's tether. Then it
// ends with the process of its own tether.
func TestWatchTetherTaken(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	begin := func() (*exec.Cmd, *watching) {
		other := exec.Command("sleep", "1000")
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		return other, r.watch(append([]string{"--tether", strconv.Itoa(other.Process.Pid), "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	}
	end := func(other *exec.Cmd) {
		if err := other.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = other.Wait() // by the signal
	}
	anchor, w := begin()
	first := w.until(watch.EventReady)
	end(anchor)
	anchor, next := begin()
	if e := next.until(watch.EventTakeover); e.PID != first.PID || e.Reason != "" {
		t.Errorf("%+v, want the program %d", e, first.PID)
	}
	if e := w.until(watch.EventEnd); !strings.Contains(e.Reason, "taken over") {
		t.Errorf("%+v", e)
	}
	_ = w.cmd.Wait()
	if err := syscall.Kill(first.PID, 0); err != nil {
		t.Errorf("the program has ended: %v", err)
	}
	end(anchor)
	next.until(watch.EventEnd)
	_ = next.cmd.Wait()
	if err := syscall.Kill(first.PID, 0); err == nil {
		t.Error("the program lives on")
	}
}

// TestWatchOncePort has a stranger on the port: that is waited for no longer than --timeout says.
func TestWatchOncePort(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(r.port))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w := r.watch(append([]string{"--once", "--timeout", "0.3", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	if e := w.until(watch.EventNotReady); !strings.Contains(e.Reason, strconv.Itoa(os.Getpid())) {
		t.Errorf("%+v", e)
	}
	_ = w.cmd.Wait()
	if code := w.cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

// TestWatchUnfit has programs left running that do not suit the next watch, which says why.
func TestWatchUnfit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		build string            // of the second watch
		after func(r *watchRig) // when it was killed
		why   string
	}{
		{name: "another build", build: "false; true", why: "options of the watch have changed"},
		{name: "a damaged state", after: func(r *watchRig) { r.damage("json", `{"sessionId": 3`) }, why: "does not name it"},
		{name: "a state of something else", after: func(r *watchRig) { r.damage("json", `{"id": "other", "pid": 1}`) }, why: "does not name it"},
		{name: "sources that are not known", after: func(r *watchRig) { r.damage("sources", "junk") }, why: "not known"},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			r := newWatchRig(t)
			begin := func(build string) *watching {
				return r.watch(append([]string{"--build", build, "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
			}
			build := "true"
			w := begin(build)
			first := w.until(watch.EventReady)
			w.end(syscall.SIGKILL)
			if test.after != nil {
				test.after(r)
			}
			w = begin(cmp.Or(test.build, build))
			if e := w.until(watch.EventTakeover, watch.EventSpawn); e.Event != watch.EventTakeover || e.PID != first.PID || !strings.Contains(e.Reason, test.why) {
				t.Errorf("%+v, want %q", e, test.why)
			}
			if e := w.until(watch.EventReady); e.PID == first.PID {
				t.Error("it is not replaced")
			}
			w.end(os.Interrupt)
		})
	}
}

// damage writes something else in the place of the state of the watch.
func (r *watchRig) damage(kind, text string) {
	r.t.Helper()
	found, err := filepath.Glob(r.path(".devtools/watch/*." + kind))
	if err != nil || len(found) != 1 {
		r.t.Fatalf("the state is %q, %v", found, err)
	}
	if err := os.WriteFile(found[0], []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// TestWatchStalledReader has nobody read what watch tells: it goes on all the same, and ends when it is told to.
func TestWatchStalledReader(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	cmd := exec.Command("devtools", append([]string{"--json", "watch", "--"}, r.server()...)...)
	cmd.Dir, cmd.Env = r.dir, r.env()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const rounds = 8
	for round := range rounds { // each is told in about 20 KiB
		r.awaitStarts(round + 1)
		for i := range 100 {
			r.write(fmt.Sprintf("%d/%s%d", round, strings.Repeat("long", 40), i), "")
		}
	}
	r.awaitStarts(rounds + 1)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := cmd.Process.Wait()
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Error("it does not end")
	}
	_ = out.Close()
}

// awaitStarts waits until a server was started so often.
func (r *watchRig) awaitStarts(n int) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); len(r.starts()) < n; <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("%d starts after a minute, want %d", len(r.starts()), n)
		}
	}
}

// TestWatchUnfitSignal has a program that is told of changes by a signal, but that was started in another way: it is
// replaced.
func TestWatchUnfitSignal(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	args := append([]string{"--on-busy", "signal:HUP", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)
	w := r.watch(append([]string{"--env", "V=1"}, args...)...)
	first := w.until(watch.EventReady)
	w.end(syscall.SIGTERM)
	w = r.watch(append([]string{"--env", "V=2"}, args...)...)
	if e := w.until(watch.EventReady); e.PID == first.PID {
		t.Errorf("it is not replaced:\n%s", w.told())
	}
	w.end(os.Interrupt)
}

// TestWatchPortThenBuild has a build fail while a stranger has the port: the program is started when it is free.
func TestWatchPortThenBuild(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(r.port))
	if err != nil {
		t.Fatal(err)
	}
	w := r.watch(append([]string{"--build", "test ! -e fail", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	w.until(watch.EventPort)
	r.write("fail", "")
	if e := w.until(watch.EventBuilt); *e.Code != 1 {
		t.Fatalf("%+v", e)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	w.until(watch.EventReady)
	w.end(os.Interrupt)
}
