package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// repository makes a repository of so many files, 17 in a folder, all of which are committed, beside a quarter of that which
// git ignores.
func repository(b *testing.B, files int) (dir string, paths []string) {
	b.Helper()
	dir = b.TempDir()
	write := func(name string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("1\n"), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for i := range files {
		name := fmt.Sprintf("packages/p%d/src/d%d/f%d.ts", i/500, i/17, i)
		write(name)
		paths = append(paths, filepath.Join(dir, name))
		if i%4 == 0 {
			write(fmt.Sprintf("packages/p%d/node_modules/m%d/f%d.js", i/500, i/17, i))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("node_modules/\ndist/\n*.log\n.env\n.devtools/\n"), 0o666); err != nil {
		b.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-qm", "all"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return dir, paths
}

// BenchmarkChangedSince asks whether any of 100,000 files has changed; the peer is git's own question.
func BenchmarkChangedSince(b *testing.B) {
	devtools := build(b, top)
	dir, _ := repository(b, 100_000)
	ask := exec.Command(devtools, "watch", "--token")
	ask.Dir = dir
	token, err := ask.Output()
	if err != nil {
		b.Fatal(err)
	}
	since := devtools + " watch --changed-since " + strings.TrimSpace(string(token))
	peer(b, "tool=devtools/files=100k", dir, "sh", "-c", since+"; test $? = 1")
	peer(b, "tool=git-ls-files/files=100k", dir, "sh", "-c", "git ls-files -m; true")
	peer(b, "tool=git-status/files=100k", dir, "sh", "-c", "git status --porcelain; true")
}

// A watched is a watch that runs, and its events.
type watched struct {
	cmd    *exec.Cmd
	events *bufio.Scanner
}

func startWatch(b *testing.B, devtools, dir string, args ...string) *watched {
	b.Helper()
	cmd := exec.Command(devtools, append([]string{"--json", "watch"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, io.Discard
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // by the signal
	})
	w := &watched{cmd, bufio.NewScanner(out)}
	w.events.Buffer(nil, 1<<20)
	return w
}

// until reads events to the next of a kind, and returns when it came.
func (w *watched) until(b *testing.B, kind string) time.Time {
	b.Helper()
	for w.events.Scan() {
		var e struct{ Event string }
		if err := json.Unmarshal(w.events.Bytes(), &e); err != nil {
			b.Fatal(err)
		}
		if e.Event == kind {
			return time.Now()
		}
		if e.Event == "failed" || e.Event == "loop_guard" {
			b.Fatal(w.events.Text())
		}
	}
	b.Fatalf("the watch ended before %s", kind)
	return time.Time{}
}

// tell reports the median and the 95th percentile.
func tell(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	ms := func(share int) float64 { return float64(all[(len(all)-1)*share/100].Microseconds()) / 1000 }
	b.ReportMetric(ms(50), "p50-ms")
	b.ReportMetric(ms(95), "p95-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWatchChange is the time from a write to the start of the build, of which the debounce is 75 ms.
func BenchmarkWatchChange(b *testing.B) {
	devtools := build(b, top)
	for _, files := range []int{1000, 100_000} {
		dir, paths := repository(b, files)
		b.Run(fmt.Sprintf("tool=devtools/files=%d", files), func(b *testing.B) {
			w := startWatch(b, devtools, dir, "--build", "true", "--", "true")
			w.until(b, "exit")
			var all []time.Duration
			for b.Loop() {
				begin := time.Now()
				if err := os.WriteFile(paths[len(all)*7919%len(paths)], []byte(strconv.Itoa(len(all))), 0o666); err != nil {
					b.Fatal(err)
				}
				all = append(all, w.until(b, "build_start").Sub(begin))
				w.until(b, "exit")
			}
			tell(b, all)
		})
	}
}

// BenchmarkWatchRestart is the time from a change that is told to the new program; the peer ends and starts it alone.
func BenchmarkWatchRestart(b *testing.B) {
	devtools := build(b, top)
	dir, paths := repository(b, 1000)
	b.Run("tool=devtools", func(b *testing.B) {
		w := startWatch(b, devtools, dir, "--on-busy", "restart", "--debounce", "10ms", "--", "sleep", "1000")
		w.until(b, "spawn")
		var all []time.Duration
		for b.Loop() {
			if err := os.WriteFile(paths[len(all)%len(paths)], []byte(strconv.Itoa(len(all))), 0o666); err != nil {
				b.Fatal(err)
			}
			begin := w.until(b, "change")
			all = append(all, w.until(b, "spawn").Sub(begin))
		}
		tell(b, all)
	})
	b.Run("tool=bare", func(b *testing.B) {
		var all []time.Duration
		for b.Loop() {
			cmd := exec.Command("sleep", "1000")
			begin := time.Now()
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // killed
			all = append(all, time.Since(begin))
		}
		tell(b, all)
	})
}

// BenchmarkWatchIdle is the share of a processor that a watch needs while nothing changes.
func BenchmarkWatchIdle(b *testing.B) {
	devtools := build(b, top)
	for _, files := range []int{5000, 100_000} {
		dir, _ := repository(b, files)
		b.Run(fmt.Sprintf("tool=devtools/files=%d", files), func(b *testing.B) {
			w := startWatch(b, devtools, dir, "--on-busy", "restart", "--", "sleep", "1000")
			w.until(b, "spawn")
			<-time.After(5 * time.Second) // what comes of its start
			const span = 20 * time.Second
			ticks, spans := 0, 0
			for b.Loop() {
				begin := cpuTicks(b, w.cmd.Process.Pid)
				<-time.After(span)
				ticks, spans = ticks+cpuTicks(b, w.cmd.Process.Pid)-begin, spans+1
			}
			b.ReportMetric(float64(ticks)/float64(spans)/span.Seconds(), "cpu-%") // a tick is 10 ms
			b.ReportMetric(0, "ns/op")
		})
	}
}

// cpuTicks returns what a process has used of processors.
func cpuTicks(b *testing.B, pid int) int {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	user, _ := strconv.Atoi(fields[11])
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		b.Fatal(err)
	}
	return user + system
}
