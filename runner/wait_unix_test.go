//go:build unix

package runner

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
	"devtools/runner/proc"
)

// runAsListener listens, as the program of a session, on the port that comes as a line and closes at another one.
func runAsListener() error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		l, err := net.Listen("tcp", "localhost:"+lines.Text())
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
	ours, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ours.Addr().String())
	c := begin(t, specFor(t, newState(t), self, "listener"))
	waited := until(t, c, Wait{Timeout: 2 * time.Second}, "port:"+port)
	us, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("port %s is taken by %s (pid %d), which this session did not start", port, us.Name, os.Getpid())
	if !waited.TimedOut || len(waited.Notes) != 1 || waited.Notes[0] != want {
		t.Fatalf("a stranger's port: %+v, want the note %q", waited, want)
	}
	met(t, c, "open:"+port)
	met(t, c, "open:"+port+","+port)
	if waited := until(t, c, Wait{Timeout: 100 * time.Millisecond}, "open:"+port+",1"); !waited.TimedOut || len(waited.Notes) != 1 || waited.Notes[0] != "nobody listens on port 1" {
		t.Fatalf("one of two ports is open: %+v", waited)
	}
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
	typeInto(t, c, port, "Enter")
	met(t, c, "port:"+port)
	typeInto(t, c, "Enter") // it closes the port
	if waited := until(t, c, Wait{Timeout: 50 * time.Millisecond}, "port:"+port); !waited.TimedOut {
		t.Fatalf("a closed port: %+v", waited)
	}
}

// TestWaitAnyPort has a program that listens where the system has put it, which tells nothing, and then on a port that
// it was told.
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
			if l, err := net.Listen("tcp", "localhost:"+strconv.Itoa(n)); err == nil {
				_ = l.Close()
				return strconv.Itoa(n)
			}
		}
		t.Fatal("no port is free")
		return ""
	}
	c := begin(t, specFor(t, newState(t), self, "listener"))
	chance, chosen := port(low+100, 1), port(low-1, -1)
	typeInto(t, c, chance, "Enter")
	met(t, c, "port:"+chance)
	note := fmt.Sprintf("it listens on %s, a port that the system gives: name it with port:%[1]s", chance)
	if waited := until(t, c, Wait{Timeout: time.Second}, "port"); !waited.TimedOut || !slices.Equal(waited.Notes, []string{note}) {
		t.Fatalf("a port of chance: %+v, want the note %q", waited, note)
	}
	typeInto(t, c, "Enter")
	typeInto(t, c, chosen, "Enter")
	met(t, c, "port")
}

// TestWaitHTTP has a server that refuses first.
func TestWaitHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
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
	c := begin(t, shell(t, newState(t), "cat"))
	done := make(chan Waited, 1)
	url := "http://" + l.Addr().String() + "/up?x=1"
	go func() { done <- until(t, c, Wait{Timeout: patience}, url) }()
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
	c := begin(t, shell(t, newState(t), "read name; touch \"$name\"; cat"))
	path := filepath.Join(t.TempDir(), "made")
	if waited := until(t, c, Wait{Timeout: 50 * time.Millisecond}, "file:"+path); !waited.TimedOut {
		t.Fatalf("before: %+v", waited)
	}
	typeInto(t, c, path, "Enter")
	met(t, c, "file:"+path)
}

// TestWaitScrolled has the text leave the screen in the same piece of output. It does so again until the wait, which
// another goroutine begins, has seen it.
func TestWaitScrolled(t *testing.T) {
	c := begin(t, shell(t, newState(t), "stty -echo; while read x; do echo the needle; seq 1000; done"))
	done := make(chan Waited, 1)
	go func() { done <- until(t, c, Wait{Timeout: patience}, "text:^the needle$") }()
	for {
		met(t, c, "input")
		select {
		case waited := <-done:
			if waited.Match != "the needle" {
				t.Fatalf("%+v", waited)
			}
			return
		default:
			typeInto(t, c, "Enter")
		}
	}
}

// TestWaitsEnd has many wait for what never comes when the program ends, is killed, and when they leave.
func TestWaitsEnd(t *testing.T) {
	for name, end := range map[string]func(c *Client){
		"exit": func(c *Client) { typeInto(t, c, "Enter") },
		"kill": func(c *Client) {
			if _, err := c.Kill(withPatience(t), 0, "KILL", 0); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := begin(t, shell(t, newState(t), "read x; exit 3"))
			met(t, c, "input")
			done := make(chan Waited, 5)
			for _, condition := range []string{"text:never", "port:1", "file:/nosuch/file", "stable:1h", "exit"} {
				go func() { done <- until(t, c, Wait{}, condition) }()
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

// TestWaitLeaves has a client go away in the middle.
func TestWaitLeaves(t *testing.T) {
	c := begin(t, shell(t, newState(t), "cat"))
	other, err := Dial(c.dir, c.Session)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	never, err := ParseCondition("text:never", "/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Wait(ctx, Wait{Until: []Condition{never}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	typeInto(t, c, "never", "Enter")
	met(t, c, "text:never")
}

// TestTether ends a session with a process, and not while another one holds it.
func TestTether(t *testing.T) {
	dir := newState(t)
	first, second := begin(t, shell(t, dir, "cat")), begin(t, shell(t, dir, "cat"))
	spec := shell(t, dir, "cat")
	spec.Tether = first.Session.Main.PID
	c := begin(t, spec)
	if c.Session.Tether.PID != spec.Tether || c.Session.Tether.Name != "cat" && c.Session.Tether.Name != "sh" {
		t.Errorf("tethered to %+v, want %d", c.Session.Tether, spec.Tether)
	}
	end := func(c *Client) {
		t.Helper()
		if _, err := c.Kill(withPatience(t), 0, "KILL", 0); err != nil {
			t.Fatal(err)
		}
	}
	end(first)
	if _, err := c.Tether(withPatience(t), second.Session.Main.PID); err != nil { // within the grace
		t.Fatal(err)
	}
	if waited := until(t, c, Wait{Timeout: 3*time.Second + 500*time.Millisecond}, "exit"); !waited.TimedOut {
		t.Fatalf("it ended though another process took the tether: %+v", waited)
	}
	if _, err := c.Tether(withPatience(t), first.Session.Main.PID); !errors.Is(err, ErrNoTether) {
		t.Errorf("tether to what is gone: %v", err)
	}
	end(second)
	if waited := until(t, c, Wait{}, "exit"); !waited.Exited() {
		t.Errorf("%+v", waited)
	}
	if s, err := waitEnd(t, c.dir, c.Session.ID); err != nil || s.Status != ledger.StatusKilled {
		t.Errorf("%s, %v", s.Status, err)
	}
}

// BenchmarkWaitWakes measures from the output of a line to the answer of the wait for it.
func BenchmarkWaitWakes(b *testing.B) {
	c := begin(b, shell(b, newState(b), `stty -echo; while read x; do echo "got $x"; done`))
	met(b, c, "input")
	for i := range b.N {
		want, err := ParseCondition(fmt.Sprintf("text:got %d$", i), "/")
		if err != nil {
			b.Fatal(err)
		}
		answer := c.ask(request{Op: opWait, Wait: &waitRequest{Until: []string{want.String()}}})
		if _, err := c.call(withPatience(b), request{Op: opInput, Data: fmt.Appendf(nil, "%d\n", i)}); err != nil {
			b.Fatal(err)
		}
		if resp := <-answer; resp.Wait == nil || len(resp.Wait.Met) != 1 {
			b.Fatalf("%+v", resp)
		}
	}
}
