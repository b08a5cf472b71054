//go:build unix

package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
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
	"devtools/screen"
)

// lines returns the output of seq 1 n on a terminal.
func lines(n int) []byte {
	var b []byte
	for i := range n {
		b = append(strconv.AppendInt(b, int64(i+1), 10), "\r\n"...)
	}
	return b
}

func TestStressByteExact(t *testing.T) {
	runnertest.Need(t, "seq")
	dir, want := runnertest.NewState(t), lines(100000)
	for i := range runnertest.Rounds(10, 1000) {
		out, result := runnertest.RunFor(t, runnertest.SpecFor(t, dir, "seq", "1", "100000"))
		if got := out.Text(transcript.Output); got != string(want) || runnertest.Code(result.Session) != "0" {
			t.Fatalf("round %d: %d bytes, want %d, code %s", i, len(got), len(want), runnertest.Code(result.Session))
		}
		_ = os.RemoveAll(filepath.Join(dir, "sessions", result.Session.ID)) // the disk is for the others too
	}
}

// A program that lives for a millisecond loses neither its output nor its exit code.
func TestStressShortLife(t *testing.T) {
	dir := runnertest.NewState(t)
	for i := range runnertest.Rounds(50, 1000) {
		out, result := runnertest.RunFor(t, runnertest.Shell(t, dir, `printf 'out %s' `+fmt.Sprint(i)+`; exit `+fmt.Sprint(i%100)))
		if got := out.Text(transcript.Output); got != fmt.Sprint("out ", i) || runnertest.Code(result.Session) != fmt.Sprint(i%100) {
			t.Fatalf("round %d: %q, code %s, %+v", i, got, runnertest.Code(result.Session), result)
		}
	}
}

// peak returns the maximum memory of the process so far, in bytes.
func peak(t *testing.T, pid int) int64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no /proc")
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kib int64
			if _, err := fmt.Sscan(rest, &kib); err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

// A long stream arrives whole even if its reader pauses, and the holder stays small.
func TestStressStream(t *testing.T) {
	runnertest.Need(t, "perl")
	size, pause := int64(runnertest.Rounds(64, 1024))<<20, time.Duration(runnertest.Rounds(1, 60))*time.Second
	spec := runnertest.SpecFor(t, runnertest.NewState(t), "perl", "-e", `$| = 1; my $n = shift; my $b = join "", map { chr(32 + $_ % 90) } 0..65535; while ($n > 0) { print $b; $n -= 65536 } print STDERR "end"; <STDIN>`, fmt.Sprint(size))
	c := runnertest.Begin(t, spec)
	block := make([]byte, 65536)
	for i := range block {
		block[i] = byte(32 + i%90)
	}
	want, got, n, paused := crc32.NewIEEE(), crc32.NewIEEE(), int64(0), false
	for range size / 65536 {
		_, _ = want.Write(block) // a hash takes everything
	}
	end := errors.New("end")
	_, missing, err := c.Follow(runnertest.WithPatienceOf(t, 10*time.Minute), 0, wire.Sink{Write: func(p []byte, _ transcript.Kind, _ int64) error {
		if n > size/2 && !paused {
			paused = true
			<-time.After(pause) // the pause is what the test is about
		}
		_, _ = got.Write(p[:min(int64(len(p)), size-n)])
		if n += int64(len(p)); n >= size+3 {
			return end
		}
		return nil
	}})
	if !errors.Is(err, end) || missing != 0 || n != size+3 || got.Sum32() != want.Sum32() {
		t.Errorf("%v, %d bytes of %d, missing %d, checksum %x, want %x", err, n, size, missing, got.Sum32(), want.Sum32())
	}
	if most := peak(t, c.Session.Holder.PID); most > runnertest.HolderPeak {
		t.Errorf("the holder has had %d bytes", most)
	} else {
		t.Logf("%d MiB with a pause of %v: the holder has had %.1f MiB", size>>20, pause, float64(most)/(1<<20))
	}
}

// One line of 100 MiB passes through the plain text filter, too.
func TestStressGiantLine(t *testing.T) {
	runnertest.Need(t, "perl")
	size := runnertest.Rounds(8, 100) << 20
	c := runnertest.Begin(t, runnertest.SpecFor(t, runnertest.NewState(t), "perl", "-e", `print "x" x 65536 for 1..$ARGV[0]`, fmt.Sprint(size/65536)))
	n := 0
	page := screen.NewPlain(writerFunc(func(p []byte) (int, error) {
		if bytes.Count(p, []byte("x")) != len(p) {
			return 0, errors.New("something else than x")
		}
		n += len(p)
		return len(p), nil
	}), 80, 24)
	result, err := c.Run(runnertest.WithPatienceOf(t, 10*time.Minute), runner.RunOptions{Sink: wire.Sink{Write: func(p []byte, _ transcript.Kind, _ int64) error {
		_, err := page.Write(p)
		return err
	}}})
	if err := errors.Join(err, page.Close()); err != nil || n != size || result.Next != int64(size) {
		t.Errorf("%v, %d bytes of %d", err, n, size)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestStressAtOnce(t *testing.T) {
	dir := runnertest.NewState(t)
	n := runnertest.Rounds(20, 100)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			out, result := runnertest.RunFor(t, runnertest.Shell(t, dir, fmt.Sprintf("echo out %d; exit %d", i, i)))
			if got := out.Text(transcript.Output); got != fmt.Sprintf("out %d\r\n", i) || runnertest.Code(result.Session) != fmt.Sprint(i) {
				t.Errorf("%d: %q, code %s", i, got, runnertest.Code(result.Session))
			}
		})
	}
	all.Wait()
	state, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	events, names := map[string]int{}, map[string]bool{}
	for e, err := range state.Events() {
		if err != nil {
			t.Fatal(err)
		}
		events[e.Event]++
		if e.Event == ledger.EventStarted {
			names[e.Terminal] = true
		}
	}
	if events[ledger.EventStarted] != n || events[ledger.EventCompleted] != n || len(events) != 2 {
		t.Errorf("events %v, want %d of each", events, n)
	}
	if a, err := state.Active(); err != nil || len(a.Sessions) != 0 {
		t.Errorf("active %v, %v", a, err)
	}
}

func TestStressOneName(t *testing.T) {
	dir := runnertest.NewState(t)
	for range runnertest.Rounds(1, 20) {
		const racers = 20
		var all sync.WaitGroup
		results := make(chan error, racers)
		for range racers {
			spec := runnertest.SpecFor(t, dir, "sleep", "1000")
			spec.Name = "web"
			all.Go(func() {
				c, err := runnertest.StartSession(runnertest.WithPatience(t), spec, nil)
				if err == nil {
					err = c.Close()
				}
				results <- err
			})
		}
		all.Wait()
		won := 0
		for range racers {
			if err := <-results; err == nil {
				won++
			} else if !errors.Is(err, wire.ErrNameTaken) || err.Error() != `session "web": name is taken` {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d have won", won)
		}
		state, err := ledger.Open(dir)
		if err == nil {
			_, err = runner.Kill(runnertest.WithPatience(t), state, []string{"web"}, "KILL", 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// starter is a role of the test binary: it runs a session and prints its id, its output and its exit code.
const starter = "RUNNER_TEST_STARTER"

func runAsStarter() error {
	var spec wire.Spec
	if err := json.Unmarshal([]byte(os.Getenv(starter)), &spec); err != nil {
		return err
	}
	c, err := runnertest.StartSession(context.Background(), spec, nil)
	if err != nil {
		return err
	}
	fmt.Println(c.Session.ID)
	defer c.Close()
	result, err := c.Run(context.Background(), runner.RunOptions{Sink: wire.Sink{Write: func(p []byte, _ transcript.Kind, _ int64) error {
		_, err := os.Stdout.Write(p)
		return err
	}}})
	fmt.Println("code", runnertest.Code(result.Session))
	return err
}

// The caller may be killed at any moment. The command goes on, and its exit code and every byte are recorded.
func TestStressCallerKilled(t *testing.T) {
	runnertest.Need(t, "seq")
	dir := runnertest.NewState(t)
	want := append(lines(3000), lines(2000)...)
	for i := range runnertest.Rounds(20, 200) {
		gate := filepath.Join(t.TempDir(), "gate")
		if err := syscall.Mkfifo(gate, 0o600); err != nil {
			t.Fatal(err)
		}
		spec := runnertest.Shell(t, dir, `seq 1 3000; read line <`+gate+`; seq 1 2000; exit 7`)
		encoded, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "starter")
		cmd.Env = append(os.Environ(), starter+"="+string(encoded))
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		var id string
		if _, err := fmt.Fscan(stdout, &id); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(rand.IntN(3000)) * time.Microsecond) // a random moment
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed
		if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
			t.Fatal(err)
		}
		state, err := ledger.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		s, err := runnertest.WaitEnd(t, state, id)
		if err != nil || runnertest.Code(s) != "7" {
			t.Fatalf("round %d: code %s, %v", i, runnertest.Code(s), err)
		}
		log, err := runner.OpenLog(state, id)
		if err != nil {
			t.Fatal(err)
		}
		page, err := log.Page(0)
		if err := errors.Join(err, log.Close()); err != nil || !page.Closed || !bytes.Equal(page.Data, want) {
			t.Fatalf("round %d: %d bytes of %d, closed %v, %v", i, len(page.Data), len(want), page.Closed, err)
		}
	}
}

// The holder may be killed at any moment while other sessions of the folder start and end. The ledger stays whole and
// right, and the next call works.
func TestStressHolderKilled(t *testing.T) {
	dir := runnertest.NewState(t)
	stop := make(chan struct{})
	var load sync.WaitGroup
	for i := range 4 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				out, result := runnertest.RunFor(t, runnertest.Shell(t, dir, fmt.Sprintf("echo load %d; exit %d", i, i)))
				if out.Text(transcript.Output) != fmt.Sprintf("load %d\r\n", i) || runnertest.Code(result.Session) != fmt.Sprint(i) {
					t.Errorf("load %d: %q, code %s", i, out.Text(transcript.Output), runnertest.Code(result.Session))
				}
			}
		})
	}
	started := map[string]bool{}
	n := runnertest.Rounds(20, 200)
	for range n {
		c, err := runnertest.StartSession(runnertest.WithPatience(t), runnertest.Shell(t, dir, `while :; do echo y; done`), nil)
		if err != nil {
			t.Fatal(err)
		}
		started[c.Session.ID] = true
		<-time.After(time.Duration(rand.IntN(8000)) * time.Microsecond) // a random moment
		if err := track.Identity(c.Session.Holder).Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := proc.Await(runnertest.WithPatience(t), track.Identity(c.Session.Holder)); err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		if err := proc.Await(runnertest.WithPatience(t), track.Identity(c.Session.Main)); err != nil {
			t.Fatal(err)
		}
		l, err := list.List(runnertest.WithPatience(t), runnertest.OpenState(t, dir), false, false)
		if err != nil || len(l.Orphaned) > 0 {
			t.Fatalf("%v, orphaned %v", err, l.Orphaned)
		}
		for _, s := range l.Sessions {
			if started[s.ID] {
				t.Errorf("session %s is listed as living", s.ID)
			}
		}
	}
	close(stop)
	load.Wait()
	checkEvents(t, dir, started)
}

// checkEvents checks that the log has one start and one end of every session. The sessions in killed ended with their
// holder.
func checkEvents(t *testing.T, dir string, killed map[string]bool) {
	t.Helper()
	state, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	starts, ends, orphaned, lost := map[string]int{}, map[string]int{}, map[string]bool{}, 0
	for e, err := range state.Events() {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Event == ledger.EventStarted:
			starts[e.SessionID]++
		case e.Event == ledger.EventCompleted, e.Event == ledger.EventKilled:
			ends[e.SessionID]++
			if e.Reason != "" {
				lost++
			}
		case e.Event == ledger.EventOrphaned && killed[e.SessionID] && !orphaned[e.SessionID]:
			orphaned[e.SessionID] = true // for the moment until the kernel's hang-up has reached it
		default:
			t.Errorf("event %v", e)
		}
	}
	for id, n := range starts {
		if n != 1 || ends[id] != 1 {
			t.Errorf("session %s has %d starts and %d ends", id, n, ends[id])
		}
	}
	for id := range killed {
		if starts[id] != 1 {
			t.Errorf("session %s has no start", id)
		}
	}
	if lost != len(killed) {
		t.Errorf("%d holders were killed, %d are in the log", len(killed), lost)
	}
	t.Logf("%d sessions, %d of them with a killed holder", len(starts), lost)
}
