//go:build unix

package pty_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/pty"
)

// asHolder reports whether this process is to play the holder of the test. Only one program can be started in a process, so
// each test runs in one of its own, which asHolder starts.
func asHolder(t *testing.T) bool {
	t.Helper()
	const variable = "PTY_TEST_HOLDER"
	if os.Getenv(variable) == t.Name() {
		if err := pty.PrepareHolder(); err != nil {
			t.Fatal(err)
		}
		return true
	}
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
	cmd.Env = append(os.Environ(), variable+"="+t.Name(), "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("no tests to run")) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// patience is how long a test waits for something that must happen.
const patience = time.Minute

// A running program is one that a test has started, with what it has printed.
type running struct {
	*pty.Program
	mu      sync.Mutex
	texts   map[transcript.Kind]string
	grown   chan struct{} // has room for one
	drained chan struct{} // closed when every output is at its end
	pending []pty.Change  // changes that no call of change has looked at
}

// startShell starts a line of the shell in a terminal of 80 columns and 24 rows.
func startShell(t *testing.T, line string) *running {
	t.Helper()
	return start(t, pty.Options{Size: ledger.Size{Cols: 80, Rows: 24}}, line)
}

// start starts a line of the shell.
func start(t *testing.T, opts pty.Options, line string) *running {
	t.Helper()
	opts.Path, opts.Command, opts.Env, opts.Cwd = "/bin/sh", []string{"sh", "-c", line}, os.Environ(), "/"
	return startProgram(t, opts)
}

// startProgram starts a program and reads what it prints.
func startProgram(t *testing.T, opts pty.Options) *running {
	t.Helper()
	p, err := pty.Start(opts, nil, pty.OpenEarly(opts), proc.Cgroup{})
	if err != nil {
		t.Fatal(err)
	}
	r := &running{Program: p, texts: map[transcript.Kind]string{}, grown: make(chan struct{}, 1), drained: make(chan struct{})}
	var readers sync.WaitGroup
	for i, output := range p.Outputs {
		readers.Go(func() {
			if err := r.read(output, p.Kinds[i]); err != nil {
				t.Errorf("read: %v", err)
			}
		})
	}
	go func() {
		readers.Wait()
		close(r.drained)
	}()
	return r
}

func (r *running) read(output *os.File, kind transcript.Kind) error {
	buffer := make([]byte, 64<<10)
	var idle atomic.Bool
	for {
		n, err := pty.ReadAvailable(output, r.Tty, buffer, &idle)
		r.mu.Lock()
		r.texts[kind] += string(buffer[:n])
		r.mu.Unlock()
		select {
		case r.grown <- struct{}{}:
		default:
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *running) text(kind transcript.Kind) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.texts[kind]
}

// await waits until the program has printed a text.
func (r *running) await(t *testing.T, text string) {
	t.Helper()
	for deadline := time.After(patience); !strings.Contains(r.text(transcript.Output), text); {
		select {
		case <-r.grown:
		case <-deadline:
			t.Fatalf("no %q in %q", text, r.text(transcript.Output))
		}
	}
}

// change waits for a change of the main process that wanted accepts.
func (r *running) change(t *testing.T, what string, wanted func(pty.Change) bool) pty.Change {
	t.Helper()
	for deadline := time.After(patience); ; {
		for len(r.pending) > 0 {
			c := r.pending[0]
			if r.pending = r.pending[1:]; c.PID == r.PID && wanted(c) {
				return c
			}
		}
		select {
		case batch, ok := <-r.Changes:
			if !ok {
				t.Fatalf("the tree has ended, and never %s", what)
			}
			r.pending = batch
		case <-deadline:
			t.Fatalf("it never %s", what)
		}
	}
}

// end waits for the end of the main process, of the tree and of the output.
func (r *running) end(t *testing.T) pty.Change {
	t.Helper()
	c := r.change(t, "ended", ended)
	r.endTree(t)
	return c
}

// endTree waits for the end of the tree and of the output.
func (r *running) endTree(t *testing.T) {
	t.Helper()
	for range r.Changes {
	}
	if r.Tty != nil {
		if err := r.Tty.HangUp(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	}
	select {
	case <-r.drained:
	case <-time.After(patience):
		t.Fatal("the output has no end")
	}
}

func ended(c pty.Change) bool { return !c.Stopped() && !c.Continued() }

// kill ends the main process, whatever it does.
func (r *running) kill(t *testing.T) {
	t.Helper()
	if err := r.ID.Signal(syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

// lines returns the lines that seq prints, as a terminal passes them on.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\r\n", i+1)
	}
	return b.String()
}
