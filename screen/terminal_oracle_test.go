package screen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

// An oracleStream makes a stream of sequences that vt10x does as xterm does. It leaves out known
// differences: vt10x has no wide characters, no background colour in lines that LF scrolls in,
// errors in ED 1 and in the margins of CUU, and one saved cursor for both screens.
type oracleStream struct {
	pick
	strings.Builder
	cols, rows int
	region     bool // the scroll region is not the whole screen (DECSTBM)
	origin     bool
	saved      bool // DECSC was used in a place where DECRC may follow
	alternate  bool
}

// write returns about n pieces.
func (o *oracleStream) write(n int) string {
	for range n {
		switch o.pick(20) {
		case 0, 1, 2, 3:
			o.text()
		case 4:
			o.WriteString(o.of("\r\n", "\r", "\n", "\b", "\v", "\f", "\x1bE"))
		case 5, 6:
			o.move()
		case 7:
			fmt.Fprintf(o, "\x1b[%d%s", 1+o.pick(9), o.of("C", "D", "G", "`", "a", "d"))
		case 8:
			if !o.region || o.origin {
				fmt.Fprintf(o, "\x1b[%d%s", 1+o.pick(9), o.of("A", "B", "E", "F", "e"))
			}
		case 9:
			o.move()
			o.WriteString(o.of("\x1b[J", "\x1b[2J", "\x1b[K", "\x1b[1K", "\x1b[2K"))
		case 10:
			o.move()
			fmt.Fprintf(o, "\x1b[%d%s", 1+o.pick(o.cols), o.of("@", "P", "X"))
		case 11:
			o.move()
			fmt.Fprintf(o, "\r\x1b[%d%s", 1+o.pick(o.rows), o.of("L", "M", "S", "T"))
		case 12:
			o.move()
			o.WriteString(o.of("\x1bD", "\x1bM"))
		case 13, 14:
			o.style()
		case 15:
			// With a background colour: scrolling and erasing, but no LF.
			fmt.Fprintf(o, "\x1b[4%dm", o.pick(8))
			o.move()
			fmt.Fprintf(o, o.of("\x1b[%dP", "\x1b[%d@", "\x1b[%dX", "\r\x1b[%dL", "\r\x1b[%dM", "\x1b[%dS", "\x1b[%dT", "\x1b[0K\x1b[%dX", "\x1b[2J\x1b[%dX", "\x1bD\x1b[%dX", "\x1bM\x1b[%dX"), 1+o.pick(5))
			o.WriteString("\x1b[49m")
		case 16:
			o.modes()
		case 17:
			o.tabs()
		case 18:
			o.cursor()
		case 19:
			o.WriteString(o.of("\x1b(0lqk\x1b(B", "\x1b(0`a~}|{zx\x1b(B", "\x1b]2;title\a", "\x1b[?25l\x1b[?25h", "\x1b[?1000h\x1b[?1000l", "\x1b=", "\x1b>"))
		}
	}
	return o.String()
}

// text writes no blanks: vt10x cannot tell them from erased cells.
func (o *oracleStream) text() {
	s := []rune("Thequickbrownfoxjumpsoverthelazydog-0123456789-größeräß-кириллица")
	n := 1 + o.pick(20)
	at := o.pick(len(s) - n)
	o.WriteString(string(s[at : at+n]))
}

// move is an absolute movement, and ends a pending wrap.
func (o *oracleStream) move() { fmt.Fprintf(o, "\x1b[%d;%dH", 1+o.pick(o.rows), 1+o.pick(o.cols)) }

// style sets no background, because LF may follow.
func (o *oracleStream) style() {
	switch o.pick(6) {
	case 0:
		fmt.Fprintf(o, "\x1b[%dm", 30+o.pick(8))
	case 1:
		fmt.Fprintf(o, "\x1b[%dm", 90+o.pick(8))
	case 2:
		fmt.Fprintf(o, "\x1b[38;5;%dm", o.pick(256))
	case 3:
		fmt.Fprintf(o, "\x1b[38;2;%d;%d;%dm", 1+o.pick(255), o.pick(256), o.pick(256))
	case 4:
		o.WriteString(o.of("\x1b[m", "\x1b[0m", "\x1b[39m", "\x1b[39;49m"))
	case 5:
		fmt.Fprintf(o, "\x1b[%sm", o.of("1", "3", "4", "5", "7", "22", "23", "24", "25", "27", "1;31", "0;4;32", "7;33"))
	}
}

func (o *oracleStream) modes() {
	switch o.pick(4) {
	case 0:
		top := 1 + o.pick(o.rows-1)
		fmt.Fprintf(o, "\x1b[%d;%dr", top, top+1+o.pick(o.rows-top))
		o.region, o.saved = true, false
	case 1:
		o.WriteString("\x1b[r")
		o.region, o.saved = false, false
	case 2:
		o.origin, o.saved = !o.origin, false
		o.WriteString(map[bool]string{true: "\x1b[?6h", false: "\x1b[?6l"}[o.origin])
	case 3:
		o.WriteString("\x1b[?7l")
		o.text()
		o.move()
		o.WriteString("\x1b[?7h")
	}
}

func (o *oracleStream) tabs() {
	o.move()
	o.WriteString(o.of("\t", "\t\t", "\x1b[I", "\x1b[2I", "\x1b[Z", "\x1b[3Z", "\x1bH", "\x1b[g", "\x1b[0g", "\x1b[3g"))
}

// cursor saves and restores the cursor on the main screen, and changes the screen.
func (o *oracleStream) cursor() {
	switch o.pick(4) {
	case 0, 1:
		if !o.alternate {
			o.move()
			o.WriteString(o.of("\x1b7", "\x1b[s", "\x1b[?1048h"))
			o.saved = true
		}
	case 2:
		if o.saved && !o.alternate {
			o.WriteString(o.of("\x1b8", "\x1b[u", "\x1b[?1048l"))
		}
	case 3:
		o.alternate = !o.alternate
		o.WriteString("\x1b[?6l\x1b[r\x1b[m")
		o.move()
		o.WriteString(map[bool]string{true: "\x1b[?1049h", false: "\x1b[?1049l"}[o.alternate])
		o.region, o.origin, o.saved = false, false, false
	}
}

// compareOracle writes in to both terminals and compares them.
func compareOracle(t *testing.T, cols, rows int, in string) {
	oracle := vt10x.New(vt10x.WithSize(cols, rows))
	fmt.Fprint(oracle, in)
	s := terminalWith(cols, rows, 100, in).Snapshot(Visible())
	if c := oracle.Cursor(); s.Cursor.Col != c.X || s.Cursor.Row != c.Y {
		t.Fatalf("%q on %dx%d: cursor at %d,%d, want %d,%d", in, cols, rows, s.Cursor.Col, s.Cursor.Row, c.X, c.Y)
	}
	for row := range rows {
		cells := make([]Cell, cols)
		for c := range s.Cells(row) {
			cells[c.Col] = c
		}
		for col, c := range cells {
			got, want := oracleLook(c), glyphLook(oracle.Cell(col, row))
			if got != want {
				t.Fatalf("%q on %dx%d: cell %d,%d is %s, want %s:\n got %q\nwant %q", in, cols, rows, col, row, got, want, rowsOf(s), trimRows(oracle.String()))
			}
		}
	}
}

// The attributes of a Glyph, which vt10x does not export.
var glyphModes = []struct {
	mode int16
	Attributes
}{{1, Reverse}, {4, Bold}, {16, Italic}, {32, Blink}}

// glyphLook describes a cell of vt10x. An erased cell has the style of the pen, of which only the
// background shows.
func glyphLook(g vt10x.Glyph) string {
	if g.Char == ' ' {
		return fmt.Sprintf("blank on %d", g.BG)
	}
	var a Attributes
	for _, m := range glyphModes {
		if g.Mode&m.mode != 0 {
			a |= m.Attributes
		}
	}
	return fmt.Sprintf("%c %d on %d, %b %v", g.Char, g.FG, g.BG, a, g.Mode&2 != 0)
}

// oracleLook describes a cell in the same form. As vt10x does when it stores a character, it makes
// bold bright and exchanges the colours of reverse video.
func oracleLook(c Cell) string {
	foreground, background := oracleColor(c.Style.Foreground, vt10x.DefaultFG), oracleColor(c.Style.Background, vt10x.DefaultBG)
	if c.Text == "" || c.Text == " " {
		return fmt.Sprintf("blank on %d", background)
	}
	a := c.Style.Attributes
	switch bright := foreground < 8 && a&Bold != 0; {
	case a&Reverse != 0:
		foreground, background = background, foreground
	case bright:
		foreground += 8
	}
	return fmt.Sprintf("%s %d on %d, %b %v", c.Text, foreground, background, a, c.Style.Underline != NoUnderline)
}

func oracleColor(c Color, def vt10x.Color) vt10x.Color {
	if i, ok := c.Index(); ok {
		return vt10x.Color(i)
	}
	if c.IsDefault() {
		return def
	}
	r, g, b, _ := c.RGB()
	return vt10x.Color(r)<<16 | vt10x.Color(g)<<8 | vt10x.Color(b)
}

// Random streams of sequences that vt10x does right leave the same screen.
func TestAgainstOracle(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		o := oracleStream{pick: rng.IntN, cols: 2 + rng.IntN(30), rows: 2 + rng.IntN(10)}
		compareOracle(t, o.cols, o.rows, o.write(1+rng.IntN(60)))
	}
}

func FuzzAgainstOracle(f *testing.F) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		choices := make([]byte, 200)
		for i := range choices {
			choices[i] = byte(rng.IntN(256))
		}
		f.Add(choices, byte(rng.IntN(30)), byte(rng.IntN(10)))
	}
	f.Fuzz(func(t *testing.T, choices []byte, cols, rows byte) {
		o := oracleStream{cols: 2 + int(cols)%100, rows: 2 + int(rows)%30}
		o.pick = func(n int) int {
			if len(choices) == 0 {
				return 0
			}
			c := choices[0]
			choices = choices[1:]
			return int(c) % n
		}
		for range 300 {
			if len(choices) == 0 {
				break
			}
			o.write(1)
		}
		compareOracle(t, o.cols, o.rows, o.String())
	})
}
