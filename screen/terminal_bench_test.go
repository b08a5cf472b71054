package screen

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

const (
	benchChunk      = 32 << 10 // the most that a read of a terminal returns
	benchScrollback = 10_000
)

// programStreams returns outputs of programs, about two megabytes of each kind. All but seq and long
// are repeated recordings.
func programStreams(t testing.TB) map[string][]byte {
	var seq, long bytes.Buffer
	for i := 1; seq.Len() < 2<<20; i++ {
		fmt.Fprintf(&seq, "%d\r\n", i)
	}
	for long.Len() < 2<<20 {
		long.WriteString(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 200) + "\r\n")
	}
	streams := map[string][]byte{"seq": seq.Bytes(), "long": long.Bytes()}
	for _, name := range []string{"colour", "fullscreen", "utf8"} {
		recorded := gunzip(t, filepath.Join("testdata", "streams", name+".gz"))
		streams[name] = bytes.Repeat(recorded, 1+2<<20/len(recorded))
	}
	return streams
}

// writeChunks writes the stream in the pieces that a terminal gets.
func writeChunks(w io.Writer, stream []byte) {
	for ; len(stream) > benchChunk; stream = stream[benchChunk:] {
		w.Write(stream[:benchChunk])
	}
	w.Write(stream)
}

// BenchmarkTerminal measures a screen of 80x24. The peers are vt10x, and a session of tmux in which
// cat writes the stream five times.
func BenchmarkTerminal(b *testing.B) {
	streams := programStreams(b)
	for _, name := range []string{"seq", "colour", "fullscreen", "utf8", "long"} {
		stream := streams[name]
		b.Run(name+"/devtools", func(b *testing.B) {
			term := New(80, 24, benchScrollback)
			term.OnReply(func([]byte) {})
			benchmarkStream(b, term, stream)
		})
		b.Run(name+"/vt10x", func(b *testing.B) {
			benchmarkStream(b, vt10x.New(vt10x.WithSize(80, 24)), stream)
		})
		b.Run(name+"/tmux", func(b *testing.B) { benchmarkTmux(b, stream) })
	}
}

func benchmarkStream(b *testing.B, w io.Writer, stream []byte) {
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		writeChunks(w, stream)
	}
}

func benchmarkTmux(b *testing.B, stream []byte) {
	if _, err := exec.LookPath("tmux"); err != nil {
		b.Skip("there is no tmux: ", err)
	}
	const times = 5
	dir := b.TempDir()
	file := filepath.Join(dir, "stream")
	if err := os.WriteFile(file, stream, 0o600); err != nil {
		b.Fatal(err)
	}
	tmux := func(args ...string) *exec.Cmd {
		c := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "socket"), "-f", os.DevNull}, args...)...)
		c.Env = append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "TMUX=")
		return c
	}
	// A server ends with its last session.
	if out, err := tmux("new-session", "-d", "cat").CombinedOutput(); err != nil {
		b.Skipf("tmux does not start: %v: %s", err, out)
	}
	defer tmux("kill-server").Run()
	script := "cat" + strings.Repeat(" "+file, times) + "; tmux wait-for -S done"
	b.SetBytes(int64(times * len(stream)))
	for b.Loop() {
		if out, err := tmux("new-session", "-d", "-x", "80", "-y", "24", script).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		if out, err := tmux("wait-for", "done").CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
}

// BenchmarkSnapshot measures a picture of the screen, and one with all of the scrollback.
func BenchmarkSnapshot(b *testing.B) {
	stream := programStreams(b)["colour"]
	term := New(80, 24, benchScrollback)
	writeChunks(term, stream)
	for _, bench := range []struct {
		name string
		view View
	}{{"80x24", Visible()}, {"10000lines", everything}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				term.Snapshot(bench.view)
			}
		})
	}
}

// BenchmarkResize measures the reflow of 10,000 lines to another width.
func BenchmarkResize(b *testing.B) {
	streams := programStreams(b)
	for _, name := range []string{"seq", "colour", "long"} {
		b.Run(name, func(b *testing.B) {
			term := New(80, 24, benchScrollback)
			writeChunks(term, streams[name])
			if s := term.Snapshot(everything); s.History != benchScrollback {
				b.Fatalf("%d lines of scrollback", s.History)
			}
			b.ReportAllocs()
			cols := 80
			for b.Loop() {
				cols = 180 - cols // 100 and 80 in turn
				term.Resize(cols, 24)
			}
		})
	}
}

// notDrawing matches sequences that may allocate: titles, marks and other strings, queries, and
// changes of the screen.
var notDrawing = regexp.MustCompile(`\x1b[]P_^][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[?>=]?[0-9;]*[cntu]|\x1b\[\?[0-9;]*\$p|\x1b\[>[0-9]*q|\x1b\[\?(47|104[79])[hl]|\x1bc|\x1b\[[!]p`)

// Drawing allocates nothing once the scrollback is full.
func TestTerminalAllocatesNothing(t *testing.T) {
	for name, stream := range programStreams(t) {
		stream = notDrawing.ReplaceAll(stream[:16*benchChunk], nil) // as much as was recorded, and more
		term := New(80, 24, 200)
		writeChunks(term, stream)
		n := 0
		allocations := testing.AllocsPerRun(7, func() {
			term.Write(stream[n%8*benchChunk:][:benchChunk])
			n++
		})
		if allocations != 0 {
			t.Errorf("%s: %v allocations for %d KiB", name, allocations, benchChunk>>10)
		}
	}
}
