//go:build unix

package track_test

import (
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
)

func TestMain(m *testing.M) { runnertest.PlayRole(m, nil) }

// sleeper starts a process that waits, and ends it with the test.
func sleeper(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", append(args, "1000")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be gone
		_ = cmd.Wait()         // it was killed
	})
	return cmd
}

// The ledger keeps all of an identity: the process is found again while it lives, and nobody else later.
func TestIdentityInLedger(t *testing.T) {
	cmd := sleeper(t)
	id, err := proc.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	kept := track.Process(id)
	if back := track.Identity(kept); back != id || !back.Alive() {
		t.Errorf("%+v became %+v", id, back)
	}
	older := kept
	older.Start--
	if track.Identity(older).Alive() {
		t.Error("a process with the same pid, and another start, counts as alive")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	if track.Identity(kept).Alive() {
		t.Error("it is alive after its end")
	}
}

// An entry without a boot id is not one of ours, and names no process, not even this one.
func TestIdentityWithoutBoot(t *testing.T) {
	if proc.Boot() == "" {
		t.Skip("the system does not tell its boots apart")
	}
	self := track.Self()
	if self.PID != os.Getpid() || !track.Identity(self).Alive() {
		t.Fatalf("this process is %+v", self)
	}
	self.Boot = ""
	if id := track.Identity(self); id != (proc.ID{}) {
		t.Errorf("without a boot it is %+v", id)
	}
}

// The mark of a session is removed from an environment, and nothing else.
func TestUnmarked(t *testing.T) {
	env := []string{"A=1", track.Variable + "=old", "X" + track.Variable + "=2", track.Variable + "S=3", track.Variable + "=", "B=" + track.Variable + "=4"}
	want := []string{"A=1", "X" + track.Variable + "=2", track.Variable + "S=3", "B=" + track.Variable + "=4"}
	if got := track.Unmarked(env); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// An event names the process by all of its identity. The end of a process tells of an exit apart from a signal.
func TestEvents(t *testing.T) {
	code := 3
	s := ledger.Session{
		ID: "0123456789", Name: "web", Command: []string{"/bin/npm", "run", "dev"}, Cwd: "/w", ExitCode: &code,
		Main: ledger.Process{PID: 5, Start: 6, Boot: "b", Inode: 7},
	}
	e := track.EndEvent(s)
	if e.Event != ledger.EventCompleted || e.PID != 5 || e.Start != 6 || e.Boot != "b" || e.Inode != 7 || e.SessionID != s.ID ||
		e.Terminal != "web" || e.Name != "npm" || e.Cmd != "/bin/npm run dev" || e.Cwd != "/w" || e.ExitCode == nil || *e.ExitCode != 3 || e.TS.IsZero() {
		t.Errorf("%+v", e)
	}
	s.Signal = "SIGTERM"
	if e := track.EndEvent(s); e.Event != ledger.EventKilled || e.Signal != "SIGTERM" {
		t.Errorf("ended by a signal: %+v", e)
	}
	child := ledger.Process{PID: 8, Start: 9, Boot: "b", Inode: 10, ParentPID: 5, Name: "node", CommandLine: "node x"}
	e = track.ProcessEvent(ledger.EventSpawned, s, child)
	e.TS = ledger.Time{}
	want := ledger.Event{
		Event: ledger.EventSpawned, PID: 8, ParentPID: 5, Name: "node", Cmd: "node x", Terminal: "web", SessionID: s.ID, Start: 9, Inode: 10, Boot: "b",
	}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("%+v, want %+v", e, want)
	}
}

// The ledger keeps what a process is and a part of the longest command line, as text.
func TestDescribe(t *testing.T) {
	long := strings.Repeat("0", 5000)
	cmd := sleeper(t, long) // sleep takes several times
	info, err := proc.Read(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	p := track.Describe(info, proc.CommandLine(info.PID))
	if p.PID != cmd.Process.Pid || p.ParentPID != os.Getpid() || track.Identity(p) != info.ID || p.Marked {
		t.Errorf("%+v", p)
	}
	if !strings.HasPrefix(p.CommandLine, "sleep 000") || len(p.CommandLine) != 4096 {
		t.Errorf("%d bytes of the command line: %.20q", len(p.CommandLine), p.CommandLine)
	}
}
