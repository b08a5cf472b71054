package escapetest

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"devtools/runner/proc"
	"devtools/runner/runnertest"
)

// insideVariable says that a test is the first process of a pid namespace, in which it chooses the pids.
const insideVariable = "DEVTOOLS_TEST_INSIDE"

// TestStressRecycledOrphans lets the pids of orphans change hands: strangers get them that look the same. Nobody may list
// them as orphans, nor end them.
func TestStressRecycledOrphans(t *testing.T) {
	if os.Getenv(insideVariable) != "" {
		recycleOrphans(t)
		return
	}
	runnertest.Need(t, "unshare")
	runnertest.Need(t, "setsid")
	namespaces := []string{"--fork", "--pid", "--mount-proc"}
	if os.Getuid() != 0 {
		namespaces = append(namespaces, "--user", "--map-root-user")
	}
	if out, err := exec.Command("unshare", append(namespaces, "true")...).CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %v, %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", append(namespaces, self, "-test.run=^TestStressRecycledOrphans$", "-test.v", "-test.timeout=5m")...)
	cmd.Env = append(os.Environ(), insideVariable+"=1", "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "===") {
			t.Log(strings.TrimSpace(line))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func recycleOrphans(t *testing.T) {
	count := runnertest.Rounds(20, 200)
	p := newPrison(t, newYard(t), "p")
	line := p.expand("for i in $(seq " + strconv.Itoa(count) + "); do setsid {out} & done; exec {bin}/main 86400")
	if a := p.devtools("launch", "--name", "crash", "--", p.path("bin", "bash"), "-c", line); a.code != 0 {
		t.Fatal(a)
	}
	await(t, "the escapees are ready", func() bool { return p.ready(count) })
	s := p.session(t, "crash")
	await(t, "the journal names them", func() bool { return p.journalled(s.ID, p.inmates()) })
	killHolder(t, s)
	await(t, "the main process is gone", func() bool { return len(p.inmates()) == count })
	orphans := p.inmates()
	if lost := missing(orphans, pidsOf(asked[listing](t, p, []int{0}, "ps", "--orphans").Orphaned)); len(lost) > 0 {
		t.Fatalf("not listed: %v", lost)
	}
	recycled, tries := 0, 0
	for _, orphan := range orphans {
		pid := orphan.id.PID
		if err := orphan.id.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		await(t, "the pid is free", func() bool {
			_, _ = syscall.Wait4(pid, nil, 0, nil) // it came to us, the first process
			_, err := proc.Identify(pid)
			return err != nil
		})
		var stranger *exec.Cmd
		for stranger == nil || stranger.Process.Pid != pid && tries < 20*count {
			tries++
			if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0); err != nil {
				t.Skipf("pids cannot be chosen here: %v", err)
			}
			stranger = p.stranger(t)
		}
		if stranger.Process.Pid != pid {
			continue
		}
		recycled++
		rest := asked[listing](t, p, []int{0}, "ps", "--orphans")
		dry := asked[killing](t, p, []int{0}, "kill-orphans", "--dry-run")
		if slices.Contains(pidsOf(rest.Orphaned), pid) || slices.Contains(pidsOf(dry.Orphaned), pid) {
			t.Errorf("the stranger %d is listed: ps %v, kill-orphans %v", pid, rest.Orphaned, dry)
		}
		if a := p.devtools("kill", strconv.Itoa(pid), "--kill-after", "0"); a.code == 0 {
			t.Errorf("kill %d: %v", pid, a)
		}
		if id, err := proc.Identify(pid); err != nil || !id.Alive() {
			t.Fatalf("the stranger %d was hit", pid)
		}
	}
	asked[killing](t, p, []int{0}, "kill-orphans")
	p.untouched(t)
	if recycled == 0 {
		t.Fatal("no pid came back")
	}
	t.Logf("%d of %d pids came back in %d tries", recycled, count, tries)
}
