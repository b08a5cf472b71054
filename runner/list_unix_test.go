//go:build unix

package runner_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/blocked"
	"devtools/runner/list"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

func listed(t testing.TB, dir ledger.Dir) list.Listing {
	t.Helper()
	l, err := list.List(runnertest.WithPatience(t), dir, false, true)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// words returns the words that a shell makes of a line, with a blank between them.
func words(t testing.TB, line string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `eval "set -- $1"; printf %s "$*"`, "sh", line).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(out)
}

// The list of a tree of 100 processes agrees with ps(1), which does not quote the arguments.
func TestListIsTheTree(t *testing.T) {
	ps := runnertest.Need(t, "ps")
	path := runnertest.NewState(t)
	c := runnertest.StartReady(t, runnertest.Shell(t, path, `i=0; while [ $i -lt 33 ]; do sh -c 'sleep 1000 & sleep 1001 & wait' & i=$((i+1)); done; echo up; wait`))
	var parents, commands map[int]string
	for ctx := runnertest.WithPatience(t); ; { // until all have executed what they are to be
		out, err := exec.Command(ps, "-A", "-o", "pid=,ppid=,args=").Output()
		if err != nil {
			t.Fatal(err)
		}
		parents, commands = map[int]string{}, map[int]string{}
		all := map[int][]string{}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			pid, err := strconv.Atoi(fields[0])
			if err != nil {
				t.Fatal(err)
			}
			all[pid] = fields[1:]
		}
		for pid := range all {
			for at := pid; at != 0 && all[at] != nil; {
				parent, err := strconv.Atoi(all[at][0])
				if err != nil {
					t.Fatal(err)
				}
				if at = parent; at == c.Session.Holder.PID {
					parents[pid], commands[pid] = all[pid][0], strings.Join(all[pid][1:], " ")
				}
			}
		}
		sleeps := 0
		for _, line := range commands {
			if strings.HasPrefix(line, "sleep ") {
				sleeps++
			}
		}
		if len(parents) == 100 && sleeps == 66 {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("%d processes, %d of them sleep", len(parents), sleeps)
		}
	}
	l := listed(t, runnertest.OpenState(t, path))
	listed := map[int]string{}
	for _, p := range l.Active {
		listed[p.PID] = strconv.Itoa(p.ParentPID)
		if want := commands[p.PID]; words(t, p.CommandLine) != want {
			t.Errorf("process %d: command line %q, want %q", p.PID, p.CommandLine, want)
		}
		if p.Status != ledger.StatusRunning || p.State == "" || p.MemoryBytes == 0 || p.TerminalName != c.Session.Name {
			t.Errorf("%+v", p)
		}
	}
	if len(l.Active) != len(listed) || !maps.Equal(listed, parents) {
		t.Errorf("%d processes, %d of them different ones, want %d", len(l.Active), len(listed), len(parents))
	}
	s := l.Sessions[0]
	tree := list.Flatten(nil, s.Processes)
	if len(tree) != len(l.Active) || len(s.Processes) != 1 || s.Processes[0].PID != s.PID || s.ParentPID != s.Holder.PID || s.MemoryBytes < 100<<10 {
		t.Errorf("a tree of %d processes in %+v", len(tree), s)
	}
}

func TestListOfOutput(t *testing.T) {
	path := runnertest.NewState(t)
	c := runnertest.StartReady(t, runnertest.Shell(t, path, "echo up; read x; printf %01000d 0; read x"))
	dir := runnertest.OpenState(t, path)
	before := listed(t, dir)
	s := before.Sessions[0]
	if s.OutputBytes != 4 || s.OutputBytesPerSecond > 4 || s.AgeMs < s.IdleMs || s.Log == "" {
		t.Errorf("%d bytes, %v a second, age %d ms, idle %d ms, log %q", s.OutputBytes, s.OutputBytesPerSecond, s.AgeMs, s.IdleMs, s.Log)
	}
	if s.Waiting == nil || s.Waiting.Confidence != string(blocked.Certain) {
		t.Errorf("it waits, and %+v", s.InputState)
	}
	if _, err := c.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpInput, Data: []byte("\r")}); err != nil {
		t.Fatal(err)
	}
	for ctx := runnertest.WithPatience(t); ; {
		l := listed(t, dir)
		s := l.Sessions[0]
		if s.OutputBytes < 1000 && ctx.Err() == nil {
			continue
		}
		if recent := s.IdleMs < 4000; s.OutputBytesPerSecond > 2000 || recent && s.OutputBytesPerSecond < 100 {
			t.Errorf("%v bytes a second", s.OutputBytesPerSecond)
		}
		l.At = before.At.Add(10 * time.Second)
		l.Since(before)
		if got, want := l.Sessions[0].OutputBytesPerSecond, float64(s.OutputBytes-4)/10; got != want {
			t.Errorf("%v bytes a second since the look before, want %v", got, want)
		}
		return
	}
}

// A process that loops shows a whole processor since the previous list, whatever its average is.
func TestListSince(t *testing.T) {
	l, before := list.NewListing(), list.NewListing()
	l.At = before.At.Add(2 * time.Second)
	started := ledger.Time{Time: before.At.Add(-time.Hour)}
	was := []list.Process{{PID: 1, SessionID: "s", StartedAt: started, CPUMs: 1000}, {PID: 2, SessionID: "s", StartedAt: started, CPUMs: 500}}
	is := []list.Process{
		{PID: 1, SessionID: "s", StartedAt: ledger.Time{Time: started.Add(3 * time.Millisecond)}, CPUMs: 3000, CPUPercent: 1},
		{PID: 2, SessionID: "s", StartedAt: ledger.Time{Time: before.At.Add(time.Second)}, CPUMs: 600, CPUPercent: 60}, // another one
		{PID: 3, SessionID: "s", CPUMs: 100, CPUPercent: 7, ParentPID: 1},
	}
	before.Active, l.Active = was, is
	before.Sessions = []list.Listed{{Session: ledger.Session{ID: "s", OutputBytes: 100}}}
	l.Sessions = []list.Listed{{Session: ledger.Session{ID: "s", OutputBytes: 1100}, Processes: list.Nest(slices.Clone(is))}}
	l.Since(before)
	for i, want := range []float64{100, 60, 7} {
		if got := l.Active[i].CPUPercent; got != want {
			t.Errorf("process %d uses %v %%, want %v", i+1, got, want)
		}
	}
	if s := l.Sessions[0]; s.CPUPercent != 167 || s.OutputBytesPerSecond != 500 {
		t.Errorf("the session uses %v %%, and prints %v bytes a second", s.CPUPercent, s.OutputBytesPerSecond)
	}
}

// A session started from within another session, or from another folder's, has its own processes.
func TestListCutsSessionsWithin(t *testing.T) {
	path, elsewhere := runnertest.NewState(t), runnertest.NewState(t)
	for _, folder := range []string{path, elsewhere} {
		within := runnertest.Shell(t, folder, "echo up; sleep 1001")
		within.Name = "within"
		encoded, err := json.Marshal(within)
		if err != nil {
			t.Fatal(err)
		}
		outer := runnertest.Shell(t, path, `"$PROGRAM" starter & echo up; wait`)
		outer.Env = append(outer.Env, "PROGRAM="+os.Args[0], starter+"="+string(encoded))
		o := runnertest.StartReady(t, outer)
		inner, err := ledger.Session{}, error(nil)
		for ctx := runnertest.WithPatience(t); ; {
			if dir, openErr := ledger.Open(folder); openErr == nil {
				if inner, err = dir.Session("within"); err == nil && inner.Main.PID != 0 {
					break
				}
			}
			if ctx.Err() != nil {
				t.Fatalf("no session within: %v", err)
			}
		}
		l := listed(t, runnertest.OpenState(t, path))
		met := map[int]bool{}
		for _, p := range l.Active {
			if met[p.PID] {
				t.Errorf("process %d is listed twice", p.PID)
			}
			met[p.PID] = true
			if p.SessionID == o.Session.ID && (p.PID == inner.Holder.PID || p.PID == inner.Main.PID) {
				t.Errorf("%s lists what the session within has: %+v", o.Session.Name, p)
			}
		}
		if here := folder == path; met[inner.Main.PID] != here || !met[o.Session.Main.PID] {
			t.Errorf("the session within is listed: %v, want %v", !here, here)
		}
	}
}
