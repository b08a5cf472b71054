//go:build unix

package runner_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
	"devtools/screen"
)

// everything is the view of all rows.
var everything = screen.View{First: math.MinInt32, Last: screen.MaxRows}

// A feeder is a session whose program prints what the test gives it.
type feeder struct {
	dir    ledger.Dir
	client *runner.Client
	pipe   *os.File
	sent   int64
}

// feedSession starts a session that prints what comes through a pipe, byte for byte.
func feedSession(t testing.TB, size ledger.Size) *feeder {
	t.Helper()
	state := runnertest.NewState(t)
	path := filepath.Join(t.TempDir(), "feed")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	spec := runnertest.Shell(t, state, fmt.Sprintf("stty raw -echo; exec cat %s", path))
	spec.Size = size
	f := &feeder{client: runnertest.Begin(t, spec)}
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for cat
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pipe.Close() })
	f.dir, f.pipe = runnertest.OpenState(t, state), pipe
	return f
}

// write prints data and waits until the holder has it.
func (f *feeder) write(t testing.TB, data []byte) {
	t.Helper()
	if _, err := f.pipe.Write(data); err != nil {
		t.Fatal(err)
	}
	f.sent += int64(len(data))
	ctx := runnertest.WithPatience(t)
	for at := int64(0); at < f.sent; {
		resp, err := f.client.Call(ctx, wire.Request{Op: wire.OpFollow, Offset: at})
		if err != nil {
			t.Fatal(err)
		}
		at = resp.Next
	}
}

// noise returns output that a program might print, with some malformed sequences.
func noise(r *rand.Rand, n int) []byte {
	var b bytes.Buffer
	for b.Len() < n {
		switch r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "\x1b[%d;%dH", r.IntN(30), r.IntN(100))
		case 1:
			fmt.Fprintf(&b, "\x1b[%d;%d;38;5;%dm", r.IntN(10), 30+r.IntN(20), r.IntN(256))
		case 2:
			fmt.Fprintf(&b, "\x1b[%d%c", r.IntN(5), "ABCDJKLMPSTX@"[r.IntN(13)])
		case 3:
			fmt.Fprintf(&b, "\x1b[?%d%c", []int{47, 1049, 7, 6, 2026, 2027, 25}[r.IntN(7)], "hl"[r.IntN(2)])
		case 4:
			b.WriteString("世界😀e\u0301👩‍👧")
		case 5:
			fmt.Fprintf(&b, "\x1b]8;;http://example.com/%d\x07link\x1b]8;;\x07", r.IntN(9))
		case 6:
			fmt.Fprintf(&b, "\x1b]133;%c\x07", 'A'+rune(r.IntN(4)))
		case 7:
			b.Write([]byte{byte(r.IntN(256)), byte(r.IntN(256))})
		case 8:
			fmt.Fprintf(&b, "\x1b[%d;%dr", r.IntN(10), r.IntN(30))
		case 9:
			b.WriteString(strings.Repeat("wrap ", r.IntN(60)))
		default:
			fmt.Fprintf(&b, "line %d\r\n", r.IntN(1000))
		}
	}
	return b.Bytes()
}

func TestStressPictureIsReplay(t *testing.T) {
	for seed := range uint64(runnertest.Rounds(3, 60)) {
		r := rand.New(rand.NewPCG(seed, 0))
		f := feedSession(t, ledger.Size{Cols: 40, Rows: 10})
		ctx := runnertest.WithPatience(t)
		for range 12 {
			f.write(t, noise(r, 1+r.IntN(3000)))
			switch r.IntN(4) {
			case 0, 1:
				if _, err := runner.Resize(ctx, f.dir, f.client.Session.ID, ledger.Size{Cols: 1 + r.IntN(120), Rows: 1 + r.IntN(40)}, nil); err != nil {
					t.Fatal(err)
				}
			case 2: // one in the middle of what is printed
				piece := noise(r, 20000)
				if _, err := f.pipe.Write(piece); err != nil {
					t.Fatal(err)
				}
				f.sent += int64(len(piece))
				if _, err := runner.Resize(ctx, f.dir, f.client.Session.ID, ledger.Size{Cols: 1 + r.IntN(120), Rows: 1 + r.IntN(40)}, nil); err != nil {
					t.Fatal(err)
				}
				f.write(t, nil)
			}
		}
		view := everything
		view.Unfinished = true // a replay has no time in which a frame could end
		session, live, err := runner.See(ctx, f.dir, f.client.Session.ID, runner.Look{View: view})
		if err != nil {
			t.Fatal(err)
		}
		if session, err = f.dir.LoadSession(session.ID); err != nil {
			t.Fatal(err)
		}
		again, err := runner.Replay(ctx, f.dir, session, runner.Look{View: view, At: &ledger.Position{Offset: f.sent}})
		if err != nil {
			t.Fatal(err)
		}
		if live.Offset != f.sent || !bytes.Equal(live.Snapshot.Encode(), again.Snapshot.Encode()) {
			t.Fatalf("seed %d: at %d of %d the picture is\n%s\nand its replay\n%s", seed, live.Offset, f.sent, runnertest.Text(live.Snapshot), runnertest.Text(again.Snapshot))
		}
	}
}

// During a flood the picture belongs to the offset that it names.
func TestStressPictureInFlood(t *testing.T) {
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, state, fmt.Sprintf("seq %d; echo end; exec sleep 1000", runnertest.Rounds(600_000, 6_000_000))))
	dir := runnertest.OpenState(t, state)
	ctx := runnertest.WithPatience(t)
	behind, pictures := 0, 0
	for ended := false; !ended; pictures++ {
		_, pic, err := runner.See(ctx, dir, c.Session.ID, runner.Look{View: screen.Visible()})
		if err != nil {
			t.Fatal(err)
		}
		if pic.Offset < pic.Printed {
			behind++
		}
		ended = strings.Contains(runnertest.Text(pic.Snapshot), "end")
		if pictures%8 > 0 && !ended {
			continue
		}
		session, err := dir.LoadSession(c.Session.ID)
		if err != nil {
			t.Fatal(err)
		}
		again, err := runner.Replay(ctx, dir, session, runner.Look{View: screen.Visible(), At: &ledger.Position{Offset: pic.Offset}})
		if err != nil {
			t.Fatal(err)
		}
		if pic.Snapshot.Hash() != again.Snapshot.Hash() {
			t.Fatalf("at %d of %d:\n%s\nand its replay\n%s", pic.Offset, pic.Printed, runnertest.Text(pic.Snapshot), runnertest.Text(again.Snapshot))
		}
	}
	t.Logf("%d pictures, %d of them behind", pictures, behind)
}

// A character whose bytes come apart is drawn as one, and the scrollback has every line.
func TestPictureOfPieces(t *testing.T) {
	f := feedSession(t, ledger.Size{Cols: 80, Rows: 24})
	f.write(t, []byte("a\xf0\x9f"))
	runnertest.See(t, f.dir, f.client.Session.ID)
	f.write(t, []byte("\x98\x80b\r\n"))
	if got := runnertest.See(t, f.dir, f.client.Session.ID).Text(0, false); got != "a😀b" {
		t.Errorf("%q", got)
	}
	lines := 5000
	scrollback := 2 * lines
	if _, err := runner.Resize(runnertest.WithPatience(t), f.dir, f.client.Session.ID, ledger.Size{}, &scrollback); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i := range lines {
		fmt.Fprintf(&want, "line %d:%s\r\n", i, strings.Repeat("x", i%70))
	}
	f.write(t, []byte(want.String()))
	_, pic, err := runner.See(runnertest.WithPatience(t), f.dir, f.client.Session.ID, runner.Look{View: everything})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.TrimRight(runnertest.Text(pic.Snapshot), "\n")
	all := "a😀b\n" + strings.TrimRight(strings.ReplaceAll(want.String(), "\r\n", "\n"), "\n")
	for i, line := range strings.Split(all, "\n") {
		if rest, ok := strings.CutPrefix(got, line); ok {
			got = strings.TrimPrefix(rest, "\n")
			continue
		}
		t.Fatalf("line %d is %.80q, want %q", i, got, line)
	}
}

// The terminal answers the queries of the program in their order.
func TestPictureAnswers(t *testing.T) {
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, state, `stty raw -echo; printf '\033[5;7H\033[6n\033[5n\033[c\033[>q'; head -c 33 >answers; stty sane; echo done; exec sleep 1000`))
	dir := runnertest.OpenState(t, state)
	runnertest.Seen(t, dir, c.Session.ID, "done", runnertest.Shows("done"))
	got, err := os.ReadFile(filepath.Join(c.Session.Cwd, "answers"))
	if want := "\x1b[5;7R\x1b[0n\x1b[?62;6;22c\x1bP>|devtools"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// BenchmarkPicture asks a living session for its picture: the visible rows, and 10,000 rows of scrollback.
func BenchmarkPicture(b *testing.B) {
	state := runnertest.NewState(b)
	c := runnertest.Begin(b, runnertest.Shell(b, state, "read x; seq 11000 | sed 's/$/ of the lines in the scrollback of this terminal/'; echo ready; exec sleep 1000"))
	dir := runnertest.OpenState(b, state)
	ctx := context.Background()
	lines := 10_000
	if _, err := runner.Resize(ctx, dir, c.Session.ID, ledger.Size{}, &lines); err != nil {
		b.Fatal(err)
	}
	if _, err := c.Call(ctx, wire.Request{Op: wire.OpInput, Data: []byte("\r")}); err != nil {
		b.Fatal(err)
	}
	runnertest.Seen(b, dir, c.Session.ID, "ready", runnertest.Shows("ready"))
	for name, view := range map[string]screen.View{"visible": screen.Visible(), "scrollback": everything} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := runner.See(ctx, dir, c.Session.ID, runner.Look{View: view}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
