package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestOldBuild(t *testing.T) {
	program, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, data, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "1000")
	cmd.Args[0] = "sleep"
	c := start(t, cmd)
	if OldBuild(c.Process.Pid) {
		t.Error("a program that is there is said to be gone")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if !OldBuild(c.Process.Pid) {
		t.Error("a program that is gone is said to be there")
	}
}
