package commands

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"devtools/runner/runnertest"
)

// slowGroup makes a control group that gets a part of one processor, in thousandths. The test is skipped where it cannot make one.
func slowGroup(t *testing.T, thousandths int) string {
	t.Helper()
	parent, limit, value := "/sys/fs/cgroup", "cpu.max", fmt.Sprintf("%d 100000", thousandths*100)
	if _, err := os.Stat(parent + "/cpu/cpu.cfs_quota_us"); err == nil { // version 1, cgroups(7)
		parent, limit, value = parent+"/cpu", "cpu.cfs_quota_us", fmt.Sprint(thousandths*100)
	}
	group, err := os.MkdirTemp(parent, "devtools-test-")
	if err != nil {
		t.Skip("no control group can be made:", err)
	}
	t.Cleanup(func() {
		for { // a process of the group may still be ending: the deadline of the tests ends this
			if os.Remove(group) == nil {
				return
			}
			<-time.After(50 * time.Millisecond)
		}
	})
	if err := os.WriteFile(filepath.Join(group, limit), []byte(value), 0); err != nil {
		t.Skip("the control group has no processor limit:", err)
	}
	return group
}

// All output arrives, whatever the part of a processor that devtools and the command share. What counts is what the kernel says
// of the terminal, not how long it was silent.
func TestStressSlowProcessor(t *testing.T) {
	const line = "echo a; echo b; exit 3"
	calls := []struct {
		args []string
		want string
	}{
		{[]string{"run", "--", line}, "a\nb\n"},
		{[]string{"run", "--no-pty", "--", line}, "a\nb\n"},
		{[]string{"run", "--grace", "20ms", "--leftovers", "kill", "--", "sleep 20 </dev/null >/dev/null 2>&1 & " + line}, "a\nb\n"},
		{[]string{"run", "--json", "--fields", "output", "--", line}, `{"output":"a\nb\n"}` + "\n"},
	}
	for _, thousandths := range []int{15, 30, 100}[:runnertest.Rounds(1, 3)] {
		t.Run(fmt.Sprint(thousandths), func(t *testing.T) {
			rounds := runnertest.Rounds(8, 500)
			state := runnertest.NewState(t)
			next := make(chan int)
			var all sync.WaitGroup
			for range 4 {
				group := slowGroup(t, thousandths)
				all.Go(func() {
					for i := range next {
						call := calls[i%len(calls)]
						enter := []string{"-c", `echo $$ >"$0"/cgroup.procs && exec devtools -q --dir "$@"`, group, state}
						cmd := exec.CommandContext(t.Context(), "sh", append(enter, call.args...)...)
						var stdout, stderr bytes.Buffer
						cmd.Stdout, cmd.Stderr = &stdout, &stderr
						_ = cmd.Run() // the exit code is looked at below
						if got := stdout.String(); got != call.want || cmd.ProcessState.ExitCode() != 3 {
							t.Errorf("round %d, %s: exit code %d, output %q, want %q\n%s", i+1, strings.Join(call.args, " "), cmd.ProcessState.ExitCode(), got, call.want, &stderr)
						}
					}
				})
			}
			for i := range rounds {
				next <- i
			}
			close(next)
			all.Wait()
		})
	}
}
