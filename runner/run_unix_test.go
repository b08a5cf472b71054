//go:build unix

package runner_test

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
	"devtools/runner"
	"devtools/runner/list"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

func TestRunExit(t *testing.T) {
	dir := runnertest.NewState(t)
	for _, test := range []struct {
		line, code, signal, status string
	}{
		{"exit 0", "0", "", ledger.StatusCompleted},
		{"exit 7", "7", "", ledger.StatusCompleted},
		{"exit 255", "255", "", ledger.StatusCompleted},
		{"kill -TERM $$", "143", "SIGTERM", ledger.StatusKilled},
		{"kill -KILL $$", "137", "SIGKILL", ledger.StatusKilled},
	} {
		_, result := runnertest.RunFor(t, runnertest.Shell(t, dir, test.line))
		s := result.Session
		if runnertest.Code(s) != test.code || s.Signal != test.signal || s.Status != test.status || result.Status != runner.Completed {
			t.Errorf("%s: code %s, signal %q, %s, %s", test.line, runnertest.Code(s), s.Signal, s.Status, result.Status)
		}
	}
}

// Processes leave their parent in every possible way. Their output arrives, and the command is finished when the last
// of them has ended.
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
			runnertest.Need(t, test.program)
			out, result := runnertest.RunFor(t, runnertest.Shell(t, runnertest.NewState(t), test.line))
			s := result.Session
			text := out.Text(transcript.Output)
			if !strings.Contains(text, "main\r\n") || !strings.Contains(text, "late\r\n") {
				t.Errorf("output %q", text)
			}
			if s.DrainedAfterMs < 300 || len(s.Leftovers) > 0 || runnertest.Code(s) != "0" {
				t.Errorf("exited after %d ms, drained after %d ms, code %s, leftovers %v", s.ExitedAfterMs, s.DrainedAfterMs, runnertest.Code(s), s.Leftovers)
			}
			if strings.Contains(test.line, "& echo main") && s.ExitedAfterMs >= s.DrainedAfterMs {
				t.Errorf("exited after %d ms, drained after %d ms", s.ExitedAfterMs, s.DrainedAfterMs)
			}
		})
	}
}

func TestRunManyOrphans(t *testing.T) {
	runnertest.Need(t, "setsid")
	out, result := runnertest.RunFor(t, runnertest.Shell(t, runnertest.NewState(t), `i=0; while [ $i -lt 200 ]; do (setsid sh -c "sleep 0.2; echo late$i-" &); i=$((i+1)); done`))
	text := out.Text(transcript.Output)
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
	dir := runnertest.NewState(t)
	spec := runnertest.Shell(t, dir, `sleep 1000 & echo main; exit 3`)
	spec.Grace = 100 * time.Millisecond
	out, result := runnertest.RunFor(t, spec)
	s := result.Session
	if len(s.Leftovers) != 1 || s.Leftovers[0].Name != "sleep" || runnertest.Code(s) != "3" || out.Text(transcript.Output) != "main\r\n" {
		t.Fatalf("leftovers %v, code %s, output %q", s.Leftovers, runnertest.Code(s), out.Text(transcript.Output))
	}
	if !track.Identity(s.Leftovers[0]).Alive() {
		t.Error("the leftover does not live on")
	}
	l, err := list.List(runnertest.WithPatience(t), runnertest.OpenState(t, dir), false, false)
	if err != nil || len(l.Active) != 1 || l.Active[0].PID != s.Leftovers[0].PID {
		t.Errorf("active %v, %v", l.Active, err)
	}
}

func TestRunKillsLeftovers(t *testing.T) {
	spec := runnertest.Shell(t, runnertest.NewState(t), `sleep 1000 & echo main`)
	spec.Grace, spec.Leftovers = 50*time.Millisecond, wire.LeftoversKill
	_, result := runnertest.RunFor(t, spec)
	if s := result.Session; len(s.Leftovers) != 0 || runnertest.Code(s) != "0" {
		t.Errorf("leftovers %v, code %s", s.Leftovers, runnertest.Code(s))
	}
}

// A new descendant restarts the grace.
func TestRunGraceIsRestarted(t *testing.T) {
	spec := runnertest.Shell(t, runnertest.NewState(t), `(sleep 0.4; sleep 0.41; sleep 0.42; sleep 0.43; echo late) & :`)
	spec.Grace = time.Second
	out, result := runnertest.RunFor(t, spec)
	if text := out.Text(transcript.Output); text != "late\r\n" || len(result.Session.Leftovers) > 0 {
		t.Errorf("output %q, leftovers %v", text, result.Session.Leftovers)
	}
}

func TestRunTimeoutHandsOver(t *testing.T) {
	dir := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, dir, `echo before; read line; exit 5`))
	out := runnertest.NewCollector()
	result, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: out.Sink(), Timeout: 200 * time.Millisecond})
	if err != nil || result.Status != runner.TimedOut || out.Text(transcript.Output) != "before\r\n" {
		t.Fatalf("%v %v, output %q", result, err, out.Text(transcript.Output))
	}
	_ = c.Close()
	state, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := runner.Dial(state, c.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpInput, Data: []byte("go\r")}); err != nil {
		t.Fatal(err)
	}
	if s, err := again.Result(runnertest.WithPatience(t)); err != nil || runnertest.Code(s) != "5" {
		t.Errorf("code %s, %v", runnertest.Code(s), err)
	}
	if s, err := runnertest.WaitEnd(t, state, c.Session.Name); err != nil || runnertest.Code(s) != "5" {
		t.Errorf("later: code %s, %v", runnertest.Code(s), err)
	}
}

func TestRunTimeLimitKills(t *testing.T) {
	spec := runnertest.Shell(t, runnertest.NewState(t), `trap '' TERM; sleep 1000 & sleep 1000`)
	spec.TimeLimit, spec.KillAfter = 100*time.Millisecond, 100*time.Millisecond
	_, result := runnertest.RunFor(t, spec)
	if result.Status != runner.TimedOut || !result.Session.TimedOut || result.Session.Signal != "SIGKILL" {
		t.Errorf("%s, signal %q", result.Status, result.Session.Signal)
	}
}

func TestRunNoTerminal(t *testing.T) {
	spec := runnertest.Shell(t, runnertest.NewState(t), `echo out; echo err >&2; test -t 0 || test -t 1 || test -t 2 || echo pipes; cat`)
	spec.NoTerminal, spec.Size = true, ledger.Size{}
	out, result := runnertest.RunFor(t, spec)
	if out.Text(transcript.Output) != "out\npipes\n" || out.Text(transcript.Stderr) != "err\n" || runnertest.Code(result.Session) != "0" {
		t.Errorf("stdout %q, stderr %q, code %s", out.Text(transcript.Output), out.Text(transcript.Stderr), runnertest.Code(result.Session))
	}
}

// Standard output and standard error stay apart, whatever the size and order of the writes.
func TestRunNoTerminalLarge(t *testing.T) {
	runnertest.Need(t, "seq")
	spec := runnertest.Shell(t, runnertest.NewState(t), `seq 1 200000; seq 1 100000 >&2; seq 1 50000; i=0; while [ $i -lt 300 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done`)
	spec.NoTerminal, spec.Size = true, ledger.Size{}
	out, _ := runnertest.RunFor(t, spec)
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
	if out.Text(transcript.Output) != stdout.String() || out.Text(transcript.Stderr) != stderr.String() {
		t.Errorf("got %d and %d bytes, want %d and %d", len(out.Text(transcript.Output)), len(out.Text(transcript.Stderr)), stdout.Len(), stderr.Len())
	}
}

func TestRunEveryByte(t *testing.T) {
	runnertest.Need(t, "perl")
	var want bytes.Buffer
	for range 100 {
		for b := range 256 {
			if b == '\n' {
				want.WriteByte('\r') // ONLCR, as the terminal is set
			}
			want.WriteByte(byte(b))
		}
	}
	out, _ := runnertest.RunFor(t, runnertest.SpecFor(t, runnertest.NewState(t), "perl", "-e", `binmode STDOUT; print map(chr, 0..255) for 1..100`))
	if out.Text(transcript.Output) != want.String() {
		t.Errorf("got %d bytes, want %d", len(out.Text(transcript.Output)), want.Len())
	}
}

func TestRunStdinFile(t *testing.T) {
	dir := runnertest.NewState(t)
	spec := runnertest.Shell(t, dir, `cat; echo end`)
	spec.Stdin = true
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Fd() // makes it blocking, as standard input is
	c, err := runnertest.StartSession(runnertest.WithPatience(t), spec, r)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = r.Close()
	if _, err := w.WriteString("first\nsecond"); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	out := runnertest.NewCollector()
	if _, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: out.Sink()}); err != nil {
		t.Fatal(err)
	}
	if got := out.Text(transcript.Output); got != "first\r\nsecondend\r\n" {
		t.Errorf("output %q", got)
	}
}

func TestRunPassesKeyboardSignals(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		spec := runnertest.Shell(t, runnertest.NewState(t), `trap 'echo int; exit 3' INT; echo ready; while :; do sleep 0.05; done`)
		if !terminal {
			spec.NoTerminal, spec.Size = true, ledger.Size{}
		}
		c := runnertest.Begin(t, spec)
		out := runnertest.NewCollector()
		signals := make(chan os.Signal, 1)
		go func() {
			out.Await(t, "ready")
			signals <- syscall.SIGINT
		}()
		result, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: out.Sink(), Signals: signals})
		if err != nil || runnertest.Code(result.Session) != "3" || result.Signal != syscall.SIGINT {
			t.Errorf("terminal %v: %v, code %s, signal %v", terminal, err, runnertest.Code(result.Session), result.Signal)
		}
	}
}

func TestRunEndsOnTerm(t *testing.T) {
	dir := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, dir, `echo ready; sleep 1000`))
	out := runnertest.NewCollector()
	signals := make(chan os.Signal, 1)
	go func() {
		out.Await(t, "ready")
		signals <- syscall.SIGTERM
	}()
	result, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: out.Sink(), Signals: signals})
	if err != nil || result.Status != runner.Running {
		t.Fatalf("%v, %v", result, err)
	}
	if !track.Identity(c.Session.Main).Alive() {
		t.Error("the command was ended")
	}
}

// A reader that is gone hangs the command up. After any other error of the reader the command goes on.
func TestRunHangsUp(t *testing.T) {
	for _, test := range []struct {
		err  error
		code string
	}{{syscall.EPIPE, "9"}, {syscall.ENOSPC, "3"}} {
		gate := filepath.Join(t.TempDir(), "gate")
		c := runnertest.Begin(t, runnertest.Shell(t, runnertest.NewState(t), `trap 'exit 9' HUP; echo y; while ! test -e `+gate+`; do sleep 0.01; done; exit 3`))
		_, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: wire.Sink{Write: func([]byte, transcript.Kind, int64) error { return test.err }}})
		if !errors.Is(err, test.err) {
			t.Fatal(err)
		}
		if test.err != syscall.EPIPE {
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if s, err := c.Result(runnertest.WithPatience(t)); err != nil || runnertest.Code(s) != test.code {
			t.Errorf("%v: code %s, %v", test.err, runnertest.Code(s), err)
		}
	}
}

// A reader that stops reading makes the command wait, and later gets every byte.
func TestRunBackPressure(t *testing.T) {
	runnertest.Need(t, "seq")
	spec := runnertest.SpecFor(t, runnertest.NewState(t), "seq", "1", "200000")
	spec.MaxLog = 512 << 10 // so that being behind by half of it is too much
	c := runnertest.Begin(t, spec)
	var want, got bytes.Buffer
	for i := range 200000 {
		fmt.Fprintf(&want, "%d\r\n", i+1)
	}
	waits := 0
	result, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: wire.Sink{Write: func(p []byte, _ transcript.Kind, _ int64) error {
		if got.Len() == 0 { // hold still until the output has stopped growing
			for before := int64(-1); ; waits++ {
				resp, err := c.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpState})
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
	runnertest.Need(t, "bash")
	spec := runnertest.SpecFor(t, runnertest.NewState(t), "bash", "-c", `stty raw -echo; printf 'abc\033[6n'; IFS= read -r -d R a; printf '\033[5n'; IFS= read -r -d n b; printf '\033[c'; IFS= read -r -d c d; stty sane; printf '%q %q %q' "$a" "$b" "$d"`)
	out, _ := runnertest.RunFor(t, spec)
	if got, want := out.Text(transcript.Output), `$'\E[1;4' $'\E[0' `; !strings.Contains(got, want) || !strings.Contains(got, `$'\E[?`) {
		t.Errorf("output %q lacks %q", got, want)
	}
}

func TestKill(t *testing.T) {
	dir := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, dir, `sleep 1000 & echo $!; sleep 1001 & wait`))
	out := runnertest.NewCollector()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = c.Follow(runnertest.WithPatience(t), 0, out.Sink()) // its end is what the test is about
	}()
	out.Await(t, "\n")
	state, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	child := strings.TrimSpace(out.Text(transcript.Output))
	outcome, err := runner.Kill(runnertest.WithPatience(t), state, []string{child}, "TERM", time.Second)
	if err != nil || len(outcome.Killed) != 1 || fmt.Sprint(outcome.Killed[0]) != child {
		t.Errorf("kill %s: %v, %v", child, outcome, err)
	}
	for _, stranger := range []string{"1", fmt.Sprint(os.Getpid()), fmt.Sprint(c.Session.Holder.PID)} {
		if outcome, err := runner.Kill(runnertest.WithPatience(t), state, []string{stranger}, "TERM", time.Second); !errors.Is(err, proc.ErrNoProcess) {
			t.Errorf("kill %s: %v, %v", stranger, outcome, err)
		}
	}
	outcome, err = runner.Kill(runnertest.WithPatience(t), state, []string{c.Session.Name}, "TERM", time.Second)
	if err != nil || len(outcome.Killed) != 2 || len(outcome.Failed) != 0 {
		t.Errorf("kill %s: %v, %v", c.Session.Name, outcome, err)
	}
	<-done
	if _, err := runner.Kill(runnertest.WithPatience(t), state, []string{c.Session.Name}, "TERM", time.Second); !errors.Is(err, wire.ErrEnded) {
		t.Errorf("kill again: %v", err)
	}
}

// The ledger is right after the death of a holder.
func TestHolderKilled(t *testing.T) {
	runnertest.Need(t, "setsid")
	dir := runnertest.NewState(t)
	state, err := ledger.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	lost := runnertest.Begin(t, runnertest.SpecFor(t, dir, "sleep", "1000"))
	survivor := runnertest.Begin(t, runnertest.Shell(t, dir, "trap '' HUP; echo ready; while :; do sleep 0.1; done"))
	if _, _, err := survivor.Follow(runnertest.WithPatience(t), 0, wire.Sink{Write: func([]byte, transcript.Kind, int64) error { return os.ErrClosed }}); !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	for _, c := range []*runner.Client{lost, survivor} {
		if err := track.Identity(c.Session.Holder).Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := proc.Await(runnertest.WithPatience(t), track.Identity(c.Session.Holder)); err != nil {
			t.Fatal(err)
		}
	}
	if err := proc.Await(runnertest.WithPatience(t), track.Identity(lost.Session.Main)); err != nil { // the kernel hangs it up
		t.Fatal(err)
	}
	l, err := list.List(runnertest.WithPatience(t), runnertest.OpenState(t, dir), true, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Orphaned) == 0 || l.Orphaned[0].PID != survivor.Session.Main.PID || len(l.Active) != 0 {
		t.Errorf("orphaned %v, active %v", l.Orphaned, l.Active)
	}
	if _, err := runnertest.WaitEnd(t, state, lost.Session.Name); !errors.Is(err, wire.ErrHolderGone) {
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
	outcome, err := runner.Kill(runnertest.WithPatience(t), state, []string{survivor.Session.Name}, "TERM", time.Second)
	if err != nil || len(outcome.Killed) == 0 {
		t.Errorf("kill: %v, %v", outcome, err)
	}
}
