package escapetest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
)

// TestStressEscape tries each way out of sight twice: from a session that is then killed, and from one whose holder
// crashes. Beside it live strangers that look the same, which nobody may touch. It prints what became of each.
func TestStressEscape(t *testing.T) {
	yard := newYard(t)
	var mu sync.Mutex
	rows := map[string]fate{}
	t.Run("all", func(t *testing.T) {
		for i, e := range escapes {
			t.Run(e.name, func(t *testing.T) {
				if !e.fast && !runnertest.Stress() {
					t.Skip("one of each kind is enough: DEVTOOLS_STRESS=1 runs all")
				}
				e.skip(t)
				t.Parallel()
				p := newPrison(t, yard, fmt.Sprintf("p%d", i))
				row := fate{}
				defer func() {
					mu.Lock()
					defer mu.Unlock()
					rows[e.name] = row
				}()
				if e.before != nil {
					e.before(t, p)
				}
				p.stranger(t)
				p.tryAlive(t, e, &row)
				p.untouched(t)
				p.write(t, "ready", "")
				p.tryCrash(t, e, &row)
				p.untouched(t)
			})
		}
	})
	table := fmt.Sprintf("%-36s %-10s %-10s %-8s %-10s %-22s %s\n", "escape", "leftover", "in ps", "killed", "journalled", "after the crash", "killed")
	for _, e := range escapes {
		if row, ok := rows[e.name]; ok {
			table += fmt.Sprintf("%-36s %-10s %-10s %-8s %-10s %-22s %s\n", e.name, row.leftover, row.listed, row.killed, row.journalled, row.orphaned, row.ended)
		}
	}
	t.Log("\n" + table)
}

// A fate is what became of one escape, for the table.
type fate struct{ leftover, listed, killed, journalled, orphaned, ended string }

// A seen process is what the answers say of one.
type seen struct {
	PID       int     `json:"pid"`
	SessionID string  `json:"sessionId"`
	Status    string  `json:"status"`
	FoundBy   foundBy `json:"foundBy"`
	Children  []seen  `json:"children"`
}

// foundBy is by what a process was found, in one word or several.
type foundBy []string

func (f *foundBy) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*f = foundBy{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(f))
}

// A listing is what ps says.
type listing struct {
	Sessions []struct {
		Name      string `json:"name"`
		SessionID string `json:"sessionId"`
		Status    string `json:"status"`
		Processes []seen `json:"processes"`
	} `json:"sessions"`
	Active   []seen `json:"active"`
	Orphaned []seen `json:"orphaned"`
}

// A killing is what kill and kill-orphans say.
type killing struct {
	Killed   []int  `json:"killed"`
	Orphaned []seen `json:"orphaned"` // of a dry run
	Failed   []struct {
		PID    int    `json:"pid"`
		Reason string `json:"reason"`
		Hint   string `json:"hint"`
	} `json:"failures"`
}

func (k killing) String() string { return fmt.Sprintf("killed %v, failed %v", k.Killed, k.Failed) }

// processes returns those of a session, flat.
func (l listing) processes(name string) (flat []seen) {
	var walk func([]seen)
	walk = func(list []seen) {
		for _, p := range list {
			flat = append(flat, p)
			walk(p.Children)
		}
	}
	for _, s := range l.Sessions {
		if s.Name == name {
			walk(s.Processes)
		}
	}
	return flat
}

func pidsOf(list []seen) (all []int) {
	for _, p := range list {
		all = append(all, p.PID)
	}
	return all
}

// missing lists the inmates that live and are not in list.
func missing(inmates []inmate, list []int) (lost []inmate) {
	for _, i := range inmates {
		if !slices.Contains(list, i.id.PID) && i.id.Alive() {
			lost = append(lost, i)
		}
	}
	return lost
}

// verdict checks that the escapees are all in list, or none where nothing can know them.
func (e escape) verdict(t testing.TB, where string, escapees []inmate, list []int) string {
	t.Helper()
	lost := missing(escapees, list)
	switch {
	case e.outside && len(lost) == len(escapees):
		return "no: outside"
	case e.outside:
		t.Errorf("%s: %v are strangers, %v is listed", where, escapees, list)
		return "STRANGER"
	case e.moves:
		return "moves"
	case len(lost) > 0:
		t.Errorf("%s: %d of %d are missing: %.300s", where, len(lost), len(escapees), fmt.Sprint(lost))
		return fmt.Sprintf("%d/%d", len(escapees)-len(lost), len(escapees))
	}
	return "yes"
}

// tryAlive lets an escape happen in a session and ends that by kill.
func (p *prison) tryAlive(t *testing.T, e escape, row *fate) {
	count := max(e.count, 1)
	waits := fmt.Sprintf("while [ $(wc -l <{ready}) -lt %d ]; do sleep 0.01; done", count)
	args := append([]string{"run", "--name", "alive", "--grace", "0.3s", "--timeout", "60s", "--"}, p.command(t, e, waits)...)
	ran := asked[struct {
		Status    string `json:"status"`
		Leftovers []seen `json:"leftovers"`
	}](t, p, []int{0}, args...)
	var escapees []inmate
	await(t, "the escapees are seen", func() bool { // those that change all the time may be overlooked
		escapees = p.inmates()
		return len(escapees) >= count || !e.moves
	})
	if ran.Status != "completed" || len(escapees) < count {
		t.Fatalf("run: %s, %d escapees", ran.Status, len(escapees))
	}
	alive := e
	alive.outside = e.outside || e.handed // the tree of the holder does not have it
	row.leftover = alive.verdict(t, "leftovers", escapees, pidsOf(ran.Leftovers))
	if e.then != nil {
		e.then(t, p, escapees)
	}
	listed := asked[listing](t, p, []int{0}, "ps")
	row.listed = alive.verdict(t, "ps", escapees, pidsOf(listed.processes("alive")))
	for _, s := range listed.processes("alive") {
		if id, err := proc.Identify(s.PID); err == nil && !id.Alive() && stateOf(s.PID) == 'Z' && !e.moves {
			t.Errorf("ps: %d is a zombie and %s", s.PID, s.Status)
		}
	}
	if alive.outside {
		p.devtools("kill", "alive", "--signal", "KILL") // there may be nothing left of the session
		p.release(t, e)
		row.killed = "-"
		return
	}
	k := asked[killing](t, p, []int{0, 1}, "kill", "alive", "--grace", "0.2s")
	row.killed = p.result(t, e, k)
	p.release(t, e)
}

// result checks what killing has said against what lives.
func (p *prison) result(t testing.TB, e escape, k killing) string {
	t.Helper()
	left := p.inmates()
	switch {
	case e.stuck && len(k.Failed) > 0 && k.Failed[0].Reason == proc.Uninterruptible && len(left) > 0:
		return proc.Uninterruptible
	case len(left) > 0 || len(k.Failed) > 0:
		t.Errorf("%d live: %.300s; %.300s", len(left), fmt.Sprint(left), k.String())
		return fmt.Sprintf("%d LEFT", len(left))
	}
	return "all"
}

// release lets go what the test holds on to, and ends all inmates of the prison.
func (p *prison) release(t testing.TB, e escape) {
	t.Helper()
	if group := filepath.Join(mounted("cgroup", "freezer"), filepath.Base(filepath.Dir(p.dir))+filepath.Base(p.dir), "freezer.state"); e.stuck && exists(group) {
		if err := os.WriteFile(group, []byte("THAWED"), 0); err != nil {
			t.Error(err)
		}
	}
	p.empty(t)
}

// stateOf returns the state of a process that has no name with blanks, or 0.
func stateOf(pid int) byte {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if at := strings.LastIndexByte(string(stat), ')'); at >= 0 && at+2 < len(stat) {
		return stat[at+2]
	}
	return 0
}

// tryCrash lets an escape happen in a session whose holder is then killed, and ends what is left by kill-orphans.
func (p *prison) tryCrash(t *testing.T, e escape, row *fate) {
	args := append([]string{"launch", "--name", "crash", "--"}, p.command(t, e, "exec {bin}/main 86400")...)
	if a := p.devtools(args...); a.code != 0 {
		t.Fatalf("launch: %v", a)
	}
	await(t, "the escapees are ready", func() bool { return p.ready(max(e.count, 1)) })
	s := p.session(t, "crash")
	for _, mark := range []string{"NO_DEVTOOLS_SESSION=" + s.ID, "NO=DEVTOOLS_SESSION=" + s.ID, "DEVTOOLS_SESSION=" + s.ID + "0"} {
		p.stranger(t, mark)
	}
	escapees := p.inmates()
	if e.then != nil {
		e.then(t, p, escapees)
	}
	row.journalled = "-"
	if !e.outside && !e.handed && !e.moves {
		row.journalled = "yes"
		await(t, "the journal names them", func() bool { return p.journalled(s.ID, escapees) })
	}
	killHolder(t, s)
	await(t, "the kernel ends what the terminal had in front", func() bool {
		return !slices.ContainsFunc(p.inmates(), func(i inmate) bool { return i.name == "main" })
	})
	if e.dies {
		await(t, "the kernel ends the escapee too", func() bool { return len(p.inmates()) == 0 })
	}
	await(t, "the escapees are seen", func() bool {
		escapees = p.inmates()
		return len(escapees) > 0 || !e.moves
	})
	if len(escapees) == 0 && !e.dies {
		t.Fatal("nothing is left of the escape")
	}
	orphans := asked[listing](t, p, []int{0}, "ps", "--orphans").Orphaned
	row.orphaned = e.verdict(t, "ps --orphans", escapees, pidsOf(orphans))
	p.onlyOurs(t, e, escapees, pidsOf(orphans))
	if by := ways(orphans); by != "" && row.orphaned == "yes" {
		row.orphaned = by
	}
	k := asked[killing](t, p, []int{0, 1}, "kill-orphans", "--grace", "0.2s")
	if e.outside {
		if left := missing(escapees, nil); len(left) != len(escapees) {
			t.Errorf("strangers were hit: %v of %v live: %v", left, escapees, k)
		}
		row.ended = "none"
	} else {
		row.ended = p.result(t, e, k)
	}
	p.release(t, e)
	p.closed(t, s.ID, len(escapees) > 0 && !e.outside)
}

// onlyOurs checks that list has each process once, and nothing but escapees and what has ended since.
func (p *prison) onlyOurs(t testing.TB, e escape, escapees []inmate, list []int) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(list))
	if once := slices.Compact(slices.Clone(sorted)); len(once) != len(sorted) {
		t.Errorf("listed more than once: %v", sorted)
	}
	for _, pid := range list {
		// Programs with rights of their own, and what they have started, are none of the prison's.
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // empty if it has ended, or is just ending
		exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		known := strings.HasPrefix(exe, p.path("bin")) || slices.ContainsFunc(escapees, func(i inmate) bool { return i.id.PID == pid }) || strings.Contains(string(line), p.path("bin"))
		if !known && len(line) > 0 && !e.moves || slices.ContainsFunc(p.outside, func(cmd *exec.Cmd) bool { return cmd.Process.Pid == pid }) {
			t.Errorf("%d is listed and no escapee: %q", pid, line)
		}
	}
}

// ways says by what orphans were found.
func ways(orphans []seen) string {
	var all []string
	for _, o := range orphans {
		all = append(all, o.FoundBy...)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "+")
}

// closed checks that the ledger has no open entry of a session, and no more than one event of what was orphaned.
func (p *prison) closed(t testing.TB, id string, orphaned bool) {
	t.Helper()
	if left := asked[listing](t, p, []int{0}, "ps"); len(left.Orphaned) > 0 {
		t.Errorf("still listed: %v", left.Orphaned)
	}
	dir := p.state(t)
	active, err := dir.Active()
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(active.Sessions, func(s ledger.Session) bool { return s.ID == id }) {
		t.Error("the session is still in the active set")
	}
	type key struct {
		pid   int
		start uint64
	}
	open := map[key]string{}
	times := 0
	for e, err := range dir.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.SessionID != id {
			continue
		}
		switch e.Event {
		case ledger.EventStarted, ledger.EventSpawned:
			open[key{e.PID, e.Start}] = e.Name
		case ledger.EventCompleted, ledger.EventKilled:
			delete(open, key{e.PID, e.Start})
		case ledger.EventOrphaned:
			times++
		}
	}
	if len(open) > 0 {
		t.Errorf("%d events without an end: %.300s", len(open), fmt.Sprint(open))
	}
	if times > 1 || orphaned && times == 0 {
		t.Errorf("%d events %q, orphaned is %v", times, ledger.EventOrphaned, orphaned)
	}
}
