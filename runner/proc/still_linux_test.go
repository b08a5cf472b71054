package proc

import (
	"bufio"
	"io"
	"os/exec"
	"testing"
)

// The stillness of a program changes when it runs, and not before.
func TestStillness(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), cmd.Wait() }()
	lines := bufio.NewReader(out)
	still := func() uint64 {
		if _, err := io.WriteString(in, "a\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		for {
			info, err := Glimpse(cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			if sum, ok := Stillness([]Info{info}); ok {
				if again, ok := Stillness([]Info{info}); ok && again == sum { // it has come to its read
					return sum
				}
			}
		}
	}
	if one, two := still(), still(); one == two {
		t.Errorf("%x after it ran", one)
	}
	info, err := Glimpse(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if sum, ok := Stillness(nil); !ok || sum == 0 {
		t.Errorf("of nothing: %x, %v", sum, ok)
	}
	info.Start = 0
	if _, ok := Stillness([]Info{info}); ok {
		t.Error("of a hidden process")
	}
}
