package track_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"devtools/runner/track"
)

// A process is in a session with the variable of one, and below a process that has it.
func TestWithin(t *testing.T) {
	here := track.Within(os.Getpid())
	for _, c := range []struct {
		name   string
		script string // its process prints a line, and so does a child
		want   bool
	}{
		{"outside", "unset DEVTOOLS_SESSION; sh -c 'echo $$; read x'; :", here},
		{"inside", "export DEVTOOLS_SESSION=1234; exec sh -c 'echo $$; read x'", true},
		{"below", "export DEVTOOLS_SESSION=1234; exec sh -c 'env -u DEVTOOLS_SESSION sh -c \"echo \\$\\$; read x\"; :'", true},
	} {
		cmd := exec.Command("sh", "-c", c.script)
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
		pid := 0
		if _, err := fmt.Fscan(out, &pid); err != nil {
			t.Fatal(err)
		}
		if got := track.Within(pid); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		in.Close()
		_ = cmd.Wait()
	}
}
