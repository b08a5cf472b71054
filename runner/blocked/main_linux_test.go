package blocked

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/runner/proc"
	"devtools/runner/runnertest/leftover"
)

// roles are what a copy of the test binary does instead of testing, by the value of BLOCKED_TEST_ROLE.
var roles = map[string]func() error{}

func TestMain(m *testing.M) {
	if role, ok := roles[os.Getenv("BLOCKED_TEST_ROLE")]; ok {
		if err := role(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Orphans of the tests come to us, so that we can find and reap them.
	if err := proc.Subreaper(); err != nil {
		panic(err)
	}
	os.Exit(leftover.Checked(m).Run())
}

// play returns a command that runs a role. The path is a link that a process may follow under any user.
func play(role string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	// Under the race detector a program sleeps for a second before it exits.
	cmd.Env = append(os.Environ(), "BLOCKED_TEST_ROLE="+role, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
}

// child is a process that a test started.
type child struct {
	*exec.Cmd
	t     testing.TB
	stdin io.WriteCloser
	lines *bufio.Reader
}

// start starts cmd, which ends at the end of the test with everything it started.
func start(t testing.TB, cmd *exec.Cmd) *child {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// Not cmd.StdoutPipe: Wait would close it under a reader.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		proc.Kill(context.Background(), func() []proc.ID { return proc.IDs(proc.Tree(os.Getpid())) }, syscall.SIGKILL, 0)
		_ = cmd.Wait() // killed is what we expect
		for {          // the orphans are ours
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 && err != syscall.EINTR {
				break
			}
		}
		r.Close()
	})
	return &child{cmd, t, stdin, bufio.NewReader(r)}
}

// shell starts a script.
func shell(t testing.TB, script string) *child {
	t.Helper()
	return start(t, exec.Command("sh", "-c", script))
}

// line waits for the next line that the process prints.
func (c *child) line() string {
	c.t.Helper()
	got := make(chan string, 1)
	go func() {
		text, _ := c.lines.ReadString('\n')
		got <- strings.TrimSuffix(text, "\n")
	}()
	select {
	case text := <-got:
		return text
	case <-time.After(20 * time.Second):
		c.t.Fatal("the child printed nothing for 20 s")
		return ""
	}
}

// expect waits for a line of exactly this text.
func (c *child) expect(text string) {
	c.t.Helper()
	if got := c.line(); got != text {
		c.t.Fatalf("the child printed %q, want %q", got, text)
	}
}

// answer gives the process an empty line.
func (c *child) answer() {
	c.t.Helper()
	if _, err := c.stdin.Write([]byte("\n")); err != nil {
		c.t.Fatal(err)
	}
}

// need skips the test where a program is missing, and fails it in CI.
func need(t testing.TB, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip(err)
}
