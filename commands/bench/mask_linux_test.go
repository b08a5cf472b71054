package bench

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkMask moves 40 MB through a terminal, or through pipes, without and with three secrets to be masked, in turn. The ratio is
// that of the medians of their throughputs.
func BenchmarkMask(b *testing.B) {
	const size = 40e6
	devtools, dir := build(b, top), b.TempDir()
	line := "2026-01-15T10:30:00.000Z server: GET /api/v1/items/20481 200 OK 12 ms\n"
	if err := os.WriteFile(filepath.Join(dir, "big"), []byte(strings.Repeat(line, size/len(line))), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Setenv("BENCH_A", "ghp_0123456789abcdefghijklmnopqrstuvwxyz")
	b.Setenv("BENCH_B", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
	b.Setenv("BENCH_C", "postgres://app:s3cret pass@db.example.com/app?sslmode=require")
	once := func(args ...string) time.Duration {
		cmd := exec.Command(devtools, slices.Concat([]string{"run", "--raw"}, args, []string{"--", "cat", "big"})...)
		cmd.Dir = dir
		begin := time.Now()
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err == nil {
			_, err = io.Copy(io.Discard, out)
		}
		if err == nil {
			err = cmd.Wait()
		}
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(begin)
	}
	secrets := []string{"--secret", "A=env:BENCH_A", "--secret", "B=env:BENCH_B", "--secret", "C=env:BENCH_C"}
	for name, flags := range map[string][]string{"terminal": nil, "pipes": {"--no-pty"}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(2 * size)
			var without, with []time.Duration
			for b.Loop() {
				without = append(without, once(flags...))
				with = append(with, once(slices.Concat(flags, secrets)...))
			}
			slices.Sort(without)
			slices.Sort(with)
			b.ReportMetric(float64(without[len(without)/2])/float64(with[len(with)/2]), "ratio")
		})
	}
}
