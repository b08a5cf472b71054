package blocked

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func BenchmarkProbe(b *testing.B) {
	for _, bench := range []struct{ name, script string }{
		{"reader", "exec cat"},
		{"sleeper", "exec sleep 1000"},
		{"poller", "exec bash --norc --noprofile -i"},
		{"node", `exec node -i`},
		{"node server", `exec node -e 'require("http").createServer(() => 0).listen(0, "127.0.0.1")'`},
		{"tree of 20", strings.Repeat("sleep 1000 & ", 18) + "read x"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			if bench.name == "node" || bench.name == "node server" {
				need(b, "node")
			}
			s := perform(b, program(b, "sh", "-c", bench.script))
			switch bench.name {
			case "sleeper":
				s.untilRuns("sleep", 1)
			case "node server":
				s.untilRuns("node", 7)
			default:
				s.untilWaiting()
			}
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				s.probe()
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
		})
	}
}

// untilRuns waits for a program with so many threads, and nothing else.
func (s *stage) untilRuns(name string, threads int) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		all := s.watch.files.descendants(nil, s.watch.root)
		if len(all) == 1 && all[0].Name == name && all[0].Threads >= threads && all[0].State == 'S' {
			return
		} else if time.Now().After(deadline) {
			s.t.Fatalf("no %s with %d threads in %+v", name, threads, all)
		}
	}
}

func BenchmarkBlocked(b *testing.B) {
	s := perform(b, program(b, "cat"))
	s.untilWaiting()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.watch.Blocked(); !ok {
			b.Fatal("cat is not blocked")
		}
	}
}
