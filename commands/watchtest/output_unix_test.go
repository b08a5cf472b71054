//go:build unix

package watchtest

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/runner/watch"
)

// TestWatchOwnOutput has a watch print into a file of the folder that it watches: that is none of the sources.
func TestWatchOwnOutput(t *testing.T) {
	t.Parallel()
	for _, json := range []bool{false, true} {
		r := newWatchRig(t)
		args := append([]string{"watch", "--"}, r.server()...)
		if json {
			args = append([]string{"--json"}, args...)
		}
		cmd := exec.Command("devtools", args...)
		cmd.Dir, cmd.Env = r.dir, r.env()
		out, err := os.Create(r.path("nohup.out"))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r.awaitStarts(1)
		r.write("src.txt", "1")
		r.awaitStarts(2)
		r.write("src.txt", "2")
		r.awaitStarts(3)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // by the signal
		_ = out.Close()
		told, err := os.ReadFile(r.path("nohup.out"))
		if got := r.starts(); err != nil || len(got) != 3 || bytes.Contains(told, []byte("nohup.out")) {
			t.Errorf("json=%v: %d starts, want 3, %v:\n%s", json, len(got), err, told)
		}
	}
}

// TestWatchRedo asks for all to be done again in the middle of a build, which has hung.
func TestWatchRedo(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	r.write("build.sh", "test -e ../well || { touch ../hangs; exec sleep 1000; }\n")
	r.devtools("launch", "--name", "t", "--", "devtools", "watch", "--build", "sh build.sh", "--ready", "port:"+strconv.Itoa(r.port), "--", "sh", "-c",
		"exec "+strings.Join(r.server(), " "))
	awaitFile(t, r.path("../hangs"))
	r.write("../well", "")
	r.devtools("send-keys", "t", "r", "Enter")
	r.awaitStarts(1)
	if out := r.devtools("wait", "t", "--until", "text:is ready after", "--timeout", "1m"); !strings.Contains(r.devtools("screen", "t"), "is ready after") {
		t.Errorf("%s\n%s", out, r.devtools("screen", "t"))
	}
	r.devtools("send-keys", "t", "q", "Enter")
	r.devtools("wait", "t", "--until", "exit", "--timeout", "1m")
}

// TestWatchHurry has a person press ^C twice, while a program that is deaf to TERM is to end.
func TestWatchHurry(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.watch(append([]string{"--kill-after", "10m", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server("-deaf")...)...)
	first := w.until(watch.EventReady)
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	w.until(watch.EventEnding)
	if err := syscall.Kill(first.PID, 0); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	w.end(os.Interrupt)
	if err := syscall.Kill(first.PID, 0); err == nil || time.Since(begin) > time.Minute || !strings.Contains(w.told(), `"forced":true`) {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
}
