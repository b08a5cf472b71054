package screen

import (
	"hash/fnv"
	"io"
	"strconv"
)

// Hash returns a name for what s shows, 16 hexadecimal digits: equal pictures
// have equal ones, whatever led to them. The lines count as they are seen, with
// their styles and links, and so do the size and a visible cursor; the rest of
// the modes, the title and the scrollback do not.
func (s *Snapshot) Hash() string {
	h := fnv.New64a()
	hashInts(h, s.Cols, s.Rows, s.First, btoi(s.Modes.ReverseVideo))
	if s.Cursor.Visible {
		hashInts(h, s.Cursor.Col, s.Cursor.Row, int(s.Cursor.Shape))
	}
	for _, row := range s.RowHashes() {
		hashInts(h, int(row))
	}
	return hexadecimal(h.Sum64())
}

// RowHashes returns a hash of each of Lines: of its text as it is seen, with
// its styles and links.
func (s *Snapshot) RowHashes() []uint64 {
	hashes := make([]uint64, len(s.Lines))
	colors := s.Palette.hash()
	for i := range s.Lines {
		h := fnv.New64a()
		end := s.seen(i)
		for run := range s.Runs(i) {
			if run.Col >= end {
				break
			}
			style := run.Style
			style.link = 0
			if style == (Style{}) && run.Col+run.Width > end {
				run.Text = s.text(i, run.Col, end)
			}
			link, _ := s.Link(run.Style)
			_, _ = io.WriteString(h, run.Text)
			_, _ = io.WriteString(h, "\x00"+link.URI+"\x00"+link.ID)
			hashInts(h, run.Col, int(style.Foreground), int(style.Background), int(style.UnderlineColor),
				int(style.Attributes&^Protected), int(style.Underline), int(colors))
		}
		hashes[i] = h.Sum64()
	}
	return hashes
}

// seen returns the column behind the last cell of line i that is not a blank
// in the default style.
func (s *Snapshot) seen(i int) int {
	cells := s.Lines[i].cells
	for len(cells) > 0 {
		c := cells[len(cells)-1]
		style := s.styles[c.style()]
		style.Attributes &^= Protected
		if style != (Style{}) || c.written() && c&(cellText|cellCluster|cellTail) != ' ' {
			break
		}
		cells = cells[:len(cells)-1]
	}
	return len(cells)
}

// text returns what the columns from, up to and without to, of line i show.
func (s *Snapshot) text(i, from, to int) string {
	var b []byte
	for _, c := range s.Lines[i].cells[from:to] {
		b = appendCell(b, c, s.clusters)
	}
	return string(b)
}

// hash returns a number for the colours that the program has set.
func (p Palette) hash() uint64 {
	h := fnv.New64a()
	hashInts(h, int(p.Foreground), int(p.Background), int(p.Cursor))
	for i := range 256 {
		if c, ok := p.entries[uint8(i)]; ok {
			hashInts(h, i, int(c))
		}
	}
	return h.Sum64()
}

func hashInts(w io.Writer, values ...int) {
	var b [8]byte
	for _, v := range values {
		for i := range b {
			b[i] = byte(v >> (8 * i))
		}
		_, _ = w.Write(b[:]) // a hash never fails
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func hexadecimal(v uint64) string {
	const digits = 16
	s := strconv.FormatUint(v, 16)
	return "0000000000000000"[:digits-len(s)] + s
}
