package screen

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// wireVersion is the first byte of an encoded Snapshot.
const wireVersion = 1

// errWire reports bytes that are not an encoded Snapshot.
var errWire = errors.New("not a snapshot")

// Encode returns s as bytes for Decode: a series of numbers of variable length (encoding/binary) and
// texts.
func (s *Snapshot) Encode() []byte {
	styles, clusters, links := numbering[uint32]{}, numbering[cell]{}, numbering[uint32]{}
	styles.number(0)
	links.number(0)
	var rows wireWriter
	for _, line := range s.Lines {
		rows.line(line, &styles, &clusters)
	}
	w := wireWriter{data: make([]byte, 0, len(rows.data)+1024)}
	w.data = append(w.data, wireVersion)
	w.head(s)
	w.number(len(styles.order))
	for _, n := range styles.order {
		style := s.styles[n]
		for _, c := range []Color{style.Foreground, style.Background, style.UnderlineColor} {
			w.number(int(c))
		}
		w.number(links.number(style.link))
		w.number(int(style.Attributes))
		w.number(int(style.Underline))
	}
	w.number(len(clusters.order))
	for _, n := range clusters.order {
		w.text(s.clusters[n])
	}
	w.number(len(links.order))
	for _, n := range links.order {
		w.text(s.links[n].URI)
		w.text(s.links[n].ID)
	}
	w.number(len(s.Lines))
	w.data = append(w.data, rows.data...)
	w.number(s.Modes.OtherKeys) // newer fields follow the rows, because older readers stop there
	return w.data
}

// A wireWriter appends to its bytes.
type wireWriter struct{ data []byte }

func (w *wireWriter) number(v int) { w.data = binary.AppendVarint(w.data, int64(v)) }

func (w *wireWriter) text(s string) {
	w.number(len(s))
	w.data = append(w.data, s...)
}

// head appends everything of a Snapshot but its lines.
func (w *wireWriter) head(s *Snapshot) {
	for _, v := range []int{
		s.Cols, s.Rows, btoi(s.Exists), s.First, s.History,
		s.Cursor.Col, s.Cursor.Row, int(s.Cursor.Shape), btoi(s.Cursor.Visible), btoi(s.Cursor.Blinking), btoi(s.Cursor.Pending),
		int(s.Palette.Foreground), int(s.Palette.Background), int(s.Palette.Cursor), len(s.Palette.entries),
	} {
		w.number(v)
	}
	for _, i := range slices.Sorted(maps.Keys(s.Palette.entries)) {
		w.number(int(i))
		w.number(int(s.Palette.entries[i]))
	}
	for _, text := range []string{s.Title, s.Icon, s.Cwd, s.Modes.MouseEncoding, s.Clipboard} {
		w.text(text)
	}
	w.number(int(s.Modes.Mouse))
	w.number(s.Modes.Keyboard)
	for _, on := range s.Modes.flags() {
		w.number(btoi(*on))
	}
}

// flags returns the modes that are on or off, in the order of the encoding.
func (m *Modes) flags() []*bool {
	return []*bool{
		&m.Alternate, &m.ApplicationCursor, &m.ApplicationKeypad, &m.BracketedPaste, &m.Focus, &m.Synchronized,
		&m.Graphemes, &m.ReverseVideo, &m.Insert, &m.Origin, &m.AutoWrap, &m.LineFeedNewLine,
	}
}

// line appends a line: its length, whether it is wrapped, its marks, and its cells in runs of one
// style.
func (w *wireWriter) line(line Line, styles *numbering[uint32], clusters *numbering[cell]) {
	w.number(len(line.cells)<<1 | btoi(line.Wrapped))
	w.number(len(line.Marks))
	for _, m := range line.Marks {
		w.number(m.Col)
		w.number(int(m.Kind))
		w.number(m.ExitCode)
	}
	for cells := line.cells; len(cells) > 0; {
		n := 1
		for n < len(cells) && cells[n].style() == cells[0].style() {
			n++
		}
		w.number(n)
		w.number(styles.number(cells[0].style()))
		for _, c := range cells[:n] {
			text := (c ^ c.styled()) &^ cellOld
			if text < 0x80 { // nearly always
				w.data = append(w.data, byte(text))
				continue
			}
			if c&cellCluster != 0 {
				text = text&^cellText | cell(clusters.number(c&cellText))
			}
			w.data = binary.AppendUvarint(w.data, uint64(text))
		}
		cells = cells[n:]
	}
}

// A numbering numbers values from 0 on, in the order in which they come.
type numbering[K comparable] struct {
	numbers map[K]int
	order   []K
}

func (d *numbering[K]) number(k K) int {
	n, ok := d.numbers[k]
	if !ok {
		if d.numbers == nil {
			d.numbers = map[K]int{}
		}
		n = len(d.order)
		d.numbers[k] = n
		d.order = append(d.order, k)
	}
	return n
}

// A wireReader reads what a wireWriter wrote, from the front of its bytes. After the first error
// every value is 0.
type wireReader struct {
	data   []byte
	broken bool
}

// number reads a number within bounds.
func (r *wireReader) number(low, high int) int {
	v, n := binary.Varint(r.data)
	if n <= 0 || v < int64(low) || v > int64(high) {
		r.data, r.broken = nil, true
		return max(low, 0)
	}
	r.data = r.data[n:]
	return int(v)
}

func (r *wireReader) bit() bool { return r.number(0, 1) == 1 }

// plain reads a text without controls.
func (r *wireReader) plain() string {
	s := r.text()
	if strings.ContainsFunc(s, unicode.IsControl) {
		r.broken = true
	}
	return s
}

func (r *wireReader) text() string {
	n := r.number(0, len(r.data))
	if n > len(r.data) { // the length itself took some bytes
		r.broken = true
		return ""
	}
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}

func (r *wireReader) color() Color { return Color(r.number(0, int(colorRGB|0xffffff))) }

// Decode returns the Snapshot that Encode wrote. The result is safe to use for any data.
func Decode(data []byte) (*Snapshot, error) {
	if len(data) == 0 || data[0] != wireVersion {
		return nil, errWire
	}
	r := &wireReader{data: data[1:]}
	s := &Snapshot{}
	r.head(s)
	s.styles = make([]Style, r.number(0, maxStyles))
	for i := range s.styles {
		s.styles[i] = Style{Foreground: r.color(), Background: r.color(), UnderlineColor: r.color()}
		s.styles[i].link = uint32(r.number(0, maxLinks))
		s.styles[i].Attributes = Attributes(r.number(0, 1<<16-1))
		s.styles[i].Underline = Underline(r.number(0, int(DashedUnderline)))
	}
	s.clusters = make([]string, r.number(0, maxClusters))
	for i := range s.clusters {
		s.clusters[i] = r.plain()
	}
	s.links = make([]Link, r.number(0, maxLinks))
	for i := range s.links {
		s.links[i] = Link{URI: r.plain(), ID: r.plain()}
	}
	s.Lines = make([]Line, r.number(0, MaxScrollback+MaxRows))
	unknown := func(style Style) bool { return int(style.link) >= len(s.links) }
	if r.broken || len(s.styles) == 0 || s.styles[0] != (Style{}) || slices.ContainsFunc(s.styles, unknown) {
		return nil, errWire
	}
	cells := make([]cell, 0, len(r.data)) // each cell takes at least one byte
	for i := range s.Lines {
		cells = r.line(s, &s.Lines[i], cells)
		if r.broken {
			return nil, errWire
		}
	}
	if len(r.data) > 0 {
		s.Modes.OtherKeys = r.number(0, 2)
	}
	if r.broken {
		return nil, errWire
	}
	return s, nil
}

func (r *wireReader) head(s *Snapshot) {
	s.Cols, s.Rows, s.Exists = r.number(1, MaxCols), r.number(1, MaxRows), r.bit()
	s.First, s.History = r.number(-MaxScrollback, MaxRows), r.number(0, MaxScrollback)
	s.Cursor.Col, s.Cursor.Row = r.number(0, s.Cols-1), r.number(0, s.Rows-1)
	s.Cursor.Shape = CursorShape(r.number(0, int(Bar)))
	s.Cursor.Visible, s.Cursor.Blinking, s.Cursor.Pending = r.bit(), r.bit(), r.bit()
	s.Palette.Foreground, s.Palette.Background, s.Palette.Cursor = r.color(), r.color(), r.color()
	for range r.number(0, 256) {
		if s.Palette.entries == nil {
			s.Palette.entries = map[uint8]Color{}
		}
		i := uint8(r.number(0, 255))
		s.Palette.entries[i] = r.color()
	}
	for _, text := range []*string{&s.Title, &s.Icon, &s.Cwd, &s.Modes.MouseEncoding} {
		*text = r.plain()
	}
	s.Clipboard = r.text()
	s.Modes.Mouse = Mouse(r.number(0, int(MouseAny)))
	s.Modes.Keyboard = r.number(0, 0xff)
	for _, on := range s.Modes.flags() {
		*on = r.bit()
	}
}

// line reads a line, and appends its cells to cells.
func (r *wireReader) line(s *Snapshot, line *Line, cells []cell) []cell {
	length := r.number(0, MaxCols<<1|1)
	line.Wrapped = length&1 != 0
	for range r.number(0, maxRowMarks) {
		line.Marks = append(line.Marks, Mark{Col: r.number(0, MaxCols), Kind: byte(r.number('A', 'D')), ExitCode: r.number(-1, 1<<31-1)})
	}
	start := len(cells)
	for left := length >> 1; left > 0 && !r.broken; {
		n := r.number(1, left)
		style := cell(r.number(0, len(s.styles)-1)) << styleShift
		for range n {
			if len(r.data) > 0 && (r.data[0] == 0 || r.data[0] >= 0x20 && r.data[0] < 0x7f) {
				cells = append(cells, style|cell(r.data[0]))
				r.data = r.data[1:]
				continue
			}
			text, size := binary.Uvarint(r.data)
			c := cell(text)
			if size <= 0 || c < 0xa0 && c > 0 || c >= cellTail<<1 || c&cellCluster != 0 && int(c&cellText) >= len(s.clusters) {
				r.data, r.broken = nil, true
				return cells
			}
			r.data = r.data[size:]
			cells = append(cells, style|c)
		}
		left -= n
	}
	line.cells = slices.Clip(cells[start:])
	return cells
}
