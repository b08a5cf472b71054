//go:build unix

package screen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Streams that cause much work with few bytes, besides those in hostile.
var expensive = map[string]string{
	"fill":         "\x1b[42$x\x1b[$z\x1b[${",
	"copy":         "\x1b[1;1;99;99;1;2;2;1$v",
	"alignment":    "\x1b#8",
	"checksums":    "\x1b[*y",
	"columns":      "\x1b['}\x1b['~\x1b[ @\x1b[ A\x1b6\x1b9",
	"margins":      "\x1b[?69h\x1b[2;79s\x1b[99S\x1b[99T\x1b[99L\x1b[99M",
	"reset":        "\x1bc\x1b[!p",
	"repeats":      "世\x1b[65535b",
	"clusters":     "\x1b[?2027h👩\u200d👩\u200d👧\x1b[?2027l",
	"frames":       "\x1b[?2026hx\x1b[?2026l",
	"saved titles": "\x1b[22t",
	"keyboard":     "\x1b[>1u",
	"links":        "\x1b]8;;http://a/\ax\x1b]8;;\ay",
	"marks":        "\x1b]133;A\a",
	"colours":      "\x1b]4;1;rgb:1/2/3\a\x1b]104\a",
	"queries":      "\x1b[c\x1b[6n\x1b]4;1;?\a\x1bP$qm\x1b\\",
	"all erased":   "\x1b[44m\x1b[2J\x1b[m\x1b[2J",
	"selective":    "\x1b[?2J\x1b[?2K",
	"wide":         "世",
}

// unique returns pieces that differ each time, so that no table can keep all of them.
func unique(i int) string {
	return fmt.Sprintf("\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm\x1b]8;id=%d;http://host/%d\a%c%c%c\x1b]2;title %d\a\x1b[22t\x1b]133;D;%d\a\x1b]7;file://host/%d\a\x1b]4;%d;#%06x\a\r\n",
		i>>16&255, i>>8&255, i&255, i&255, i>>8&255, i>>16&255, i, i, 'a'+i%26, 0x300+i%0x6f, 0x300+i/0x6f%0x6f, i, i, i, i%256, i&0xffffff)
}

// used returns the processor time of this process.
func used(t *testing.T) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// A terminal takes 64 KiB of any input in 100 ms.
func TestStressTime(t *testing.T) {
	if os.Getenv("DEVTOOLS_STRESS") != "1" {
		t.Skip("measures: DEVTOOLS_STRESS=1 runs it")
	}
	streams := map[string][]byte{}
	for _, table := range []map[string]string{hostile, expensive} {
		for name, unit := range table {
			streams[name] = []byte(strings.Repeat(unit, 64<<10/len(unit)))
		}
	}
	var b strings.Builder
	for i := 0; b.Len() < 64<<10; i++ {
		b.WriteString(unique(i))
	}
	streams["unique"] = []byte(b.String())
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 7))
		streams[fmt.Sprint("seed ", seed)] = hostileStream(rng.IntN, 64<<10/15)
	}
	for name, stream := range streams {
		best := time.Hour
		for range 3 {
			term := New(80, 24, DefaultScrollback)
			term.OnReply(func([]byte) {})
			term.Write([]byte(vt420))
			before := used(t)
			term.Write(stream)
			best = min(best, used(t)-before)
		}
		if best > 100*time.Millisecond {
			t.Errorf("%s: %v for %d KiB", name, best, len(stream)>>10)
		}
	}
}

// A terminal uses at most 64 MiB, whatever its input is.
func TestStressMemory(t *testing.T) {
	rounds := 2
	if os.Getenv("DEVTOOLS_STRESS") == "1" {
		rounds = 4000
	}
	rng := rand.New(rand.NewPCG(1, 8))
	term := New(80, 24, DefaultScrollback)
	term.OnReply(func([]byte) {})
	before, n := heap(), 0
	for round := range rounds {
		for range 500 {
			term.Write([]byte(unique(n)))
			n++
		}
		for range 20 {
			term.Write(hostileStream(rng.IntN, 100))
		}
		for _, table := range []map[string]string{hostile, expensive} {
			for _, unit := range table {
				term.Write([]byte(strings.Repeat(unit, 5)))
			}
		}
		if rng.IntN(10) == 0 {
			term.Resize(1+rng.IntN(120), 1+rng.IntN(50))
		}
		if round%20 == 1 {
			if grown := heap() - before; grown > 64<<20 {
				t.Fatalf("holds %d MiB after %d rounds", grown>>20, round+1)
			}
		}
	}
	t.Logf("holds %d KiB after %d rounds", (heap()-before)>>10, rounds)
	runtime.KeepAlive(term)
}
