package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lower gives a limit another value during the test.
func lower(t *testing.T, limit *int64, value int64) {
	before := *limit
	*limit = value
	t.Cleanup(func() { *limit = before })
}

// logPIDs logs an event for each pid.
func logPIDs(t *testing.T, d Dir, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := d.Append(t.Context(), []Event{{Event: EventStarted, PID: pid}}); err != nil {
			t.Fatal(err)
		}
	}
}

func loggedPIDs(t *testing.T, d Dir) (pids []int) {
	t.Helper()
	for e, err := range d.Events() {
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, e.PID)
	}
	return pids
}

// lineBytes is the approximate size of an event of logPIDs.
const lineBytes = 100

func TestLogRotates(t *testing.T) {
	lower(t, &segmentBytes, 3*lineBytes)
	d := newDir(t)
	var want []int
	for pid := 1; pid <= 50; pid++ {
		logPIDs(t, d, pid)
		if want = append(want, pid); !cmp.Equal(loggedPIDs(t, d), want) {
			t.Fatalf("after %d: %v", pid, loggedPIDs(t, d))
		}
		if size := eventSize(t, d); size > 4*lineBytes {
			t.Fatalf("the newest file has %d bytes", size)
		}
	}
	if _, err := os.Stat(filepath.Join(d.Path(), "process-log.00000001.jsonl")); err != nil {
		t.Error(err)
	}
}

// The log keeps the newest events, as many as fit.
func TestLogIsBounded(t *testing.T) {
	lower(t, &segmentBytes, 3*lineBytes)
	lower(t, &logBytes, 20*lineBytes)
	d := newDir(t)
	for pid := range 100 {
		logPIDs(t, d, pid)
	}
	got := loggedPIDs(t, d)
	for i, pid := range got {
		if pid != 100-len(got)+i {
			t.Fatalf("kept: %v", got)
		}
	}
	if len(got) < 10 || len(got) > 30 {
		t.Errorf("%d events are kept", len(got))
	}
	lower(t, &logBytes, 0) // the last full file stays in any case
	logPIDs(t, d, 100, 101, 102, 103)
	if got = loggedPIDs(t, d); len(got) < 3 || len(got) > 8 {
		t.Errorf("without room: %v", got)
	}
}

// A writer may be killed anywhere while it begins another file. No event is lost or doubled.
func TestKilledWhileRotating(t *testing.T) {
	lower(t, &segmentBytes, 3*lineBytes)
	torn := func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		_, err = f.WriteString(`{"v":1,"event":"star`)
		return errors.Join(err, f.Close())
	}
	for name, leave := range map[string]func(d Dir) error{
		"before it":   func(Dir) error { return nil },
		"a torn line": func(d Dir) error { return torn(d.file(eventFile)) },
		"renamed":     func(d Dir) error { return os.Rename(d.file(eventFile), d.file(segmentName(7))) },
		"begun another file": func(d Dir) error {
			return errors.Join(os.Rename(d.file(eventFile), d.file(segmentName(7))), os.WriteFile(d.file(eventFile), nil, 0o600))
		},
		"torn there": func(d Dir) error {
			return errors.Join(os.Rename(d.file(eventFile), d.file(segmentName(7))), torn(d.file(eventFile)))
		},
		"a torn full file": func(d Dir) error {
			return errors.Join(torn(d.file(eventFile)), os.Rename(d.file(eventFile), d.file(segmentName(7))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDir(t)
			logPIDs(t, d, 1, 2, 3, 4)
			if eventSize(t, d) < segmentBytes {
				t.Fatalf("%d bytes do not fill a file", eventSize(t, d))
			}
			if err := leave(d); err != nil {
				t.Fatal(err)
			}
			if got := loggedPIDs(t, d); !cmp.Equal(got, []int{1, 2, 3, 4}) {
				t.Errorf("then: %v", got)
			}
			logPIDs(t, d, 5, 6)
			if got := loggedPIDs(t, d); !cmp.Equal(got, []int{1, 2, 3, 4, 5, 6}) {
				t.Errorf("later: %v", got)
			}
		})
	}
}

// Files with other names are not full files. When the numbers are used up, the newest file grows.
func TestLogNames(t *testing.T) {
	lower(t, &segmentBytes, 3*lineBytes)
	d := newDir(t)
	for _, name := range []string{"process-log.1.jsonl", "process-log.0000000x.jsonl", "process-log.-0000001.jsonl", "process-log.000000001.jsonl", segmentName(maxSegment)} {
		if err := os.WriteFile(d.file(name), []byte(`{"event":"started","pid":99}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	logPIDs(t, d, 1, 2, 3, 4, 5, 6)
	if got := loggedPIDs(t, d); !cmp.Equal(got, []int{99, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("%v", got)
	}
}

// A line needs at most the memory of the longest allowed line, and the lines after it are read.
func TestAbsurdLines(t *testing.T) {
	d := newDir(t)
	good := `{"event":"started","pid":1}` + "\n"
	for name, log := range map[string]string{
		"in the middle":  good + strings.Repeat("x", 5*maxLine) + "\n" + good,
		"at the end":     good + good + strings.Repeat("x", 5*maxLine),
		"exactly":        good + strings.Repeat("x", maxLine) + "\n" + good,
		"twice":          strings.Repeat("x", 2*maxLine) + "\n" + good + strings.Repeat("y", 2*maxLine) + "\n" + good,
		"of the longest": good + `{"event":"started","pid":1,"cmd":"` + strings.Repeat("x", maxLine-100) + `"}` + "\n",
	} {
		if err := os.WriteFile(d.file(eventFile), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := loggedPIDs(t, d); !cmp.Equal(got, []int{1, 1}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSessionEvents(t *testing.T) {
	lower(t, &segmentBytes, 3*lineBytes)
	d := newDir(t)
	var want []int
	for pid := range 40 {
		id := fmt.Sprintf("id%d", pid%4)
		if err := d.Append(t.Context(), []Event{{Event: EventStarted, PID: pid, SessionID: id, Cmd: "like id1", Name: "id10"}}); err != nil {
			t.Fatal(err)
		}
		if id == "id1" {
			want = append(want, pid)
		}
	}
	read := func(since time.Time) (got []int) {
		for e, err := range d.SessionEvents("id1", since) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.PID)
		}
		return got
	}
	now := time.Now()
	for _, since := range []time.Time{{}, now.Add(-time.Hour)} {
		if got := read(since); !cmp.Equal(got, want) {
			t.Errorf("since %v: %v, want %v", since, got, want)
		}
	}
	// A full file that was written last before the session began is not read.
	if err := os.Chtimes(d.file(segmentName(1)), now.Add(-2*time.Hour), now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := read(now.Add(-time.Hour)); len(got) == len(want) || !cmp.Equal(got, want[len(want)-len(got):]) {
		t.Errorf("%v, want the end of %v", got, want)
	}
}

// logEvents is a role of the test binary: it logs events with the numbers from 0 on, some of them together, and prints
// each number afterwards.
func logEvents(path, writer string) {
	segmentBytes = 30000
	d, err := Open(path)
	for n := 0; err == nil; {
		batch := make([]Event, 1+n%3)
		for i := range batch {
			batch[i] = Event{Event: EventSpawned, PID: n + i, SessionID: writer, Cmd: strings.Repeat("x", (n+i)*37%500)}
		}
		if err = d.Append(context.Background(), batch); err == nil {
			n += len(batch)
			_, err = fmt.Println(n)
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

// appendFifth logs one event in a log whose files are full after a few events.
func appendFifth(path string) {
	segmentBytes = 3 * lineBytes
	d, err := Open(path)
	if err == nil {
		err = d.Append(context.Background(), []Event{{Event: EventStarted, PID: 5}})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// A logReader reads the log while others write it, and checks what readers may rely on: each event of a writer is there
// once, in order and without a gap, and stays there.
type logReader map[string]int // how many events of each writer there are

func (seen logReader) read(t *testing.T, d Dir) {
	t.Helper()
	now := map[string]int{}
	for e, err := range d.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.PID != now[e.SessionID] {
			t.Fatalf("after %d events of writer %s comes number %d", now[e.SessionID], e.SessionID, e.PID)
		}
		now[e.SessionID]++
	}
	for writer, n := range seen {
		if now[writer] < n {
			t.Fatalf("writer %s has %d events, and had %d", writer, now[writer], n)
		}
	}
	for writer, n := range now {
		seen[writer] = n
	}
}

// Fifty writers are killed at random moments while the log rotates and is read. Each acknowledged event is in the log
// once, in its writer's order, and every line but one torn last line is an event.
func TestManyWritersKilled(t *testing.T) {
	writers, kills := 50, 60
	if testing.Short() {
		writers, kills = 4, 8
	}
	d := newDir(t)
	type process struct {
		name string
		cmd  *exec.Cmd
		out  string
	}
	outputs := t.TempDir()
	start := func(name string) process {
		f, err := os.Create(filepath.Join(outputs, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LEDGER_TEST_ROLE=log", "LEDGER_TEST_DIR="+d.Path(), "LEDGER_TEST_ID="+name)
		cmd.Stdout = f
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return process{name, cmd, f.Name()}
	}
	acknowledged := map[string]int{}
	stop := func(p process) {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait() // killed
		data, err := os.ReadFile(p.out)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if number, whole := strings.CutSuffix(line, "\n"); whole {
				n, err := strconv.Atoi(number)
				if err != nil {
					t.Fatalf("writer %s: %s", p.name, line)
				}
				acknowledged[p.name] = n
			}
		}
	}
	var running []process
	for i := range writers {
		running = append(running, start(fmt.Sprintf("w%d", i)))
	}
	seen := logReader{}
	for i := range kills {
		if i%4 == 0 {
			seen.read(t, d)
		}
		for moment := logSize(t, d) + rand.Int64N(5000); logSize(t, d) < moment; {
			runtime.Gosched()
		}
		stop(running[i%writers])
		running[i%writers] = start(fmt.Sprintf("w%d", writers+i))
	}
	for _, p := range running {
		stop(p)
	}
	seen.read(t, d)
	total := 0
	for writer, n := range acknowledged {
		if total += n; seen[writer] < n {
			t.Errorf("of writer %s there are %d events, and %d were acknowledged", writer, seen[writer], n)
		}
	}
	numbers, err := d.segments()
	if err != nil || total == 0 || len(numbers) < 3 && !testing.Short() {
		t.Errorf("%d events in %d full files, %v", total, len(numbers), err)
	}
	t.Logf("%d events in %d full files", total, len(numbers))
	before := damage(t, d)
	if before > 1 {
		t.Errorf("%d lines are no events", before)
	}
	if err := d.Append(t.Context(), []Event{{Event: EventOrphaned, SessionID: "last"}}); err != nil {
		t.Fatal(err)
	}
	seen.read(t, d)
	if after := damage(t, d); seen["last"] != 1 || after > before {
		t.Errorf("then %d lines are no events, and the last event is there %d times", after, seen["last"])
	}
}

// damage returns how many lines of the log are not events. Torn lines that a later writer has ended do not count.
func damage(t *testing.T, d Dir) (n int) {
	t.Helper()
	numbers, err := d.segments()
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{d.file(eventFile)}
	for _, number := range numbers {
		paths = append(paths, d.file(segmentName(number)))
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // the newest is not there between two
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			line, whole := strings.CutSuffix(line, "\n")
			var e Event
			if !whole || !e.decode(line) && !strings.HasPrefix(`{"v":1,"event":"spawned","pid":`, line[:min(len(line), 10)]) {
				n++
			}
		}
	}
	return n
}

// logSize returns the size of the log in bytes, with all its files.
func logSize(t *testing.T, d Dir) (total int64) {
	t.Helper()
	l, err := d.openLog()
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for _, n := range l.segments {
		info, err := os.Stat(d.file(segmentName(n)))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if l.newest != nil {
		size, err := l.newest.Seek(0, io.SeekEnd)
		if err != nil {
			t.Fatal(err)
		}
		total += size
	}
	return total
}

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{0, 100000, 1000000} {
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			d, err := Create(filepath.Join(b.TempDir(), FolderName))
			if err != nil {
				b.Fatal(err)
			}
			fill(b, d, n)
			event := sampleEvents()[:1]
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Append(context.Background(), event); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
