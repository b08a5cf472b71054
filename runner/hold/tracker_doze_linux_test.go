package hold_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/runnertest"
)

// awaitDoze waits until the tracker of the holder walks the tree no more: a thread of the holder is in ppoll(2) with a
// time limit.
func awaitDoze(t *testing.T, holder int) {
	t.Helper()
	for ctx := runnertest.WithPatience(t); ctx.Err() == nil; {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", holder))
		if err != nil || len(tasks) == 0 {
			t.Fatalf("the holder has no threads: %v", err)
		}
		for _, path := range tasks {
			data, err := os.ReadFile(path)
			if err != nil {
				continue // the thread has ended
			}
			f := strings.Fields(string(data)) // number, descriptors, how many, time limit
			if len(f) > 3 && f[0] == fmt.Sprint(unix.SYS_PPOLL) && f[3] != "0x0" {
				return
			}
		}
		time.Sleep(10 * time.Millisecond) // the kernel does not report it
	}
	t.Fatal("the tracker does not doze")
}

// A program that has done nothing for long, and prints nothing, starts and ends processes. The journal has them two seconds
// later, as if the tree had been walked all the time. The trigger is a FIFO, because the tracker notices input and output.
func TestDozingTrackerMissesNothing(t *testing.T) {
	const child = "sleep 1000"
	type session struct {
		name    string
		trigger *os.File
		client  *runner.Client
		dir     ledger.Dir
		ends    bool
		outside bool
	}
	var sessions []session
	for name, test := range map[string]struct {
		script   string // may read the FIFO $1 again
		noCgroup bool
		outside  bool // the child leaves the cgroup
		ends     bool // the child ends, too
	}{
		"child":            {script: child + " & read x <$1"},
		"without a cgroup": {script: child + " & read x <$1", noCgroup: true},
		"escaped":          {script: "(env -i setsid " + child + " &); read x <$1"},
		"no waiting":       {script: "trap '' CHLD; (" + child + " &); read x <$1"},
		"another program":  {script: `exec sh -c "` + child + ` & read x <$1"`},
		"moved out":        {script: `(echo 0 >"$x/cgroup.procs" && exec ` + child + `) & wait`, outside: true},
		"ends":             {script: child + " & read x <$1; kill $!; read x <$1", ends: true},
	} {
		state := runnertest.NewState(t)
		path := filepath.Join(t.TempDir(), "trigger")
		if err := unix.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		trigger, err := os.OpenFile(path, os.O_RDWR, 0) // so that neither end waits for the other
		if err != nil {
			t.Fatal(err)
		}
		defer trigger.Close()
		spec := runnertest.SpecFor(t, state, "sh", "-c", "read x <$1; "+test.script, "sh", path)
		spec.NoCgroup = test.noCgroup
		c := runnertest.Begin(t, spec)
		if test.outside && c.Session.Cgroup == "" {
			continue // no cgroups of our own here
		}
		sessions = append(sessions, session{name, trigger, c, runnertest.OpenState(t, state), test.ends, test.outside})
	}
	for _, s := range sessions { // all come to rest at the same time
		awaitDoze(t, s.client.Session.Holder.PID)
		pull(t, s.trigger, filepath.Dir(s.client.Session.Cgroup))
	}
	for _, s := range sessions {
		begun := awaitChild(t, s.name, s.dir, s.client.Session.ID, child, true)
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", begun.PID))
		if s.outside && (err != nil || strings.Contains(string(data), s.client.Session.ID)) {
			t.Errorf("%s: it did not leave the cgroup: %s, %v", s.name, data, err)
		}
	}
	for _, s := range sessions {
		if s.ends {
			awaitDoze(t, s.client.Session.Holder.PID)
			pull(t, s.trigger, "")
			awaitChild(t, s.name, s.dir, s.client.Session.ID, child, false)
		}
	}
}

// pull makes the program go on that reads a line of the FIFO.
func pull(t *testing.T, trigger *os.File, line string) {
	t.Helper()
	if _, err := trigger.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
}

// awaitChild waits until the journal has a living process with this command line, or has none, and returns it.
func awaitChild(t *testing.T, name string, dir ledger.Dir, id, line string, want bool) ledger.Process {
	t.Helper()
	begin := time.Now()
	for ctx := runnertest.WithPatience(t); ctx.Err() == nil; {
		list, err := dir.Journal(id)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(p ledger.Process) bool { return p.CommandLine == line })
		if (i >= 0) != want {
			time.Sleep(10 * time.Millisecond) // nobody reports that the journal has grown
			continue
		}
		t.Logf("%s: %.2f s later", name, time.Since(begin).Seconds())
		if i < 0 {
			return ledger.Process{}
		}
		return list[i]
	}
	t.Fatalf("%s: the journal does not say so: %q, %v", name, line, want)
	return ledger.Process{}
}
