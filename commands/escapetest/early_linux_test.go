package escapetest

import (
	"fmt"
	"os/exec"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/runnertest"
)

// A holder that is killed while it starts its command leaves no process that nobody knows of.
func TestStressHolderKilledEarly(t *testing.T) {
	rounds := runnertest.Rounds(10, 300)
	yard := newYard(t)
	cut, started := 0, 0
	for i := range rounds {
		p := newPrison(t, yard, fmt.Sprint("p", i))
		cgroup := []string{"auto", "never"}[i%2]
		client := exec.Command(p.program, "launch", "--name", "early", "--cgroup", cgroup, "--", p.path("bin", "setsid"), "-w", p.path("bin", "out"))
		client.Env, client.Dir = p.env, p.dir
		if err := client.Start(); err != nil {
			t.Fatal(err)
		}
		var s ledger.Session
		await(t, "the session is recorded", func() bool {
			dir, err := ledger.Open(p.folder)
			if err == nil {
				var a *ledger.Active
				if a, err = dir.Active(); err == nil && len(a.Sessions) > 0 {
					s = a.Sessions[0]
				}
			}
			return err == nil && s.Holder.PID != 0
		})
		<-time.After(time.Duration(i%20) * 100 * time.Microsecond) // each time at another moment
		killHolder(t, s)
		_ = client.Wait() // it may say that the holder is gone
		before := p.inmates()
		k := asked[killing](t, p, []int{0}, "kill-orphans", "--kill-after", "1s")
		if len(before) > 0 {
			started++
		}
		if record, err := p.state(t).LoadSession(s.ID); err != nil || record.Main.PID == 0 {
			cut++
		}
		if left := p.inmates(); len(left) > 0 {
			t.Errorf("round %d, --cgroup %s: %v live, %v: %+v", i, cgroup, left, k, s)
		}
		p.closed(t, s.ID, len(k.Killed) > 0)
		p.empty(t)
	}
	t.Logf("%d rounds: processes lived in %d, and in %d no record says which", rounds, started, cut)
}
