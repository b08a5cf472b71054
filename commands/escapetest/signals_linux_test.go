package escapetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"devtools/runner/proc"
	"devtools/runner/runnertest"
)

// counter counts the signal 40, which the kernel queues and never merges, by its senders. It stays when its terminal is gone.
const counter = `
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [40])
print("up", flush=True)
with open(sys.argv[1], "w") as counted:
    while True:
        print(signal.sigwaitinfo([40]).si_pid, file=counted, flush=True)
`

// TestStressSignalOnce kills the callers of kill -s, or the holder, while signals are sent. A caller that says that it has sent
// its signal has sent it once, one that says that it has not has not, and one that was killed has sent it at most once.
func TestStressSignalOnce(t *testing.T) {
	runnertest.Need(t, "python3")
	const callers = 12
	for _, killed := range []string{"nobody", "caller", "holder"} {
		t.Run(killed, func(t *testing.T) {
			var sent, unsent, cut int
			for round := range runnertest.Rounds(2, 50) {
				c := newCounting(t, round)
				var mu sync.Mutex
				var ended sync.WaitGroup
				results := map[int]*exec.Cmd{}
				for i := range callers {
					ended.Go(func() {
						call := c.devtools("kill", "-s", "40", "counter")
						if err := call.Start(); err != nil {
							t.Error(err)
							return
						}
						moment := time.Duration(rand.IntN(30)) * time.Millisecond // a call takes 5 to 30 ms here
						if killed == "caller" && i%3 > 0 {
							time.AfterFunc(moment, func() { _ = call.Process.Kill() }) // it may have ended
						}
						if killed == "holder" && i == 0 {
							time.AfterFunc(moment, func() { _ = syscall.Kill(c.holder, syscall.SIGKILL) })
						}
						_ = call.Wait() // its state says how it ended
						mu.Lock()
						defer mu.Unlock()
						results[call.Process.Pid] = call
					})
				}
				ended.Wait()
				counts := c.counts(t)
				for pid, call := range results {
					got := counts[pid]
					delete(counts, pid)
					state := call.ProcessState
					switch {
					case state.Success():
						sent++
						if got != 1 {
							t.Errorf("round %d: it was sent, and arrived %d times", round, got)
						}
					case state.ExitCode() < 0 && killed == "caller":
						cut++
						if got > 1 {
							t.Errorf("round %d: its caller was killed, and it arrived %d times", round, got)
						}
					default:
						unsent++
						if got != 0 {
							t.Errorf("round %d: %v: and it arrived %d times\n%s", round, state, got, call.Stderr)
						}
					}
				}
				if len(counts) > 0 {
					t.Errorf("round %d: others have sent signals: %v", round, counts)
				}
			}
			t.Logf("sent %d, not sent %d, caller killed %d", sent, unsent, cut)
			if sent == 0 {
				t.Error("no call has sent its signal")
			}
		})
	}
}

// A counting is a session whose program counts.
type counting struct {
	folder       string
	main, holder int
}

func newCounting(t *testing.T, round int) *counting {
	t.Helper()
	c := &counting{folder: t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.folder, "counter.py"), []byte(counter), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := c.devtools("launch", "--json", "--name", "counter", "--ready", "text:up", "--", "python3", "counter.py", "counted").Output()
	if err != nil {
		t.Fatalf("round %d: %v\n%s", round, err, out)
	}
	var session struct {
		PID int `json:"pid"`
	}
	if err := json.Unmarshal(out, &session); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	main, err := proc.Read(session.PID)
	if err != nil {
		t.Fatal(err)
	}
	c.main, c.holder = main.PID, main.Parent
	t.Cleanup(func() { _ = c.devtools("kill", "-9", "counter").Run() }) // it may have ended
	return c
}

func (c *counting) devtools(args ...string) *exec.Cmd {
	cmd := exec.Command("devtools", args...)
	cmd.Dir = c.folder
	cmd.Env = append(os.Environ(), "DEVTOOLS_DIR="+filepath.Join(c.folder, ".devtools"))
	if args[0] == "kill" {
		cmd.Stderr = &strings.Builder{}
	}
	return cmd
}

// counts returns how many signals have come from each process. A last one, from this process, says that all have been counted.
func (c *counting) counts(t *testing.T) map[int]int {
	t.Helper()
	if err := syscall.Kill(c.main, 40); err != nil {
		t.Fatal(err)
	}
	last := fmt.Sprintln(os.Getpid())
	for deadline := time.Now().Add(time.Minute); ; {
		data, err := os.ReadFile(filepath.Join(c.folder, "counted"))
		if text, all := strings.CutSuffix(string(data), last); err == nil && all {
			counts := map[int]int{}
			for pid := range strings.FieldsSeq(text) {
				n, _ := strconv.Atoi(pid)
				counts[n]++
			}
			return counts
		}
		if time.Now().After(deadline) {
			t.Fatalf("the last signal was not counted: %v", err)
		}
		<-time.After(5 * time.Millisecond)
	}
}
