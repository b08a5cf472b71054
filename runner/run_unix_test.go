//go:build unix

package runner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
)

func TestRunExit(t *testing.T) {
	dir := newState(t)
	for _, test := range []struct {
		line, code, signal, status string
	}{
		{"exit 0", "0", "", ledger.StatusCompleted},
		{"exit 7", "7", "", ledger.StatusCompleted},
		{"exit 255", "255", "", ledger.StatusCompleted},
		{"kill -TERM $$", "143", "SIGTERM", ledger.StatusKilled},
		{"kill -KILL $$", "137", "SIGKILL", ledger.StatusKilled},
	} {
		_, result := runFor(t, shell(t, dir, test.line))
		s := result.Session
		if code(s) != test.code || s.Signal != test.signal || s.Status != test.status || result.Status != Completed {
			t.Errorf("%s: code %s, signal %q, %s, %s", test.line, code(s), s.Signal, s.Status, result.Status)
		}
	}
}

// Every way in which a process leaves its parent: its output arrives, and completion is when the last
// one has gone.
func TestRunWaitsForDescendants(t *testing.T) {
	late := `sh -c 'sleep 0.3; echo late'`
	for _, test := range []struct {
		name, program, line string
	}{
		{"background", "sh", late + ` & echo main`},
		{"nohup", "nohup", `nohup sh -c 'sleep 0.3; echo late >/dev/tty' & echo main`},
		{"setsid", "setsid", `setsid ` + late + ` & echo main`},
		{"disown", "bash", `bash -c "` + late + ` & disown"; echo main`},
		{"double fork", "sh", `( (` + late + ` & ) & ); echo main`},
		{"double fork and setsid", "setsid", `(setsid ` + late + ` &); echo main`},
		{"cleared environment", "setsid", `env -i setsid /bin/` + late + ` & echo main`},
		{"daemon", "perl", `perl -e 'use POSIX; fork and exit; setsid(); fork and exit; select undef,undef,undef,0.3; syswrite STDOUT,"late\n"'; echo main`},
		{"own subreaper", "python3", `python3 -c '
import ctypes, os, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
if os.fork() == 0:
    if os.fork() == 0:
        time.sleep(0.3); os.write(1, b"late\n")
    os._exit(0)
'; echo main`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			need(t, test.program)
			out, result := runFor(t, shell(t, newState(t), test.line))
			s := result.Session
			text := out.text(transcript.Output)
			if !strings.Contains(text, "main\r\n") || !strings.Contains(text, "late\r\n") {
				t.Errorf("output %q", text)
			}
			if s.DrainedAfterMs < 300 || len(s.Leftovers) > 0 || code(s) != "0" {
				t.Errorf("exited after %d ms, drained after %d ms, code %s, leftovers %v", s.ExitedAfterMs, s.DrainedAfterMs, code(s), s.Leftovers)
			}
			if strings.Contains(test.line, "& echo main") && s.ExitedAfterMs >= s.DrainedAfterMs {
				t.Errorf("exited after %d ms, drained after %d ms", s.ExitedAfterMs, s.DrainedAfterMs)
			}
		})
	}
}

func TestRunManyOrphans(t *testing.T) {
	need(t, "setsid")
	out, result := runFor(t, shell(t, newState(t), `i=0; while [ $i -lt 200 ]; do (setsid sh -c "sleep 0.2; echo late$i-" &); i=$((i+1)); done`))
	text := out.text(transcript.Output)
	for i := range 200 {
		if !strings.Contains(text, fmt.Sprintf("late%d-", i)) {
			t.Errorf("no output of orphan %d", i)
		}
	}
	if len(result.Session.Leftovers) > 0 {
		t.Errorf("leftovers %v", result.Session.Leftovers)
	}
}

func TestRunLeftovers(t *testing.T) {
	dir := newState(t)
	spec := shell(t, dir, `sleep 1000 & echo main; exit 3`)
	spec.Grace = 100 * time.Millisecond
	out, result := runFor(t, spec)
	s := result.Session
	if len(s.Leftovers) != 1 || s.Leftovers[0].Name != "sleep" || code(s) != "3" || out.text(transcript.Output) != "main\r\n" {
		t.Fatalf("leftovers %v, code %s, output %q", s.Leftovers, code(s), out.text(transcript.Output))
	}
	if !identity(s.Leftovers[0]).Alive() {
		t.Error("the leftover does not live on")
	}
	l, err := List(withPatience(t), openState(t, dir), false, false)
	if err != nil || len(l.Active) != 1 || l.Active[0].PID != s.Leftovers[0].PID {
		t.Errorf("active %v, %v", l.Active, err)
	}
}

func TestRunKillsLeftovers(t *testing.T) {
	spec := shell(t, newState(t), `sleep 1000 & echo main`)
	spec.Grace, spec.Leftovers = 50*time.Millisecond, LeftoversKill
	_, result := runFor(t, spec)
	if s := result.Session; len(s.Leftovers) != 0 || code(s) != "0" {
		t.Errorf("leftovers %v, code %s", s.Leftovers, code(s))
	}
}

// A new descendant begins the grace anew.
func TestRunGraceIsRestarted(t *testing.T) {
	spec := shell(t, newState(t), `(sleep 0.4; sleep 0.41; sleep 0.42; sleep 0.43; echo late) & :`)
	spec.Grace = time.Second
	out, result := runFor(t, spec)
	if text := out.text(transcript.Output); text != "late\r\n" || len(result.Session.Leftovers) > 0 {
		t.Errorf("output %q, leftovers %v", text, result.Session.Leftovers)
	}
}

func TestRunTimeoutHandsOver(t *testing.T) {
	dir := newState(t)
	c := begin(t, shell(t, dir, `echo before; read line; exit 5`))
	out := newCollector()
	result, err := c.Run(withPatience(t), RunOptions{Sink: out.sink(), Timeout: 200 * time.Millisecond})
	if err != nil || result.Status != TimedOut || out.text(transcript.Output) != "before\r\n" {
		t.Fatalf("%v %v, output %q", result, err, out.text(transcript.Output))
	}
	_ = c.Close()
	state, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Dial(state, c.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.call(withPatience(t), request{Op: opInput, Data: []byte("go\r")}); err != nil {
		t.Fatal(err)
	}
	if s, err := again.Result(withPatience(t)); err != nil || code(s) != "5" {
		t.Errorf("code %s, %v", code(s), err)
	}
	if s, err := waitEnd(t, state, c.Session.Name); err != nil || code(s) != "5" {
		t.Errorf("later: code %s, %v", code(s), err)
	}
}

func TestRunTimeLimitKills(t *testing.T) {
	spec := shell(t, newState(t), `trap '' TERM; sleep 1000 & sleep 1000`)
	spec.TimeLimit, spec.KillAfter = 100*time.Millisecond, 100*time.Millisecond
	_, result := runFor(t, spec)
	if result.Status != TimedOut || !result.Session.TimedOut || result.Session.Signal != "SIGKILL" {
		t.Errorf("%s, signal %q", result.Status, result.Session.Signal)
	}
}

func TestRunNoTerminal(t *testing.T) {
	spec := shell(t, newState(t), `echo out; echo err >&2; test -t 0 || test -t 1 || test -t 2 || echo pipes; cat`)
	spec.NoTerminal, spec.Size = true, ledger.Size{}
	out, result := runFor(t, spec)
	if out.text(transcript.Output) != "out\npipes\n" || out.text(transcript.Stderr) != "err\n" || code(result.Session) != "0" {
		t.Errorf("stdout %q, stderr %q, code %s", out.text(transcript.Output), out.text(transcript.Stderr), code(result.Session))
	}
}

// The streams stay apart whatever the size and order of the writes.
func TestRunNoTerminalLarge(t *testing.T) {
	need(t, "seq")
	spec := shell(t, newState(t), `seq 1 200000; seq 1 100000 >&2; seq 1 50000; i=0; while [ $i -lt 300 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done`)
	spec.NoTerminal, spec.Size = true, ledger.Size{}
	out, _ := runFor(t, spec)
	var stdout, stderr bytes.Buffer
	for _, n := range []int{200000, 50000} {
		for i := range n {
			fmt.Fprintln(&stdout, i+1)
		}
	}
	for i := range 100000 {
		fmt.Fprintln(&stderr, i+1)
	}
	for i := range 300 {
		fmt.Fprintf(&stdout, "o%d\n", i)
		fmt.Fprintf(&stderr, "e%d\n", i)
	}
	if out.text(transcript.Output) != stdout.String() || out.text(transcript.Stderr) != stderr.String() {
		t.Errorf("got %d and %d bytes, want %d and %d", len(out.text(transcript.Output)), len(out.text(transcript.Stderr)), stdout.Len(), stderr.Len())
	}
}

func TestRunEveryByte(t *testing.T) {
	need(t, "perl")
	var want bytes.Buffer
	for range 100 {
		for b := range 256 {
			if b == '\n' {
				want.WriteByte('\r') // ONLCR, as the terminal is set
			}
			want.WriteByte(byte(b))
		}
	}
	out, _ := runFor(t, specFor(t, newState(t), "perl", "-e", `binmode STDOUT; print map(chr, 0..255) for 1..100`))
	if out.text(transcript.Output) != want.String() {
		t.Errorf("got %d bytes, want %d", len(out.text(transcript.Output)), want.Len())
	}
}

func TestRunStdinFile(t *testing.T) {
	dir := newState(t)
	spec := shell(t, dir, `cat; echo end`)
	spec.Stdin = true
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Fd() // makes it blocking, as standard input is
	c, err := startSession(withPatience(t), spec, r)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = r.Close()
	if _, err := w.WriteString("first\nsecond"); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	out := newCollector()
	if _, err := c.Run(withPatience(t), RunOptions{Sink: out.sink()}); err != nil {
		t.Fatal(err)
	}
	if got := out.text(transcript.Output); got != "first\r\nsecondend\r\n" {
		t.Errorf("output %q", got)
	}
}

func TestRunPassesKeyboardSignals(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		spec := shell(t, newState(t), `trap 'echo int; exit 3' INT; echo ready; while :; do sleep 0.05; done`)
		if !terminal {
			spec.NoTerminal, spec.Size = true, ledger.Size{}
		}
		c := begin(t, spec)
		out := newCollector()
		signals := make(chan os.Signal, 1)
		go func() {
			out.await(t, "ready")
			signals <- syscall.SIGINT
		}()
		result, err := c.Run(withPatience(t), RunOptions{Sink: out.sink(), Signals: signals})
		if err != nil || code(result.Session) != "3" || result.Signal != syscall.SIGINT {
			t.Errorf("terminal %v: %v, code %s, signal %v", terminal, err, code(result.Session), result.Signal)
		}
	}
}

func TestRunEndsOnTerm(t *testing.T) {
	dir := newState(t)
	c := begin(t, shell(t, dir, `echo ready; sleep 1000`))
	out := newCollector()
	signals := make(chan os.Signal, 1)
	go func() {
		out.await(t, "ready")
		signals <- syscall.SIGTERM
	}()
	result, err := c.Run(withPatience(t), RunOptions{Sink: out.sink(), Signals: signals})
	if err != nil || result.Status != Running {
		t.Fatalf("%v, %v", result, err)
	}
	if !identity(c.Session.Main).Alive() {
		t.Error("the command was ended")
	}
}

// When the reader is gone the command is hung up; when the reader has another trouble it goes on.
func TestRunHangsUp(t *testing.T) {
	for _, test := range []struct {
		err  error
		code string
	}{{syscall.EPIPE, "9"}, {syscall.ENOSPC, "3"}} {
		gate := filepath.Join(t.TempDir(), "gate")
		c := begin(t, shell(t, newState(t), `trap 'exit 9' HUP; echo y; while ! test -e `+gate+`; do sleep 0.01; done; exit 3`))
		_, err := c.Run(withPatience(t), RunOptions{Sink: Sink{Write: func([]byte, transcript.Kind, int64) error { return test.err }}})
		if !errors.Is(err, test.err) {
			t.Fatal(err)
		}
		if test.err != syscall.EPIPE {
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if s, err := c.Result(withPatience(t)); err != nil || code(s) != test.code {
			t.Errorf("%v: code %s, %v", test.err, code(s), err)
		}
	}
}

// A reader that stops makes the command wait, and then gets every byte.
func TestRunBackPressure(t *testing.T) {
	need(t, "seq")
	spec := specFor(t, newState(t), "seq", "1", "200000")
	spec.MaxLog = 512 << 10 // so that being behind by half of it is too much
	c := begin(t, spec)
	var want, got bytes.Buffer
	for i := range 200000 {
		fmt.Fprintf(&want, "%d\r\n", i+1)
	}
	waits := 0
	result, err := c.Run(withPatience(t), RunOptions{Sink: Sink{Write: func(p []byte, _ transcript.Kind, _ int64) error {
		if got.Len() == 0 { // hold still until the output has stopped growing
			for before := int64(-1); ; waits++ {
				resp, err := c.call(withPatience(t), request{Op: opState})
				if err != nil {
					return err
				}
				if resp.Session.OutputBytes == before && before >= 256<<10 {
					break
				}
				before = resp.Session.OutputBytes
			}
		}
		got.Write(p)
		return nil
	}}})
	if err != nil || result.Missing != 0 {
		t.Fatalf("%v, missing %d", err, result.Missing)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("got %d bytes, want %d", got.Len(), want.Len())
	}
}

func TestRunAnswersQueries(t *testing.T) {
	need(t, "bash")
	spec := specFor(t, newState(t), "bash", "-c", `stty raw -echo; printf 'abc\033[6n'; IFS= read -r -d R a; printf '\033[5n'; IFS= read -r -d n b; printf '\033[c'; IFS= read -r -d c d; stty sane; printf '%q %q %q' "$a" "$b" "$d"`)
	out, _ := runFor(t, spec)
	if got, want := out.text(transcript.Output), `$'\E[1;4' $'\E[0' `; !strings.Contains(got, want) || !strings.Contains(got, `$'\E[?`) {
		t.Errorf("output %q lacks %q", got, want)
	}
}

func TestKill(t *testing.T) {
	dir := newState(t)
	c := begin(t, shell(t, dir, `sleep 1000 & echo $!; sleep 1001 & wait`))
	out := newCollector()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = c.Follow(withPatience(t), 0, out.sink()) // its end is what the test is about
	}()
	out.await(t, "\n")
	state, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	child := strings.TrimSpace(out.text(transcript.Output))
	outcome, err := Kill(withPatience(t), state, []string{child}, "TERM", time.Second)
	if err != nil || len(outcome.Killed) != 1 || fmt.Sprint(outcome.Killed[0]) != child {
		t.Errorf("kill %s: %v, %v", child, outcome, err)
	}
	for _, stranger := range []string{"1", fmt.Sprint(os.Getpid()), fmt.Sprint(c.Session.Holder.PID)} {
		if outcome, err := Kill(withPatience(t), state, []string{stranger}, "TERM", time.Second); !errors.Is(err, ErrNoProcess) {
			t.Errorf("kill %s: %v, %v", stranger, outcome, err)
		}
	}
	outcome, err = Kill(withPatience(t), state, []string{c.Session.Name}, "TERM", time.Second)
	if err != nil || len(outcome.Killed) != 2 || len(outcome.Failed) != 0 {
		t.Errorf("kill %s: %v, %v", c.Session.Name, outcome, err)
	}
	<-done
	if _, err := Kill(withPatience(t), state, []string{c.Session.Name}, "TERM", time.Second); !errors.Is(err, ErrEnded) {
		t.Errorf("kill again: %v", err)
	}
}

// The holder's death leaves a ledger that says what is true.
func TestHolderKilled(t *testing.T) {
	need(t, "setsid")
	dir := newState(t)
	state, err := ledger.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	lost := begin(t, specFor(t, dir, "sleep", "1000"))
	survivor := begin(t, specFor(t, dir, "nohup", "sh", "-c", "trap '' HUP; echo ready; while :; do sleep 0.1; done"))
	if _, _, err := survivor.Follow(withPatience(t), 0, Sink{Write: func([]byte, transcript.Kind, int64) error { return os.ErrClosed }}); !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	for _, c := range []*Client{lost, survivor} {
		if err := identity(c.Session.Holder).Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := proc.Await(withPatience(t), identity(c.Session.Holder)); err != nil {
			t.Fatal(err)
		}
	}
	if err := proc.Await(withPatience(t), identity(lost.Session.Main)); err != nil { // the kernel hangs it up
		t.Fatal(err)
	}
	l, err := List(withPatience(t), openState(t, dir), true, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Orphaned) == 0 || l.Orphaned[0].PID != survivor.Session.Main.PID || len(l.Active) != 0 {
		t.Errorf("orphaned %v, active %v", l.Orphaned, l.Active)
	}
	if _, err := waitEnd(t, state, lost.Session.Name); !errors.Is(err, ErrHolderGone) {
		t.Errorf("wait: %v", err)
	}
	events := map[string]int{}
	for e, err := range state.Events() {
		if err != nil {
			t.Fatal(err)
		}
		events[e.Event]++
	}
	if events[ledger.EventOrphaned] != 1 || events[ledger.EventKilled] != 1 || events[ledger.EventStarted] != 2 {
		t.Errorf("events %v", events)
	}
	outcome, err := Kill(withPatience(t), state, []string{survivor.Session.Name}, "TERM", time.Second)
	if err != nil || len(outcome.Killed) == 0 {
		t.Errorf("kill: %v, %v", outcome, err)
	}
}
