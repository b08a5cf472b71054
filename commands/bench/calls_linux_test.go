package bench

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkCalls runs each call beside the program that people would use for the same, turn by turn, and reports the
// medians in milliseconds and their ratio. It reports page faults and processor time of the call, for run those of the
// holder too. COSTS.md explains the figures. Sixty rounds give a ratio that holds: -benchtime 60x.
func BenchmarkCalls(b *testing.B) {
	l := newLab(b)
	l.compare(b, "call=help", ours("help"), theirs(build(b, "testdata/empty")))
	l.compare(b, "call=run/peer=floor", runTrue, command{argv: []string{build(b, "testdata/floor")}, leaves: true})
	l.compare(b, "call=run/peer=script", runTrue, theirs("script", "-qec", "true", os.DevNull))
	l.compare(b, "call=run/peer=unbuffer", runTrue, theirs("unbuffer", "true"))

	l.start(b, "shell", "sh", "-c", "exec bash --norc --noprofile")
	l.compare(b, "call=screen", ours("screen", "shell"), l.tmux("capture-pane", "-p"))
	l.compare(b, "call=send-keys", ours("send-keys", "shell", "x"), l.tmux("send-keys", "x"))
	l.compare(b, "call=send-keys-no-wait", ours("send-keys", "--no-wait", "shell", "x"), l.tmux("send-keys", "x"))
	l.start(b, "other", "sleep", "1000")
	l.compare(b, "call=ps", ours("ps"), l.tmux("list-sessions"))
}

// BenchmarkCallsBesideMany is a call while 200 other sessions live, beside the same call of tmux with as many windows, or
// of ours without them.
func BenchmarkCallsBesideMany(b *testing.B) {
	alone, many := newLab(b), newLab(b)
	many.startMany(b, 200)
	many.compare(b, "call=ps", ours("ps"), many.tmux("list-sessions"))
	many.compare(b, "call=run/peer=none", runTrue, command{argv: []string{alone.devtools, "run", "--", "true"}, dir: alone.dir, leaves: true})
}

// A command is a program with its arguments, to run in a folder.
type command struct {
	ours   bool
	argv   []string
	dir    string // "": that of the lab
	leaves bool   // it leaves a process behind, which ends soon
}

var runTrue = command{ours: true, argv: []string{"run", "--", "true"}, leaves: true}

func ours(args ...string) command   { return command{ours: true, argv: args} }
func theirs(argv ...string) command { return command{argv: argv} }

// A lab is a workspace for devtools and a server of tmux.
type lab struct {
	dir, devtools, socket string
	hasTmux               bool
}

func newLab(b *testing.B) *lab {
	b.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil { // what is left behind becomes our child
		b.Fatal(err)
	}
	l := &lab{dir: b.TempDir(), devtools: build(b, top)}
	l.socket = filepath.Join(l.dir, "tmux")
	if err := os.Mkdir(filepath.Join(l.dir, ".devtools"), 0o700); err != nil {
		b.Fatal(err)
	}
	if _, err := exec.LookPath("tmux"); err == nil {
		l.hasTmux = true
		l.run(b, "tmux", "-S", l.socket, "-f", os.DevNull, "new-session", "-d", "-x", "80", "-y", "24", "bash --norc --noprofile")
		b.Cleanup(func() { l.run(b, "tmux", "-S", l.socket, "kill-server") })
	}
	b.Cleanup(func() { l.run(b, l.devtools, "kill", "--all") })
	return l
}

// run runs a program in the lab and fails if it fails.
func (l *lab) run(b *testing.B, argv ...string) {
	b.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = l.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v: %s", strings.Join(argv, " "), err, out)
	}
}

func (l *lab) start(b *testing.B, name string, argv ...string) {
	b.Helper()
	l.run(b, append([]string{l.devtools, "launch", "--max-sessions", "0", "--name", name, "--"}, argv...)...)
}

// startMany starts n sessions, and n windows of tmux.
func (l *lab) startMany(b *testing.B, n int) {
	b.Helper()
	for range n {
		l.run(b, l.devtools, "launch", "--max-sessions", "0", "--", "sleep", "1000")
		if l.hasTmux {
			l.run(b, "tmux", "-S", l.socket, "new-window", "-d", "sleep 1000")
		}
	}
}

// tmux returns a command for the lab's server.
func (l *lab) tmux(args ...string) command {
	return command{argv: append([]string{"tmux", "-S", l.socket}, args...)}
}

// compare runs both commands turn by turn. A program that is not there skips.
func (l *lab) compare(b *testing.B, name string, mine, other command) {
	b.Run(name, func(b *testing.B) {
		if _, err := exec.LookPath(other.argv[0]); err != nil {
			b.Skipf("%s is not installed", other.argv[0])
		}
		var a, z []cost
		for b.Loop() {
			a = append(a, l.measure(b, mine))
			z = append(z, l.measure(b, other))
		}
		wall, peer := median(a, cost.milliseconds), median(z, cost.milliseconds)
		b.ReportMetric(0, "ns/op") // that of both together says nothing
		b.ReportMetric(wall, "ms")
		b.ReportMetric(peer, "peer-ms")
		b.ReportMetric(wall/peer, "ratio")
		b.ReportMetric(median(a, func(c cost) float64 { return c.faults }), "faults")
		b.ReportMetric(median(z, func(c cost) float64 { return c.faults }), "peer-faults")
		b.ReportMetric(median(a, func(c cost) float64 { return c.processor.Seconds() * 1e3 }), "cpu-ms")
		b.ReportMetric(median(z, func(c cost) float64 { return c.processor.Seconds() * 1e3 }), "peer-cpu-ms")
	})
}

// A cost is what one run of a command takes.
type cost struct {
	wall, processor time.Duration
	faults          float64
}

func (c cost) milliseconds() float64 { return c.wall.Seconds() * 1e3 }

func median(costs []cost, of func(cost) float64) float64 {
	var list []float64
	for _, c := range costs {
		list = append(list, of(c))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// measure runs a command with its output going through a pipe. The cost of a process that it leaves behind counts, too,
// but not its time.
func (l *lab) measure(b *testing.B, c command) (spent cost) {
	b.Helper()
	argv, dir := c.argv, l.dir
	if c.ours {
		argv = append([]string{l.devtools}, argv...)
	}
	if c.dir != "" {
		dir = c.dir
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "DEVTOOLS_REMINDER=0")
	cmd.Stderr = new(bytes.Buffer)
	out, err := cmd.StdoutPipe()
	begun := time.Now()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = io.Copy(io.Discard, out)
	}
	if err == nil {
		err = cmd.Wait()
	}
	spent.wall = time.Since(begun)
	if err != nil {
		b.Fatalf("%s: %v: %s", strings.Join(argv, " "), err, cmd.Stderr)
	}
	spent.add(cmd.ProcessState.SysUsage().(*syscall.Rusage))
	if c.leaves {
		var usage syscall.Rusage
		if _, err := syscall.Wait4(-1, nil, 0, &usage); err != nil {
			b.Fatalf("%s: the process that it leaves behind: %v", strings.Join(argv, " "), err)
		}
		spent.add(&usage)
	}
	return spent
}

func (c *cost) add(u *syscall.Rusage) {
	c.processor += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	c.faults += float64(u.Minflt)
}
