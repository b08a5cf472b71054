package runner_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	creack "github.com/creack/pty"
	"golang.org/x/sys/unix"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/blocked"
	"devtools/runner/pty"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// A questioner is a program that asks questions. Its arguments are the number of questions, a file, and the longest
// time in milliseconds that it works before each question. For each question it writes to the file its number and the
// time just before it reads the answer.
type questioner struct {
	name    string
	command []string
	clock   func() int64 // its clock, in nanoseconds
}

var questioners = []questioner{
	{"python3", []string{"python3", "-c", `
import os, random, sys, time
rounds, path, most = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]) / 1000
stamps = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
def work():
    until = time.monotonic() + random.uniform(0, most)
    kind = random.randrange(3)
    if kind == 0:
        while time.monotonic() < until: pass
    elif kind == 1:
        time.sleep(max(0, until - time.monotonic()))
for i in range(rounds):
    work()
    if random.randrange(2):
        os.write(1, b"working\r\n")
        work()
    os.write(1, b"q %d? " % i)
    if random.randrange(4) == 0:
        work()
    os.write(stamps, b"%d %d\n" % (i, time.monotonic_ns()))
    line = os.read(0, 100)
    if line != b"a %d\n" % i:
        sys.exit("question %d is answered %r" % (i, line))
`}, func() int64 { return clock(unix.CLOCK_MONOTONIC) }},
	{"bash", []string{"bash", "-c", `
LC_ALL=C
work() {
	case $((RANDOM % 3)) in
	0) for ((j = RANDOM % ($3 * 300); j > 0; j--)); do :; done ;;
	1) printf -v pause 0.%03d $((RANDOM % $3)); sleep $pause ;;
	esac
}
exec 3>>"$2"
for ((i = 0; i < $1; i++)); do
	work "$@"
	if ((RANDOM % 2)); then
		echo working
		work "$@"
	fi
	printf 'q %d? ' $i
	((RANDOM % 4)) || work "$@"
	echo "$i ${EPOCHREALTIME/./}000" >&3
	read -r line
	[[ $line == "a $i" ]] || { echo "question $i is answered $line"; exit 1; }
done
`, "bash"}, func() int64 { return clock(unix.CLOCK_REALTIME) }}, // it has no other without a process of its own
}

func clock(id int32) int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(id, &now); err != nil {
		panic(err) // both are always there
	}
	return now.Nano()
}

// A dialogue is a session of a questioner that gets its answers.
type dialogue struct {
	*runner.Client
	questioner
	stamps string
	asked  int

	while, already []time.Duration // from the read, or the question whether it reads, to the verdict
}

func (q questioner) begin(t *testing.T, dir string, most time.Duration, rounds int) *dialogue {
	runnertest.Need(t, q.command[0])
	stamps := filepath.Join(t.TempDir(), "stamps")
	c := runnertest.Begin(t, runnertest.SpecFor(t, dir, append(slices.Clone(q.command), fmt.Sprint(rounds), stamps, fmt.Sprint(most.Milliseconds()))...))
	return &dialogue{Client: c, questioner: q, stamps: stamps}
}

// next waits for the next question, checks that the program reads the answer, types the answer, and notes how long the
// question took to be known.
func (d *dialogue) next(t *testing.T) {
	t.Helper()
	begun := d.clock()
	waited := runnertest.Until(t, d.Client, runner.Wait{Timeout: runnertest.Patience / 2}, "input")
	known := d.clock()
	data, err := os.ReadFile(d.stamps)
	if err != nil {
		t.Fatalf("%+v: %v", waited, err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	var question int
	var since int64
	if _, err := fmt.Sscan(lines[len(lines)-1], &question, &since); err != nil {
		t.Fatalf("the last stamp %q: %v", lines[len(lines)-1], err)
	}
	shown := strings.Split(strings.TrimRight(runnertest.Text(runnertest.See(t, d.Dir, d.Session.ID)), "\n "), "\n")
	last := strings.TrimRight(shown[len(shown)-1], " ")
	switch want := fmt.Sprintf("q %d?", d.asked); {
	case len(waited.Met) != 1:
		t.Fatalf("question %d, exit code %s, ended %t, timed out %t:\n%s", d.asked, runnertest.Code(waited.Session), waited.Ended, waited.TimedOut, strings.Join(shown, "\n"))
	case question != d.asked:
		t.Fatalf("question %d: it reads the answer to question %d", d.asked, question)
	case since > known:
		t.Fatalf("question %d: it was said to read %v before it did", d.asked, time.Duration(since-known))
	case last != want:
		t.Fatalf("question %d: the last line is %q, want %q", d.asked, last, want)
	}
	if since < begun {
		d.already = append(d.already, time.Duration(known-begun))
	} else {
		d.while = append(d.while, time.Duration(known-since))
	}
	typing := runner.Typing{Keys: wire.Keys{Args: []string{fmt.Sprintf("a %d", d.asked), "Enter"}}, NoWait: d.asked%2 == 0}
	if _, _, err := runner.Send(runnertest.WithPatience(t), d.Dir, d.Session.ID, typing); err != nil {
		t.Fatal(err)
	}
	d.asked++
}

// rows are the lines of a table of times.
func (d *dialogue) rows(name string) string {
	return row(name+", while it was waited for", d.while) + "\n" + row(name+", before", d.already)
}

// finish checks that the program got all answers.
func (d *dialogue) finish(t *testing.T) {
	t.Helper()
	if s, err := runnertest.WaitEnd(t, d.Dir, d.Session.ID); err != nil || runnertest.Code(s) != "0" {
		t.Errorf("exit code %s, %v:\n%s", runnertest.Code(s), err, runnertest.Text(runnertest.See(t, d.Dir, d.Session.ID)))
	}
}

// quantile returns the time that is at least as long as this share of the times.
func quantile(times []time.Duration, share float64) time.Duration {
	slices.Sort(times)
	if len(times) == 0 {
		return 0
	}
	return times[int(share*float64(len(times)-1))]
}

var rowHead = fmt.Sprintf("%-50s %6s %8s %8s %8s %8s", "it began to read", "rounds", "min ms", "p50", "p95", "max")

// row returns a line of the table of times.
func row(name string, times []time.Duration) string {
	line := fmt.Sprintf("%-50s %6d", name, len(times))
	for _, share := range []float64{0, 0.5, 0.95, 1} {
		line += fmt.Sprintf(" %8.1f", float64(quantile(times, share).Microseconds())/1000)
	}
	return line
}

// Each of 2,000 questions is known while it is asked: not before, and not after its answer.
func TestStressQuestions(t *testing.T) {
	runnertest.NeedStress(t)
	const rounds = 2000
	for _, q := range questioners {
		t.Run(q.name, func(t *testing.T) {
			t.Parallel()
			d := q.begin(t, runnertest.NewState(t), 30*time.Millisecond, rounds)
			for range rounds {
				d.next(t)
			}
			d.finish(t)
			t.Logf("\n%s\n%s", rowHead, d.rows(q.name))
		})
	}
}

// Measures how long it takes to know that a program waits after it has begun to read.
func TestStressLatency(t *testing.T) {
	runnertest.NeedStress(t)
	const rounds = 200
	lines := []string{rowHead}
	for _, tt := range []struct {
		name             string
		hogs             int
		mostP50, mostP95 time.Duration
	}{
		{"idle", 0, 90 * time.Millisecond, 130 * time.Millisecond},
		{"with 4 busy processes", 4, 250 * time.Millisecond, 250 * time.Millisecond},
	} {
		stop := runnertest.Load(t, tt.hogs)
		d := questioners[0].begin(t, runnertest.NewState(t), 300*time.Millisecond, rounds)
		for range rounds {
			d.next(t)
		}
		d.finish(t)
		stop()
		lines = append(lines, d.rows(tt.name))
		for _, times := range [][]time.Duration{d.while, d.already} {
			if p50, p95 := quantile(times, 0.5), quantile(times, 0.95); p50 > tt.mostP50 || p95 > tt.mostP95 {
				t.Errorf("%s: p50 %v, p95 %v, want at most %v and %v", tt.name, p50, p95, tt.mostP50, tt.mostP95)
			}
		}
	}
	t.Logf("\n%s", strings.Join(lines, "\n"))
}

// busy lists programs that never wait for input, as lines of sh.
var busy = []struct{ name, needs, line string }{
	{"sleep", "sleep", "exec sleep 1000"},
	{"compiler", "cc", "while :; do cc -O2 -x c -o /dev/null big.c; done"},
	{"python", "python3", "exec python3 -c 'while True: sum(range(1000))'"},
	{"curl of a silent server", "curl", "exec curl -s http://$SILENT/"},
	{"go build", "go", "while :; do GOFLAGS= GOCACHE=$PWD/$((n = n + 1)) go build -o /dev/null fmt; rm -rf $n; done"},
	{"tail", "tail", "exec tail -f big.c"},
	{"make", "make", "while :; do make -s -j2; done"},
}

// None of 20,000 probes of busy programs on a busy machine says that they wait, and neither do their holders.
func TestStressBusy(t *testing.T) {
	runnertest.NeedStress(t)
	if v := probe(t, "cat", t.TempDir(), 2000); v.State != blocked.Waiting { // of which it does say so
		t.Fatalf("cat: %+v", v)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	t.Cleanup(runnertest.Load(t, 4))
	probes := 20000/len(busy) + 1
	lines := []string{fmt.Sprintf("%-28s %6s %8s %s", "program", "probes", "seconds", "last")}
	for _, b := range busy {
		runnertest.Need(t, b.needs)
		line := strings.ReplaceAll(b.line, "$SILENT", silent.Addr().String())
		folder := busyFolder(t)
		c := runnertest.Begin(t, inFolder(runnertest.Shell(t, runnertest.NewState(t), line), folder))
		done := make(chan runner.Waited, 1)
		started := time.Now()
		go func() { done <- runnertest.Until(t, c, runner.Wait{Timeout: 10 * time.Second}, "input") }()
		v := probe(t, line, folder, probes)
		lines = append(lines, fmt.Sprintf("%-28s %6d %8.1f %s %s", b.name, probes, time.Since(started).Seconds(), v.State, v.Reason))
		if v.State == blocked.Waiting {
			t.Errorf("%s: %+v", b.name, v)
		}
		if waited := <-done; !waited.TimedOut {
			t.Errorf("%s: its holder says %+v", b.name, waited)
		}
		if _, err := c.Kill(runnertest.WithPatience(t), 0, "KILL", 0); err != nil {
			t.Error(err)
		}
	}
	t.Logf("\n%s", strings.Join(lines, "\n"))
}

func inFolder(spec wire.Spec, folder string) wire.Spec {
	spec.Cwd = folder
	return spec
}

// busyFolder returns a folder with something to compile and to make.
func busyFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	var source strings.Builder
	for i := range 300 {
		fmt.Fprintf(&source, "int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) s += a[i] * s; return s; }\n", i, i)
	}
	source.WriteString("int main(void) { return 0; }\n")
	for name, data := range map[string]string{
		"big.c":    source.String(),
		"Makefile": "all: a b c d\na b c d:\n\t@sleep 0.05; echo $@ | cat >/dev/null\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// probe runs a line of sh in a terminal and probes it as if it had been silent for long. It stops at the given number
// of probes or when the program waits for input, and returns the last verdict.
func probe(t *testing.T, line, folder string, probes int) (v blocked.Verdict) {
	t.Helper()
	master, slave, err := creack.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	tty := &pty.Terminal{Master: master, Slave: slave}
	if err := tty.Resize(ledger.Size{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = folder, slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the group of its session
		_ = cmd.Wait()
	}()
	device, filesystem := tty.Device()
	watch := blocked.NewWatch(os.Getpid(), blocked.Terminal{
		Device: device, Filesystem: filesystem, Foreground: tty.Foreground,
		Modes: func() (blocked.Modes, error) {
			m, err := tty.Modes()
			return blocked.Modes{Canonical: m.Canonical, Echo: m.Echo, Timed: m.Timed}, err
		},
	})
	defer watch.Close()
	for range probes {
		if v = watch.Probe(time.Now(), 10*time.Second); v.State == blocked.Waiting {
			break
		}
		<-time.After(time.Millisecond) // it sleeps differently by then
	}
	return v
}
