//go:build unix

package runner_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// runAsListener is the program of a session. It reads a port and listens on it until the next line, again and again.
func runAsListener() error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		l, err := net.Listen("tcp", "127.0.0.1:"+lines.Text())
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("listening")
		lines.Scan()
		if err := l.Close(); err != nil {
			return err
		}
	}
	return lines.Err()
}

func TestWaitPort(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proc.Listeners(0); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not tell who listens")
	}
	ours, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ours.Addr().String())
	c := runnertest.Begin(t, runnertest.SpecFor(t, runnertest.NewState(t), self, "listener"))
	waited := runnertest.Until(t, c, runner.Wait{Timeout: 2 * time.Second}, "port:"+port)
	us, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("port %s is taken by %s (pid %d), which this session did not start", port, us.Name, os.Getpid())
	if !waited.TimedOut || len(waited.Notes) != 1 || waited.Notes[0] != want {
		t.Fatalf("a stranger's port: %+v, want the note %q", waited, want)
	}
	runnertest.Met(t, c, "open:"+port)
	runnertest.Met(t, c, "open:"+port+","+port)
	if waited := runnertest.Until(t, c, runner.Wait{Timeout: 100 * time.Millisecond}, "open:"+port+",1"); !waited.TimedOut || len(waited.Notes) != 1 || waited.Notes[0] != "nobody listens on port 1" {
		t.Fatalf("one of two ports is open: %+v", waited)
	}
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
	runnertest.TypeInto(t, c, port, "Enter")
	runnertest.Met(t, c, "port:"+port)
	runnertest.TypeInto(t, c, "Enter") // it closes the port
	if waited := runnertest.Until(t, c, runner.Wait{Timeout: 50 * time.Millisecond}, "port:"+port); !waited.TimedOut {
		t.Fatalf("a closed port: %+v", waited)
	}
}

// TestWaitAnyPort runs a program that first listens on an ephemeral port, which does not count, and then on a chosen
// one.
func TestWaitAnyPort(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proc.Listeners(0); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not tell who listens")
	}
	low, high := proc.EphemeralPorts()
	if low < 2048 || high < low {
		t.Skipf("the system gives ports from %d to %d: there is no room below", low, high)
	}
	port := func(from, step int) string {
		for n := from; n > 1024 && n < 65536; n += step {
			if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(n)); err == nil {
				_ = l.Close()
				return strconv.Itoa(n)
			}
		}
		t.Fatal("no port is free")
		return ""
	}
	c := runnertest.Begin(t, runnertest.SpecFor(t, runnertest.NewState(t), self, "listener"))
	chance, chosen := port(low+100, 1), port(low-1, -1)
	runnertest.TypeInto(t, c, chance, "Enter")
	runnertest.Met(t, c, "port:"+chance)
	note := fmt.Sprintf("it listens on %s, an ephemeral port: wait for it with port:%[1]s", chance)
	if waited := runnertest.Until(t, c, runner.Wait{Timeout: time.Second}, "port"); !waited.TimedOut || !slices.Equal(waited.Notes, []string{note}) {
		t.Fatalf("a port of chance: %+v, want the note %q", waited, note)
	}
	runnertest.TypeInto(t, c, "Enter")
	runnertest.TypeInto(t, c, chosen, "Enter")
	runnertest.Met(t, c, "port")
}

// TestWaitHTTP waits for a server that first answers with an error.
func TestWaitHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	answers := make(chan string)
	go func() {
		for answer := range answers {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(conn).ReadString('\n')
			fmt.Fprintf(conn, answer, strings.TrimSpace(line))
			_ = conn.Close()
		}
	}()
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), "cat"))
	done := make(chan runner.Waited, 1)
	url := "http://" + l.Addr().String() + "/up?x=1"
	go func() { done <- runnertest.Until(t, c, runner.Wait{Timeout: runnertest.Patience}, url) }()
	answers <- "not HTTP\r\n"
	answers <- ""
	answers <- "HTTP/1.1 503 Busy\r\n\r\n"
	answers <- "HTTP/1.1 204 %s\r\n\r\n"
	if waited := <-done; !slices.Equal(waited.Met, []string{url}) {
		t.Fatalf("%+v", waited)
	}
	close(answers)
}

func TestWaitFile(t *testing.T) {
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), "read name; touch \"$name\"; cat"))
	path := filepath.Join(t.TempDir(), "made")
	if waited := runnertest.Until(t, c, runner.Wait{Timeout: 50 * time.Millisecond}, "file:"+path); !waited.TimedOut {
		t.Fatalf("before: %+v", waited)
	}
	runnertest.TypeInto(t, c, path, "Enter")
	runnertest.Met(t, c, "file:"+path)
}

// TestWaitScrolled prints a text that leaves the screen in the same piece of output, again and again until the wait has
// seen it. Another goroutine begins the wait.
func TestWaitScrolled(t *testing.T) {
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), "stty -echo; while read x; do echo the needle; seq 1000; done"))
	done := make(chan runner.Waited, 1)
	go func() { done <- runnertest.Until(t, c, runner.Wait{Timeout: runnertest.Patience}, "text:^the needle$") }()
	for {
		runnertest.Met(t, c, "input")
		select {
		case waited := <-done:
			if waited.Match != "the needle" {
				t.Fatalf("%+v", waited)
			}
			return
		default:
			runnertest.TypeInto(t, c, "Enter")
		}
	}
}

// TestWaitsEnd ends many waits that cannot come true: the program ends, or is killed.
func TestWaitsEnd(t *testing.T) {
	for name, end := range map[string]func(c *runner.Client){
		"exit": func(c *runner.Client) { runnertest.TypeInto(t, c, "Enter") },
		"kill": func(c *runner.Client) {
			if _, err := c.Kill(runnertest.WithPatience(t), 0, "KILL", 0); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), "read x; exit 3"))
			runnertest.Met(t, c, "input")
			done := make(chan runner.Waited, 5)
			for _, condition := range []string{"text:never", "port:1", "file:/nosuch/file", "stable:1h", "exit"} {
				go func() { done <- runnertest.Until(t, c, runner.Wait{}, condition) }()
			}
			end(c)
			exits := 0
			for range 5 {
				waited := <-done
				if waited.Session.ExitCode == nil {
					t.Errorf("without an exit code: %+v", waited)
				}
				if waited.Exited() {
					exits++
				} else if !waited.Ended {
					t.Errorf("%+v", waited)
				}
			}
			if exits != 1 {
				t.Errorf("%d waited for the exit, want 1", exits)
			}
		})
	}
}

// TestWaitLeaves closes the connection of a client that waits.
func TestWaitLeaves(t *testing.T) {
	c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), "cat"))
	other, err := runner.Dial(c.Dir, c.Session)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	never, err := condition.ParseCondition("text:never", "/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Wait(ctx, runner.Wait{Until: []condition.Condition{never}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	runnertest.TypeInto(t, c, "never", "Enter")
	runnertest.Met(t, c, "text:never")
}

// TestTether ends a session together with the process of its tether, but not while a later tether holds it.
func TestTether(t *testing.T) {
	dir := runnertest.NewState(t)
	first, second := runnertest.Begin(t, runnertest.Shell(t, dir, "cat")), runnertest.Begin(t, runnertest.Shell(t, dir, "cat"))
	spec := runnertest.Shell(t, dir, "cat")
	spec.Tether = first.Session.Main.PID
	c := runnertest.Begin(t, spec)
	if c.Session.Tether.PID != spec.Tether || c.Session.Tether.Name != "cat" && c.Session.Tether.Name != "sh" {
		t.Errorf("tethered to %+v, want %d", c.Session.Tether, spec.Tether)
	}
	end := func(c *runner.Client) {
		t.Helper()
		if _, err := c.Kill(runnertest.WithPatience(t), 0, "KILL", 0); err != nil {
			t.Fatal(err)
		}
	}
	loose := runnertest.Begin(t, spec)
	end(first)
	if s, err := loose.Tether(runnertest.WithPatience(t), 0); err != nil || s.Tether.PID != 0 { // it ends with none
		t.Fatalf("%+v, %v", s.Tether, err)
	}
	if _, err := c.Tether(runnertest.WithPatience(t), second.Session.Main.PID); err != nil { // within the grace
		t.Fatal(err)
	}
	if waited := runnertest.Until(t, c, runner.Wait{Timeout: 3*time.Second + 500*time.Millisecond}, "exit"); !waited.TimedOut {
		t.Fatalf("it ended though another process took the tether: %+v", waited)
	}
	if s, err := loose.State(runnertest.WithPatience(t)); err != nil || s.Ended() {
		t.Errorf("it ended without a tether: %v", err)
	}
	if _, err := c.Tether(runnertest.WithPatience(t), first.Session.Main.PID); !errors.Is(err, wire.ErrNoTether) {
		t.Errorf("tether to what is gone: %v", err)
	}
	end(second)
	if waited := runnertest.Until(t, c, runner.Wait{}, "exit"); !waited.Exited() {
		t.Errorf("%+v", waited)
	}
	if s, err := runnertest.WaitEnd(t, c.Dir, c.Session.ID); err != nil || s.Status != ledger.StatusKilled {
		t.Errorf("%s, %v", s.Status, err)
	}
}

// BenchmarkWaitWakes measures the time from the output of a line to the answer of the wait for it.
func BenchmarkWaitWakes(b *testing.B) {
	c := runnertest.Begin(b, runnertest.Shell(b, runnertest.NewState(b), `stty -echo; while read x; do echo "got $x"; done`))
	runnertest.Met(b, c, "input")
	for i := range b.N {
		want, err := condition.ParseCondition(fmt.Sprintf("text:got %d$", i), "/")
		if err != nil {
			b.Fatal(err)
		}
		answer := c.Send(wire.Request{Op: wire.OpWait, Wait: &wire.WaitRequest{Until: []string{want.String()}}})
		if _, err := c.Call(runnertest.WithPatience(b), wire.Request{Op: wire.OpInput, Data: fmt.Appendf(nil, "%d\n", i)}); err != nil {
			b.Fatal(err)
		}
		if resp := <-answer; resp.Wait == nil || len(resp.Wait.Met) != 1 {
			b.Fatalf("%+v", resp)
		}
	}
}
