package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkWatchPeers runs watch beside the tools that people use for the same, as far as they are installed. The
// answer is the time from the write of a source to the moment at which the new server answers on its port; the tool
// named bare is no watcher: it ends the old server, waits for its end and starts the new one. Idle is what all processes
// of a watcher need of a processor, and of memory, while nothing changes.
func BenchmarkWatchPeers(b *testing.B) {
	if os.Getenv("DEVTOOLS_STRESS") != "1" {
		b.Skip("takes long: DEVTOOLS_STRESS=1 runs it")
	}
	devtools, server := build(b, top), build(b, "testdata/server")
	b.Log(peerVersions(devtools))
	for _, files := range []int{1000, 5000, 100_000} {
		dir, paths := repository(b, files)
		source := paths[len(paths)/2]
		if files != 5000 {
			b.Run(fmt.Sprintf("answer/files=%d/tool=bare", files), func(b *testing.B) { bareAnswer(b, server, dir, source) })
			for row, tool := range peerTools {
				b.Run(fmt.Sprintf("answer/files=%d/tool=%s", files, tool.name), func(b *testing.B) {
					peerAnswer(b, newPeerRig(b, server, dir, source), row, devtools)
				})
			}
		}
		if files == 1000 {
			continue
		}
		for row, tool := range peerTools {
			if tool.twin || tool.name == "air-10ms-gentle" { // what differs is nothing to one that idles
				continue
			}
			b.Run(fmt.Sprintf("idle/files=%d/tool=%s", files, tool.name), func(b *testing.B) {
				peerIdle(b, newPeerRig(b, server, dir, source), row, devtools)
			})
		}
	}
}

// startPatience is how long a watcher may take until it follows changes.
const startPatience = time.Minute

// peerAnswer measures restarts. A change that nobody follows within ten seconds is lost.
func peerAnswer(b *testing.B, r *peerRig, row int, devtools string) {
	r.start(row, devtools, r.command())
	r.watches(startPatience)
	var all []time.Duration
	lost := 0
	for b.Loop() {
		pause()
		begin := time.Now()
		r.write()
		if end, ok := r.answers(begin.Add(10 * time.Second)); ok {
			all = append(all, end.Sub(begin))
		} else {
			lost++
		}
	}
	if len(all) == 0 {
		b.Fatalf("it follows no change:\n%s", r.log())
	}
	tell(b, all)
	b.ReportMetric(float64(lost), "lost")
}

// pause waits for as long as somebody might before the next change: no time of a watcher has a part in it.
func pause() { <-time.After(400*time.Millisecond + rand.N(400*time.Millisecond)) }

// bareAnswer is what no watcher can do better.
func bareAnswer(b *testing.B, server, dir, source string) {
	r := newPeerRig(b, server, dir, source)
	r.run(r.command(), false)
	r.answers(time.Now().Add(startPatience))
	var all []time.Duration
	for b.Loop() {
		pause()
		begin := time.Now()
		r.write()
		_ = r.tool.Process.Signal(os.Interrupt)
		<-r.ended
		r.run(r.command(), false)
		end, ok := r.answers(begin.Add(10 * time.Second))
		if !ok {
			b.Fatalf("no server:\n%s", r.log())
		}
		all = append(all, end.Sub(begin))
	}
	tell(b, all)
}

// peerIdle measures once, however often the benchmark is run.
func peerIdle(b *testing.B, r *peerRig, row int, devtools string) {
	r.start(row, devtools, r.command())
	first := r.watches(startPatience)
	const span = 20 * time.Second
	<-time.After(5 * time.Second) // what comes of its start
	begin := time.Now()
	before, _ := r.load()
	<-time.After(span)
	after, memory := r.load()
	share := (after - before) / time.Since(begin).Seconds()
	for b.Loop() {
	}
	b.ReportMetric(share, "cpu-%") // a tick is 10 ms
	b.ReportMetric(float64(memory)/1024, "MB")
	b.ReportMetric(float64(first.Milliseconds()), "first-ms")
	b.ReportMetric(0, "ns/op")
}

// load returns the ticks that the watcher has used with all that it has started but the server, and its memory in KB.
func (r *peerRig) load() (ticks float64, memory int) {
	r.t.Helper()
	for _, p := range r.marked() {
		proc := fmt.Sprintf("/proc/%d/", p.Pid)
		_ = p.Release()
		if exe, _ := os.Readlink(proc + "exe"); exe == r.server {
			continue
		}
		stat, err := os.ReadFile(proc + "stat")
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		for _, field := range strings.Fields(after)[11:15] { // its own, and those of the children that it waited for
			n, err := strconv.Atoi(field)
			if err != nil {
				r.t.Fatal(err)
			}
			ticks += float64(n)
		}
		rollup, _ := os.ReadFile(proc + "smaps_rollup")
		for line := range strings.Lines(string(rollup)) {
			if fields := strings.Fields(line); fields[0] == "Pss:" {
				n, _ := strconv.Atoi(fields[1])
				memory += n
			}
		}
	}
	return ticks, memory
}
