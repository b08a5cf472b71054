//go:build unix

package proc

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/runner/runnertest/leftover"
)

// roles are what a copy of the test binary does instead of testing, by the value
// of PROC_TEST_ROLE.
var roles = map[string]func() error{}

func TestMain(m *testing.M) {
	if role, ok := roles[os.Getenv("PROC_TEST_ROLE")]; ok {
		if err := role(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Orphans of the tests come to us, so that we can find and reap them.
	if err := Subreaper(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		panic(err)
	}
	os.Exit(leftover.Checked(m).Run())
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
	c := &child{cmd, t, stdin, bufio.NewReader(r)}
	t.Cleanup(func() {
		Kill(context.Background(), descendants, syscall.SIGKILL, 0)
		_ = cmd.Process.Kill() // the platform may not find it as a descendant
		_ = cmd.Wait()         // killed is what we expect
		reap()
		r.Close()
	})
	return c
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

// expect waits for lines of exactly this text.
func (c *child) expect(text string, times int) {
	c.t.Helper()
	for range times {
		if got := c.line(); got != text {
			c.t.Fatalf("the child printed %q, want %q", got, text)
		}
	}
}

func (c *child) id() ID {
	c.t.Helper()
	id, err := Identify(c.Process.Pid)
	if err != nil {
		c.t.Fatal(err)
	}
	return id
}

// await waits until the process has exited, and leaves it a zombie.
func (c *child) await() {
	c.t.Helper()
	if err := Await(deadline(c.t), c.id()); err != nil {
		c.t.Fatal(err)
	}
}

func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func ids(tree []Info) []ID {
	var all []ID
	for _, p := range tree {
		all = append(all, p.ID)
	}
	return all
}

// descendants lists everything that the running test has started.
func descendants() []ID { return ids(Tree(os.Getpid())) }

// reap waits for the zombies that we adopted.
func reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if pid <= 0 && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}
