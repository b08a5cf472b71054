package render

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"devtools/screen"
)

// whatever returns random output of a program, without changes of the colours or modes of the
// screen.
func whatever(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(8) {
		fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[%d;%d;38;5;%dm%s", 1+r.IntN(10), 1+r.IntN(30), r.IntN(10), 40+r.IntN(10), r.IntN(256),
			[]string{"abc", "世界", "┃█▒", "   ", "x\x1b[K", "\n\n", "\x1b[2J", "\x1b[1;30HX", "\x1b[9;29H世", "\x1b]8;;http://a/b\x07link\x1b]8;;\x07", "e\u0301", "\x1b[?25l", "\x1b[?25h\x1b[5 q", "\x1b[?1049h", "\x1b[?1049l"}[r.IntN(15)])
	}
	return b.String()
}

// After each repainting a terminal of the same size shows the same, and a smaller one shows what
// fits.
func TestRepaint(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 100 {
		inner, outer, small := screen.New(30, 9, 0), screen.New(30, 10, 0), screen.New(13, 4, 0)
		_, _ = outer.Write([]byte("\x1b[?7lanything\x1b[5;5H\x1b[41m\x1b[K"))
		_, _ = small.Write([]byte("\x1b[?7l"))
		var before *screen.Snapshot
		for range 20 {
			_, _ = inner.Write([]byte(whatever(r)))
			if r.IntN(10) == 0 {
				inner.Resize(20+r.IntN(11), 5+r.IntN(5))
			}
			now := inner.Snapshot(screen.Visible())
			var b bytes.Buffer
			if err := Repaint(&b, before, now, 30, 9); err != nil {
				t.Fatal(err)
			}
			_, _ = outer.Write(b.Bytes())
			shown := outer.Snapshot(screen.Visible())
			got, want := shown.RowHashes(), now.RowHashes()
			for i := range 9 {
				if i < len(want) && got[i] != want[i] || i >= len(want) && shown.Text(i, false) != "" {
					t.Fatalf("round %d: row %d is %q, of %q, after %q", round, i, shown.Text(i, false), now.Text(min(i, len(want)-1), false), &b)
				}
			}
			is, was := shown.Cursor, now.Cursor
			is.Blinking, is.Pending, was.Blinking, was.Pending = false, false, false, false
			if is.Visible != was.Visible || is.Visible && is != was {
				t.Fatalf("round %d: the cursor is %+v, want %+v", round, is, was)
			}
			b.Reset()
			if err := Repaint(&b, before, now, 13, 4); err != nil {
				t.Fatal(err)
			}
			_, _ = small.Write(b.Bytes())
			part := small.Snapshot(screen.Visible())
			for i := range 4 {
				if want := clipped(now, i, 13); part.Text(i, false) != want {
					t.Fatalf("round %d: row %d is %q, want %q, after %q", round, i, part.Text(i, false), want, &b)
				}
			}
			before = now
		}
	}
}

// clipped returns the part of a row that fits into a number of columns.
func clipped(s *screen.Snapshot, i, columns int) string {
	var b strings.Builder
	for c := range s.Cells(i) {
		switch {
		case c.Col+c.Width > columns:
		case c.Text == "":
			b.WriteByte(' ')
		default:
			b.WriteString(c.Text)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
