//go:build unix

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// quiet is the program of a session in the benchmarks with many sessions.
const quiet = "echo '$ '; exec sleep 1000"

// BenchmarkPS lists 2 and 200 sessions, beside tmux ls with as many windows. Of two sessions one is a shell that nobody has
// asked about. All have been silent for 5 s. With 200 sessions it also runs a command.
func BenchmarkPS(b *testing.B) {
	devtools := build(b, top)
	for _, n := range []int{2, 200} {
		b.Run(fmt.Sprintf("sessions=%d", n), func(b *testing.B) {
			dir, err := os.MkdirTemp("", "bench-ps-")
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				for os.RemoveAll(dir) != nil { // until the last holder has left
				}
			})
			run := func(name string, args ...string) {
				b.Helper()
				cmd := exec.Command(name, args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
				}
			}
			b.Cleanup(func() { run(devtools, "kill", "--all") })
			run(devtools, "launch", "--ready", "text:$", "--", "sh", "-c", "PS1='$ ' exec sh -i")
			for range n - 1 {
				run(devtools, "launch", "--max-sessions", "0", "--", "sh", "-c", quiet)
			}
			run("sh", "-c", `while "$0" --json ps | grep -q '"outputBytesPerSecond":[^0]'; do sleep 0.2; done`, devtools)
			peer(b, "tool=devtools", dir, devtools, "ps")
			if n > 2 {
				peer(b, "tool=devtools-run", dir, devtools, "run", "--", "true")
				peer(b, "tool=devtools-run-alone", b.TempDir(), devtools, "run", "--", "true")
			}
			if _, err := exec.LookPath("tmux"); err != nil {
				b.Skip("tmux is not installed")
			}
			socket := filepath.Join(dir, "tmux")
			run("tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", quiet)
			b.Cleanup(func() { run("tmux", "-S", socket, "kill-server") })
			for range n - 1 {
				run("tmux", "-S", socket, "new-window", "-d", quiet)
			}
			peer(b, "tool=tmux", dir, "tmux", "-S", socket, "ls")
		})
	}
}
