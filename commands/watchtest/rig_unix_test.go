//go:build unix

package watchtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"devtools/runner/watch"
)

// watchServer is a program that watch is tried on: it listens on a port, writes its pid to a file, and ends by TERM as it
// is told.
func watchServer() {
	port := flag.Int("port", 0, "")
	starts := flag.String("starts", "", "the file to which it adds a line at each start")
	slow := flag.Duration("slow", 0, "how long it takes to end")
	deaf := flag.Bool("deaf", false, "TERM does nothing")
	helper := flag.Bool("helper", false, "a process in a session of its own has the port")
	daemon := flag.Bool("daemon", false, "it lets such a one go on, and ends")
	flag.Parse()
	if *helper || *daemon {
		child := exec.Command(os.Args[0], "-port", strconv.Itoa(*port), "-starts", *starts, "-slow", slow.String())
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if *helper {
			_ = child.Wait()
		}
		return
	}
	terms := make(chan os.Signal, 1)
	signal.Notify(terms, syscall.SIGTERM)
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(*port))
	word := "up"
	if err != nil {
		word = "failed"
	}
	f, openErr := os.OpenFile(*starts, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if openErr == nil {
		_, _ = fmt.Fprintf(f, "%s %d\n", word, os.Getpid())
		_ = f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	for range terms {
		if *deaf {
			continue
		}
		<-time.After(*slow) // as one that ends its requests first
		return
	}
}

// A watchRig is a workspace in which watch is tried.
type watchRig struct {
	t    testing.TB
	dir  string
	port int
	log  string // of starts, out of the workspace
}

func newWatchRig(t testing.TB) *watchRig {
	t.Helper()
	yard, err := os.MkdirTemp("", "watch") // a short path: sockets will be below
	if err != nil {
		t.Fatal(err)
	}
	r := &watchRig{t: t, dir: filepath.Join(yard, "w"), port: freePort(t), log: filepath.Join(yard, "starts")}
	if err := os.MkdirAll(filepath.Join(r.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write("src.txt", "0")
	t.Cleanup(func() {
		r.devtools("kill", "--all", "--signal", "KILL")
		r.devtools("kill-orphans", "--signal", "KILL")
		err := os.RemoveAll(yard)
		for deadline := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
			err = os.RemoveAll(yard) // a holder says that its session has ended, and then writes that down
		}
		if err != nil {
			t.Error(err)
		}
	})
	return r
}

// lastPort is the port of the last rig. The system gives ports of this range to nobody who does not ask for them.
var lastPort atomic.Int64

func init() { lastPort.Store(20000 + int64(os.Getpid()%8000)) }

// freePort returns a port that no other rig of this process has got.
func freePort(t testing.TB) int {
	t.Helper()
	for port := int(lastPort.Add(1)); port < 32000; port = int(lastPort.Add(1)) {
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

func (r *watchRig) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *watchRig) write(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *watchRig) env() []string {
	return append(os.Environ(), "DEVTOOLS_DIR=", "DEVTOOLS_REMINDER=0", "GORACE=atexit_sleep_ms=0", "HOME="+filepath.Dir(r.dir))
}

// devtools runs a command to its end and returns what it printed.
func (r *watchRig) devtools(args ...string) string {
	cmd := exec.Command("devtools", args...)
	cmd.Dir, cmd.Env = r.dir, r.env()
	out, _ := cmd.CombinedOutput() // tests look at the text
	return string(out)
}

// server is a command line of the server.
func (r *watchRig) server(flags ...string) []string {
	return append([]string{"watchserver", "-port", strconv.Itoa(r.port), "-starts", r.log}, flags...)
}

// starts returns the lines that servers have written: how each start went.
func (r *watchRig) starts() []string {
	data, err := os.ReadFile(r.log)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// accepted waits until the server has accepted a connection. It listens before it writes its start down, and accepts after
// that.
func (r *watchRig) accepted() {
	r.t.Helper()
	conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(r.port))
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.Copy(io.Discard, conn) // the server closes it, which may be a reset
}

// A watching is a watch that runs.
type watching struct {
	rig    *watchRig
	cmd    *exec.Cmd
	stderr bytes.Buffer

	mu     sync.Mutex
	events []watch.Event
	more   chan struct{}
	next   int
	gone   bool
}

// watch starts a watch.
func (r *watchRig) watch(args ...string) *watching {
	r.t.Helper()
	w := &watching{rig: r, more: make(chan struct{}, 1)}
	w.cmd = exec.Command("devtools", append([]string{"--json", "watch"}, args...)...)
	w.cmd.Dir, w.cmd.Env, w.cmd.Stderr = r.dir, r.env(), &w.stderr
	out, err := w.cmd.StdoutPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e watch.Event
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				e.Event = "not JSON: " + lines.Text()
			}
			w.mu.Lock()
			w.events = append(w.events, e)
			w.mu.Unlock()
			w.wake()
		}
		w.mu.Lock()
		w.gone = true
		w.mu.Unlock()
		w.wake()
	}()
	r.t.Cleanup(func() {
		if w.cmd.ProcessState == nil {
			_ = w.cmd.Process.Kill()
			_ = w.cmd.Wait()
		}
	})
	return w
}

func (w *watching) wake() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// until waits for the next event of one of the kinds and returns it. Those before it are passed over.
func (w *watching) until(kinds ...string) watch.Event {
	w.rig.t.Helper()
	deadline := time.After(time.Minute)
	for {
		w.mu.Lock()
		for ; w.next < len(w.events); w.next++ {
			for _, kind := range kinds {
				if e := w.events[w.next]; e.Event == kind {
					w.next++
					w.mu.Unlock()
					return e
				}
			}
		}
		gone := w.gone
		w.mu.Unlock()
		if gone {
			w.rig.t.Fatalf("the watch ended before %v:\n%s%s", kinds, w.told(), w.stderr.String())
		}
		select {
		case <-w.more:
		case <-deadline:
			w.rig.t.Fatalf("no %v within a minute:\n%s", kinds, w.told())
		}
	}
}

// told lists the events so far.
func (w *watching) told() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, e := range w.events {
		line, _ := json.Marshal(e)
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// count returns how many events of a kind there were.
func (w *watching) count(kind string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Event == kind {
			n++
		}
	}
	return n
}

// end sends a signal and waits for the end.
func (w *watching) end(sig os.Signal) {
	w.rig.t.Helper()
	if err := w.cmd.Process.Signal(sig); err != nil {
		w.rig.t.Fatal(err)
	}
	_ = w.cmd.Wait() // by the signal
}
