package pty_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"devtools/ledger/transcript"
	"devtools/runner/pty"
	"devtools/runner/runnertest"
)

// A process that leaves the program's session and loses its parent stays in the tree. Its end is told with what it was, and
// only then the tree has ended.
func TestTreeKeepsOrphans(t *testing.T) {
	runnertest.Need(t, "setsid")
	if !asHolder(t) {
		return
	}
	p := startShell(t, "(setsid sleep 1000 >/dev/null 2>&1 </dev/null &); setsid sleep 1001 & exit 3")
	if c := p.change(t, "ended", ended); c.ExitCode() != 3 {
		t.Errorf("code %d", c.ExitCode())
	}
	living := pty.Tree()
	if len(living) != 2 {
		t.Fatalf("the tree is %+v", living)
	}
	for _, info := range living {
		if info.Parent != os.Getpid() {
			t.Errorf("%s (%d) is a child of %d, want the holder", info.Name, info.PID, info.Parent)
		}
		if err := info.ID.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
	told := map[int]pty.Change{}
	for batch, ok := p.pending, true; ok; batch, ok = <-p.Changes {
		for _, c := range batch {
			told[c.PID] = c
		}
	}
	for _, info := range living {
		if c, ok := told[info.PID]; !ok || c.Signal() != "SIGTERM" || c.Info.ID != info.ID {
			t.Errorf("the end of %d is told as %+v, %v", info.PID, c, ok)
		}
	}
	p.endTree(t)
}

// A command gets no descriptor but the standard ones, whatever the starter has left open where it could not close all.
func TestDescriptors(t *testing.T) {
	const variable = "PTY_TEST_DESCRIPTORS"
	if os.Getenv(variable) == "" {
		pipe, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer pipe.Close()
		defer w.Close()
		cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestDescriptors$")
		cmd.Env, cmd.ExtraFiles = append(os.Environ(), variable+"=1", "PTY_TEST_HOLDER=TestDescriptors"), []*os.File{pipe, w}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if !asHolder(t) {
		return
	}
	if err := pty.CloseInherited(); err != nil {
		t.Fatal(err)
	}
	p := startShell(t, "for n in $(seq 0 20); do test ! -e /proc/$$/fd/$n || printf %s, $n; done")
	if p.end(t); p.text(transcript.Output) != "0,1,2," {
		t.Errorf("the command has %q", p.text(transcript.Output))
	}
}
