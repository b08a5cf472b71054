package screen

import (
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

// Random streams of sequences that vt10x does right leave the same screen. They do not scroll,
// because vt10x forgets the rows that leave.
func TestPlainLikeVT10x(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		in := randomMoves(rng)
		term := vt10x.New(vt10x.WithSize(80, 24))
		fmt.Fprint(term, in)
		text, col, row := plainOf(80, 24, in, len(in), false)
		if got, want := trimRows(text), trimRows(term.String()); got != want {
			t.Fatalf("%q:\n got %q\nwant %q", in, got, want)
		}
		if c := term.Cursor(); col != c.X || row != c.Y {
			t.Fatalf("%q: cursor at %d,%d, want %d,%d", in, col, row, c.X, c.Y)
		}
	}
}

// randomMoves returns text and movements that stay on 80x24, never leave a wrap pending where it
// matters, and wrap no line, because a Plain would join it.
func randomMoves(rng *rand.Rand) string {
	var b strings.Builder
	col, row := 0, 0
	for range 1 + rng.IntN(60) {
		n := rng.IntN(30)
		switch rng.IntN(11) {
		case 0, 1, 2:
			n = min(n, 79-col)
			b.WriteString("The quick brown fox jumps over the lazy dog"[:n])
			col += n
		case 3:
			b.WriteString("\r")
			col = 0
		case 4:
			if row < 23 {
				b.WriteString("\n")
				row++
			}
		case 5:
			b.WriteString("\b")
			col = max(col-1, 0)
		case 6:
			fmt.Fprintf(&b, "\x1b[%d%c", n, "CD"[n%2])
			col = []int{min(col+max(n, 1), 79), max(col-max(n, 1), 0)}[n%2]
		case 7:
			fmt.Fprintf(&b, "\x1b[%d%c", n, "AB"[n%2])
			row = []int{max(row-max(n, 1), 0), min(row+max(n, 1), 23)}[n%2]
		case 8:
			b.WriteString([]string{"\x1b[K", "\x1b[2K"}[n%2])
		case 9, 10:
			row, col = rng.IntN(24), rng.IntN(80)
			fmt.Fprintf(&b, "\x1b[%d;%dH", row+1, col+1)
		}
	}
	return b.String()
}

// trimRows removes blanks from the end of each row, and empty rows at the end.
func trimRows(s string) string {
	rows := strings.Split(s, "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// Random streams of all kinds give the same result, however they are split, and whether Plain holds
// the screen as text or as cells.
func TestPlainSplitsRandomStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		in := randomStream(rng)
		want, col, row := plainOf(20, 5, in, len(in), false)
		for _, cells := range []bool{false, true} {
			if got, c, r := plainOf(20, 5, in, 1+rng.IntN(5), cells); got != want || c != col || r != row {
				t.Fatalf("%q, cells %v: %q at %d,%d, at once %q at %d,%d", in, cells, got, c, r, want, col, row)
			}
		}
	}
}

// A Plain leaves out nothing of a stream that would move text: its screen is that of a terminal. The
// exceptions are marks at the start of a row, SUB, REP behind a sequence that Plain leaves out, and
// text that DECSCA protects.
func TestPlainLikeTerminal(t *testing.T) {
	exceptions := regexp.MustCompile(`\pM|\p{Cf}|[\x{1160}-\x{11ff}]|\x1a|\x1b\[[0-9;:]*b|\x1b\[\?[0-9;:]*[JK]|\$\{|"q`)
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		in := string(hostileStream(rng.IntN, rng.IntN(40))) + randomStream(rng)
		in = vt420 + exceptions.ReplaceAllString(in, "")
		cols, rows := 2+rng.IntN(30), 1+rng.IntN(8)
		p, term := NewPlain(io.Discard, cols, rows), terminalWith(cols, rows, 0, in)
		p.Write([]byte(in))
		p.toScreen()
		got := trimRows(strings.ReplaceAll(rowsOf(p.term.Snapshot(Visible())), "\t", ""))
		want := rowsOf(term.Snapshot(View{First: 0, Last: MaxRows, Unfinished: true}))
		if got != want || p.term.col != term.col || p.term.row != term.row {
			t.Fatalf("%q on %dx%d: %q at %d,%d, want %q at %d,%d", in, cols, rows, got, p.term.col, p.term.row, want, term.col, term.row)
		}
	}
}

// randomStream returns text, controls and sequences for a small screen.
func randomStream(rng *rand.Rand) string {
	words := []string{
		"a", "word ", "   ", "a longer line of text ", "日本", "e\u0301", "\u200d", "\t", "\r\n", "\r\n", "\r\n", "\n", "\r", "\b",
		"\v", "\x0e", "\x0f", "\x1b(0", "\x1b(B", "\x1b)0", "\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bH", "\x1bM", "\x1b[m", "\xff", "\xe4",
	}
	var b strings.Builder
	for range rng.IntN(80) {
		switch k := rng.IntN(12); {
		case k < 8:
			b.WriteString(words[rng.IntN(len(words))])
		case k < 11:
			finals := "@ABCDEFGHIJKLMPSTXZ`abdefgrsu"
			fmt.Fprintf(&b, "\x1b[%d;%d%c", rng.IntN(7), rng.IntN(24), finals[rng.IntN(len(finals))])
		default:
			modes := []string{"4", "20", "?6", "?7", "?25", "?47", "?1047", "?1048", "?1049"}
			fmt.Fprintf(&b, "\x1b[%s%c", modes[rng.IntN(len(modes))], "hl"[rng.IntN(2)])
		}
		if rng.IntN(200) == 0 {
			b.WriteString([]string{"\x1bc", "\x1b[!p"}[rng.IntN(2)])
		}
	}
	b.WriteString(strings.Repeat("end\r\n", rng.IntN(12)))
	return b.String()
}
