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

// The image of a program is another one after each exec, also of the same program.
func TestImage(t *testing.T) {
	if order, err := os.ReadFile("/proc/sys/kernel/randomize_va_space"); err != nil || string(order) == "0\n" {
		t.Skip("the kernel places all programs alike")
	}
	c := start(t, exec.Command("sh", "-c", `echo up; read x; exec sh -c "$0" "$0"`, `echo up; read x; exec sh -c "$0" "$0"`))
	var before string
	for range 3 {
		c.expect("up", 1)
		got := Image(c.Process.Pid)
		if got == "" || got == before || got != Image(c.Process.Pid) {
			t.Errorf("image %q, before %q", got, before)
		}
		before = got
		if _, err := c.stdin.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
	}
}
