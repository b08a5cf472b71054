package runner_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
)

// Killing this process and all its descendants does not end a session.
func TestHolderDescendsNotFromStarter(t *testing.T) {
	c := runnertest.Begin(t, runnertest.SpecFor(t, runnertest.NewState(t), "sleep", "1000"))
	for _, info := range proc.Tree(os.Getpid()) {
		if info.ID.PID == c.Session.Holder.PID || info.ID.PID == c.Session.Main.PID {
			t.Errorf("process %d (%s) is ours", info.ID.PID, info.Name)
		}
	}
	holder, err := proc.Read(c.Session.Holder.PID)
	if err != nil || holder.Session != holder.ID.PID {
		t.Errorf("the holder is in session %d of the kernel, %v", holder.Session, err)
	}
}

// On a disk of 1 MiB a command that prints 7 MB runs to its end. Its reader gets every byte, and the ledger says how
// much was not kept.
func TestRunFullDisk(t *testing.T) {
	runnertest.Need(t, "seq")
	mount := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(mount, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system here: %s", bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", mount).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	dir := filepath.Join(mount, ledger.FolderName)
	t.Cleanup(func() { runnertest.EndAll(t, dir) })
	out, result := runnertest.RunFor(t, runnertest.SpecFor(t, dir, "seq", "1", "1000000"))
	if got, want := out.Text(transcript.Output), lines(1000000); got != string(want) || result.Missing != 0 || runnertest.Code(result.Session) != "0" {
		t.Errorf("%d bytes of %d, missing %d, code %s", len(got), len(want), result.Missing, runnertest.Code(result.Session))
	}
	if result.Session.LostBytes == 0 {
		t.Error("nothing is said to be lost")
	}
	state, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := runnertest.WaitEnd(t, state, result.Session.ID); err != nil || runnertest.Code(s) != "0" {
		t.Errorf("code %s, %v", runnertest.Code(s), err)
	}
	if err := os.RemoveAll(state.SessionFolder(result.Session.ID)); err != nil {
		t.Fatal(err)
	}
	if out, _ := runnertest.RunFor(t, runnertest.Shell(t, dir, "echo again")); out.Text(transcript.Output) != "again\r\n" {
		t.Errorf("the next one printed %q", out.Text(transcript.Output))
	}
}
