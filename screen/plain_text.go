package screen

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// A plainText is a screen whose cursor only text has moved. It holds the text of its rows as Plain
// will write it. It finds out where rows begin only when that matters.
type plainText struct {
	b       []byte // UTF-8; lines end with \n, and \t is the only other control
	written int    // b[:written] has been written; it ends with a line
	open    bool   // b begins inside a line

	laid   int   // the rows of b[:laid] are known
	starts []int // where in b the rows begin; at least those of the screen
	col    int   // the column at laid; one behind the last column during a pending wrap
	marks  int   // bytes of the character before laid, with its marks
}

func (t *plainText) reset() {
	*t = plainText{b: t.b[:0], starts: t.starts[:0]}
	t.restart()
}

// restart forgets where rows begin.
func (t *plainText) restart() {
	t.laid, t.col, t.marks = 0, 0, 0
	t.starts = append(t.starts[:0], 0)
}

// atStart reports whether the text ends at the start of a line.
func (t *plainText) atStart() bool { return len(t.b) == 0 || t.b[len(t.b)-1] == '\n' }

// layOut finds the rows of the text that was added.
func (t *plainText) layOut(cols, rows int) {
	b := t.b
	// Only the last lines matter, as many as there are rows.
	end := len(b)
	for n := 0; end >= t.laid; n++ {
		if n == rows {
			t.laid, t.col, t.marks = end+1, 0, 0
			t.starts = append(t.starts[:0], t.laid)
			break
		}
		i := bytes.LastIndexByte(b[t.laid:end], '\n')
		if i < 0 {
			break
		}
		end = t.laid + i
	}
	for t.laid < len(b) {
		if n := printable(b[t.laid:]); n > 0 {
			t.columns(n, cols, rows)
			continue
		}
		switch c := b[t.laid]; {
		case c == '\n':
			t.laid++
			t.row(rows)
		case c == '\t' && t.col < cols-1:
			t.laid++
			t.col = min((t.col|7)+1, cols-1)
			t.marks = 1
		case c == '\t' && t.col == cols && cols > 1 && t.marks == maxMarks:
			t.row(rows)
		case c == '\t':
			t.mark(1, cols, rows)
		default:
			r, n := utf8.DecodeRune(b[t.laid:])
			if w := min(runeWidth(r), cols); w > 0 {
				t.character(n, w, cols, rows)
			} else {
				t.mark(n, cols, rows)
			}
		}
	}
}

// columns lays out n characters of one column each.
func (t *plainText) columns(n, cols, rows int) {
	for n > 0 {
		if t.col == cols {
			t.row(rows)
		}
		k := min(n, cols-t.col)
		t.col += k
		t.laid += k
		t.marks = 1
		n -= k
	}
}

// character lays out a character of n bytes and w columns.
func (t *plainText) character(n, w, cols, rows int) {
	if t.col+w > cols {
		t.row(rows)
	}
	t.col += w
	t.laid += n
	t.marks = n
}

// mark lays out a character of n bytes that takes no column. It takes one if the character before
// has no room for it.
func (t *plainText) mark(n, cols, rows int) {
	if t.col == 0 || t.marks+n > maxMarks {
		t.character(n, 1, cols, rows)
		return
	}
	t.marks += n
	t.laid += n
}

// row begins a row at laid.
func (t *plainText) row(rows int) {
	if len(t.starts) >= 2*rows { // rows that have left the screen
		t.starts = t.starts[:copy(t.starts, t.starts[len(t.starts)-rows:])]
	}
	t.starts = append(t.starts, t.laid)
	t.col, t.marks = 0, 0
}

// trim writes the text that has scrolled off the screen, and forgets it.
func (p *Plain) trim() {
	t := &p.text
	t.layOut(p.term.cols, p.term.rows)
	if len(t.starts) <= p.term.rows && t.starts[0] == 0 {
		return
	}
	t.starts = t.starts[:copy(t.starts, t.starts[max(len(t.starts)-p.term.rows, 0):])]
	top := t.starts[0]
	p.send(t.b[min(t.written, top):top])
	t.open = t.b[top-1] != '\n'
	t.b = t.b[:copy(t.b, t.b[top:])]
	t.written = max(t.written-top, 0)
	t.laid -= top
	for i := range t.starts {
		t.starts[i] -= top
	}
}

// takeText takes printable ASCII, tabs and whole line ends from the start of b, and returns how many
// bytes it took. It copies eight bytes at a time, and then looks which of them are text.
func (p *Plain) takeText(b []byte) int {
	t := &p.text
	newLine := p.term.modes&modeNewLine != 0
	t.b = slices.Grow(t.b, len(b)+8)
	dst := t.b[:cap(t.b)]
	i, n := 0, len(t.b)
loop:
	for i < len(b) {
		if len(b)-i >= 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			binary.LittleEndian.PutUint64(dst[n:], w)
			m := special(w)
			if m == 0 {
				i += 8
				n += 8
				continue
			}
			k := bits.TrailingZeros64(m) >> 3
			i += k
			n += k
		}
		switch c := b[i]; {
		case c-0x20 < 0x5f, c == '\t':
			dst[n] = c
			i++
			n++
		case c == '\r' && i+1 < len(b) && b[i+1] == '\n':
			dst[n] = '\n'
			i += 2
			n++
		case c == '\n' && (newLine || n == 0 || dst[n-1] == '\n'):
			dst[n] = '\n'
			i++
			n++
		default:
			break loop
		}
	}
	t.b = dst[:n]
	return i
}
