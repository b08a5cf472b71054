package proc

import (
	"strings"
	"testing"
	"time"
)

func BenchmarkProbe(b *testing.B) {
	for _, bench := range []struct{ name, script string }{
		{"reader", "exec cat"},
		{"sleeper", "exec sleep 1000"},
		{"poller", "exec bash --norc --noprofile -i"},
		{"tree of 20", strings.Repeat("sleep 1000 & ", 18) + "read x"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s := perform(b, program(b, "sh", "-c", bench.script))
			if bench.name == "sleeper" {
				for deadline := time.Now().Add(20 * time.Second); ; {
					if all := present(s.watch.root); len(all) == 1 && all[0].Name == "sleep" {
						break
					} else if time.Now().After(deadline) {
						b.Fatal("no sleep")
					}
				}
			} else {
				s.untilWaiting()
			}
			b.ReportAllocs()
			for b.Loop() {
				s.probe()
			}
		})
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
