//go:build unix

package runner_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// slowReader reads typed keys in raw mode, at most 64 bytes at a time, and works in between. It writes them to the file
// in its argument. It begins to read late, and an x ends it.
const slowReader = `
use Time::HiRes "time";
open my $out, ">", $ARGV[0]; $out->autoflush(1);
system "stty", "raw", "-echo";
sub busy { my $end = time + shift; 1 while time < $end }
busy(1);
while (sysread STDIN, my $typed, 64) { print $out $typed; exit if $typed =~ /x/; busy(0.001) }
`

// send types the keys as one request.
func send(t *testing.T, dir ledger.Dir, name string, keys ...string) bool {
	t.Helper()
	_, sent, err := runner.Send(runnertest.WithPatience(t), dir, name, runner.Typing{Keys: wire.Keys{Args: keys}, Limit: runnertest.Patience})
	size := int64(len(strings.ReplaceAll(strings.Join(keys, ""), "Enter", "\r")))
	if err == nil && sent.Receipt.Written != size {
		err = fmt.Errorf("%d of %d bytes were written", sent.Receipt.Written, size)
	}
	if err != nil {
		t.Errorf("send %q: %v", keys, err)
	}
	return err == nil
}

// ended waits until the session called name has ended and returns what it has written to the file.
func ended(t *testing.T, dir ledger.Dir, name, file string) string {
	t.Helper()
	if _, err := runnertest.WaitEnd(t, dir, name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A program that is busy most of the time reads every byte of many requests, in their order.
func TestStressSends(t *testing.T) {
	runnertest.Need(t, "perl")
	state, file := runnertest.NewState(t), filepath.Join(t.TempDir(), "typed")
	spec := runnertest.SpecFor(t, state, "perl", "-MIO::Handle", "-e", slowReader, file)
	spec.Name = "slow"
	runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	var want strings.Builder
	for i := range runnertest.Rounds(200, 1000) {
		text := fmt.Sprintf("send %d ", i)
		if !send(t, dir, "slow", text, "Enter", "more ") {
			return
		}
		want.WriteString(text + "\rmore ")
	}
	send(t, dir, "slow", "x")
	if got := ended(t, dir, "slow", file); got != want.String()+"x" {
		t.Errorf("%d bytes, want %d; they differ from byte %d on", len(got), want.Len()+1, differ(got, want.String()))
	}
}

// differ returns the first index at which a and b differ.
func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// Twenty clients type at once. Every request arrives whole, without bytes of another.
func TestStressSendsAtOnce(t *testing.T) {
	runnertest.Need(t, "perl")
	state, file := runnertest.NewState(t), filepath.Join(t.TempDir(), "typed")
	spec := runnertest.SpecFor(t, state, "perl", "-MIO::Handle", "-e", slowReader, file)
	spec.Name = "slow"
	runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	const senders = 20
	n := runnertest.Rounds(200, 1000) / senders
	var all sync.WaitGroup
	for s := range senders {
		all.Go(func() {
			for i := range n {
				if !send(t, dir, "slow", fmt.Sprintf("<%d ", s), "Enter", fmt.Sprint(i), "Enter", strings.Repeat("-", i%80), ">") {
					return
				}
			}
		})
	}
	all.Wait()
	send(t, dir, "slow", "x")
	got := ended(t, dir, "slow", file)
	next := [senders]int{}
	for got != "x" {
		var s, i int
		if _, err := fmt.Sscanf(strings.ReplaceAll(got[:min(len(got), 20)], "\r", ""), "<%d %d", &s, &i); err != nil || s >= senders || next[s] != i {
			t.Fatalf("at %.100q: request %d of sender %d, want %d: %v", got, i, s, next[s], err)
		}
		rest, ok := strings.CutPrefix(got, fmt.Sprintf("<%d \r%d\r%s>", s, i, strings.Repeat("-", i%80)))
		if !ok {
			t.Fatalf("request %d of sender %d is not whole: %.100q", i, s, got)
		}
		got = rest
		next[s]++
	}
	for s := range senders {
		if next[s] != n {
			t.Errorf("%d requests of sender %d, want %d", next[s], s, n)
		}
	}
}

// Many clients type lines for a shell that is running another program. Nothing is typed until that program has ended. Then the
// shell executes each line.
func TestStressSendsToShell(t *testing.T) {
	runnertest.Need(t, "bash")
	state, file := runnertest.NewState(t), filepath.Join(t.TempDir(), "lines")
	spec := runnertest.SpecFor(t, state, "bash", "--norc")
	spec.Name = "shell"
	runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	send(t, dir, "shell", "while ! test -e "+file+".go; do :; done", "Enter")
	withheld := runner.Typing{Keys: wire.Keys{Args: []string{"echo early >>" + file, "Enter"}}, Limit: time.Millisecond}
	if _, _, err := runner.Send(runnertest.WithPatience(t), dir, "shell", withheld); !errors.Is(err, wire.ErrWithheld) {
		t.Errorf("the shell was not busy: %v", err)
	}
	const senders = 20
	n := runnertest.Rounds(100, 1000) / senders
	var all sync.WaitGroup
	for s := range senders {
		all.Go(func() {
			for i := range n {
				if !send(t, dir, "shell", fmt.Sprintf("echo %d of %d >>%s", i, s, file), "Enter") {
					return
				}
			}
		})
	}
	if err := os.WriteFile(file+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	send(t, dir, "shell", "exit", "Enter")
	next := [senders]int{}
	for line := range strings.Lines(ended(t, dir, "shell", file)) {
		var s, i int
		if _, err := fmt.Sscanf(line, "%d of %d\n", &i, &s); err != nil || s >= senders || next[s] != i {
			t.Fatalf("line %q, want the one of %d: %v", line, next[s], err)
		}
		next[s]++
	}
	for s := range senders {
		if next[s] != n {
			t.Errorf("%d lines of sender %d, want %d", next[s], s, n)
		}
	}
}

// When the answer to a typing request says that the program waits again, the screen already shows its reaction. This
// also holds on a busy machine.
func TestStressScreenAfterKeys(t *testing.T) {
	runnertest.Need(t, "perl")
	state := runnertest.NewState(t)
	spec := runnertest.SpecFor(t, state, "perl", "-e", `$| = 1; system "stty", "raw", "-echo"; while (sysread STDIN, $key, 1) { print "\e[H$key ", ++$n }`)
	spec.Name = "counter"
	runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	var stop atomic.Bool
	var load sync.WaitGroup
	defer load.Wait()
	defer stop.Store(true)
	for range 2 * runtime.NumCPU() {
		load.Go(func() {
			for {
				if stop.Load() {
					return
				}
			}
		})
	}
	late := 0
	for i := range runnertest.Rounds(100, 500) {
		_, sent, err := runner.Send(runnertest.WithPatience(t), dir, "counter", runner.Typing{Keys: wire.Keys{Args: []string{"k"}}})
		if err != nil {
			t.Fatal(err)
		}
		if !*sent.Receipt.Waiting {
			late++ // it says so
			continue
		}
		if row, _, _ := strings.Cut(runnertest.Text(runnertest.See(t, dir, "counter")), "\n"); row != fmt.Sprint("k ", i+1) {
			t.Fatalf("the screen shows %q after %d keys", row, i+1)
		}
	}
	t.Logf("%d were answered before the program had waited again", late)
}
