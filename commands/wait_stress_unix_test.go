//go:build unix

package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"devtools/runner/runnertest"
)

// Many calls wait for the first of the same sessions at the same time. Each tells the first that succeeds: not one that failed
// before it, nor one that succeeds after it. Each has one connection a session.
func TestStressWaitAny(t *testing.T) {
	calls, sessions := runnertest.Rounds(5, 50), runnertest.Rounds(6, 20)
	state := runnertest.NewState(t)
	devtools := func(args ...string) *exec.Cmd {
		return exec.CommandContext(runnertest.WithPatienceOf(t, 5*time.Minute), "devtools", append([]string{"--dir", state}, args...)...)
	}
	run := func(args ...string) {
		t.Helper()
		if out, err := devtools(args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	var names []string
	for i := range sessions {
		names = append(names, fmt.Sprint("s", i))
		run("launch", "--max-sessions", "0", "--name", names[i], "--", "sh", "-c", "read code; exit $code")
	}
	end := func(name, code string) {
		t.Helper()
		run("send-keys", name, code, "Enter", "--wait", "exit:"+code)
	}

	type call struct {
		cmd *exec.Cmd
		out bytes.Buffer
	}
	waits := make([]call, calls)
	for i := range waits {
		w := &waits[i]
		w.cmd = devtools(append([]string{"wait", "--any", "--until", "exit:0", "--timeout", "4m"}, names...)...)
		w.cmd.Stdout, w.cmd.Stderr = &w.out, &w.out
		if err := w.cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	most := 0
	for i := range waits {
		most = max(most, awaitDescriptors(t, waits[i].cmd.Process.Pid, sessions))
	}

	end(names[1], "1")
	end(names[sessions-1], "2")
	begin := time.Now()
	end(names[sessions/2], "0")
	end(names[0], "0")
	var ended sync.WaitGroup
	for i := range waits {
		ended.Go(func() {
			w := &waits[i]
			err := w.cmd.Wait()
			want := names[sessions/2] + " met exit:0\n"
			if err != nil || w.out.String() != want {
				t.Errorf("call %d: %v\n%s", i, err, w.out.String())
			}
		})
	}
	ended.Wait()
	took := time.Since(begin)
	var memory int64
	var cpu time.Duration
	for i := range waits {
		usage := waits[i].cmd.ProcessState.SysUsage().(*syscall.Rusage)
		memory = max(memory, int64(usage.Maxrss))
		cpu += waits[i].cmd.ProcessState.UserTime() + waits[i].cmd.ProcessState.SystemTime()
	}
	t.Logf("%d calls of %d sessions: %d descriptors, %d KiB and %v of processor time each at most; all told within %v", calls, sessions, most, memory, cpu/time.Duration(calls), took)
}

// awaitDescriptors waits until a process has at least n open descriptors, and returns how many it has then.
func awaitDescriptors(t *testing.T, pid, n int) int {
	t.Helper()
	for deadline := time.Now().Add(runnertest.Patience); ; <-time.After(5 * time.Millisecond) {
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if errors.Is(err, fs.ErrNotExist) {
			return 0 // the system does not tell
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(open) >= 2*n { // for each session its connection and the lock that keeps prune away
			return len(open)
		}
		if !time.Now().Before(deadline) {
			t.Fatalf("process %d: %d descriptors for %d sessions", pid, len(open), n)
		}
	}
}
