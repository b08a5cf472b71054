package escapetest

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
)

// The ways in which a session is cut short.
const (
	killedHolder   = "holder"
	killedClient   = "client"
	killedBoth     = "holder and client"
	killedAll      = "all but the escapees"
	killedByReboot = "reboot"
)

var ends = []string{killedHolder, killedClient, killedBoth, killedAll, killedByReboot}

// A tally is what became of the rounds that ended in one way.
type tally struct {
	rounds    int
	escapees  int // living when something was killed
	survivors int // lived after kill-orphans though there was something to know them by
	unknown   int // lived, and nothing leads to them
	strangers int // were hit
}

// TestStressChaos cuts sessions short whose processes escape, each at a moment of chance and in a way of chance, and
// compares what ps and kill-orphans do with what lives.
func TestStressChaos(t *testing.T) {
	rounds := runnertest.Rounds(10, 500)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	yard := newYard(t)
	usable := slices.DeleteFunc(slices.Clone(escapes), func(e escape) bool {
		return !e.tryable() || e.moves || e.outside || e.handed || e.then != nil || e.count > 2
	})
	watched := newPrison(t, yard, "bystanders")
	for range 3 {
		watched.stranger(t)
	}
	var mu sync.Mutex
	tallies := map[string]tally{}
	t.Run("all", func(t *testing.T) {
		for lane := range 2 {
			t.Run(fmt.Sprint(lane), func(t *testing.T) {
				t.Parallel()
				chance := rand.New(rand.NewPCG(seed, uint64(lane)))
				for i := lane; i < rounds; i += 2 {
					if end, ok := t.Deadline(); ok && time.Until(end) < 2*time.Minute {
						t.Errorf("no time for more than %d of %d rounds", i, rounds)
						break
					}
					end := ends[(i/2+lane)%len(ends)]
					t.Run(fmt.Sprintf("%d %s", i, end), func(t *testing.T) {
						p := newPrison(t, yard, fmt.Sprintf("c%d", i))
						c := chaos{p, end, chance, tally{rounds: 1}}
						c.round(t, usable)
						mu.Lock()
						defer mu.Unlock()
						sum := tallies[end]
						sum.rounds, sum.escapees = sum.rounds+1, sum.escapees+c.escapees
						sum.survivors, sum.unknown, sum.strangers = sum.survivors+c.survivors, sum.unknown+c.unknown, sum.strangers+c.strangers
						tallies[end] = sum
					})
				}
			})
		}
	})
	watched.untouched(t)
	table := fmt.Sprintf("%-22s %7s %9s %10s %8s %10s\n", "killed", "rounds", "escapees", "survivors", "unknown", "strangers")
	for _, end := range slices.Sorted(maps.Keys(tallies)) {
		s := tallies[end]
		table += fmt.Sprintf("%-22s %7d %9d %10d %8d %10d\n", end, s.rounds, s.escapees, s.survivors, s.unknown, s.strangers)
	}
	t.Logf("unknown are those that have cleared their environment and closed their terminal before a look at the tree, without a group of their own\n%s", table)
}

// tryable reports whether an escape can be tried here.
func (e escape) tryable() bool {
	missing := func(program string) bool {
		_, err := exec.LookPath(program)
		return err != nil
	}
	return !(e.root && os.Getuid() != 0) && !slices.ContainsFunc(append(e.needs, "perl", "setsid"), missing) && (e.can == nil || e.can() == "")
}

// A chaos is one round.
type chaos struct {
	*prison
	end    string
	chance *rand.Rand
	tally
}

func (c *chaos) round(t *testing.T, usable []escape) {
	stranger := c.stranger(t)
	var script []string
	for range 1 + c.chance.IntN(3) {
		e := usable[c.chance.IntN(len(usable))]
		line := e.line
		if e.perl != "" {
			name := fmt.Sprintf("escape%d.pl", len(script))
			c.write(t, name, c.expand(preface+e.perl))
			line = "{bin}/perl {dir}/" + name
		}
		script = append(script, fmt.Sprintf("# %s\n%s", e.name, line))
	}
	begin := "launch"
	if c.chance.IntN(2) == 0 || c.end == killedClient || c.end == killedBoth {
		begin = "run"
	}
	cgroup := []string{"auto", "never"}[c.chance.IntN(2)]
	script = append(script, "exec {bin}/main 86400")
	text := c.expand(strings.Join(script, "\n"))
	client := exec.Command(c.program, begin, "--name", "chaos", "--cgroup", cgroup, "--", c.path("bin", "bash"), "-c", text)
	client.Env, client.Dir = c.env, c.dir
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = client.Process.Kill() // it may have been killed
		_ = client.Wait()         // as expected
		if t.Failed() {
			t.Logf("%s, --cgroup %s:\n%s", begin, cgroup, text)
		}
	}()
	var s ledger.Session
	await(t, "the session is recorded", func() bool {
		dir, err := ledger.Open(c.folder)
		if err == nil {
			s, err = dir.Session("chaos")
		}
		return err == nil && s.Main.PID != 0
	})
	<-time.After(time.Duration(c.chance.IntN(250)) * time.Millisecond) // the moment of chance
	c.cut(t, s, client)
	if c.end == killedClient {
		c.living(t, s)
	} else {
		c.crashed(t, s)
	}
	if id, err := proc.Identify(stranger.Process.Pid); err != nil || !id.Alive() {
		c.strangers++
		t.Error("a stranger was hit")
	}
	c.empty(t)
}

// cut kills what the round kills.
func (c *chaos) cut(t *testing.T, s ledger.Session, client *exec.Cmd) {
	t.Helper()
	if c.end == killedClient || c.end == killedBoth || c.end == killedAll {
		_ = client.Process.Kill() // launch may have ended
		_ = client.Wait()         // killed, as expected
	}
	if c.end == killedClient {
		return
	}
	killHolder(t, s)
	if c.end == killedAll {
		for _, i := range c.inmates() {
			if i.name == "main" || i.name == "bash" || i.name == "sh" {
				_ = i.id.Signal(syscall.SIGKILL) // it may have ended
			}
		}
	}
	if c.end == killedByReboot {
		c.reboot(t)
	}
}

// reboot makes the files be of another run of the kernel.
func (c *chaos) reboot(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(c.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(data, []byte(proc.Boot()), []byte("00000000-0000-4000-8000-000000000000")), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// living checks a session that has lost its client alone: all of it is still its own.
func (c *chaos) living(t *testing.T, s ledger.Session) {
	t.Helper()
	c.escapees = len(c.inmates())
	var l listing
	await(t, "ps lists what lives", func() bool {
		l = asked[listing](t, c.prison, []int{0}, "ps")
		return len(missing(c.inmates(), pidsOf(l.processes("chaos")))) == 0 || c.moving()
	})
	if k := asked[killing](t, c.prison, []int{0}, "kill-orphans"); len(k.Killed)+len(k.Failed) > 0 || len(l.Orphaned) > 0 {
		t.Errorf("its holder lives, and there were orphans: %v, %v", l.Orphaned, k)
	}
	asked[killing](t, c.prison, []int{0}, "kill", "chaos", "--kill-after", "0.2s")
	c.count(t, s)
}

// moving reports whether the escapees are others all the time.
func (c *chaos) moving() bool {
	scripts, _ := filepath.Glob(c.path("escape*.pl"))
	return slices.ContainsFunc(scripts, func(path string) bool {
		data, _ := os.ReadFile(path)
		return bytes.Contains(data, []byte("while (1) { fork"))
	})
}

// crashed checks a session whose holder is gone.
func (c *chaos) crashed(t *testing.T, s ledger.Session) {
	t.Helper()
	before := c.inmates()
	c.escapees = len(before)
	if c.end == killedByReboot {
		l := asked[listing](t, c.prison, []int{0}, "ps")
		k := asked[killing](t, c.prison, []int{0}, "kill-orphans", "--kill-after", "0.2s")
		if len(l.Orphaned)+len(l.Active)+len(k.Killed)+len(k.Failed) > 0 {
			t.Errorf("it was of another boot: %v, %v, %v", l.Orphaned, l.Active, k)
		}
		return
	}
	listed := pidsOf(asked[listing](t, c.prison, []int{0}, "ps").Orphaned)
	c.onlyOurs(t, escape{}, before, listed)
	await(t, "ps lists what lives", func() bool {
		l := asked[listing](t, c.prison, []int{0}, "ps", "--orphans")
		lost := missing(c.inmates(), pidsOf(l.Orphaned))
		return c.moving() || !slices.ContainsFunc(lost, func(i inmate) bool { return c.known(s, i) })
	})
	asked[killing](t, c.prison, []int{0, 1}, "kill-orphans", "--kill-after", "0.2s")
	c.count(t, s)
}

// count counts what lives that should not.
func (c *chaos) count(t *testing.T, s ledger.Session) {
	t.Helper()
	for _, i := range c.inmates() {
		if c.known(s, i) {
			c.survivors++
			environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", i.id.PID))
			cgroup, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", i.id.PID))
			t.Errorf("%v survived: %q, %q, journalled %v", i, environ, cgroup, c.journalled(s.ID, []inmate{i}))
		} else {
			c.unknown++
		}
	}
}

// known reports whether something leads from a session to a process.
func (c *chaos) known(s ledger.Session, i inmate) bool {
	for _, file := range []string{"environ", "cgroup"} {
		if data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", i.id.PID, file)); bytes.Contains(data, []byte(s.ID)) {
			return true
		}
	}
	return i.id.Alive() && c.journalled(s.ID, []inmate{i})
}
