package screen

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPaint paints one picture after another into windows of all sizes. Each shows its part of the
// screen.
func TestPaint(t *testing.T) {
	pieces := []string{
		"text ", "世界", "e\u0301", "😀", "\x1b[?2027h👩\u200d👧❤\ufe0f\x1b[?2027l", "\x1b[31;44m", "\x1b[m", "\r\n", "\x1b[K", "\x1b[3;5H", "\x1b[8;30H",
		"\x1b[H\x1b[J", "\x1b[2 q", "\x1b[?25l", "\x1b[?25h", "\x1b[1;12H世", "\x1b[5X", "a long line that goes on and on and on", "\x1b[?5h", "\x1b[?5l",
	}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		cols, rows := 1+r.IntN(50), 1+r.IntN(12)
		source, shown := New(40, 8, 0), New(cols, rows, 0)
		var before []string
		var last Window
		for range 6 {
			for range r.IntN(8) {
				source.Write([]byte(pieces[r.IntN(len(pieces))]))
			}
			s := source.Snapshot(Visible())
			in := s.Window(cols, rows)
			var now []string
			for i := range s.Lines {
				now = append(now, source.rowState(i))
			}
			shown.Write(s.Paint(in, func(row int) bool {
				i := in.Top + row
				return before == nil || in != last || i < len(now) && now[i] != before[i]
			}))
			before, last = now, in
			got := shown.Snapshot(Visible())
			for row := range rows {
				want := ""
				if i := in.Top + row; i < len(s.Lines) {
					for c := range s.Cells(i) {
						switch {
						case c.Col >= in.Left && c.Col+c.Width <= in.Left+in.Cols:
							want += map[bool]string{true: " ", false: c.Text}[c.Text == ""]
						case c.Col < in.Left && c.Col+c.Width > in.Left:
							want += " "
						}
					}
				}
				if g := got.Text(row, false); g != strings.TrimRight(want, " ") {
					t.Fatalf("seed %d, window %+v, row %d: %q, want %q", seed, in, row, g, want)
				}
			}
			if at := got.Cursor; at.Col+in.Left != s.Cursor.Col || at.Row+in.Top != s.Cursor.Row || at.Visible != s.Cursor.Visible || at.Shape != s.Cursor.Shape || got.Modes.ReverseVideo != s.Modes.ReverseVideo {
				t.Fatalf("seed %d, window %+v: cursor %+v, want %+v", seed, in, at, s.Cursor)
			}
		}
	}
}

// rowState returns all visible state of a row.
func (t *Terminal) rowState(i int) string { return strings.Split(t.state(), "\n")[i] }

func TestSwitch(t *testing.T) {
	all := []string{"\x1b[?1h", "\x1b=", "\x1b[?1004h", "\x1b[?2004h", "\x1b[?1000h", "\x1b[?1003h", "\x1b[?1006h", "\x1b[?1005h", "\x1b[>4;2m", "\x1b[>5u", "\x1b[>1u", "\x1b[?1l", "\x1b[?1003l", "\x1b[>4m", "\x1b[<9u"}
	r := rand.New(rand.NewPCG(5, 5))
	source, shown := New(10, 3, 0), New(10, 3, 0)
	before := shown.exported()
	for range 500 {
		source.Write([]byte(all[r.IntN(len(all))]))
		now := source.exported()
		shown.Write(before.Switch(now))
		if got := shown.exported(); got != now {
			t.Fatalf("%+v, want %+v", got, now)
		}
		before = now
	}
}
